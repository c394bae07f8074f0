"""Bulk payments that are approved at the same moment go one after the other, never two at a time."""

import asyncio
from collections.abc import Awaitable

import pytest

from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest, has_code
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.bulk import ask, submissions
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, Rig

pytestmark = pytest.mark.rig(on="both")


async def ask_four(rig: Rig) -> None:
    for n in range(1, 5):
        await ask(rig, f"ana@example.com,{n}.00,{n} of four")


async def approve_together(rig: Rig) -> None:
    """Press each button before anything that is due is done."""
    for card in rig.cards(APPROVALS):
        await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")


def in_flight(rig: Rig) -> int:
    return sum(call.status is None for call in rig.payments.calls_of("create_bulk_payment"))


async def most_in_flight(rig: Rig, work: Awaitable[object]) -> int:
    done, most = asyncio.ensure_future(work), 0
    while not done.done():
        most = max(most, in_flight(rig))
        await asyncio.sleep(0.005)
    await done
    return most


async def states(rig: Rig) -> list[State]:
    found = await rig.switchboard.context.store.read(lambda tx: tx.instructions.awaiting(tuple(State)))
    return [one.state for one in found]


async def waiting(rig: Rig) -> int:
    found = await rig.switchboard.context.store.read(lambda tx: tx.instructions.awaiting((State.APPROVED,)))
    return sum(has_code(one.reason, OfRequest.ANOTHER_IS_SENT) for one in found)


async def test_next_payment_waits_for_the_previous_answer(rig: Rig) -> None:
    await ask_four(rig)
    rig.payments.faults.arm(Fault(FaultKind.SLOW, "create_bulk_payment", times=None, seconds=0.1))
    await approve_together(rig)
    assert await most_in_flight(rig, rig.settle()) == 1
    assert submissions(rig) == 4, "although the clock stands still"
    assert set(await states(rig)) == {State.COMMITTED}


async def test_one_that_waits_reads_no_history(rig: Rig) -> None:
    await ask_four(rig)
    rig.payments.faults.arm(Fault(FaultKind.LOST, "create_bulk_payment"))
    await approve_together(rig)
    await rig.settle()
    assert (await states(rig)).count(State.COMMIT_UNKNOWN) == 1
    assert await waiting(rig) == 3
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_bulk_payments", times=None))  # nor is it found
    await rig.pass_time(1)
    reads = len(rig.payments.calls_of("list_bulk_payments"))
    await rig.pass_time(60)
    assert len(rig.payments.calls_of("list_bulk_payments")) <= reads + 1, "only the lost one is looked for"
    assert await waiting(rig) == 3


async def test_unknown_outcome_holds_the_queue_until_found(rig: Rig) -> None:
    await ask_four(rig)
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_bulk_payment"))
    hidden = Fault(FaultKind.ERROR_500, "list_bulk_payments", times=None, skip=4)  # each has read it before it is sent
    rig.payments.faults.arm(hidden)
    await approve_together(rig)
    await rig.settle()
    await rig.pass_time(300, steps=10)
    assert submissions(rig) == 1
    assert sorted(await states(rig)) == sorted([State.COMMIT_UNKNOWN, *[State.APPROVED] * 3])
    rig.payments.faults.clear()
    await rig.pass_time(60)
    assert submissions(rig) == 4, "at once, when it is found"
    assert set(await states(rig)) == {State.COMMITTED}


async def test_when_it_is_closed_as_not_paid_the_others_go(rig: Rig) -> None:
    await ask(rig, "ana@example.com,1.00,first")
    rig.payments.faults.arm(Fault(FaultKind.LOST, "create_bulk_payment"))
    await approve_together(rig)
    await rig.settle()
    await rig.pass_time(1_200, steps=40)
    assert await states(rig) == [State.NEEDS_HUMAN]
    await ask(rig, "ana@example.com,2.00,second")
    await rig.press("approve")
    assert await waiting(rig) == 1
    first = rig.cards(APPROVALS)[0]
    await rig.workspace.click(ADA, APPROVALS, first.ts, "payout.close")
    await rig.submit(ADA, {forms.REASON: "not in their list"})
    assert await states(rig) == [State.CLOSED, State.COMMITTED]
    assert submissions(rig) == 1


async def test_rate_limited_bulk_does_not_block_others(rig: Rig) -> None:
    await ask_four(rig)
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "create_bulk_payment", wait="20"))
    await approve_together(rig)
    await rig.settle()
    assert submissions(rig) == 3
    await rig.pass_time(19)
    assert submissions(rig) == 3
    await rig.pass_time(1)
    assert submissions(rig) == 4


async def test_one_that_cannot_go_yet_lets_the_one_behind_it_pass(rig: Rig) -> None:
    """The next one is asked to wait before it may read: those after it are due a second later, it a minute later."""
    await ask_four(rig)
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_bulk_payment"))
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_bulk_payments", times=None, skip=4))
    await approve_together(rig)
    await rig.settle()
    assert await waiting(rig) == 3
    rig.payments.faults.clear()
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "list_bulk_payments", skip=1, wait="60"))
    await rig.pass_time(59)  # at 60 those that are held would be due beside the one that is found
    assert sorted(await states(rig)) == sorted([State.COMMITTED, *[State.APPROVED] * 3])
    await rig.pass_time(1)
    assert submissions(rig) == 3
    await rig.pass_time(58)
    assert submissions(rig) == 3, "the wait that was named is the wait"
    await rig.pass_time(1)
    assert submissions(rig) == 4
    assert set(await states(rig)) == {State.COMMITTED}


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", clock=None)
async def test_four_processes_send_them_one_after_the_other_without_a_pause(rig: Rig) -> None:
    for number in range(3):
        await rig.start_another(f"another-{number}")
    for n in range(1, 5):
        await rig.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
        await rig.workspace.until(lambda: rig.form().callback_id == "bulk.request")
        await rig.workspace.submit(MARIA, {"rows": f"ana@example.com,{n}.00,{n} of four"})
        await cards(rig, n)
    rig.payments.faults.arm(Fault(FaultKind.SLOW, "create_bulk_payment", times=None, seconds=2.0))
    await approve_together(rig)
    assert await most_in_flight(rig, all_sent(rig)) == 1


async def cards(rig: Rig, count: int) -> None:
    await rig.workspace.until(lambda: len(rig.cards(APPROVALS)) == count, timeout=30)


async def all_sent(rig: Rig) -> None:
    await rig.workspace.until(lambda: submissions(rig) == 4, timeout=40)
