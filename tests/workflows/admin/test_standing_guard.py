"""What watches over the whole: clocks, damaged rows, rows compared with the audit, services that fell silent."""

from datetime import timedelta

from bot.domain.payments.instruction import State
from bot.workflows.admin.damage import _hold
from bot.workflows.context import Unit
from bot.workflows.effect import Silence, hold, in_time, silent_services
from bot.workflows.requests.authority import freeze
from storage.damage import Damaged
from storage.transaction import Tx
from tests.support.reasons import own_words
from tests.support.rig import ALERTS, MARIA, OLGA, Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import disagreements, read
from tests.workflows.planted import on_one_rig, planted, stored

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def keys(tx: Tx, beginning: str) -> list[str]:
    found = tx._connection.exec_driver_sql("SELECT key FROM outbox ORDER BY seq").scalars()
    return [str(key) for key in found if beginning in str(key)]


async def test_flags_that_disagree_with_the_audit_are_named(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {"by": MARIA, "reason": "x", "at": "", "lifting": []}, now))
    assert await disagreements(rig) == ("Payments are not frozen, says the audit; the database says that they are.",)
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {}, now))
    assert await disagreements(rig) == ()
    await freeze(ctx, person=OLGA, reason="odd")
    assert await disagreements(rig) == ()
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {}, now))
    assert await disagreements(rig) == ("Payments are frozen, says the audit; the database says that they are not.",)


# damaged rows


async def test_what_is_stopped_already_is_told_once(rig: Rig) -> None:
    one = await planted(rig)
    found = Damaged(table="instruction", key=(one.id,), name=one.reference, about=one.id, column="payload")
    for _ in range(2):
        await _hold(rig.switchboard.context, found)
    assert len(await read(rig, lambda tx: keys(tx, "unreadable:"))) == 1
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.action == "unreadable"])
    assert [row.detail["table"] for row in rows] == ["instruction"]
    await rig.settle()
    (alert,) = rig.workspace.messages(ALERTS)
    assert one.reference in alert.text
    ctx = rig.switchboard.context
    await ctx.store.write(lambda tx: tx._connection.exec_driver_sql("DELETE FROM outbox"))  # posted long ago
    await _hold(ctx, found)
    assert await read(rig, lambda tx: keys(tx, "unreadable:")) == []


# silent services


@on_one_rig([(2 * MINUTE, True), (2 * MINUTE + SECOND, False), (-2 * MINUTE, True), (-2 * MINUTE - SECOND, False)])
async def test_a_service_is_silent_as_a_process_says_for_two_minutes(rig: Rig, ago: timedelta, silent: bool) -> None:
    """What was said ahead of now was said by a clock that was set back since: how long ago is not known."""
    ctx, now = rig.switchboard.context, rig.clock.now()
    found = Silence(since=now - 9 * MINUTE, seen=now - ago)
    await ctx.store.write(lambda tx: tx.flags.set("silent:payments", found.stored(), now))
    known = await read(rig, lambda tx: silent_services(tx, now))
    assert known == ({"payments": now - 9 * MINUTE} if silent else {})


@on_one_rig([None, "", 7, {}, {"since": "x", "seen": "y"}, {"since": "2026-11-20T09:00:00+00:00"}])
async def test_a_silence_that_cannot_be_read_is_none(rig: Rig, kept: object) -> None:
    assert Silence.read(kept) is None
    assert rig.clock.now() is not None


@on_one_rig([
    (None, MINUTE, MINUTE), (timedelta(seconds=30), MINUTE, timedelta(seconds=30)), (2 * MINUTE, MINUTE, MINUTE),
])  # fmt: skip
async def test_held_within_its_window(rig: Rig, window: timedelta | None, pause: timedelta, due: timedelta) -> None:
    now = rig.clock.now()
    ends = None if window is None else now + window
    one = await planted(rig, state=State.APPROVED, exec_deadline=ends)
    await rig.switchboard.context.store.write(lambda tx: hold(Unit(tx, now=now), one, own_words("why"), pause))
    found = await stored(rig, one)
    assert (found.reason, found.due_at, found.state) == (own_words("why"), now + due, State.APPROVED)
    assert in_time(one, now + pause, now) == now + due


async def test_a_window_that_is_over_shortens_no_wait(rig: Rig) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.APPROVED, exec_deadline=now)
    assert in_time(one, now + MINUTE, now) == now + MINUTE
