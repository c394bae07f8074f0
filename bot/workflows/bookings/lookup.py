"""Finding bookings, stores and evidence for handlers. Nothing is changed."""

from collections.abc import Mapping

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.certification import Evidence, Point
from bot.workflows.bookings.evidence import gathered
from bot.workflows.context import Context, Unit
from bot.workflows.services.delivery import DeliveryService


async def find_booking(ctx: Context, text: str) -> Booking | None:
    """Find a booking by its reference, or one of its ids at the service. A mere quote is not found."""
    found = await ctx.read(lambda uow: uow.bookings.find(text))
    return None if found is None or found.stage is Stage.QUOTED else found


async def get_booking(ctx: Context, booking_id: str) -> Booking | None:
    """The booking, or the quote, with our id."""
    return await ctx.read(lambda uow: uow.bookings.get(booking_id))


async def booking_on_card(ctx: Context, booking_id: str, *, channel: str, ts: str) -> Booking | None:
    """The booking, if this message is its card that we posted ourselves."""

    def look(uow: Unit) -> Booking | None:
        board = uow.boards.find(channel, ts)
        booking = uow.bookings.get(booking_id)
        return booking if board is not None and booking is not None and board.subject == booking.subject else None

    return await ctx.read(look)


async def spelled(ctx: Context, delivery: DeliveryService, store: str) -> str | None:
    """The store's name as it is kept, however it was written; None: there is none."""
    return await ctx.read(lambda uow: delivery.spelled(uow, store))


async def evidence(ctx: Context) -> tuple[dict[Point, Evidence], Mapping[str, str]]:
    """What was seen of the certification: by point, and every state with the booking it was first seen on."""
    return await ctx.read(gathered)
