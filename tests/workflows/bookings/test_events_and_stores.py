"""Events of stores that cannot be verified, what is kept of them, actions on bookings."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from bot.clients.circuit import Circuit
from bot.clients.transport import Guard
from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.bookings.record import BookingRecord, Point
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.presentation.reasons import worded
from bot.workflows.bookings import events, follow
from bot.workflows.bookings.observe import gathered
from bot.workflows.context import Unit
from storage.rows import InboxState, StoreEvent
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.support.rows import store_events_of
from tests.workflows.bookings.made import actions, drawn, planted, record, said, stored
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(hours=24)
RECEIVED, STALE, UNCONFIRMED = InboxState.RECEIVED, InboxState.STALE, InboxState.UNCONFIRMED
IS_AWAY, TIMED_OUT = own_words("is away"), own_words("it timed out")
MISSING = ServiceNever("delivery", own_words("not found"), status=404)
AWAY = ServiceNow("delivery", IS_AWAY)


async def event(rig: Rig, **changes: Any) -> StoreEvent:
    now = rig.clock.now()
    values: dict[str, Any] = {
        "id": f"01KEVT{rig.clock.boottime():020.3f}{len(await read(rig, lambda tx: store_events_of(tx, 'Centro')))}",
        "token_hash": f"hash {len(await read(rig, lambda tx: store_events_of(tx, 'Centro')))}",
        "body_hash": "b", "store": "Centro", "kind": "STATUS", "body": "{}", "received_at": now, "state": RECEIVED,
        "attempts": 0, "due_at": now + HOUR, "lease_owner": "", "lease_until": None,
    }  # fmt: skip
    one = StoreEvent(**{**values, **changes})
    await rig.switchboard.context.store.write(lambda tx: tx.store_events.receive(one, most=100))
    return one


async def after(rig: Rig, one: StoreEvent) -> StoreEvent:
    (found,) = [each for each in await read(rig, lambda tx: store_events_of(tx, "Centro")) if each.id == one.id]
    return found


@on_one_rig([
    # trouble, attempts, age, booking known here, then: state, pause, told
    (MISSING, 3, timedelta(), False, RECEIVED, 8, False), (MISSING, 4, timedelta(), False, STALE, None, False),
    (MISSING, 2, timedelta(), True, RECEIVED, 4, False), (MISSING, 3, timedelta(), True, RECEIVED, 8, True),
    (AWAY, 2, timedelta(), True, RECEIVED, 4, False), (AWAY, 3, timedelta(), True, RECEIVED, 8, True),
    (AWAY, 14, timedelta(), True, RECEIVED, 3_600, True),
    (OperatorError("no key"), 0, timedelta(), True, RECEIVED, 1, True),
    (AWAY, 3, DAY, True, UNCONFIRMED, None, True), (AWAY, 0, DAY - SECOND, True, RECEIVED, 1, False),
    (ServiceNever("delivery", own_words("no"), status=403), 4, timedelta(), False, RECEIVED, 16, False),
])  # fmt: skip
async def test_an_event_that_cannot_be_verified(
    rig: Rig, trouble: Any, attempts: int, age: timedelta, known: bool, state: InboxState, pause: int | None, told: bool
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await event(rig, attempts=attempts, received_at=now - age)
    booking = await planted(rig, status="ACCEPTED") if known else None
    report = BookingRecord(id="d1", status="?")
    await ctx.store.write(lambda tx: events._not_verified(Unit(tx, ctx), one, report, booking, trouble))
    found = await after(rig, one)
    assert found.state is state
    if pause is not None:
        assert found.due_at == now + timedelta(seconds=pause)
    if booking is not None:
        assert await said(rig, booking) == ([f"line:unverified:{one.id}"] if told else [])


@on_one_rig(
    [
        ("ACCEPTED", Stage.OPEN, "COMPLETED", {}, 1, "COMPLETED"),
        ("ACCEPTED", Stage.OPEN, "?", {}, 1, None),
        ("COMPLETED", Stage.OPEN, "ACCEPTED", {}, 0, None),
        ("COMPLETED", Stage.ENDED, "ACCEPTED", {}, 0, None),
        ("ACCEPTED", Stage.OPEN, "COMPLETED", {"ago": timedelta()}, 1, "BEFORE"),
        ("ACCEPTED", Stage.OPEN, "COMPLETED", {"ago": SECOND}, 1, "COMPLETED"),
        ("ACCEPTED", Stage.OPEN, "COMPLETED", {"ago": -SECOND}, 1, "BEFORE"),
    ]
)
async def test_what_is_only_reported_is_said_as_such_and_the_later_report_is_shown(
    rig: Rig, status: str, stage: Stage, reported: str, earlier: dict[str, timedelta], lines: int, shown: str | None
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await event(rig)
    at = now - earlier["ago"] if earlier else now
    detail = {"reported": {"status": "BEFORE", "at": at.isoformat()}} if earlier else {}
    booking = await planted(rig, status=status, stage=stage, detail=detail)
    before = await drawn(rig, booking)
    report = replace(record(booking, reported), id="d 1")
    await ctx.store.write(lambda tx: events._pass_on(Unit(tx, ctx, now=now), one, report, booking, IS_AWAY))
    found = await stored(rig, booking)
    assert len(await said(rig, booking)) == lines
    assert found.detail.get("reported", {}).get("status") == shown
    assert (await drawn(rig, booking) > before) is (shown == "COMPLETED")
    if lines:
        row = await read(rig, lambda tx: tx.outbox.by_key(f"line:{booking.subject}:unverified:{one.id}"))
        assert row is not None
        told = "" if reported == "?" else reported
        facts = {"topic": "unverified", "said": told, "kind": "STATUS", "reason": IS_AWAY.stored(), "id": "d 1"}
        assert row.payload == facts


@on_one_rig(
    [
        (Stage.SENDING, "Centro", "", timedelta(minutes=10) - SECOND, True),
        (Stage.UNKNOWN, "Centro", "", timedelta(), True),
        (Stage.WAITING, "Centro", "", timedelta(), True),
        (Stage.OPEN, "Centro", "", timedelta(), False),
        (Stage.SENDING, "Norte", "", timedelta(), False),
        (Stage.SENDING, "Centro", "theirs", timedelta(), False),
        (Stage.SENDING, "Centro", "", timedelta(minutes=10), False),
    ]
)
async def test_an_event_without_our_id_waits_while_an_answer_of_that_store_may_be_in_flight(
    rig: Rig, stage: Stage, store: str, external: str, age: timedelta, waits: bool
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    flying = await planted(rig, stage=stage, store=store)
    one = await event(rig, received_at=now - age)
    name = f"new {flying.id}"
    theirs = BookingRecord(id=name, status="ACCEPTED", external_id=external)
    await ctx.store.write(lambda tx: events._apply(Unit(tx, ctx), one, theirs, None, theirs))
    made = await read(rig, lambda tx: tx.bookings.by_remote("Centro", name))
    assert (made is None, (await after(rig, one)).state is RECEIVED) == (waits, waits)
    if made is not None:
        assert (made.kind, made.channel, made.requester) == (BookingKind.FOREIGN, "C0APPROVE", "")
        assert [action for action, _ in await actions(rig, made)] == ["appeared", "moved"]
    await ctx.store.write(lambda tx: tx.bookings.touch(flying, stage=Stage.DROPPED, closed_at=now))


async def test_ours_is_known_by_its_id_in_its_own_store_only(rig: Rig) -> None:
    ours = await planted(rig, stage=Stage.SENDING)
    theirs = BookingRecord(id="d9", status="ACCEPTED", external_id=ours.external_id)
    assert await read(rig, lambda tx: events.known_here(tx, "Centro", theirs)) == ours
    assert await read(rig, lambda tx: events.known_here(tx, "Norte", theirs)) is None
    assert await read(rig, lambda tx: events.known_here(tx, "Centro", replace(theirs, external_id=""))) is None


@on_one_rig([("DRIVER_ASSIGNED", Point.DRIVER_EVENT), ("UPDATE_BOOKING_STATUS", Point.STATUS_EVENT)])
async def test_a_verified_event_is_evidence(rig: Rig, kind: str, point: Point) -> None:
    ctx = rig.switchboard.context
    booking = await planted(rig, status="ACCEPTED")
    one = await event(rig, kind=kind)
    theirs = record(booking, "ACCEPTED")
    await ctx.store.write(lambda tx: events._apply(Unit(tx, ctx), one, theirs, booking, theirs))
    assert (await after(rig, one)).state is InboxState.APPLIED
    assert point in (await read(rig, gathered))[0]


# what is kept of an event


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ('{"id": 7}', '{"id": 7}'),
        (f'"{"x" * 42}"', f'"{"x" * 42}"'),
        (f'"{"x-_9" * 11}"', '"[token]"'),
        ("a b" * 2_730 + "ab", "a b" * 2_730 + "ab"),
        ("a b " * 3_000, ""),
        (json.dumps([["a b " * 125] * 40] * 40), ""),
    ],
    ids=["small", "no token yet", "token", "8192 characters", "large and no JSON", "large in every way"],
)
def test_a_small_event_is_kept_but_for_a_secret_and_of_a_large_one_nothing(body: str, kept: str) -> None:
    assert events._kept(body) == kept


def test_of_a_large_event_the_short_values_are_kept() -> None:
    words = "a b " * 3_000
    body = {"id": 7, "no": None, "yes": True, "text": words, "k " * 400: 1, "list": [1, [2, [3, [4, [5]]]]]}
    found = json.loads(events._kept(json.dumps(body)))
    assert found == {
        "id": 7, "no": None, "yes": True, "text": words[:500], ("k " * 400)[:500]: 1, "list": [1, [2, [3, None]]],
    }  # fmt: skip


def test_no_more_than_forty_values_of_a_level_are_kept() -> None:
    words = "a b " * 2_500
    listed = json.loads(events._kept(json.dumps({"text": words, "list": list(range(50))})))
    assert listed["list"] == list(range(40))
    named = json.loads(events._kept(json.dumps({"text": words} | {str(n): n for n in range(50)})))
    assert len(named) == 40


# actions


class Service:
    """The delivery service, as far as one action goes."""

    def __init__(self, outcome: Any, record_now: Any) -> None:
        self.outcome, self.record_now = outcome, record_now
        self.client, self.asked = self, list[tuple[str, str]]()
        self.circuit = Circuit("delivery", clock=lambda: 0.0)

    async def key_of(self, _store: object, _name: str) -> SecretStr:
        return SecretStr("key")

    async def start_search(self, remote: str, *, key: SecretStr, guard: Guard) -> Any:
        assert guard()
        assert key.get_secret_value() == "key"
        self.asked.append(("start", remote))
        return self.outcome

    async def cancel_booking(self, remote: str, *_: object, **__: object) -> Any:
        self.asked.append(("cancel", remote))
        return self.outcome

    async def cancel_prebooking(self, remote: str, *, key: SecretStr, guard: Guard) -> Any:
        assert guard()
        assert key.get_secret_value() == "key"
        self.asked.append(("cancel pre", remote))
        return self.outcome

    async def get_prebooking(self, _remote: str, **_: object) -> Any:
        raise AWAY

    async def get_booking(self, _remote: str, **_: object) -> Any:
        if isinstance(self.record_now, Exception):
            raise self.record_now
        return self.record_now


NOT_SAID = "Not confirmed yet. The card shows how the booking is now."


@on_one_rig(
    [
        (Done(value=None), "", ["executed"], []),
        (NotExecuted(reason=own_words("no driver is near"), again=False), "no driver is near", ["not_executed"], []),
        (Unknown(reason=TIMED_OUT), NOT_SAID, ["not_said"], []),
    ]
)
async def test_the_search_is_started_once_and_its_answer_is_kept(
    rig: Rig, outcome: Any, trouble: str, audited: list[str], keys: list[str]
) -> None:
    booking = await planted(rig, status="ON_HOLD")
    service: Any = Service(outcome, record(booking, "ON_HOLD"))
    before = await read(rig, gathered)
    acted = await follow.start_search(rig.switchboard.context, service, booking, by="U0MARIA")
    assert service.asked == [("start", booking.remote_id)]
    assert (trouble in worded(acted.trouble), acted.trouble is not None) == (True, bool(trouble))
    assert [name for name, _ in await actions(rig, booking)] == ["search_asked", *audited]
    assert await said(rig, booking) == keys
    assert (await read(rig, gathered) != before) is (not trouble), "what was done is evidence"


@on_one_rig([{"status": "ACCEPTED"}, {"status": "ON_HOLD", "stage": Stage.ENDED}])
async def test_what_is_not_on_hold_is_not_started(rig: Rig, like: dict[str, Any]) -> None:
    booking = await planted(rig, **like)
    service: Any = Service(None, None)
    acted = await follow.start_search(rig.switchboard.context, service, booking, by="U0MARIA")
    assert (worded(acted.trouble), service.asked) == ("The search can't be started now.", [])


async def test_a_booking_that_cannot_be_read_after_it_is_read_soon(rig: Rig) -> None:
    booking = await planted(rig, status="ON_HOLD", due_at=rig.clock.now() + HOUR)
    for outcome, trouble in (
        (Done(value=None), "is away"),
        (NotExecuted(reason=own_words("not near"), again=False), "not near"),
    ):
        service: Any = Service(outcome, AWAY)
        acted = await follow.start_search(rig.switchboard.context, service, booking, by="U0MARIA")
        assert trouble in worded(acted.trouble)
        assert (await stored(rig, booking)).due_at == rig.clock.now()


async def test_what_cannot_be_canceled_or_has_just_changed_is_not(rig: Rig) -> None:
    ctx = rig.switchboard.context
    over = await planted(rig, status="RETURNING")
    service: Any = Service(None, None)
    acted = await follow.cancel(ctx, service, over, reason="", by="U0MARIA")
    assert worded(acted.trouble) == "It can't be canceled now."
    for now in ({"stage": Stage.ENDED}, {"stage": Stage.WAITING}, {"status": "RETURNING"}):
        changed = await planted(rig, **{"stage": Stage.OPEN, "status": "ACCEPTED", **now})
        seen = replace(changed, stage=Stage.OPEN, status="ACCEPTED")
        late = await follow.cancel(ctx, service, seen, reason="", by="U0MARIA")
        assert worded(late.trouble) == "It has just changed. Look at its card and try again."
    gone = await follow.cancel(ctx, service, replace(changed, id="none", status="ACCEPTED"), reason="", by="U0MARIA")
    assert worded(gone.trouble) == "It has just changed. Look at its card and try again."
    assert service.asked == []


async def test_a_read_between_the_press_and_its_row_keeps_nobody_from_canceling(rig: Rig) -> None:
    waiting = await planted(rig, stage=Stage.WAITING, kind=BookingKind.PREBOOKING, prebooking_id="p1", version=2)
    service: Any = Service(Done(value=None), None)
    seen = replace(waiting, version=1)
    acted = await follow.cancel(rig.switchboard.context, service, seen, reason="closed", by="U0MARIA")
    assert (acted.booking.stage, acted.trouble, service.asked) == (Stage.DROPPED, None, [("cancel pre", "p1")])


async def test_looking_again_at_what_is_searched_for_only_hastens_that(rig: Rig) -> None:
    booking = await planted(rig, stage=Stage.UNKNOWN, due_at=rig.clock.now() + HOUR)
    service: Any = Service(None, None)
    acted = await follow.refresh(rig.switchboard.context, service, booking)
    assert (acted.trouble, acted.booking) == (None, booking)
    assert (await stored(rig, booking)).due_at == rig.clock.now()
