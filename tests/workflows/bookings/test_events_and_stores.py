"""Events of stores that cannot be verified, what is kept of them, actions on bookings."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.bookings.record import BookingRecord
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.reasons import OfBooking, Reason
from bot.workflows.bookings import events, follow
from bot.workflows.context import Unit
from storage.rows import InboxState, StoreEvent
from tests.support.deliveries import open_rig, service_of
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.support.rows import store_events_of
from tests.workflows.bookings.made import actions, planted, said
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig

SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(hours=24)
RECEIVED, STALE, UNCONFIRMED = InboxState.RECEIVED, InboxState.STALE, InboxState.UNCONFIRMED

MISSING = ServiceNever("delivery", own_words("not found"), status=404)
AWAY = ServiceNow("delivery", own_words("is away"))


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
async def test_unverifiable_event_is_posted_as_unverified(
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
        (Stage.SENDING, "Centro", "", timedelta(minutes=10) - SECOND, True),
        (Stage.UNKNOWN, "Centro", "", timedelta(), True),
        (Stage.WAITING, "Centro", "", timedelta(), True),
        (Stage.OPEN, "Centro", "", timedelta(), False),
        (Stage.SENDING, "Norte", "", timedelta(), False),
        (Stage.SENDING, "Centro", "theirs", timedelta(), False),
        (Stage.SENDING, "Centro", "", timedelta(minutes=10), False),
    ]
)
async def test_event_without_our_id_waits_for_pending_answers(
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


@pytest.mark.parametrize(("body", "kept"), [
    (f'"{"x" * 42}"', f'"{"x" * 42}"'), (f'"{"x-_9" * 11}"', '"[token]"'), ("a b" * 2_730 + "ab", "a b" * 2_730 + "ab"),
    ("a b " * 3_000, ""),
], ids=["no token yet", "token", "8192 characters", "large"])  # fmt: skip
def test_event_is_stored_without_tokens_up_to_8192_characters(body: str, kept: str) -> None:
    assert events._kept(body) == kept


@pytest.mark.rig(opened_by=open_rig)
async def test_booking_that_changed_meanwhile_is_not_canceled(rig: Rig) -> None:
    ctx = rig.switchboard.context
    for now in ({"stage": Stage.ENDED}, {"stage": Stage.WAITING}, {"status": "RETURNING"}):
        changed = await planted(rig, **{"stage": Stage.OPEN, "status": "ACCEPTED", **now})
        seen = replace(changed, stage=Stage.OPEN, status="ACCEPTED")
        acted = await follow.cancel(ctx, ctx.delivery.required(), seen, reason="", by="U0MARIA")
        assert acted.trouble == Reason(OfBooking.JUST_CHANGED)
    assert service_of(rig).calls_of("cancel_booking") == []
