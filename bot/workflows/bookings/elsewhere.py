"""A booking made outside of Switchboard, named by the service's number."""

from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import BookingRecord
from bot.workflows.bookings.book import adopt
from bot.workflows.bookings.events import known_here, made_elsewhere
from bot.workflows.bookings.follow import look_up
from bot.workflows.context import Context
from bot.workflows.services.delivery import DeliveryService
from storage.transaction import Tx


async def take_in(ctx: Context, delivery: DeliveryService, text: str, *, by: str) -> Booking | None:
    """Search every store for it and follow it from now on, as after a webhook; None: no store has it.

    Raises:
        ServiceNow, OperatorError: a store could not be asked.
    """
    found = await look_up(ctx, delivery, text)
    if found is None:
        return None
    store, record = found
    taken = await ctx.store.write(lambda tx: _followed(ctx, tx, store, record, by), name="booking_named")
    ctx.wake()
    return taken


def _followed(ctx: Context, tx: Tx, store: str, record: BookingRecord, by: str) -> Booking | None:
    now = ctx.clock.now()
    booking = known_here(tx, store, record) or made_elsewhere(ctx, tx, store, record, now, by=by)
    return adopt(ctx, tx, booking, record, now) or tx.bookings.get(booking.id)
