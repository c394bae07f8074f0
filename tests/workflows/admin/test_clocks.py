"""Rows go by one clock: of the database's server, or of this machine on SQLite. What waits survives its being set."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.domain.clock import SharedClock
from bot.domain.payments.instruction import State
from bot.domain.recovery import LastSearch, ReadingOnly, Seen
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PayoutOrder
from bot.presentation.payments import forms
from bot.workflows import reading_only
from bot.workflows.admin import clocks
from bot.workflows.context import Unit
from bot.workflows.effect import Silence
from storage.transaction import Tx
from tests.support.clock import ManualClock
from tests.support.reasons import own_words
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, Rig
from tests.workflows.looking import attempts, newest, read, state


class Ahead:
    """The clock of a machine that somebody set wrongly."""

    def __init__(self, right: ManualClock, seconds: float) -> None:
        self._right = right
        self.seconds = seconds

    def now(self) -> datetime:
        return self._right.now() + timedelta(seconds=self.seconds)

    def boottime(self) -> float:
        return self._right.boottime()


async def ahead(database_url: str) -> Rig:
    right = ManualClock()
    return await Rig.open(database_url=database_url, clock=right, around={"clock": Ahead(right, 61)})


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", opened_by=ahead)
async def test_a_machine_that_is_a_minute_ahead_takes_nothing_from_others(rig: Rig) -> None:
    assert rig.switchboard.context.clock.now() == rig.clock.now()
    await rig.pay()
    assert await state(rig) is State.AWAITING
    await rig.pass_time(180, steps=3)
    [alert] = rig.workspace.messages(ALERTS)
    assert alert.text.startswith(":alarm_clock: *The clock of a machine is 61 s ahead of the database server's.*")
    clock = rig.switchboard.context.clock
    assert isinstance(clock, SharedClock)
    assert isinstance(clock._own, Ahead)
    clock._own.seconds = 0
    await rig.pass_time(120, steps=2)
    assert "agrees with the database server's again" in rig.workspace.messages(ALERTS)[-1].text


class Settable(Ahead):
    """The clock by which rows are written, which somebody sets."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__(ManualClock(), seconds)
        self.right = self._right


async def settable(database_url: str, seconds: float = 0.0) -> Rig:
    wrong = Settable(seconds)
    around = {"clock": wrong, "server_now": wrong.now}
    rig = await Rig.open(database_url=database_url, clock=wrong.right, around=around)
    rig.workspace._delivery.signing_clock = lambda: wrong.now().timestamp()  # Slack refuses what is minutes off
    return rig


async def two_hours_ahead(database_url: str) -> Rig:
    return await settable(database_url, 7_200)


async def two_hours_behind(database_url: str) -> Rig:
    return await settable(database_url, -7_200)


def clock_of(rig: Rig) -> Settable:
    found = rig._around["clock"]
    assert isinstance(found, Settable)
    return found


def told(rig: Rig) -> list[str]:
    return [m.text for m in rig.workspace.messages(ALERTS) if "The clock was set" in m.text]


SET = [-7_200.0, 7_200.0, -180_000.0, 180_000.0]
"""Two and fifty hours, back and forward."""


@pytest.mark.both_databases
@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
async def test_a_clock_that_is_set_holds_nothing_up(rig: Rig, seconds: float) -> None:
    await rig.pay()
    before = await newest(rig)
    clock_of(rig).seconds = seconds
    await rig.pass_time(61)
    after = await newest(rig)
    for name in ("due_at", "expires_at", "posted_at"):
        moved = getattr(after, name) - getattr(before, name)
        assert moved == timedelta(seconds=seconds), name
    await rig.press("approve")
    assert len(rig.paid) == 1
    await rig.payments.advance()
    await rig.pass_time(600, steps=5)
    assert await state(rig) is State.COMPLETED
    way, by = "back" if seconds < 0 else "forward", "2 hours" if abs(seconds) == 7_200 else "2 days"
    [alert] = told(rig)
    assert alert.startswith(f":alarm_clock: *The clock was set {way} by {by}.*")


@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", [-7_200.0, 7_200.0])
async def test_what_was_approved_before_the_clock_was_set_agrees_with_the_audit(rig: Rig, seconds: float) -> None:
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "commit_payout", wait="600"))
    await rig.pay()
    await rig.press("approve")
    assert await state(rig) is State.APPROVED
    clock_of(rig).seconds = seconds
    await rig.pass_time(61)
    await rig.pass_time(600, steps=5)
    assert len(rig.paid) == 1
    assert not [m.text for m in rig.workspace.messages(ALERTS) if "on hold" in m.text]


@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
async def test_what_is_under_way_while_the_clock_is_set_is_paid_once(rig: Rig, seconds: float) -> None:
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "commit_payout"))
    await rig.pay()
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    clock_of(rig).seconds = seconds
    await rig.pass_time(1_800, steps=20)
    assert len(rig.paid) == 1
    assert await state(rig) not in (State.COMMIT_UNKNOWN, State.NEEDS_HUMAN)


def held(rig: Rig) -> list[str]:
    return [m.text for m in rig.workspace.messages(ALERTS) if "on hold" in m.text]


async def minutes_until(rig: Rig, happened: Callable[[], Awaitable[bool]]) -> float:
    """How long it takes, to half a minute; an hour is longer than anything here waits for."""
    for half_minutes in range(1, 121):
        await rig.pass_time(30)
        if await happened():
            return half_minutes / 2
    raise AssertionError(f"not within an hour; {await state(rig)}: {(await newest(rig)).reason}")


async def retry(rig: Rig) -> None:
    await rig.press("retry")
    if rig.workspace.modal(ADA) is not None:
        await rig.submit(ADA, {forms.AMOUNT: "25.00"})


IN_ONE_STEP, IN_TWO_STEPS = "now ana@example.com 25.00 rent", "send ana@example.com 25.00 rent"


@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
@pytest.mark.parametrize(("asked", "lost"), [
    (IN_ONE_STEP, "one_step_payout"), (IN_TWO_STEPS, "commit_payout"),
], ids=["one step", "two steps"])  # fmt: skip
async def test_people_are_asked_after_the_quiet_period_anyway(rig: Rig, asked: str, lost: str, seconds: float) -> None:
    """A request that was lost may still be on its way for 15 minutes; a second one before that could pay twice."""
    rig.payments.faults.arm(Fault(FaultKind.LOST, lost))
    await rig.pay(asked)
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    sent_at = (await newest(rig)).sent_at
    assert sent_at is not None
    clock_of(rig).seconds = seconds

    async def asks() -> bool:
        return await state(rig) is State.NEEDS_HUMAN

    assert 15 <= await minutes_until(rig, asks) <= 17
    assert (await newest(rig)).sent_at == sent_at + timedelta(seconds=seconds)
    assert (await attempts(rig))[-1].claimed_at == sent_at
    assert len(rig.payments.calls_of(lost)) == 1
    await retry(rig)
    await rig.pass_time(300, steps=5)
    assert len(rig.payments.calls_of(lost)) == 2
    assert len(rig.paid) == 1
    assert not held(rig)


@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
async def test_a_lost_creation_is_made_again_after_the_quiet_period(rig: Rig, seconds: float) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "create_payout"))
    await rig.pay()
    assert await state(rig) is State.CREATE_UNKNOWN
    clock_of(rig).seconds = seconds

    async def is_created_again() -> bool:
        return len(rig.payments.calls_of("create_payout")) == 2

    assert 15 <= await minutes_until(rig, is_created_again) <= 17
    assert await state(rig) is State.AWAITING
    await rig.press("approve")
    assert len(rig.paid) == 1
    assert not held(rig)


@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
async def test_a_retry_is_sent_where_the_clock_was_set_before_people_were_asked(rig: Rig, seconds: float) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "commit_payout"))
    await rig.pay()
    await rig.press("approve")
    await rig.pass_time(1_200, steps=20)
    assert await state(rig) is State.NEEDS_HUMAN
    clock_of(rig).seconds = seconds
    await rig.pass_time(61)
    await retry(rig)
    await rig.pass_time(300, steps=5)
    assert len(rig.payments.calls_of("commit_payout")) == 2
    assert len(rig.paid) == 1
    assert not held(rig)


def begun(opened_by: object, seconds: float) -> object:
    return pytest.param(seconds, marks=pytest.mark.rig(opened_by=opened_by))


@pytest.mark.parametrize(
    "seconds",
    [
        *(begun(settable, seconds) for seconds in (-240.0, 240.0, *SET)),
        *(begun(opened_by, 0.0) for opened_by in (two_hours_ahead, two_hours_behind)),
    ],
)
async def test_a_lost_post_is_not_made_again_after_the_clock_was_set(rig: Rig, seconds: float) -> None:
    """``seconds``: what our clock is ahead of Slack's by then. The search comes four minutes after the post."""
    rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage", times=2))
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "conversations.history", times=6, wait="80"))
    await rig.pay()
    clock_of(rig).seconds = seconds
    await rig.pass_time(900, steps=30)
    assert {channel: len(rig.cards(channel)) for channel in (FINANCE, APPROVALS)} == {FINANCE: 1, APPROVALS: 1}
    assert len([call for call in rig.workspace.calls if call.method == "conversations.history"]) > 6
    await rig.press("approve")
    assert len(rig.paid) == 1


@pytest.mark.rig(opened_by=two_hours_ahead)
async def test_what_may_be_ours_is_seen_though_the_clock_was_ahead_when_it_was_sent(rig: Rig) -> None:
    """A record for the same recipient and amount, without our code, is no proof that nothing was paid."""
    rig.payments.faults.arm(Fault(FaultKind.LOST, "one_step_payout"))
    await rig.pay(IN_ONE_STEP)
    await rig.press("approve")
    order = PayoutOrder(email="ana@example.com", description="", cents=2500, confirmation_uri="", failure_uri="")
    twin = rig.payments.add_payout(replace(order, code="INVOICE-7"))
    clock_of(rig).seconds = 0.0
    await rig.pass_time(5_400, steps=90)
    found = await newest(rig)
    assert (found.state, found.suspect) == (State.NEEDS_HUMAN, twin.id)


@pytest.mark.both_databases
@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
async def test_times_that_are_kept_as_json_move_along(rig: Rig, seconds: float) -> None:
    ctx = rig.switchboard.context
    now, by = ctx.clock.now(), timedelta(seconds=seconds)
    silence = Silence(since=now - timedelta(minutes=9), seen=now)
    mode = ReadingOnly(since=now, reason=own_words("a test"), until=now)
    look = LastSearch(seen=Seen.NOT_YET, reason=own_words("not there"), again_at=now + timedelta(minutes=1))
    over = LastSearch(seen=Seen.ABSENT, reason=own_words("not there"), again_at=None)

    def store(tx: Tx) -> None:
        tx.flags.set("silent:payments", silence.stored(), now)
        tx.flags.set("silent:emails", {"since": "damaged"}, now)
        reading_only.enter(Unit(tx, now=now, policy=ctx.policy), mode)
        reading_only.note(Unit(tx, now=now), "i1", look)
        reading_only.note(Unit(tx, now=now), "i2", over)

    await ctx.store.write(store)
    clock_of(rig).seconds = seconds
    rig.clock.advance(61)
    await clocks.look_again(ctx)
    flags = await read(rig, lambda tx: tx.flags.starting("silent:"))
    assert Silence.read(flags["silent:payments"]) == Silence(since=silence.since + by, seen=now + by)
    assert flags["silent:emails"] == {"since": "damaged"}
    assert await read(rig, reading_only.reading_only) == replace(mode, until=now + by)
    again = now + timedelta(minutes=1) + by
    assert await read(rig, reading_only.looks) == {"i1": replace(look, again_at=again), "i2": over}


@pytest.mark.rig(on="both", opened_by=settable)
@pytest.mark.parametrize("seconds", SET)
async def test_rows_of_a_clock_that_was_ahead_go_on(rig: Rig, seconds: float) -> None:
    """``seconds``: by how much the next process's clock differs from that of the last one."""
    await rig.pay('send ana@example.com 7.00 "first"')
    await rig.press("approve")
    await rig.pay()
    before = await newest(rig)
    await rig.switchboard.stop()
    clock_of(rig).seconds = seconds
    await rig.start()
    await rig.payments.advance()
    await rig.pass_time(300, steps=5)
    states = await read(rig, lambda tx: tx.instructions.counts())
    assert states.get(("payout", "completed")) == 1, states
    if seconds > 100_000:
        assert states["payout", "expired"] == 1  # as after fifty hours without a process
        return
    await rig.press("approve")
    assert [cents for _, cents in rig.paid] == [700, 2_500]
    after = await newest(rig)
    assert before.expires_at is not None
    assert after.expires_at is not None
    left = after.expires_at - rig.switchboard.context.clock.now()
    assert left <= timedelta(hours=24)
    assert bool(told(rig)) is (seconds < 0)
    await rig.start_again()
    assert len(told(rig)) <= 1  # nothing is moved twice


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", opened_by=settable)
async def test_of_several_processes_one_moves_the_rows(rig: Rig) -> None:
    await rig.pay()
    before = await newest(rig)
    ctx = rig.switchboard.context
    other = SharedClock(clock_of(rig))
    await clocks.look(ctx.store, other, server_now=ctx.server_now)
    clock_of(rig).seconds = -7_200
    await rig.pass_time(61)
    await clocks.look_again(replace(ctx, clock=other, owner="other"))
    after = await newest(rig)
    assert before.expires_at is not None
    assert after.expires_at == before.expires_at - timedelta(seconds=7_200)
    assert other.now() == clock_of(rig).now()
    assert len(told(rig)) == 1
