"""Known customers that fill in a form, and the default store.

Customers come only from bookings that the person made or that were made in the channel: a role is no reason to see the
addresses of every store's customers.
"""

from collections.abc import Sequence
from typing import Final

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import Phone
from bot.workflows.context import Context

_LOOKED_AT: Final = 300
"""Most bookings searched for recent customers."""
_MOST: Final = 50


async def usual_store(ctx: Context, names: Sequence[str], *, channel: str, by: str) -> str:
    """Return the store last used in this channel, else by this person, if it is one of ``names``; else empty."""
    found = await ctx.read(lambda uow: uow.bookings.last_store(channel=channel, requester=by))
    return found if found in names else ""


async def recent(ctx: Context, names: Sequence[str], *, channel: str, by: str) -> list[Booking]:
    """Return the last booking of each customer of these stores, newest first."""
    rows = await ctx.read(lambda uow: uow.bookings.requested(names, channel=channel, by=by, limit=_LOOKED_AT))
    newest: dict[str, Booking] = {}
    for row in rows:
        if row.request is not None:
            newest.setdefault(str(row.request.phone), row)
    return list(newest.values())[:_MOST]


async def by_phone(ctx: Context, names: Sequence[str], phone: Phone, *, channel: str, by: str) -> Booking | None:
    """Return the last booking of the customer with this number."""
    found = await ctx.read(lambda uow: uow.bookings.requested(names, channel=channel, by=by, limit=1, phone=phone))
    return found[0] if found else None


async def by_booking(ctx: Context, names: Sequence[str], booking_id: str, *, channel: str, by: str) -> Booking | None:
    """Return the booking if it is for one of these stores and was made by this person or in this channel."""
    found = await ctx.read(lambda uow: uow.bookings.get(booking_id))
    if found is None or found.request is None or found.stage is Stage.QUOTED or found.store not in names:
        return None
    return found if by == found.requester or channel == found.channel else None
