"""A service that answers nothing is not fed: nothing is claimed, one read finds out, and then everything goes on."""

import asyncio
from datetime import timedelta

import aiohttp
import pytest

from bot.clients.circuit import Circuit
from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.reasons import worded
from bot.workflows.effect import Silence
from tests.support import deliveries
from tests.support.clock import HOUR, MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, OLGA, POLICY, Rig
from tests.support.settling import settle
from tests.workflows.looking import alerts, asked, everywhere, newest, read, requests, service_status, state

FEW = 3
PAUSES = (5.0, 10.0, 20.0, 30.0)
TRIAL = 5.0

HANGS = 0.3
"""Seconds for which a request hangs before its connection drops: a shorter time-out would also end slow answers."""
SILENT = "has not answered since <!date^1795165200^"
POLICY_OF_MANY = POLICY.partition("[[approval.rule]]")[0]
"""One approval is enough, whatever the amount."""


pytestmark = pytest.mark.rig(policy=POLICY_OF_MANY)


def die(rig: Rig, operation: str = "*") -> None:
    """The partner takes every request and answers none; what is sent to it has its effect."""
    rig.payments.faults.arm(Fault(FaultKind.DONE_HANGS, operation, times=None, seconds=HANGS))


async def silence(rig: Rig) -> None:
    """The partner drops every connection, and some reads have found it out."""
    rig.payments.faults.arm(Fault(FaultKind.LOST, "*", times=None))
    payments = rig.switchboard.context.payments.client
    assert payments is not None
    found_silent(payments.circuit)
    await rig.settle()


def found_silent(circuit: Circuit) -> None:
    for _ in range(3):
        circuit.silent(circuit.mark())


async def ask_for(rig: Rig, count: int) -> None:
    for number in range(count):
        rig.add_payees(f"p{number}@example.com")
        await rig.pay(f'send p{number}@example.com {10 + number}.00 "Work {number}"')


async def approve_all(rig: Rig) -> None:
    for card in rig.cards(APPROVALS):
        await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")


async def states(rig: Rig) -> dict[State, int]:
    found = [one.state for one in await requests(rig)]
    return {one: found.count(one) for one in set(found)}


async def revive(rig: Rig) -> None:
    rig.payments.faults.clear()
    await rig.pass_time(PAUSES[-1] + 1)


def unknown(found: dict[State, int]) -> int:
    return found.get(State.COMMIT_UNKNOWN, 0)


async def test_dead_provider_leaves_few_unknown_payouts(rig: Rig) -> None:
    await ask_for(rig, 20)
    await approve_all(rig)
    rig.payments.faults.arm(Fault(FaultKind.DONE_HANGS, "get_operation", times=None, skip=6, seconds=HANGS))
    die(rig, "commit_payout")  # in the middle of their reads
    await rig.settle()
    await rig.pass_time(8, steps=8)
    found = await states(rig)
    assert 0 < unknown(found) <= FEW + 1
    assert found[State.APPROVED] == 20 - unknown(found)
    assert asked(rig, "commit_payout") == unknown(found)
    assert len(alerts(rig)) == 1
    await revive(rig)
    await rig.pass_time(5 * MINUTE, steps=10)
    assert set(await states(rig)) <= {State.COMMITTED, State.COMPLETED}
    assert sorted(rig.paid) == sorted((f"p{number}@example.com", (10 + number) * 100) for number in range(20))
    assert len(alerts(rig)) == 2


async def test_service_answering_only_reads_gets_single_commits(rig: Rig) -> None:
    await ask_for(rig, 9)
    await approve_all(rig)
    die(rig, "commit_payout")
    await rig.settle()
    assert asked(rig, "commit_payout") == FEW
    assert everywhere(rig, "has not answered since")
    await rig.pass_time(TRIAL + 1)
    assert asked(rig, "commit_payout") == FEW + 1
    await rig.pass_time(TRIAL + 1)
    assert asked(rig, "commit_payout") == FEW + 1
    rig.payments.faults.clear()
    await rig.pass_time(2 * MINUTE, steps=8)
    assert len(rig.paid) == len(set(rig.paid)) == 9
    assert len(alerts(rig)) == 2


async def test_outage_start_and_end_are_announced_once(rig: Rig) -> None:
    await silence(rig)
    await rig.pass_time(HOUR, steps=6)
    [began] = alerts(rig)
    assert began.startswith(":electric_plug: *Payments hasn't answered* since")
    rig.payments.faults.clear()
    await rig.pass_time(PAUSES[-1] + 1)
    _, over = alerts(rig)
    assert over.startswith(":sunny: *Payments answers again*")
    assert "after 1 hour" in over
    await rig.pass_time(HOUR, steps=5)
    assert len(alerts(rig)) == 2


@pytest.mark.parametrize(("minutes", "told"), [(-3, True), (-1, False), (1, False), (3, True)])
async def test_outdated_health_report_is_replaced(rig: Rig, minutes: int, told: bool) -> None:
    """A process that still finds it silent says so within two minutes; what lies ahead, a clock said that was set."""
    now = rig.clock.now()
    said = Silence(since=now + timedelta(minutes=minutes - 5), seen=now + timedelta(minutes=minutes))
    await rig.switchboard.context.store.write(lambda tx: tx.flags.set("silent:payments", said.stored(), now))
    await silence(rig)
    found = Silence.read(await read(rig, lambda tx: tx.flags.get("silent:payments")))
    assert found is not None
    assert found.seen == now
    assert (found.since != said.since) is told
    assert len(alerts(rig)) == (1 if told else 0)


async def test_new_process_reads_before_sending(rig: Rig) -> None:
    await rig.pay()
    await silence(rig)
    await rig.pass_time(10)
    await rig.start_again()
    before = len(rig.payments.calls)
    await rig.press("approve")
    assert "since 2026-11-20 09:00 UTC" in worded((await newest(rig)).reason)
    assert len(rig.payments.calls) == before + 1  # its probe
    assert len(alerts(rig)) == 1
    await revive(rig)
    assert await state(rig) is State.COMMITTED
    assert len(alerts(rig)) == 2


async def test_restored_database_is_shown_to_the_operator(rig: Rig) -> None:
    await silence(rig)
    assert "no answer since <!date^1795165200^" in await service_status(rig, "Payments")
    await rig.workspace.open_home(OLGA)
    view = rig.workspace.home(OLGA)
    assert view is not None
    assert "Payments: no answer since" in str(view.blocks)
    assert 'switchboard_service_silent{service="payments"} 1.0' in await metrics(rig)
    assert 'switchboard_service_silent{service="delivery"} 0.0' in await metrics(rig)
    await revive(rig)
    assert (await service_status(rig, "Payments")).startswith(":large_green_circle: ")
    assert 'switchboard_service_silent{service="payments"} 0.0' in await metrics(rig)


async def metrics(rig: Rig) -> str:
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/metrics") as answer:
        return await answer.text()


async def test_delivery_waits_for_the_service_and_is_booked_once(sqlite_url: str) -> None:
    rig = await deliveries.open_rig(sqlite_url)
    try:
        service, ctx = deliveries.service_of(rig), rig.switchboard.context
        assert ctx.delivery.client is not None
        await deliveries.ask_price(rig)
        service.faults.arm(Fault(FaultKind.LOST, "*", times=None))
        found_silent(ctx.delivery.client.client.circuit)
        await rig.submit(MARIA, {})
        await rig.settle()
        assert f"Delivery {SILENT}" in deliveries.stands(rig)
        assert len(service.calls_of("create_booking")) == 0
        assert "no answer since <!date^1795165200^" in await service_status(rig, "Delivery booking")
        service.faults.clear()
        await rig.pass_time(PAUSES[-1] + 1)
        assert len(service.calls_of("create_booking")) == len(service.bookings) == 1
        assert deliveries.stands(rig) == deliveries.SEARCHING
        assert ["Delivery" in text for text in alerts(rig)] == [True, True]
    finally:
        await rig.close()


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", policy=POLICY_OF_MANY)
async def test_processes_count_separately_and_alert_once(rig: Rig) -> None:
    first = rig.switchboard
    await rig.start()  # beside the first one
    try:
        await ask_for(rig, 9)
        await approve_all(rig)
        rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "*", times=None))
        for _ in range(6):
            await asyncio.gather(settle(first.context), rig.settle())
            await rig.pass_time(5)
        assert unknown(await states(rig)) <= 2 * FEW
        assert len(alerts(rig)) == 1
        rig.payments.faults.clear()
        for _ in range(6):
            await rig.pass_time(20)
            await asyncio.gather(settle(first.context), rig.settle())
        assert len(alerts(rig)) == 2
        await rig.pass_time(5 * MINUTE, steps=5)
        assert len(rig.paid) == len(set(rig.paid)) == 9
    finally:
        await first.stop()


async def test_localization_waits_while_one_probe_runs(rig: Rig) -> None:
    client = rig.switchboard.context.localization.client
    assert client is not None
    found_silent(client.circuit)
    await rig.settle()
    for text in ("Good morning", "Good evening", "Good night"):
        await rig.workspace.slash(MARIA, FINANCE, "/localize", f"translate from=en to=fr {text}")
    await rig.settle()
    assert rig.localization.calls == []
    await rig.pass_time(PAUSES[0] - 1)
    waiting = "Translating to French… Localization hasn't answered since <!date^"
    assert sum(waiting in told.text for told in rig.workspace.ephemerals(MARIA)) == 3
    assert "no answer since <!date^1795165200^" in await service_status(rig, "Content localization")
    rig.localization.faults.arm(Fault(FaultKind.LOST, "*"))
    await rig.pass_time(PAUSES[0])
    await rig.switchboard.context.workers.finished(lasting=True)
    await rig.pass_time(PAUSES[1] - 1)
    assert len(rig.localization.calls) == 1
    await rig.pass_time(2)
    await rig.switchboard.context.workers.finished(lasting=True)
    await rig.settle()
    await rig.switchboard.context.workers.finished(lasting=True)
    assert len(rig.localization.calls) == 3
    await rig.settle()
    ends = ("Not confirmed", "[en → fr] Good")
    assert sum(any(end in told.text for end in ends) for told in rig.workspace.ephemerals(MARIA)) == 3
    assert ["Localization" in text for text in alerts(rig)] == [True, True]
