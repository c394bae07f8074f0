"""Numbered changes in order; a page that reconnects misses none."""

import asyncio
import secrets
from collections import deque
from dataclasses import dataclass
from typing import Literal

KEPT = 2_000
"""Number of notes kept for pages that reconnect; a page that missed more reloads everything."""

NoteKind = Literal["message", "view", "home", "places", "service", "bot", "everything"]


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something to reload. Its content is read when the note is sent, so a late reader gets the current state."""

    kind: NoteKind
    channel: str = ""
    ts: str = ""
    user: str = ""
    service: str = ""
    call: str = ""


class GapError(Exception):
    """The position is too old, of an earlier run, or malformed: the reader must reload everything."""


class Feed:
    """A bounded, numbered list of notes; positions look like ``<run>-<number>`` and differ between runs."""

    def __init__(self, *, kept: int = KEPT) -> None:
        self.run = secrets.token_hex(4)
        self._notes: deque[tuple[int, Note]] = deque(maxlen=kept)
        self._count = 0
        self._news = asyncio.Event()
        self._closed = False

    @property
    def position(self) -> str:
        """Current position of the feed."""
        return self._named(self._count)

    @property
    def closed(self) -> bool:
        """Whether the feed has ended."""
        return self._closed

    def add(self, note: Note) -> None:
        """Number a note and wake the readers."""
        self._count += 1
        self._notes.append((self._count, note))
        self._wake()

    def close(self) -> None:
        """End the feed and wake all readers."""
        self._closed = True
        self._wake()

    def since(self, position: str) -> list[tuple[str, Note]]:
        """The notes after a position, oldest first, each with the position it leads to.

        Raises:
            GapError: Some of them are gone, or the position is not one of this run.
        """
        seen = self._number(position)
        oldest = self._notes[0][0] if self._notes else self._count + 1
        if seen + 1 < oldest or seen > self._count:
            raise GapError(position)
        return [(self._named(number), note) for number, note in self._notes if number > seen]

    async def more(self, position: str) -> None:
        """Wait until there is something after a position, or the feed is closed."""
        while self._number(position) >= self._count and not self._closed:
            news = self._news
            await news.wait()

    def _wake(self) -> None:
        """Wake all current readers once; later readers wait for the next wake-up."""
        self._news.set()
        self._news = asyncio.Event()

    def _named(self, number: int) -> str:
        return f"{self.run}-{number}"

    def _number(self, position: str) -> int:
        run, _, number = position.partition("-")
        if run != self.run or not number.isdecimal():
            raise GapError(position)
        return int(number)
