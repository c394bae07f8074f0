"""Requests for a delivery: quoted and confirmed, or requested at once; stored before anything is sent."""

from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial

import structlog
from pydantic import SecretStr

from bot.clients.circuit import Seat
from bot.clients.delivery import NewBooking
from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.bookings.record import BookingRecord, Point, PrebookingRecord
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, Failure, NotExecuted, Unknown
from bot.domain.proof import GUARD_SECONDS
from bot.domain.reasons import Exchange, OfBooking, Reason
from bot.domain.reasons import stored as written
from bot.domain.references import Letter, ulid
from bot.domain.services import DELIVERY
from bot.domain.tracking import back_off, named_or
from bot.domain.troubles import failed
from bot.workflows.bookings.observe import observe
from bot.workflows.bookings.record import alarm, note, post_card, show_card, tell, witness, witness_wish
from bot.workflows.bookings.stores import price
from bot.workflows.context import Context, Unit
from bot.workflows.holding import without_seat
from bot.workflows.keeping import claimed, keep
from bot.workflows.reading_only import reading_only
from bot.workflows.requests.request import unused_reference
from bot.workflows.services.delivery import DeliveryService, no_key
from bot.workflows.slack.boards import post_file
from bot.workflows.workers import Work
from storage.errors import CommitUnknown
from storage.rows import Hold
from storage.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedDelivery:
    """A checked form. ``source_key`` names it; a form submitted twice makes one booking."""

    requester: str
    channel: str
    store: str
    request: BookingRequest
    kind: BookingKind
    source_key: str


async def quote(
    ctx: Context, delivery: DeliveryService, requested: RequestedDelivery, *, even_unpriced: bool = False
) -> Booking:
    """Ask for the price and store the form with the answer; nothing is booked.

    Args:
        ctx: what a workflow is given.
        delivery: the service.
        requested: the form.
        even_unpriced: store the form with the reason where there is no price; the service books without one.

    Raises:
        NotCovered: the service does not deliver there.
        ServiceNow, ServiceNever, OperatorError: see ``DeliveryClient.quote``.
    """
    try:
        detail: dict[str, object] = {"quote": await _told(ctx, delivery, requested)}
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        if not even_unpriced:
            raise
        detail = {"unpriced": failed(trouble).stored()}
    return await ctx.write(
        lambda uow: _new(uow, requested, stage=Stage.QUOTED, detail=detail), name="quoted", wakes=False
    )


async def _told(ctx: Context, delivery: DeliveryService, requested: RequestedDelivery) -> dict[str, str]:
    request, position = requested.request, requested.request.position
    if position is None:
        raise TypeError("a quote needs a place")
    return asdict(
        await price(ctx, delivery, requested.store, position=position, payment=request.payment, cents=request.cents)
    )


async def confirm(ctx: Context, booking_id: str, *, by: str) -> Booking | None:
    """Confirm a quote: from now on the booking is due to be sent, once. None: the form is gone.

    A second confirmation of the same form finds the first one's booking.
    """
    now = ctx.clock.now()

    def work(uow: Unit) -> Booking | None:
        booking = uow.bookings.get(booking_id)
        if booking is None or booking.stage is not Stage.QUOTED:
            return booking
        stored = uow.bookings.change(booking, stage=Stage.NEW, created_at=now, due_at=now)
        if stored is not None:
            witness_wish(uow, stored, "booked", by=by, before=booking)
            post_card(uow, stored)
        return stored

    stored = await ctx.write(work, name="confirm_booking", wakes=False)
    ctx.wake()
    return stored


async def request_prebooking(ctx: Context, requested: RequestedDelivery) -> Booking:
    """Store a pre-booking, which needs no quote; it is sent from then on."""

    def work(uow: Unit) -> Booking:
        known = uow.bookings.by_source(requested.source_key)
        if known is not None:
            return known
        stored = _new(uow, requested, stage=Stage.NEW, detail={})
        witness_wish(uow, stored, "prebooked", by=requested.requester)
        post_card(uow, stored)
        return stored

    try:
        stored = await ctx.write(work, name="ask_prebooking", wakes=False)
    except CommitUnknown:
        known = await ctx.read(lambda uow: uow.bookings.by_source(requested.source_key))
        if known is None:
            raise
        stored = known
    ctx.wake()
    return stored


def _new(
    uow: Unit,
    requested: RequestedDelivery,
    *,
    stage: Stage,
    detail: dict[str, object],
) -> Booking:
    booking = Booking(
        id=ulid(uow.now),
        reference=unused_reference(
            uow, Letter.PREBOOKING if requested.kind is BookingKind.PREBOOKING else Letter.BOOKING
        ),
        kind=requested.kind,
        store=requested.store,
        request=requested.request,
        stage=stage,
        requester=requested.requester,
        channel=requested.channel,
        created_at=uow.now,
        source_key=requested.source_key,
        external_id=ulid(uow.now),
        detail=detail,
        due_at=uow.now if stage is Stage.NEW else None,
    )
    if not uow.bookings.add(booking):
        known = uow.bookings.by_source(requested.source_key)
        assert known is not None
        return known
    return booking


log = structlog.get_logger(__name__)

_LEAST_READS = 3
_WATCHED = timedelta(hours=24)
"""For this long a booking that the service did not have is searched for again: its request may still be in flight."""
_NOT_FOUND = 404

Made = BookingRecord | PrebookingRecord


def _lost(uow: Unit, booking: Booking) -> bool:
    """An exception after the claim: the outcome is unknown, and looked up."""
    held = uow.bookings.get(booking.id)
    if held is None or held.stage is not Stage.SENDING or held.lease_owner != uow.owner:
        return False
    lose(uow, held, Unknown(reason=Reason(Exchange.ANSWER_LOST)))
    return True


def recover(uow: Unit) -> int:
    """Look up the bookings that a dead process was sending; how many there were."""
    left = uow.bookings.abandoned(now=uow.now, owner=uow.owner, exclusive=uow.ctx.store.exclusive)
    left = [one for one in left if not uow.ctx.leases.holds("booking", (one.id,))]
    for booking in left:
        lose(uow, booking, Unknown(reason=Reason(Exchange.PROCESS_ENDED)))
    return len(left)


def lose(uow: Unit, booking: Booking, outcome: Unknown) -> None:
    """The outcome of a request that was or may have been sent is unknown: search for it."""
    pause = timedelta(seconds=min(5.0, uow.poll_seconds))
    stored = uow.bookings.change(booking, stage=Stage.UNKNOWN, reason=outcome.told, reads=0, due_at=uow.now + pause)
    if stored is not None:
        witness(uow, stored, "unknown", before=booking, detail=outcome.facts)
        show_card(uow, stored)
        tell(uow, stored, "unknown", {})


def adopt(uow: Unit, booking: Booking, record: BookingRecord, *, report: BookingRecord | None = None) -> Booking | None:
    """The service has it: from now on it is followed."""
    other = uow.bookings.by_remote(booking.store, record.id)
    if other is not None and other.id != booking.id and not _joined(uow, other, booking):
        return None
    first = booking.remote_id is None
    stored = observe(uow, booking, record, report=report)
    if stored is not None and first and booking.kind is not BookingKind.FOREIGN:
        _note_made(uow, stored)
        if booking.stage is Stage.LOST:
            alarm(uow, stored, "found_late", {"status": record.status})
    return stored


def _joined(uow: Unit, other: Booking, booking: Booking) -> bool:
    """A webhook without our id arrived first and made a separate row: that row ends, and points here."""
    if other.kind is not BookingKind.FOREIGN:
        log.error("two of ours claim one booking", reference=booking.reference, other=other.reference)
        return False
    joined = Reason(OfBooking.JOINED, reference=booking.reference)
    ended = uow.bookings.change(
        other, stage=Stage.DROPPED, remote_id=None, numeric_id="", reason=joined, due_at=None, closed_at=uow.now
    )
    if ended is not None:
        witness(uow, ended, "joined", before=other, other=booking.reference)
        show_card(uow, ended)
    return ended is not None


def _note_made(uow: Unit, booking: Booking) -> None:
    request = booking.request
    if booking.kind is BookingKind.PREBOOKING:
        note(uow, Point.ADDRESS, booking.reference)
    note(uow, Point.BOOK, booking.reference)
    if request is not None:
        note(uow, Point.CASH if request.payment.value == "CASH" else Point.CARD, booking.reference)
        if request.cook_minutes:
            note(uow, Point.COOK, booking.reference)


async def _step(ctx: Context, delivery: DeliveryService, booking: Booking) -> None:
    key = await ctx.read(lambda uow: delivery.key(uow, booking.store))
    if key is None:
        await _put_off(ctx, booking, failed(no_key(booking.store)), timedelta(seconds=ctx.poll_seconds))
    elif booking.stage is Stage.NEW:
        with delivery.client.circuit.seat() as seat:
            await _send(ctx, delivery, booking, key, seat)
    else:
        await _look_for(ctx, delivery, booking, key)
    ctx.wake()


async def _send(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr, seat: Seat) -> None:
    """One request for one stored claim; none while the service is silent."""
    if not await seat.take():
        await _put_off(ctx, booking, *without_seat(ctx, seat.circuit, booking.reason))
        return
    now = ctx.clock.now()
    minutes = booking.request.cook_minutes if booking.request is not None else 0
    search_at = now + timedelta(minutes=minutes) if minutes else None

    def claim(uow: Unit) -> Booking | None:
        stored = uow.bookings.change(
            booking, keep_lease=True, stage=Stage.SENDING, sent_at=now, search_at=search_at, reason=None
        )
        if stored is not None:
            witness(uow, stored, "sent", before=booking)
        return stored

    def read_back(uow: Unit) -> Booking | None:
        held = uow.bookings.get(booking.id)
        mine = held is not None and held.stage is Stage.SENDING and held.lease_owner == ctx.owner
        return held if mine else None

    claimed_at = ctx.clock.boottime()
    taken = await claimed(ctx, claim, name="claim_booking", read_back=read_back)
    if taken is None:
        return

    guard = seat.guard(lambda: ctx.clock.boottime() - claimed_at <= GUARD_SECONDS)
    outcome: Done[BookingRecord] | Done[PrebookingRecord] | NotExecuted | Unknown
    if taken.kind is BookingKind.PREBOOKING:
        outcome = await delivery.client.create_prebooking(_asked(taken), key=key, guard=guard)
    else:
        outcome = await delivery.client.create_booking(_asked(taken), key=key, guard=guard)
    await keep(ctx, lambda uow: _sent(uow, taken, outcome), name="booked")


def _sent(
    uow: Unit, claimed: Booking, outcome: Done[BookingRecord] | Done[PrebookingRecord] | NotExecuted | Unknown
) -> None:
    current = uow.bookings.get(claimed.id)
    if current is None or current.stage is not Stage.SENDING:
        # A webhook arrived first and linked it already; the next read brings the rest.
        uow.bookings.hasten(claimed.id, uow.now)
        return
    match outcome:
        case Done(value=PrebookingRecord() as made):
            _wait_for_customer(uow, current, made)
        case Done(value=BookingRecord() as record):
            adopt(uow, current, record)
        case NotExecuted(again=True):
            _back(uow, current, outcome)
        case NotExecuted():
            reason = outcome.told
            stored = uow.bookings.change(current, stage=Stage.REFUSED, reason=reason, due_at=None, closed_at=uow.now)
            if stored is not None:
                witness(uow, stored, "refused", before=current, detail=outcome.facts)
                show_card(uow, stored)
                tell(uow, stored, "refused", {"reason": reason.stored()})
        case Unknown():
            lose(uow, current, outcome)


def _wait_for_customer(uow: Unit, booking: Booking, made: PrebookingRecord) -> None:
    stored = uow.bookings.change(
        booking,
        stage=Stage.WAITING,
        prebooking_id=made.id,
        detail={**booking.detail, "link": made.url},
        polls=0,
        due_at=uow.now + timedelta(seconds=uow.poll_seconds),
    )
    if stored is not None:
        witness(uow, stored, "link_made", before=booking)
        show_card(uow, stored)
        post_file(uow, subject=stored.subject, key="link", payload={})
        note(uow, Point.PREBOOK, stored.reference)


def _back(uow: Unit, booking: Booking, outcome: NotExecuted) -> None:
    """Nothing was sent, or the service asked to wait: nothing was booked, so it may be sent later."""
    own = outcome.failure is Failure.NOT_SENT
    pause = back_off(first=min(2.0, uow.poll_seconds), attempts=booking.reads, ceiling=uow.poll_seconds * 4)
    wait = timedelta(0) if own else named_or(outcome.retry_after, pause)
    stored = uow.bookings.change(
        booking,
        stage=Stage.NEW,
        sent_at=None,
        search_at=None,
        reason=None if own else failed(outcome, service=DELIVERY),
        reads=booking.reads + 1,
        due_at=uow.now + wait,
    )
    if stored is not None:
        witness(uow, stored, "put_off", before=booking, reason=written(stored.reason), said=outcome.detail)
        show_card(uow, stored)


async def _look_for(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr) -> None:
    """UNKNOWN: search the service by our external id."""
    record: BookingRecord | None = None
    absent = False
    reason: Reason | None = None
    try:
        record = await delivery.client.find_booking(booking.external_id, key=key)
    except ServiceNever as refused:
        absent, reason = refused.status == _NOT_FOUND, failed(refused, advice=False)
    except (ServiceNow, OperatorError) as silent:
        reason = failed(silent, advice=False)
    await ctx.write(lambda uow: _looked(uow, booking, record, absent, reason), name="looked_for_booking", wakes=False)


def _looked(uow: Unit, booking: Booking, record: BookingRecord | None, absent: bool, reason: Reason | None) -> None:
    if record is not None:
        adopt(uow, booking, record)
        return
    since = booking.sent_at or booking.created_at
    if booking.stage is Stage.LOST:
        over = uow.now - since > _WATCHED
        closed = {"closed_at": uow.now, "due_at": None} if over else {"due_at": uow.now + timedelta(minutes=15)}
        uow.bookings.change(booking, **closed)
        return
    reads = booking.reads + (1 if absent else 0)
    quiet = timedelta(seconds=uow.quiet.seconds)
    if absent and reads >= _LEAST_READS and uow.now - since >= quiet:
        stored = uow.bookings.change(
            booking, stage=Stage.LOST, reads=reads, reason=None, due_at=uow.now + timedelta(minutes=15)
        )
        if stored is not None:
            witness(uow, stored, "lost", before=booking)
            show_card(uow, stored)
            tell(uow, stored, "lost", {})
            alarm(uow, stored, "lost", {})
        return
    longest = uow.quiet.spacing.total_seconds()
    pause = back_off(first=min(5.0, longest), attempts=reads, ceiling=longest)
    stored = uow.bookings.change(
        booking, reads=reads, reason=None if absent else reason or booking.reason, due_at=uow.now + pause
    )
    if stored is not None and stored.reason != booking.reason:
        show_card(uow, stored)


async def _put_off(ctx: Context, booking: Booking, reason: Reason | None, pause: timedelta) -> None:
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        stored = uow.bookings.change(booking, reason=reason, due_at=now + pause)
        if stored is not None and stored.reason != booking.reason:
            show_card(uow, stored)

    await ctx.write(work, name="put_off_booking", wakes=False)


def _asked(booking: Booking) -> NewBooking:
    request = booking.request
    if request is None:
        raise TypeError(f"{booking.reference} was made elsewhere")
    return NewBooking(external_id=booking.external_id, request=request)


def _claim(tx: Tx, hold: Hold) -> list[Booking]:
    # What was never sent waits while the database may be older than the service.
    stages = (Stage.UNKNOWN, Stage.LOST) if reading_only(tx) else (Stage.NEW, Stage.UNKNOWN, Stage.LOST)
    return tx.bookings.claim_due(stages=stages, **hold)


BOOKINGS = Work(
    name="bookings",
    table="booking",
    slots=50,
    claim=_claim,
    step=lambda ctx: partial(_step, ctx, ctx.delivery.required()),
    in_flight=_lost,
    ready=lambda ctx: ctx.delivery.is_configured,
)
"""Send confirmed bookings, search for those with a lost answer."""
