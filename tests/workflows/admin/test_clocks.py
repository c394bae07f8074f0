"""The calendar is read at start and advanced by boot time: a clock that is set moves no deadline, and is an alert."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.domain.clock import SharedClock
from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PayoutOrder
from bot.presentation.payments import forms
from bot.workflows.admin import clocks
from tests.support.clock import DAY, HOUR, MINUTE, QUIET, ManualClock
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, Rig
from tests.workflows.looking import newest, read, state


class Settable:
    """The clock of a machine and of the database's server, which is set so many seconds ahead."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.right = ManualClock()
        self.seconds = seconds

    def now(self) -> datetime:
        return self.right.now() + timedelta(seconds=self.seconds)

    def boottime(self) -> float:
        return self.right.boottime()


async def settable(database_url: str, seconds: float = 0.0, *, server: bool = True) -> Rig:
    clock = Settable(seconds)
    around = {"clock": clock, "server_now": clock.now if server else clock.right.now}
    rig = await Rig.open(database_url=database_url, clock=clock.right, around=around)
    rig.workspace._delivery.signing_clock = lambda: clock.now().timestamp()  # Slack refuses what is minutes off
    return rig


async def two_hours_ahead(database_url: str) -> Rig:
    return await settable(database_url, 2 * HOUR)


async def two_hours_behind(database_url: str) -> Rig:
    return await settable(database_url, -2 * HOUR)


async def machine_ahead(database_url: str) -> Rig:
    return await settable(database_url, 61, server=False)


def clock_of(rig: Rig) -> Settable:
    found = rig._around["clock"]
    assert isinstance(found, Settable)
    return found


def alerts(rig: Rig) -> list[str]:
    """What kind of alerts about clocks there were: the emoji and the first words."""
    texts = [message.text for message in rig.workspace.messages(ALERTS)]
    return [" ".join(text.split()[1:5]).strip("*") for text in texts if "clock" in text]


MACHINE, SERVER, ROWS, RIGHT = "The clock of a", "The clock of the", "The newest rows in", "The clock agrees with"
STEPS = [-2 * HOUR, 2 * HOUR]
on_both = pytest.mark.rig(on="both", opened_by=settable)
stepped = pytest.mark.parametrize("seconds", STEPS)


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", opened_by=machine_ahead)
async def test_machine_that_is_a_minute_ahead_uses_the_servers_clock(rig: Rig) -> None:
    assert rig.switchboard.context.clock.now() == rig.clock.now()
    await rig.pay()
    await rig.pass_time(180, steps=3)
    assert await state(rig) is State.AWAITING
    assert alerts(rig) == [MACHINE]
    clock_of(rig).seconds = 0
    await rig.pass_time(QUIET, steps=15)
    assert alerts(rig) == [MACHINE, RIGHT]


@pytest.mark.both_databases
@on_both
@pytest.mark.parametrize("seconds", [*STEPS, -50 * HOUR, 50 * HOUR])
async def test_clock_step_is_alerted_once_and_blocks_nothing(rig: Rig, seconds: float) -> None:
    await rig.pay()
    before = await newest(rig)
    clock_of(rig).seconds = seconds
    await rig.pass_time(180, steps=3)
    after = await newest(rig)
    assert (after.due_at, after.expires_at, after.version) == (before.due_at, before.expires_at, before.version)
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(QUIET, steps=5)
    assert await state(rig) is State.COMPLETED
    assert len(rig.paid) == 1
    assert len(alerts(rig)) == 1
    clock_of(rig).seconds = 0
    await rig.pass_time(180, steps=3)
    assert alerts(rig)[1:] == [RIGHT]


@on_both
@stepped
async def test_request_expires_on_time_after_clock_step(rig: Rig, seconds: float) -> None:
    await rig.pay()
    clock_of(rig).seconds = seconds
    await rig.pass_time(DAY - MINUTE, steps=4)
    assert await state(rig) is State.AWAITING
    await rig.pass_time(2 * MINUTE)
    assert await state(rig) is State.EXPIRED
    clock_of(rig).seconds = -50 * HOUR
    await rig.start_again()
    await rig.pass_time(MINUTE)
    assert await state(rig) is State.EXPIRED


@on_both
@stepped
async def test_lost_request_is_paid_once_after_clock_step(rig: Rig, seconds: float) -> None:
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "commit_payout"))
    await rig.pay()
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    clock_of(rig).seconds = seconds
    await rig.pass_time(1_800, steps=20)
    assert len(rig.paid) == 1
    assert await state(rig) not in (State.COMMIT_UNKNOWN, State.NEEDS_HUMAN)


async def asks_after(rig: Rig) -> float:
    """Minutes until people are asked about a lost request, to half a minute."""
    for half_minutes in range(1, 120):
        await rig.pass_time(30)
        if await state(rig) is State.NEEDS_HUMAN:
            return half_minutes / 2
    raise AssertionError(f"not within an hour; {await state(rig)}: {(await newest(rig)).reason}")


@on_both
@pytest.mark.parametrize(("seconds", "is_restarted"), [(STEPS[0], False), (STEPS[1], False), (STEPS[1], True)])
async def test_quiet_period_is_as_long_after_clock_step(rig: Rig, seconds: float, is_restarted: bool) -> None:
    """A lost request may be on its way for 15 minutes: a second one before that could pay twice."""
    rig.payments.faults.arm(Fault(FaultKind.LOST, "commit_payout"))
    await rig.pay()
    await rig.press("approve")
    clock_of(rig).seconds = seconds
    for _ in range(2 * is_restarted):
        await rig.pass_time(61)
        await rig.start_again()
    assert 15 <= await asks_after(rig) <= 17
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    await rig.pass_time(300, steps=5)
    assert len(rig.payments.calls_of("commit_payout")) == 2
    assert len(rig.paid) == 1
    assert alerts(rig)[1:] == ([RIGHT] if is_restarted else [])


@pytest.mark.parametrize("seconds", [
    *(pytest.param(step, marks=pytest.mark.rig(opened_by=settable)) for step in STEPS),
    pytest.param(0.0, marks=pytest.mark.rig(opened_by=two_hours_ahead), id="ahead at start"),
    pytest.param(0.0, marks=pytest.mark.rig(opened_by=two_hours_behind), id="behind at start"),
])  # fmt: skip
async def test_lost_post_is_found_despite_clock_differences(rig: Rig, seconds: float) -> None:
    """``seconds``: the clock is ahead of Slack's by the time of the search, four minutes after the post."""
    rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage", times=2))
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "conversations.history", times=6, wait="80"))
    await rig.pay()
    clock_of(rig).seconds = seconds
    await rig.pass_time(900, steps=30)
    assert {channel: len(rig.cards(channel)) for channel in (FINANCE, APPROVALS)} == {FINANCE: 1, APPROVALS: 1}
    assert len([call for call in rig.workspace.calls if call.method == "conversations.history"]) > 6


@pytest.mark.rig(opened_by=two_hours_ahead)
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_record_that_may_be_ours_counts_if_clock_was_ahead(rig: Rig, is_restarted: bool) -> None:
    """A record for the same recipient and amount, without our code, is no proof that nothing was paid."""
    rig.payments.faults.arm(Fault(FaultKind.LOST, "one_step_payout"))
    await rig.pay("now ana@example.com 25.00 rent")
    await rig.press("approve")
    order = PayoutOrder(email="ana@example.com", description="", cents=2500, confirmation_uri="", failure_uri="")
    twin = rig.payments.add_payout(replace(order, code="INVOICE-7"))
    clock_of(rig).seconds = 0.0
    if is_restarted:
        await rig.start_again()
    await rig.pass_time(4 * HOUR, steps=48)
    found = await newest(rig)
    assert (found.state, found.suspect) == (State.NEEDS_HUMAN, twin.id)


@on_both
@stepped
async def test_restart_after_clock_step_continues_at_once(rig: Rig, seconds: float) -> None:
    """Set back, rows lie ahead: they are read within a minute, and their deadlines come later."""
    await rig.pay('send ana@example.com 7.00 "first"')
    await rig.press("approve")
    await rig.pay()
    before = await newest(rig)
    await rig.switchboard.stop()
    clock_of(rig).seconds = seconds
    await rig.start()
    await rig.payments.advance()
    await rig.pass_time(300, steps=5)
    assert (await read(rig, lambda tx: tx.instructions.counts()))["payout", "completed"] == 1
    assert (await newest(rig)).expires_at == before.expires_at
    await rig.press("approve")
    assert [cents for _, cents in rig.paid] == [700, 2_500]
    await rig.start_again()
    assert alerts(rig) == ([ROWS] if seconds < 0 else [])


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", opened_by=settable)
async def test_first_of_several_processes_alerts(rig: Rig) -> None:
    ctx = rig.switchboard.context
    other = SharedClock(clock_of(rig))
    await clocks.start(ctx.store, other, server_now=ctx.server_now)
    clock_of(rig).seconds = -2 * HOUR
    await rig.pass_time(61)
    assert await clocks.compare(replace(ctx, clock=other, owner="other")) == 1
    await rig.settle()
    assert alerts(rig) == [MACHINE]
