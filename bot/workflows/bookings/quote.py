"""Requests for a delivery: quoted and confirmed, or sent at once as a pre-booking; stored before anything is sent."""

from dataclasses import asdict, replace
from datetime import datetime

from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.bookings.record import Payment, Point, Position, Quote
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.references import Letter, ulid
from bot.domain.troubles import failed
from bot.workflows.bookings.observe import note, post_card, wished, witness
from bot.workflows.context import Context, Unit
from bot.workflows.requests.request import unused_reference
from bot.workflows.services import DeliveryService
from storage.errors import CommitUnknown


async def price(
    ctx: Context,
    delivery: DeliveryService,
    store: str,
    *,
    position: Position,
    payment: Payment,
    cents: int,
    vehicle: str = "",
) -> Quote:
    """Return the price of a delivery; store only that a quote was read. Raises like ``DeliveryClient.quote``."""
    key = await delivery.key_of(ctx.store, store)
    found = await delivery.client.quote(key=key, position=position, payment=payment, cents=cents, vehicle=vehicle)
    await ctx.write(lambda uow: note(uow, Point.QUOTE, store), name="priced", wakes=False)
    return found


def draft(
    now: datetime, *, kind: BookingKind, store: str, request: BookingRequest, by: str, channel: str, source_key: str
) -> Booking:
    """Build a booking from a checked form; it gets its reference when stored. A form submitted twice is stored once."""
    return Booking(
        id=ulid(now),
        reference="",
        kind=kind,
        store=store,
        request=request,
        stage=Stage.NEW if kind is BookingKind.PREBOOKING else Stage.QUOTED,
        requester=by,
        channel=channel,
        created_at=now,
        source_key=source_key,
        external_id=ulid(now),
    )


def placed(draft: Booking, position: Position) -> Booking:
    """Return the booking with the position that its short link leads to."""
    assert draft.request is not None
    where = {"latitude": position.latitude, "longitude": position.longitude}
    return replace(draft, request=draft.request.model_copy(update=where))


async def quote(ctx: Context, delivery: DeliveryService, draft: Booking, *, even_unpriced: bool = False) -> Booking:
    """Get the price and store the form with the answer; nothing is booked. Raises like ``DeliveryClient.quote``.

    ``even_unpriced``: if there is no price, store the form with the reason, because the service books without one.
    """
    request = draft.request
    assert request is not None
    assert request.position is not None, "a quote needs a place"
    try:
        found = await price(
            ctx, delivery, draft.store, position=request.position, payment=request.payment, cents=request.cents
        )
        detail: dict[str, object] = {"quote": asdict(found)}
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        if not even_unpriced:
            raise
        detail = {"unpriced": failed(trouble).stored()}
    return await ctx.write(lambda uow: _add(uow, replace(draft, detail=detail)), name="quoted", wakes=False)


async def confirm(ctx: Context, booking_id: str, *, by: str) -> Booking | None:
    """Confirm a quote once, which makes the booking due to be sent. None if the form is gone."""

    def work(uow: Unit) -> Booking | None:
        booking = uow.bookings.get(booking_id)
        if booking is None or booking.stage is not Stage.QUOTED:
            return booking
        stored = uow.bookings.move(
            booking,
            Stage.NEW,
            action="booked",
            actor=by,
            facts=wished(booking),
            show=False,
            created_at=uow.now,
            due_at=uow.now,
        )
        if stored is not None:
            post_card(uow, stored)
        return stored

    return await ctx.write(work, name="confirm_booking")


async def request_prebooking(ctx: Context, draft: Booking) -> Booking:
    def work(uow: Unit) -> Booking:
        known = uow.bookings.by_source(draft.source_key)
        if known is not None:
            return known
        stored = _add(uow, replace(draft, due_at=uow.now))
        witness(uow, stored, "prebooked", actor=draft.requester, facts=wished(stored))
        post_card(uow, stored)
        return stored

    try:
        stored = await ctx.write(work, name="ask_prebooking", wakes=False)
    except CommitUnknown:
        known = await ctx.read(lambda uow: uow.bookings.by_source(draft.source_key))
        if known is None:
            raise
        stored = known
    ctx.wake()
    return stored


def _add(uow: Unit, draft: Booking) -> Booking:
    """Store the booking under a new reference, or return the booking that the same form created."""
    letter = Letter.PREBOOKING if draft.kind is BookingKind.PREBOOKING else Letter.BOOKING
    booking = replace(draft, reference=unused_reference(uow, letter), created_at=uow.now)
    if uow.bookings.add(booking):
        return booking
    known = uow.bookings.by_source(draft.source_key)
    assert known is not None
    return known
