"""Permission to send, shared by every process of one PostgreSQL: as many rows as requests are allowed in a second.

A row is the time of one send. A process that claims the oldest row, when it is older than the window, may send; rows
that somebody else is just claiming are passed over. Right before the first byte the row is stamped anew, provided that
nobody has claimed it meanwhile: so two sends that used the same row are a window apart at their first bytes, however
long their connections took, and no window ever holds more sends than there are rows.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, text
from sqlalchemy.exc import SQLAlchemyError

from storage.address import PostgresServer, parse_address
from storage.engine import PostgresLine

LOG = logging.getLogger(__name__)

WINDOW = 1.07
"""Seconds: the service's own second, how long a first byte may follow its stamp, and the jitter on the way."""

_QUICK = 0.05
"""Seconds after its stamp within which a first byte leaves; a slower one is stamped ahead, by what the stamp took."""

_LONGEST_HOLD = 60.0
_SHORTEST_PAUSE = 0.02
_BROKEN_PAUSE = 0.25
"""Between two tries at a database that does not answer."""

_CLAIM = text(
    "WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) "
    "UPDATE send_slot SET sent_at = clock.now FROM clock WHERE n = ("
    "SELECT n FROM send_slot WHERE sent_at <= clock.now - :window ORDER BY sent_at LIMIT 1 FOR UPDATE SKIP LOCKED"
    ") RETURNING n, sent_at"
).bindparams(bindparam("window", type_=BigInteger))
_STAMP = text(
    "UPDATE send_slot SET sent_at = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + :ahead "
    "WHERE n = :n AND sent_at = :at RETURNING sent_at"
).bindparams(bindparam("ahead", type_=BigInteger), bindparam("at", type_=BigInteger))
_NEXT = text("SELECT min(sent_at) - (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM send_slot")
_HOLD = text(
    "UPDATE send_slot "
    "SET sent_at = greatest(sent_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + :hold)"
).bindparams(bindparam("hold", type_=BigInteger))


class _Claim(NamedTuple):
    """A row as it was claimed or stamped last; ``at`` in microseconds."""

    n: int
    at: int


class SharedSlots:
    """What the payments client asks before every request, when several processes share the partner's limit.

    A database that does not answer lets nobody send; it never raises.
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
        self._clock = clock
        self._window = window
        self._hold: float | None = None
        self._leaving: deque[_Claim] = deque()

    @classmethod
    def open(cls, url: str) -> "SharedSlots":
        """For a migrated PostgreSQL database; close it with :meth:`close`."""
        server = parse_address(url)
        if not isinstance(server, PostgresServer):
            raise TypeError("one process needs no shared slots")
        return cls(line=PostgresLine.open(server, writes=True, connections=2))

    async def acquire(self, lane: int, *, patience: float) -> bool:
        """Wait for a turn, at most about ``patience`` seconds. A later ``lane`` asks a little less often."""
        deadline = self._clock() + patience
        while True:
            rest = await self._try()
            if rest is None:
                return True
            pause = max(_SHORTEST_PAUSE, rest) + _SHORTEST_PAUSE * lane
            if self._clock() + pause > deadline:
                return False
            await self._sleep(pause)

    async def departs(self) -> bool:
        """Stamp a row that was claimed, right before the first byte; False: somebody else has it by now."""
        ahead = 0.0
        while self._leaving:
            row = self._leaving.pop()
            begun = self._clock()
            try:
                stamped = await self._line.run(partial(_stamp, row=row, ahead=ahead))
            except SQLAlchemyError as error:
                LOG.warning("a send slot could not be stamped: %s", type(error).__name__)
                return False
            if stamped is None:
                return False
            took = self._clock() - begun
            if took <= ahead + _QUICK:
                return True
            self._leaving.append(stamped)
            ahead = 2 * took
        return False

    def stayed(self) -> None:
        """Nothing was sent: the row is free again when it is old enough."""
        if self._leaving:
            self._leaving.popleft()

    def slow_down(self, retry_after: float | None) -> None:
        """The service answered 429: with the next request, everybody is held for that long."""
        self._hold = min(retry_after or self._window, _LONGEST_HOLD)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._line.close()

    async def _try(self) -> float | None:
        """Claim a row; None when that worked, otherwise seconds until it is worth another try."""
        try:
            claimed = await self._line.run(self._claim)
        except SQLAlchemyError as error:
            # A connection that was cut while it was idle is replaced by the next try.
            LOG.warning("the send slots cannot be used: %s", type(error).__name__)
            return _BROKEN_PAUSE
        if isinstance(claimed, float):
            return claimed
        self._leaving.append(claimed)
        return None

    def _claim(self, connection: Connection) -> _Claim | float:
        """Claim a row, or seconds until one may be free."""
        hold = self._hold
        with connection.begin():
            if hold is not None:
                connection.execute(_HOLD, {"hold": int((hold - self._window) * 1_000_000)})
            claimed = connection.execute(_CLAIM, {"window": int(self._window * 1_000_000)}).first()
            micros: int = 0 if claimed is not None else connection.execute(_NEXT).scalar_one()
        if self._hold == hold:
            self._hold = None
        if claimed is not None:
            return _Claim(claimed.n, claimed.sent_at)
        return float(max(0.0, micros / 1_000_000 + self._window))


def _stamp(connection: Connection, *, row: _Claim, ahead: float) -> _Claim | None:
    with connection.begin():
        moved = connection.execute(_STAMP, {"n": row.n, "at": row.at, "ahead": int(ahead * 1_000_000)}).first()
    return None if moved is None else _Claim(row.n, moved.sent_at)
