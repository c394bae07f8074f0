"""The button *Send as CSV* below a list: sends all its pages as a file, in a direct message to the user.

A list is read by the module that shows it (its ``LISTS``), with the same access rule. Rows are written to a temporary
file page by page, so a long list needs little memory.
"""

import asyncio
import csv
import io
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, Final

from bot.domain.errors import ServiceTrouble
from bot.presentation import answers, lists
from bot.tables.delimited import neutral
from handlers.grammar.admission import send_file, service_call
from handlers.incoming import Click
from handlers.replies import Answer, Nothing, Private, Reply
from handlers.router import ClickHandler, Dependencies, Presses

_PIECE: Final = 64 * 1024

Rows = Iterable[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list to export: its title, its file name without date and extension, and the writer of its rows.

    ``write`` returns the number of rows without the header; it raises the errors of reading the list.
    """

    title: str
    name: str
    write: Callable[[IO[bytes]], Awaitable[int]]


ListReader = Callable[[Dependencies, str, str], Awaitable[Listing]]
"""Checks that a user may see a list and returns it; the last argument is the button's value."""


async def write_table(pages: AsyncIterable[Rows], out: IO[bytes]) -> int:
    """Write pages of rows as CSV in UTF-8 with a byte order mark, neutralise formulas, and return the number of rows.

    The first row is the header, which isn't counted.
    """
    text = io.TextIOWrapper(out, encoding="utf-8-sig", errors="replace", newline="", write_through=True)
    writer, count = csv.writer(text), -1

    def add(rows: Rows) -> int:
        return sum(1 for row in rows if writer.writerow([neutral(cell) for cell in row]))

    try:
        async for page in pages:
            count += await asyncio.to_thread(add, page)
        return count
    finally:
        text.detach()


async def share(deps: Dependencies, user: str, listing: Listing, **about: str) -> Answer:
    """Write a list and send it to this user. ``about`` overrides the file's title, alternative text and comment."""
    with tempfile.TemporaryFile() as kept:
        rows = await listing.write(kept)
        length = kept.tell()
        kept.seek(0)

        async def pieces() -> AsyncIterator[bytes]:
            while piece := kept.read(_PIECE):
                yield piece

        name = f"{listing.name}-{deps.ctx.clock.now():%Y-%m-%d}.csv"
        about = {"title": listing.title, "alt": listing.title, "comment": listing.title, **about}
        try:
            await send_file(deps, user, pieces(), length, name=name, **about)
        except ServiceTrouble as denied:
            return Private(answers.not_shared(denied))
    return Private(lists.sent(listing.title, rows))


class Lists:
    """Handlers of the buttons of all lists."""

    def __init__(self, readers: Mapping[str, ListReader]) -> None:
        self._presses = Presses()
        self.buttons: dict[str, ClickHandler] = {
            f"{lists.CSV}.{name}": partial(self._send, reader=reader) for name, reader in readers.items()
        }

    async def _send(self, deps: Dependencies, click: Click, *, reader: ListReader) -> Reply:
        listing = await reader(deps, click.user, click.value)
        if self._presses.is_double(click.action_id, click, deps.ctx.clock.now()):
            return Nothing()
        return service_call(partial(share, deps, click.user, listing), meanwhile=Private(lists.PREPARING))
