"""The ten requests per second that several processes on one PostgreSQL server share.

Slots: ten rows, one per request and second. A row serves one request after the other; it is free 1.07 s after
``sent_at``. ``bot.clients.limiter`` defines when a row is free after an answer, or without one. Without an
answer, ``sent_at`` is later by the difference. No process starves, because none reserves a second row before it has
used the first.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import BigInteger, Connection, TextClause, bindparam, text
from sqlalchemy.exc import SQLAlchemyError

from storage.engine import PostgresLine, PostgresServer, parse_address

LOG = logging.getLogger(__name__)

WINDOW = 1.07
"""Seconds from ``sent_at`` until a row is free."""
UNANSWERED = 2.0
"""Seconds from its first byte for which an unanswered request keeps its row."""

_SECOND = 1.001
"""The service's second, plus clock rounding."""
_JITTER = 0.069
"""Seconds by which network delays of requests may differ, plus 19 ms from a slot's moment to its first byte."""
_QUICK = 0.015
"""Seconds after its moment within which a first byte leaves; a later one gets a new stamp first."""
_SILENT = UNANSWERED - WINDOW
"""Seconds by which ``sent_at`` is later than the first byte of a request without an answer."""
_AHEAD = 0.95
"""Maximum seconds by which a row is reserved ahead of time."""
_LOOK_AGAIN = 0.1
_WORTH = 0.005
"""Minimum seconds by which an answer has to free a row earlier to be stored."""
_BROKEN_PAUSE = 0.25
"""Seconds between two attempts if the database doesn't answer."""


def _statement(words: str, *micros: str) -> TextClause:
    """Return a statement in which ``$now`` is the server's clock and the named parameters are microseconds."""
    now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    return text(words.replace("$now", now)).bindparams(*(bindparam(name, type_=BigInteger) for name in micros))


_RESERVE = _statement(
    "WITH clock AS (SELECT $now AS now) "
    "UPDATE send_slot SET sent_at = greatest(clock.now, sent_at + :window) + :silent FROM clock WHERE n = ("
    "SELECT n FROM send_slot WHERE sent_at + :window <= clock.now + :ahead "
    "ORDER BY sent_at LIMIT 1 FOR UPDATE SKIP LOCKED"
    ") RETURNING n, sent_at, sent_at - :silent - clock.now AS rest",
    "window",
    "ahead",
    "silent",
)
_NEXT = _statement("SELECT min(sent_at) - $now FROM send_slot")
_STAMP = _statement(
    "UPDATE send_slot SET sent_at = $now + :ahead WHERE n = :n AND sent_at = :at RETURNING sent_at", "ahead", "at"
)
_ANSWERED = _statement("UPDATE send_slot SET sent_at = :answered WHERE n = :n AND sent_at = :at", "answered", "at")
_HOLD = _statement("UPDATE send_slot SET sent_at = greatest(sent_at, $now + :hold)", "hold")


class SharedSlots:
    """Slots shared by several processes. If the database doesn't answer, nothing is sent and no error is raised."""

    def __init__(self, url: str) -> None:
        server = parse_address(url)
        if not isinstance(server, PostgresServer):
            raise TypeError("one process needs no shared slots")
        self._line = PostgresLine(server, writes=True, connections=2, one_by_one=True)
        self.clock: Callable[[], float] = time.monotonic

    async def reserve(self, *, within: float) -> "_Reserved | None":
        """Reserve the row that is free first; None if that takes more than ``within`` seconds."""
        deadline = self.clock() + within
        while (rest := deadline - self.clock()) >= 0:
            begun = self.clock()
            try:
                found = await self._line.run(partial(self._reserve, within=rest))
            except SQLAlchemyError as error:
                # The next attempt replaces a connection that was cut while idle.
                LOG.warning("the send slots cannot be used: %s", type(error).__name__)
                await asyncio.sleep(min(_BROKEN_PAUSE, rest))
                continue
            if not isinstance(found, float):
                n, at, wait = found
                return _Reserved(self, n, at, sure=begun + wait, due=self.clock() + wait)
            if found > max(UNANSWERED, rest):
                return None  # a 429 holds them all, and no answer frees one earlier
            await asyncio.sleep(max(_WORTH, min(found - _AHEAD, _LOOK_AGAIN, rest)))
        return None

    async def slow_down(self, hold: float) -> None:
        """After a 429, delay every sender without a reserved row by ``hold`` seconds."""
        await self.run(_HOLD, hold=_micros(hold - WINDOW))

    def renew(self) -> None:
        self._line.renew()

    async def close(self) -> None:
        await self._line.close()

    async def run(self, statement: TextClause, **values: int) -> Any:
        """Return the only row of a statement, or None, also for an unreachable database, which is logged."""

        def first(connection: Connection) -> Any:
            found = connection.execute(statement, values)
            return found.first() if found.returns_rows else None

        try:
            return await self._line.run(first)
        except SQLAlchemyError as error:
            LOG.warning("a send slot could not be written: %s", type(error).__name__)
            return None

    def _reserve(self, connection: Connection, *, within: float) -> tuple[int, int, float] | float:
        """Return row, its ``sent_at`` and seconds until its moment, or seconds until a row is free by itself."""
        spans = {"window": WINDOW, "ahead": min(_AHEAD, within), "silent": _SILENT}
        found = connection.execute(_RESERVE, {name: _micros(span) for name, span in spans.items()}).first()
        if found is not None:
            return found.n, found.sent_at, found.rest / 1_000_000
        behind: int = connection.execute(_NEXT).scalar_one()
        return behind / 1_000_000 + WINDOW


class _Reserved:
    """A row with its ``sent_at`` (``at``, microseconds of the server's clock) and its moment by our clock."""

    # ``sure`` may be earlier than that moment by up to one trip to the server, ``due`` later by up to one trip.

    def __init__(self, slots: SharedSlots, n: int, at: int, *, sure: float, due: float) -> None:
        self._slots = slots
        self._n = n
        self._at = at
        self._sure = self._left = sure
        self.due = due

    async def leaves(self) -> bool:
        """Return whether the row is still ours; stamps it again if its moment has passed."""
        ahead = _SILENT
        while self._slots.clock() > self._sure + _QUICK:
            begun = self._slots.clock()
            stamped = await self._slots.run(_STAMP, n=self._n, at=self._at, ahead=_micros(ahead))
            if stamped is None:
                return False
            self._at = stamped.sent_at
            self._sure = begun + ahead - _SILENT
            ahead = _SILENT + 2 * (self._slots.clock() - begun)
        self._left = self._slots.clock()
        return True

    async def answered(self, *, late: float) -> None:
        """Free the row earlier, if that gains enough and no other request has reserved it."""
        arrived = min(self._slots.clock(), max(self._sure + _JITTER, self._left + late))
        gained = self._sure + UNANSWERED - (arrived + _SECOND)
        if gained > _WORTH:
            await self._slots.run(_ANSWERED, n=self._n, at=self._at, answered=self._at - _micros(gained))


def _micros(seconds: float) -> int:
    return round(seconds * 1_000_000)
