"""Rate limit of ten requests a second, shared by several processes: ten rows of PostgreSQL, one per request and second.

A row serves one request after the other; ``sent_at`` is when the last one left, or will leave. A sender with an open
connection reserves the row that is free first, ahead of time, and waits. So nobody polls, and no process starves,
because none reserves a second row before it has used the first. Two requests of a row leave 1.07 s apart: the service
counts a request when it arrives, and the network may delay one by 50 ms and not the next. An answer proves the arrival:
the row is then free a second later, if that is earlier.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from sqlalchemy import BigInteger, Connection, TextClause, bindparam, text
from sqlalchemy.exc import SQLAlchemyError

from storage.address import PostgresServer, parse_address
from storage.engine import PostgresLine

LOG = logging.getLogger(__name__)

WINDOW = 1.07
"""Seconds: the service's second, 50 ms of network jitter, and the delay allowed between a moment and its first byte."""

_SECOND = 1.001
"""The service's second, plus a clock's rounding."""
_QUICK = 0.015
"""Seconds after its moment within which a first byte leaves; a later one is stamped again, ahead of time."""
_SETTLED = 0.1
"""Seconds after a first byte; an answer that comes later does not free its row earlier."""
_WORTH = 0.005
"""Seconds. An answer that would free a row this little earlier is not written down."""
_BROKEN_PAUSE = 0.25
"""Between two tries at a database that does not answer."""


def _statement(words: str, *micros: str) -> TextClause:
    """``$now`` is the server's clock; the moments and spans named are microseconds."""
    now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    return text(words.replace("$now", now)).bindparams(*(bindparam(name, type_=BigInteger) for name in micros))


_RESERVE = _statement(
    "WITH clock AS (SELECT $now AS now) "
    "UPDATE send_slot SET sent_at = greatest(clock.now, sent_at + :window) FROM clock WHERE n = ("
    "SELECT n FROM send_slot WHERE sent_at + :window <= clock.now + :ahead "
    "ORDER BY sent_at LIMIT 1 FOR UPDATE SKIP LOCKED"
    ") RETURNING n, sent_at, sent_at - clock.now AS rest",
    "window",
    "ahead",
)
_NEXT = _statement("SELECT min(sent_at) - $now FROM send_slot")
_STAMP = _statement(
    "UPDATE send_slot SET sent_at = $now + :ahead WHERE n = :n AND sent_at = :at RETURNING sent_at", "ahead", "at"
)
_ANSWERED = _statement("UPDATE send_slot SET sent_at = :answered WHERE n = :n AND sent_at = :at", "answered", "at")
_HOLD = _statement("UPDATE send_slot SET sent_at = greatest(sent_at, $now + :hold)", "hold")


class SharedSlots:
    """Slots that several processes share.

    Without an answer of the database nothing is sent; no error is raised.
    """

    def __init__(
        self,
        *,
        line: PostgresLine,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        window: float = WINDOW,
    ) -> None:
        self._line = line
        self._sleep = sleep
        self.clock = clock
        self.window = window

    @classmethod
    def open(cls, url: str) -> "SharedSlots":
        """For a migrated PostgreSQL database; close it with :meth:`close`."""
        server = parse_address(url)
        if not isinstance(server, PostgresServer):
            raise TypeError("one process needs no shared slots")
        return cls(line=PostgresLine.open(server, writes=True, connections=2, one_by_one=True))

    async def reserve(self, *, within: float) -> "_Reserved | None":
        """The row that is free first; None when that is in more than ``within`` seconds."""
        deadline = self.clock() + within
        while (rest := deadline - self.clock()) >= 0:
            begun = self.clock()
            try:
                found = await self._line.run(partial(self._reserve, within=rest))
            except SQLAlchemyError as error:
                # A connection that was cut while it was idle is replaced by the next try.
                LOG.warning("the send slots cannot be used: %s", type(error).__name__)
                found = _BROKEN_PAUSE
            if not isinstance(found, float):
                n, at, wait = found
                return _Reserved(self, n, at, sure=begun + wait, due=self.clock() + wait)
            if self.clock() + found > deadline:
                return None
            await self._sleep(found)
        return None

    async def slow_down(self, hold: float) -> None:
        """After a 429: hold back, for that long, every sender that has not reserved a row yet."""
        await self.run(_HOLD, hold=_micros(hold - self.window))

    async def close(self) -> None:
        """Close the connections."""
        await self._line.close()

    async def run(self, statement: TextClause, **values: int) -> Any:
        """The one row of a statement, or None; an unreachable database is logged and gives None."""
        try:
            return await self._line.run(partial(_first, statement=statement, values=values))
        except SQLAlchemyError as error:
            LOG.warning("a send slot could not be written: %s", type(error).__name__)
            return None

    def _reserve(self, connection: Connection, *, within: float) -> tuple[int, int, float] | float:
        """Row, moment in microseconds and seconds until then; or the seconds to wait before the next try."""
        ahead = min(self.window - _SETTLED, within)
        found = connection.execute(_RESERVE, {"window": _micros(self.window), "ahead": _micros(ahead)}).first()
        if found is not None:
            return found.n, found.sent_at, found.rest / 1_000_000
        behind: int = connection.execute(_NEXT).scalar_one()
        return max(_WORTH, behind / 1_000_000 + self.window - ahead)


class _Reserved:
    """A row and its moment.

    Args:
        at: the moment by the server's clock, in microseconds.
        sure: the moment by our clock, or up to one way to the server earlier than that.
        due: the moment by our clock, or up to one way to the server later.
    """

    def __init__(self, slots: SharedSlots, n: int, at: int, *, sure: float, due: float) -> None:
        self._slots = slots
        self._n = n
        self._at = at
        self._sure = sure
        self.due = due

    async def leaves(self) -> bool:
        """Whether the row is still ours; it gets a new stamp when its moment has passed."""
        ahead = 0.0
        while self._slots.clock() > self._sure + _QUICK:
            begun = self._slots.clock()
            stamped = await self._slots.run(_STAMP, n=self._n, at=self._at, ahead=_micros(ahead))
            if stamped is None:
                return False
            self._at = stamped.sent_at
            self._sure = begun + ahead
            ahead = 2 * (self._slots.clock() - begun)
        return True

    async def answered(self) -> None:
        """Free the row earlier, if that gains enough and no other request has reserved it."""
        arrived = self._slots.clock() - self._sure + _SECOND - self._slots.window
        if arrived < -_WORTH:
            await self._slots.run(_ANSWERED, n=self._n, at=self._at, answered=self._at + _micros(arrived))


def _micros(seconds: float) -> int:
    return round(seconds * 1_000_000)


def _first(connection: Connection, *, statement: TextClause, values: dict[str, int]) -> Any:
    found = connection.execute(statement, values)
    return found.first() if found.returns_rows else None
