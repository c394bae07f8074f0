"""What watches over the whole: damaged rows, anchors, rows compared with the audit, services that fell silent."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.domain.recovery import ReadingOnly
from bot.workflows.admin.audit import HighWater
from bot.workflows.admin.damage import _hold
from bot.workflows.context import Unit
from bot.workflows.effect import Silence, hold, in_time, silent_services
from bot.workflows.payments.callbacks import exists
from bot.workflows.reading_only import enter
from bot.workflows.requests.authority import freeze
from storage.damage import Damaged
from storage.errors import StorageBusy
from tests.support.lists import requested
from tests.support.reasons import own_words
from tests.support.rig import ALERTS, MARIA, OLGA, Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import disagreements, read
from tests.workflows.planted import on_one_rig, planted, stored

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


async def test_flags_that_disagree_with_the_audit_are_named(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {"by": MARIA, "reason": "x", "at": "", "lifting": []}, now))
    assert await disagreements(rig) == ("payments are frozen in the database but not in the audit log.",)
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {}, now))
    assert await disagreements(rig) == ()
    await freeze(ctx, person=OLGA, reason="odd")
    assert await disagreements(rig) == ()
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {}, now))
    assert await disagreements(rig) == ("payments are frozen in the audit log but not in the database.",)


@on_one_rig([(2 * MINUTE, True), (2 * MINUTE + SECOND, False), (-2 * MINUTE, True), (-2 * MINUTE - SECOND, False)])
async def test_a_service_is_silent_as_a_process_says_for_two_minutes(rig: Rig, ago: timedelta, silent: bool) -> None:
    """What was said ahead of now was said by a clock that was set back since: how long ago is not known."""
    ctx, now = rig.switchboard.context, rig.clock.now()
    found = Silence(since=now - 9 * MINUTE, seen=now - ago)
    await ctx.store.write(lambda tx: tx.flags.set("silent:payments", found.stored(), now))
    known = await read(rig, lambda tx: silent_services(tx, now))
    assert known == ({"payments": now - 9 * MINUTE} if silent else {})


def test_a_silence_that_cannot_be_read_is_none() -> None:
    for kept in (None, "", 7, {}, {"since": "x", "seen": "y"}, {"since": "2026-11-20T09:00:00+00:00"}):
        assert Silence.read(kept) is None


@on_one_rig(
    [
        (None, MINUTE, MINUTE),
        (timedelta(seconds=30), MINUTE, timedelta(seconds=30)),
        (2 * MINUTE, MINUTE, MINUTE),
    ]
)
async def test_held_within_its_window(rig: Rig, window: timedelta | None, pause: timedelta, due: timedelta) -> None:
    now = rig.clock.now()
    ends = None if window is None else now + window
    one = await planted(rig, state=State.APPROVED, exec_deadline=ends)
    await rig.switchboard.context.store.write(lambda tx: hold(Unit(tx, now=now), one, own_words("why"), pause))
    found = await stored(rig, one)
    assert (found.reason, found.due_at, found.state) == (own_words("why"), now + due, State.APPROVED)
    assert in_time(one, now + pause, now) == now + due
    assert in_time(replace(one, exec_deadline=now), now + MINUTE, now) == now + MINUTE, "one that is over shortens none"


def told(rig: Rig) -> int:
    return sum("can't be read" in m.text for m in rig.workspace.messages(ALERTS))


async def damaged(rig: Rig, table: str, *key: object, name: str = "", about: str = "") -> None:
    await _hold(rig.switchboard.context, Damaged(table=table, key=key, name=name, about=about, column="x"))
    await rig.settle()


async def test_what_belongs_to_a_request_stops_the_request_and_is_told_once(rig: Rig) -> None:
    one, other = await planted(rig), await planted(rig)
    await damaged(rig, "attempt", one.id, 1, about=one.id)
    first = (await stored(rig, one)).stopped
    assert (first != "", (await stored(rig, other)).stopped, told(rig)) == (True, "", 1)
    ctx = rig.switchboard.context
    await ctx.store.write(lambda tx: tx._connection.exec_driver_sql("DELETE FROM outbox"))  # posted long ago
    await damaged(rig, "attempt", one.id, 2, about=one.id)
    assert ((await stored(rig, one)).stopped, told(rig)) == (first, 1)
    await damaged(rig, "instruction", other.id, name=other.reference)
    assert ((await stored(rig, other)).stopped != "", told(rig)) == (True, 2)
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.action == "unreadable"])
    assert [row.detail["table"] for row in rows] == ["attempt", "instruction"]


async def test_what_belongs_to_a_list_stops_the_list(rig: Rig) -> None:
    job = await requested(rig)
    await damaged(rig, "email_run", job.id)
    again = await rig.switchboard.context.store.read(lambda tx: tx.jobs.get(job.id))
    assert again is not None
    assert again.stopped != ""
    assert told(rig) == 1


@pytest.mark.parametrize(("name", "alerts"), [("unreadable:x", 0), ("notice:x", 1)])
async def test_an_alert_that_cannot_be_read_sets_off_no_alert(rig: Rig, name: str, alerts: int) -> None:
    """Or they would never end; of any other message it is told."""
    await damaged(rig, "outbox", "01KA", name=name)
    assert told(rig) == alerts


def high_water(rig: Rig) -> Any:
    found: Any = rig.switchboard.context.high_water
    assert isinstance(found, HighWater)
    return found


async def test_nothing_leaves_while_the_database_says_nothing(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    water = high_water(rig)
    assert await water.may_leave("payout X")

    async def busy() -> None:
        raise StorageBusy("locked")

    monkeypatch.setattr(water, "_stand", busy)
    assert not await water.may_leave("payout X")


async def test_nothing_leaves_unwritten_and_it_is_told_once_a_day(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    water = high_water(rig)

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(water._file, "append", full)
    for _ in range(2):
        assert not await water.may_leave("payout X")
    await rig.settle()
    found = [one.text for one in rig.workspace.messages(ALERTS) if "No space left on device" in one.text]
    assert len(found) == 1
    assert "Errno" not in found[0]


async def test_nothing_leaves_in_reading_only_mode(rig: Rig) -> None:
    ctx, now, water = rig.switchboard.context, rig.clock.now(), high_water(rig)
    assert await water.is_sound()
    mode = ReadingOnly(since=now, reason=own_words("put back"), until=now)
    await ctx.store.write(lambda tx: enter(Unit(tx, now=now, policy=ctx.policy), mode))
    assert not await water.is_sound()
    assert not await water.may_leave("payout X")


async def test_an_address_that_was_never_given_out_is_none(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    await planted(rig, state=State.COMMITTED)
    assert not await exists(ctx.store, now=now, token="never")
