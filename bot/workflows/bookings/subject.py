"""Content of the boards of bookings: the card, its lines, and the link of a pre-booking as a picture."""

import asyncio
from collections.abc import Mapping
from typing import Any

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import NO_DESK, Desk
from bot.domain.content import Content
from bot.presentation.blocks import elements
from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import lines as booking_lines
from bot.workflows.bookings.observe import store_channel
from bot.workflows.context import Attachment, Context, Subject, Unit


class BookingSubject(Subject):
    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - the protocol's name
        booking = await _booking(ctx, id)
        return None if booking is None else booking_cards.card(booking, now=ctx.clock.now(), desk=_desk(ctx))

    def home(self, uow: Unit, id: str) -> str:  # noqa: A002
        booking = uow.bookings.get(id)
        return "" if booking is None or booking.requester else store_channel(uow.policy, booking.store)

    async def line(self, ctx: Context, id: str, payload: Mapping[str, Any]) -> Content | None:  # noqa: A002
        booking = await _booking(ctx, id)
        names = await ctx.people.names([str(payload.get("by", ""))])
        return None if booking is None else booking_lines.line(booking, payload, names=names, desk=_desk(ctx))

    async def file(self, ctx: Context, id: str, payload: Mapping[str, Any]) -> Attachment | None:  # noqa: A002, ARG002
        """Return the address link as a picture that a phone can scan; None once it has been used."""
        booking = await _booking(ctx, id)
        link = str(booking.detail.get("link", "")) if booking is not None else ""
        if booking is None or booking.stage is not Stage.WAITING or not link or len(link) > elements.LONGEST:
            return None
        title, alt, comment = booking_lines.picture(booking, link=link)
        content = await asyncio.to_thread(elements.png, link)
        return Attachment(name=f"{booking.reference}.png", content=content, title=title, alt=alt, comment=comment)


class StoreSubject(Subject):
    """Lines about a store that don't belong to a booking; the id is the store's name."""

    async def line(self, ctx: Context, id: str, payload: Mapping[str, Any]) -> Content | None:  # noqa: A002, ARG002
        """Return the line for an unverified event of the store."""
        return booking_lines.of_store(id, payload)


def _desk(ctx: Context) -> Desk:
    return NO_DESK if ctx.delivery.client is None else ctx.delivery.client.desk


async def _booking(ctx: Context, booking_id: str) -> Booking | None:
    return await ctx.read(lambda uow: uow.bookings.get(booking_id))
