"""Webhook events of stores: stored before they are answered, trusted only after reading the booking.

An event has no id, time or signature: the token of its address identifies the store, and the id in its body only
selects which of that store's bookings is read. If the booking can't be read, the event is reported as unverified.
"""

import hashlib
import json
import re
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

import structlog

from bot.domain.audit import SYSTEM
from bot.domain.bookings.booking import Booking, BookingKind, Stage
from bot.domain.bookings.record import BookingRecord, Point, WebhookKind, is_final
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.reasons import Reason
from bot.domain.references import Letter, token_hash, ulid
from bot.domain.text import one_line
from bot.domain.tracking import back_off
from bot.domain.troubles import failed
from bot.workflows.bookings.book import link
from bot.workflows.bookings.observe import STORE, note, post_card, store_channel, tell, witness
from bot.workflows.context import Context, Unit
from bot.workflows.requests.request import unused_reference
from bot.workflows.services import DeliveryService
from bot.workflows.slack.boards import post_line
from bot.workflows.workers import Work
from storage.rows import InboxState, StoreEvent
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_PATIENCE = timedelta(hours=24)
_LAG = 4
"""Reads that may return "no such booking" before the event counts as forged."""
_SILENT = 3
"""Reads that may fail temporarily before the event is reported as unverified."""
_LONGEST_PAUSE = 3_600.0
_NOT_FOUND = 404
_TOKEN_LIKE = re.compile(r"[A-Za-z0-9_-]{43,}")
_MOST_OF_AN_ADDRESS = 1_000
_LARGEST = 8_192
"""Characters stored of an event; documented events are a tenth of that."""
_LONGEST_VALUE = 500
_MOST_VALUES = 40
_DEEPEST = 4
_IN_FLIGHT_FOR = timedelta(minutes=10)
_IN_FLIGHT = (Stage.SENDING, Stage.UNKNOWN, Stage.WAITING)


async def is_address(store: Store, *, token: str) -> bool:
    return await store.read(lambda tx: tx.store_events.find_hook(token_hash(token))) is not None


async def receive(store: Store, *, now: datetime, token: str, body: str) -> bool:
    """Store an event durably; return False if the address is unknown. Needs neither Slack nor the service."""
    hashed, body_hash, kept = token_hash(token), hashlib.sha256(body.encode()).hexdigest(), _kept(body)

    def note(tx: Tx) -> bool:
        hook = tx.store_events.find_hook(hashed)
        if hook is None:
            return False
        event = StoreEvent(
            id=ulid(now),
            token_hash=hashed,
            body_hash=body_hash,
            store=hook.store,
            kind=hook.kind,
            body=kept,
            received_at=now,
            state=InboxState.RECEIVED,
            attempts=0,
            due_at=now,
            lease_owner="",
            lease_until=None,
        )
        tx.store_events.receive(event, most=_MOST_OF_AN_ADDRESS)
        return True

    return await store.write(note, name="store_event")


async def _verify(ctx: Context, delivery: DeliveryService, event: StoreEvent) -> None:
    """Read the booking that the event refers to, because its own report proves nothing."""
    try:
        named, report = delivery.client.read_report(_parsed(event.body))
    except ValueError:
        log.warning("an event of a store names no booking", store=event.store)
        await ctx.write(
            lambda uow: uow.store_events.finish(event.id, InboxState.STALE), name="event_ignored", wakes=False
        )
        return
    before = await ctx.read(lambda uow: uow.bookings.by_remote(event.store, named))
    try:
        key = await delivery.key_of(ctx.store, event.store)
        record = await delivery.client.get_booking(named, key=key)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        trouble = silent
        await ctx.write(lambda uow: _not_verified(uow, event, report, before, trouble), name="event_not_verified")
    else:
        await ctx.write(lambda uow: _apply(uow, event, report, before, record), name="event_verified")


def _apply(uow: Unit, event: StoreEvent, report: BookingRecord, before: Booking | None, record: BookingRecord) -> None:
    ours, stored = before or known_here(uow, event.store, record), None
    # It may be a booking whose answer is still in flight; once its own read links it, a retry of this event finds it.
    may_be_in_flight = (
        ours is None
        and not record.external_id
        and uow.now - event.received_at < _IN_FLIGHT_FOR
        and any(one.store == event.store and one.stage in _IN_FLIGHT for one in uow.bookings.open(limit=1_000))
    )
    if not may_be_in_flight:
        stored = link(uow, ours or made_elsewhere(uow, event.store, record), record, report=report)
    if stored is None:
        _again(uow, event)
        return
    uow.store_events.finish(event.id, InboxState.APPLIED)
    note(uow, Point.DRIVER_EVENT if event.kind == WebhookKind.DRIVER else Point.STATUS_EVENT, stored.reference)


def known_here(tx: Tx, store: str, record: BookingRecord) -> Booking | None:
    """Return the booking of a record; for our own, an event may arrive before the answer to the request is stored."""
    if (known := tx.bookings.by_remote(store, record.id)) is not None:
        return known
    found = tx.bookings.by_external(record.external_id) if record.external_id else None
    return found if found is not None and found.store == store else None


def made_elsewhere(uow: Unit, store: str, record: BookingRecord, *, by: str = "") -> Booking:
    """Follow an external booking in the store's channel; ``by`` entered its id, or is empty for a webhook."""
    ids = {"remote_id": record.id, "numeric_id": record.numeric_id}
    key = f"remote:{store}:{record.id}"
    return followed(uow, store, letter=Letter.BOOKING, source_key=key, by=by, stage=Stage.OPEN, **ids)


def followed(uow: Unit, store: str, *, letter: Letter, by: str, **values: Any) -> Booking:
    """Store an external booking or pre-booking, audit who entered its id, and post its card."""
    booking = Booking(
        id=ulid(uow.now),
        reference=unused_reference(uow, letter),
        kind=BookingKind.FOREIGN,
        store=store,
        request=None,
        requester="",
        channel=store_channel(uow.policy, store),
        created_at=uow.now,
        external_id=f"foreign:{ulid(uow.now)}",
        due_at=uow.now,
        **values,
    )
    uow.bookings.add(booking)
    witness(uow, booking, "named" if by else "appeared", actor=by or SYSTEM)
    post_card(uow, booking)
    return booking


def _not_verified(
    uow: Unit,
    event: StoreEvent,
    report: BookingRecord,
    booking: Booking | None,
    trouble: ServiceNow | ServiceNever | OperatorError,
) -> None:
    unknown = isinstance(trouble, ServiceNever) and trouble.status == _NOT_FOUND
    if unknown and booking is None:
        # A forged event, or one that arrived before the service's own record.
        if event.attempts >= _LAG:
            log.warning("event for a booking unknown to the provider", store=event.store)
            uow.store_events.finish(event.id, InboxState.STALE)
        else:
            _again(uow, event)
        return
    if event.attempts >= _SILENT or isinstance(trouble, OperatorError):
        _pass_on(uow, event, report, booking, failed(trouble, advice=False))
    if uow.now - event.received_at >= _PATIENCE:
        uow.store_events.finish(event.id, InboxState.UNCONFIRMED)
    else:
        _again(uow, event)


def _pass_on(uow: Unit, event: StoreEvent, report: BookingRecord, booking: Booking | None, reason: Reason) -> None:
    """Report, once, an event that can't be verified now; the booking keeps the state that was read."""
    said = report.status if report.status != "?" else ""
    facts = {"said": said, "kind": event.kind, "reason": reason.stored(), "id": one_line(report.id)}
    if booking is None:
        subject, channel = f"{STORE}:{event.store}", store_channel(uow.policy, event.store)
        payload = {"topic": "unverified", **facts}
        post_line(uow, subject=subject, key=f"unverified:{event.id}", payload=payload, channel=channel)
        return
    if booking.stage is Stage.ENDED or (said and is_final(booking.status)):
        return
    tell(uow, booking, "unverified", facts, key=f"unverified:{event.id}")
    current = uow.bookings.get(booking.id)
    at = event.received_at.isoformat()
    if not said or current is None or str(current.detail.get("reported", {}).get("at", "")) >= at:
        return  # a driver event has no state, and of two states the later one is shown
    uow.bookings.touch(current, show=True, detail={**current.detail, "reported": {"status": said, "at": at}})


def _again(uow: Unit, event: StoreEvent) -> None:
    pause = back_off(first=min(1.0, uow.poll_seconds), attempts=event.attempts, ceiling=_LONGEST_PAUSE)
    uow.store_events.again(event.id, due_at=uow.now + pause)


def _kept(body: str) -> str:
    """Return the part of an event to store: all of a small one, else its short values, or nothing if those are many."""
    sound = _TOKEN_LIKE.sub("[token]", body)
    if len(sound) <= _LARGEST:
        return sound

    def short(value: object, depth: int) -> object:
        match value:
            case dict() if depth:
                some = islice(value.items(), _MOST_VALUES)
                return {str(key)[:_LONGEST_VALUE]: short(one, depth - 1) for key, one in some}
            case list() if depth:
                return [short(one, depth - 1) for one in value[:_MOST_VALUES]]
            case dict() | list():
                return None
            case str():
                return value[:_LONGEST_VALUE]
            case _:
                return value

    try:
        shortened = json.dumps(short(_parsed(sound), _DEEPEST), ensure_ascii=False)
    except ValueError:
        return ""
    return shortened if len(shortened) <= _LARGEST else ""


def _parsed(body: str) -> object:
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    return found


EVENTS = Work(
    name="store events",
    table="store_event",
    slots=20,
    claim=lambda uow, hold: uow.store_events.claim_due(**hold),
    step=lambda ctx: partial(_verify, ctx, ctx.delivery.required()),
    ready=lambda ctx: ctx.delivery.is_configured,
)
"""Verify every event that is due by reading its booking."""
