"""Who was delivered to before: what a form is filled with, and which store is meant where none is chosen."""

from collections.abc import Sequence
from typing import Final

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import Phone
from bot.workflows.context import Context

_LOOKED_AT: Final = 300
"""Bookings among which the recent customers are found."""
_MOST: Final = 50


async def usual_store(ctx: Context, names: Sequence[str], *, channel: str, by: str) -> str:
    """The store that was used last in this channel, else by this person, if it is one of these; else empty."""
    found = await ctx.read(lambda uow: uow.bookings.last_store(channel=channel, requester=by))
    return found if found in names else ""


async def recent(ctx: Context, names: Sequence[str]) -> list[Booking]:
    """The last booking of each customer of these stores, newest first."""
    rows = await ctx.read(lambda uow: uow.bookings.requested(names, limit=_LOOKED_AT))
    newest: dict[str, Booking] = {}
    for row in rows:
        if row.request is not None:
            newest.setdefault(str(row.request.phone), row)
    return list(newest.values())[:_MOST]


async def by_phone(ctx: Context, names: Sequence[str], phone: Phone) -> Booking | None:
    """The last booking of the customer with this number."""
    found = await ctx.read(lambda uow: uow.bookings.requested(names, limit=1, phone=phone))
    return found[0] if found else None


async def by_booking(ctx: Context, names: Sequence[str], booking_id: str) -> Booking | None:
    """That booking, if it was requested here for one of these stores."""
    found = await ctx.read(lambda uow: uow.bookings.get(booking_id))
    usable = found is not None and found.request is not None and found.stage is not Stage.QUOTED
    return found if usable and found is not None and found.store in names else None
