"""Requests for a delivery: quoted and confirmed, or requested at once; stored before anything is sent."""

from dataclasses import asdict, dataclass

from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.references import Letter, ulid
from bot.domain.troubles import failed
from bot.workflows.bookings.audit import witness_wish
from bot.workflows.bookings.board import post_card
from bot.workflows.bookings.pricing import price
from bot.workflows.context import Context, Unit
from bot.workflows.requests.request import unused_reference
from bot.workflows.services.delivery import DeliveryService
from storage.errors import CommitUnknown


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
