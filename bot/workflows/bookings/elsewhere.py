"""A booking made outside of Switchboard, named by the service's number."""

from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import BookingRecord
from bot.workflows.bookings.book import adopt
from bot.workflows.bookings.events import known_here, made_elsewhere
from bot.workflows.bookings.follow import look_up
from bot.workflows.context import Context, Unit
from bot.workflows.services.delivery import DeliveryService


async def take_in(ctx: Context, delivery: DeliveryService, text: str, *, by: str) -> Booking | None:
    """Search every store for it and follow it from now on, as after a webhook; None: no store has it.

    Raises:
        ServiceNow, OperatorError: a store could not be asked.
    """
    found = await look_up(ctx, delivery, text)
    if found is None:
        return None
    store, record = found
    taken = await ctx.write(lambda uow: _followed(uow, store, record, by), name="booking_named", wakes=False)
    ctx.wake()
    return taken


def _followed(uow: Unit, store: str, record: BookingRecord, by: str) -> Booking | None:
    booking = known_here(uow, store, record) or made_elsewhere(uow, store, record, by=by)
    return adopt(uow, booking, record) or uow.bookings.get(booking.id)
