"""Send a confirmed booking once; look it up if the answer is lost."""

from datetime import timedelta
from functools import partial

import structlog
from pydantic import SecretStr

from bot.clients.transport import Guard
from bot.domain.audit import SYSTEM
from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.bookings.record import BookingRecord, Payment, Point, PrebookingRecord
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import plain
from bot.domain.outcome import Done, Failure, NotExecuted, Unknown
from bot.domain.reasons import OfBooking, Reason
from bot.domain.reasons import stored as written
from bot.domain.services import DELIVERY
from bot.domain.tracking import back_off
from bot.domain.troubles import failed
from bot.workflows.bookings.observe import alarm, note, observe, post_link, tell
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Lost, Permit, once, without_permit
from bot.workflows.restored import restored
from bot.workflows.services import DeliveryService, no_key
from bot.workflows.workers import Work

log = structlog.get_logger(__name__)

_LEAST_READS = 3
_WATCHED = timedelta(hours=24)
"""How long a booking that the service didn't have is searched for: its request may still be in flight."""
_WATCH = timedelta(minutes=15)
_NOT_FOUND = 404


def lose(uow: Unit, booking: Booking, outcome: Unknown) -> None:
    """Store that the outcome of a request is unknown and schedule the search for it."""
    due = uow.now + timedelta(seconds=min(5.0, uow.poll_seconds))
    stored = uow.bookings.move(
        booking, Stage.UNKNOWN, action="unknown", facts=outcome.facts, reason=outcome.full_reason, reads=0, due_at=due
    )
    if stored is not None:
        call = stored.requester if stored.is_undecided else ""  # who has to look at the dashboard
        tell(uow, stored, "unknown", {"call": call})


LOST = Lost(
    "booking",
    lambda uow: uow.bookings,
    (Stage.SENDING,),
    lambda uow, booking, reason: lose(uow, booking, Unknown(reason=reason)),
)


def waits(uow: Unit, booking: Booking, made: PrebookingRecord, *, action: str, actor: str = SYSTEM) -> Booking | None:
    """Store that the service has the pre-booking and wait for the address. If the link is missing, read it at once."""
    stored = uow.bookings.move(
        booking,
        Stage.WAITING,
        action=action,
        actor=actor,
        prebooking_id=made.id,
        detail={**booking.detail, "link": made.url},
        closed_at=None,
        reason=None,
        reads=0,
        polls=0,
        due_at=uow.now + timedelta(seconds=uow.poll_seconds if made.url else 0.0),
    )
    if stored is not None:
        post_link(uow, stored)
        note(uow, Point.PREBOOK, stored.reference)
        tell_decided(uow, booking)
    return stored


def tell_decided(uow: Unit, before: Booking) -> None:
    """Announce the end of the alert that someone has to check whether the link was created."""
    if before.stage is Stage.LOST:
        alarm(uow, before, "over:decided", {})


def link(uow: Unit, booking: Booking, record: BookingRecord, *, report: BookingRecord | None = None) -> Booking | None:
    """Link a booking to the service's record and follow it. None if it was changed meanwhile or belongs to another."""
    other = uow.bookings.by_remote(booking.store, record.id)
    if other is not None and other.id != booking.id:
        if other.kind is not BookingKind.FOREIGN:
            log.error(
                "two local bookings match one provider booking", reference=booking.reference, other=other.reference
            )
            return None
        # A webhook without our id arrived first and created a separate row: end that row with a pointer to this one.
        joined, facts = Reason(OfBooking.JOINED, reference=booking.reference), {"other": booking.reference}
        dropped = uow.bookings.move(
            other, Stage.DROPPED, action="joined", facts=facts, remote_id=None, numeric_id="", reason=joined
        )
        if dropped is None:
            return None
    stored = observe(uow, booking, record, report=report)
    if stored is not None and booking.remote_id is None and booking.kind is not BookingKind.FOREIGN:
        if booking.kind is BookingKind.PREBOOKING:
            note(uow, Point.ADDRESS, booking.reference)
        elif booking.request is not None and _agrees(record, booking.request):
            note(uow, Point.BOOK, booking.reference)
            note(uow, Point.CASH if booking.request.payment is Payment.CASH else Point.CARD, booking.reference)
        if booking.stage in (Stage.LOST, Stage.DROPPED):
            alarm(uow, stored, "found_late", {"status": record.status})
    return stored


def _agrees(record: BookingRecord, request: BookingRequest) -> bool:
    """Return whether the record has the requested customer, amount and payment; empty fields are ignored."""
    asked = {"customer": request.customer, "amount": plain(request.cents), "payment_method": request.payment.value}
    return all(getattr(record, name).casefold() in ("", wanted.casefold()) for name, wanted in asked.items())


async def _step(ctx: Context, delivery: DeliveryService, booking: Booking) -> None:
    key = await ctx.read(lambda uow: delivery.key(uow, booking.store))
    if key is None:
        await _put_off(ctx, booking, failed(no_key(booking.store)), timedelta(seconds=ctx.poll_seconds))
    elif booking.stage is Stage.NEW:
        await _send(ctx, delivery, booking, key)
    else:
        await search(ctx, delivery, booking, key)
    ctx.wake()


async def search(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr) -> Reason | None:
    """Search for the booking by our own id and store the result; return the reason if the service gave none."""
    record: BookingRecord | None = None
    absent, reason = False, None
    try:
        record = await delivery.client.find_booking(booking.external_id, key=key)
    except ServiceNever as refused:
        absent, reason = refused.status == _NOT_FOUND, failed(refused, advice=False)
    except (ServiceNow, OperatorError) as silent:
        reason = failed(silent, advice=False)
    await ctx.write(lambda uow: _searched(uow, booking, record, absent, reason), name="looked_for_booking", wakes=False)
    return None if absent else reason


async def _put_off(ctx: Context, booking: Booking, reason: Reason | None, pause: timedelta) -> None:
    await ctx.write(
        lambda uow: uow.bookings.put_off(booking, reason=reason, due_at=uow.now + pause),
        name="put_off_booking",
        wakes=False,
    )


async def _send(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr) -> None:
    request = booking.request
    assert request is not None, "one that was made elsewhere is never sent"
    search_at = timedelta(minutes=request.cook_minutes)

    def sending(uow: Unit) -> Booking | None:
        return uow.bookings.move(
            booking,
            Stage.SENDING,
            action="sent",
            show=False,
            keep_lease=True,
            sent_at=uow.now,
            search_at=uow.now + search_at if search_at else None,
            reason=None,
        )

    async def claim(permit: Permit) -> Booking | None:
        if not await permit.take():
            await _put_off(ctx, booking, *without_permit(ctx, permit.circuit, booking.reason))
            return None
        return await permit.claim(
            sending,
            name="claim_booking",
            read_back=lambda uow: uow.bookings.held(booking.id, Stage.SENDING, owner=uow.owner),
        )

    async def send(_: Booking, guard: Guard) -> Outcome:
        if booking.kind is BookingKind.PREBOOKING:
            return await delivery.client.create_prebooking(booking.external_id, request, key=key, guard=guard)
        return await delivery.client.create_booking(booking.external_id, request, key=key, guard=guard)

    await once(ctx, delivery.client.circuit, claim, send, _sent, name="booked")


Outcome = Done[BookingRecord] | Done[PrebookingRecord] | NotExecuted | Unknown


def _sent(uow: Unit, claimed: Booking, outcome: Outcome) -> None:
    current = uow.bookings.get(claimed.id)
    if current is None or current.stage is not Stage.SENDING:
        # A webhook arrived first and has already linked it; the next read adds the rest.
        uow.bookings.hasten(claimed.id, uow.now)
        return
    match outcome:
        case Done(value=PrebookingRecord() as made):
            waits(uow, current, made, action="link_made")
        case Done(value=BookingRecord() as record):
            link(uow, current, record)
        case NotExecuted(again=True):
            _back(uow, current, outcome)
        case NotExecuted():
            reason = outcome.full_reason
            stored = uow.bookings.move(current, Stage.REFUSED, action="refused", facts=outcome.facts, reason=reason)
            if stored is not None:
                tell(uow, stored, "refused", {"reason": reason.stored()})
        case Unknown():
            lose(uow, current, outcome)


def _back(uow: Unit, booking: Booking, outcome: NotExecuted) -> None:
    """Schedule a retry: nothing was sent, or the service asked to wait, so nothing was booked."""
    own = outcome.failure is Failure.NOT_SENT
    first, longest = min(2.0, uow.poll_seconds), uow.poll_seconds * 4
    pause = back_off(first=first, attempts=booking.reads, ceiling=longest, named=0.0 if own else outcome.retry_after)
    reason = None if own else failed(outcome, service=DELIVERY)
    uow.bookings.move(
        booking,
        Stage.NEW,
        action="put_off",
        facts={"reason": written(reason), "said": outcome.detail},
        sent_at=None,
        search_at=None,
        reason=reason,
        reads=booking.reads + 1,
        due_at=uow.now + pause,
    )


def _searched(uow: Unit, booking: Booking, record: BookingRecord | None, absent: bool, reason: Reason | None) -> None:
    if record is not None:
        link(uow, booking, record)
        return
    since = booking.sent_at or booking.created_at
    if booking.stage is Stage.LOST:
        over = uow.now - since > _WATCHED
        closed = {"closed_at": uow.now, "due_at": None} if over else {"due_at": uow.now + _WATCH}
        uow.bookings.touch(booking, **closed)
        return
    reads = booking.reads + (1 if absent else 0)
    said = booking.reason if booking.reason is not None and booking.reason.quotes_answer else None  # of the request
    if absent and reads >= _LEAST_READS and uow.quiet.over(sent_at=since, now=uow.now):
        due = uow.now + _WATCH
        action = "undecided" if booking.is_undecided else "lost"
        stored = uow.bookings.move(booking, Stage.LOST, action=action, reads=reads, reason=said, due_at=due)
        if stored is not None:
            if not booking.is_undecided:  # otherwise its requester was called when the answer was lost
                tell(uow, stored, "lost", {})
            alarm(uow, stored, action, {})
        return
    longest = uow.quiet.spacing.total_seconds()
    pause = back_off(first=min(5.0, longest), attempts=reads, ceiling=longest)
    known = said or (None if absent else reason or booking.reason)
    uow.bookings.put_off(booking, reason=known, due_at=uow.now + pause, reads=reads)


BOOKINGS = Work(
    name="bookings",
    table="booking",
    slots=50,
    # New bookings wait while the database may be older than the service.
    claim=lambda uow, hold: uow.bookings.claim_due(
        stages=(Stage.UNKNOWN, Stage.LOST) if restored(uow) else (Stage.NEW, Stage.UNKNOWN, Stage.LOST), **hold
    ),
    step=lambda ctx: partial(_step, ctx, ctx.delivery.required()),
    in_flight=LOST.in_flight,
    ready=lambda ctx: ctx.delivery.is_configured,
)
"""Send confirmed bookings; search for bookings with a lost answer."""
