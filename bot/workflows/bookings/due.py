"""What is done about deliveries because it is due, by name."""

from collections.abc import Awaitable, Callable, Mapping

from bot.workflows.bookings import book, events, follow, stores
from bot.workflows.context import Context


async def stores_due(ctx: Context) -> int:
    """List the stores now and then; find out what became of those whose creation was not answered."""
    return await stores.list_due(ctx) + await stores.settle_due(ctx)


DRAINS: Mapping[str, Callable[[Context], Awaitable[int]]] = {
    "bookings": book.send_due,
    "booking polls": follow.poll_due,
    "store events": events.verify_due,
    "stores": stores_due,
}
