"""Pre-bookings: read until the address is entered; linked or closed by a person if the answer was lost.

A pre-booking can't be found by our own id; only the resulting booking can. So a lost answer proves nothing, and a
person who has checked the delivery service's dashboard decides.
"""

from http import HTTPStatus

from pydantic import SecretStr

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import BookingRecord, PrebookingRecord, is_canceled
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.reasons import OfBooking, Reason
from bot.domain.references import Letter
from bot.domain.tracking import next_poll
from bot.domain.troubles import failed
from bot.workflows.bookings.book import link, tell_decided, waits
from bot.workflows.bookings.events import followed
from bot.workflows.bookings.observe import post_link, tell
from bot.workflows.context import Context, Unit
from bot.workflows.services import DeliveryService


async def read_prebooking(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr) -> Booking | None:
    """Read a pre-booking that waits for its address, and the resulting booking; otherwise like ``follow.read_now``."""
    known = str(booking.detail.get("link", ""))
    made = await delivery.client.get_prebooking(booking.prebooking_id or "", key=key, needs_link=not known)
    record: BookingRecord | None = None
    if made.booking_id:
        record = await delivery.client.get_booking(made.booking_id, key=key)
    elif made.has_address:  # the booking is found by our own id
        try:
            record = await delivery.client.find_booking(booking.external_id, key=key)
        except ServiceNever as refused:
            if refused.status != HTTPStatus.NOT_FOUND:  # the address was entered, but the booking doesn't exist yet
                raise

    def work(uow: Unit) -> Booking | None:
        current = uow.bookings.get(booking.id)
        if current is None or current.version != booking.version:
            uow.bookings.release(booking.id, owner=uow.owner, due_at=uow.now)
            return None
        if record is not None:
            return link(uow, booking, record)
        if is_canceled(made.status):
            return dropped(uow, booking)
        pause = next_poll(base=uow.poll_seconds, polls=booking.polls + 1, age=uow.now - booking.created_at)
        news = made.url not in ("", known)
        seen = uow.bookings.touch(
            booking,
            show=news or booking.reason is not None,
            detail={**booking.detail, "link": made.url or known},
            polls=booking.polls + 1,
            reads=0,
            reason=None,
            due_at=uow.now + pause,
        )
        if seen is not None and news:
            post_link(uow, seen, before=known)
        return seen

    return await ctx.write(work, name="prebooking_read")


def dropped(uow: Unit, booking: Booking) -> Booking | None:
    """End a pre-booking that will not become a booking."""
    stored = uow.bookings.move(booking, Stage.DROPPED, action="dropped")
    if stored is not None and not stored.is_own_cancellation:
        tell(uow, stored, "dropped", {"by": stored.canceled_by, "call": stored.to_call})
    return stored


async def recovered(ctx: Context, store: str, made: PrebookingRecord, *, by: str) -> Booking | None:
    """Link our pre-booking with a lost answer if the record has our id; None if there is no such pre-booking."""

    def work(uow: Unit) -> Booking | None:
        ours = uow.bookings.by_external(made.external_id) if made.external_id else None
        if ours is None or ours.store != store or not ours.is_undecided:
            return None
        return waits(uow, ours, made, action="taken_in", actor=by)

    return await ctx.write(work, name="prebooking_recovered")


def made_elsewhere(uow: Unit, store: str, made: PrebookingRecord, *, by: str) -> Booking:
    """Follow an external pre-booking in the store's channel; ``by`` is the person who entered its id."""
    known = uow.bookings.by_prebooking(store, made.id)
    if known is not None:
        return known
    told = {"link": made.url, **{name: getattr(made, name) for name in ("customer", "amount", "payment_method")}}
    ids = {"prebooking_id": made.id, "source_key": f"prebooking:{store}:{made.id}"}
    return followed(uow, store, letter=Letter.PREBOOKING, by=by, stage=Stage.WAITING, detail=told, **ids)


async def take_in(
    ctx: Context, delivery: DeliveryService, booking: Booking, named: str, *, by: str
) -> tuple[Booking, Reason | None]:
    """Link the pre-booking that a person found in the dashboard, by id or link; return a reason if that fails."""
    wanted = named.strip().partition("?")[0].rstrip("/").rpartition("/")[2]
    absent = Reason(OfBooking.NO_SUCH_PREBOOKING, store=booking.store)
    if not wanted:
        return booking, absent
    try:
        key = await delivery.key_of(ctx.store, booking.store)
        made = await delivery.client.get_prebooking(wanted, key=key)
    except ServiceNever as refused:
        return booking, absent if refused.status == HTTPStatus.NOT_FOUND else failed(refused)
    except (ServiceNow, OperatorError) as silent:
        return booking, failed(silent)
    if made.external_id not in ("", booking.external_id):
        return booking, Reason(OfBooking.OTHER_PREBOOKING)

    def work(uow: Unit) -> tuple[Booking, Reason | None]:
        current, other = uow.bookings.get(booking.id), uow.bookings.by_prebooking(booking.store, made.id)
        if other is not None and other.id != booking.id:
            return booking, Reason(OfBooking.TAKEN_IN, reference=other.reference)
        stored = None
        if current is not None and current.is_undecided:
            stored = waits(uow, current, made, action="taken_in", actor=by)
        return stored or current or booking, None if stored is not None else Reason(OfBooking.JUST_CHANGED)

    return await ctx.write(work, name="prebooking_taken_in")


async def close(ctx: Context, booking: Booking, *, by: str) -> tuple[Booking, Reason | None]:
    """End a pre-booking that a person didn't find in the dashboard; a booking that results anyway is announced."""

    def work(uow: Unit) -> tuple[Booking, Reason | None]:
        current, stored = uow.bookings.get(booking.id), None
        if current is not None and current.is_undecided:
            detail = {**current.detail, "closed": {"by": by}}
            stored = uow.bookings.move(current, Stage.DROPPED, action="closed", actor=by, detail=detail, reason=None)
        if stored is None or current is None:
            return current or booking, Reason(OfBooking.JUST_CHANGED)
        tell_decided(uow, current)
        if stored.requester != by:
            tell(uow, stored, "closed", {"by": by, "call": stored.requester})
        return stored, None

    return await ctx.write(work, name="prebooking_closed")
