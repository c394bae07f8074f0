"""Resolver of short map links: follows redirects until an address contains a position, without reading any page.

People enter these links, so each step must go to a public address. The only exception is a delivery service on the same
machine, as in the playground, and only for the first step.
"""

import asyncio
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from bot.clients.results import MOVED, is_private, open_result_session
from bot.domain.addresses import AddressFlaw, flaw_of, redirected
from bot.domain.bookings.places import DoubtError, LinkFlaw, position_behind
from bot.domain.bookings.record import Position
from bot.domain.errors import SwitchboardError

_HOPS: Final = 5
_SECONDS: Final = 6.0
"""Time limit for all steps together."""
_THIS_MACHINE: Final = ("127.0.0.1", "::1", "localhost")


class NoPlaceError(SwitchboardError):
    """A short link leads to no position, or to a doubtful one: ``rule`` then asks the person to confirm it."""

    def __init__(self, flaw: LinkFlaw, rule: str = "") -> None:
        super().__init__(flaw.value)
        self.flaw = flaw
        self.rule = rule


class ShortLinks:
    """Finds the positions behind short links. ``session`` comes from :func:`open_link_session`.

    ``own``: origin of a service on this machine whose links may be opened; empty if there is none.
    """

    def __init__(self, *, session: aiohttp.ClientSession, own: str = "", seconds: float = _SECONDS) -> None:
        self.own = own
        self._session = session
        self._seconds = seconds

    async def position(self, url: str, *, near: Position | None = None) -> Position:
        """Return the position behind a link. ``near``: position of the store. Raises NoPlaceError."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._behind(url, near)
        except TimeoutError:
            raise NoPlaceError(LinkFlaw.UNREACHABLE) from None
        except DoubtError as doubt:
            raise NoPlaceError(LinkFlaw.DOUBTFUL, doubt.rule) from None

    async def _behind(self, url: str, near: Position | None) -> Position:
        own: Collection[str] = _host(self.own) if self.own and url.startswith(f"{self.own}/") else ()
        for _ in range(_HOPS):
            flaw = flaw_of(url, own=own)  # needs no lookup; the resolver checks host names
            if flaw is not None:
                raise NoPlaceError(LinkFlaw.PRIVATE if flaw is AddressFlaw.PRIVATE else LinkFlaw.NO_POSITION)
            url, own = redirected(url, await self._next(url)), ()
            found = position_behind(url, near=near)
            if found is not None:
                return found
        raise NoPlaceError(LinkFlaw.NO_POSITION)

    async def _next(self, url: str) -> str:
        """Return the target of this address's redirect; NoPlaceError if it has none."""
        try:
            answer = await self._session.get(url, allow_redirects=False)
        except aiohttp.InvalidURL:
            raise NoPlaceError(LinkFlaw.NO_POSITION) from None
        except aiohttp.ClientConnectorError as refused:
            raise NoPlaceError(LinkFlaw.PRIVATE if is_private(refused) else LinkFlaw.UNREACHABLE) from None
        except aiohttp.ClientError:
            raise NoPlaceError(LinkFlaw.UNREACHABLE) from None
        there = answer.headers.get("Location", "") if answer.status in MOVED else ""
        answer.close()
        if not there:
            raise NoPlaceError(LinkFlaw.NO_POSITION)
        return there


def own_origin(base_url: str) -> str:
    """Return the origin of a service on this machine; empty for any other host."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.hostname in _THIS_MACHINE else ""


def open_link_session(own: str) -> aiohttp.ClientSession:
    return open_result_session(_host(own))


def _host(own: str) -> list[str]:
    host = urlsplit(own).hostname
    return [host] if host else []
