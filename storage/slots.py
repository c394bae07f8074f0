"""Permission to send, shared by every process of one PostgreSQL: as many rows as requests are allowed in a second.

A row is the time of one send. Whoever claims the oldest row that is older than the window may send; rows
that somebody else is just claiming are passed over. So no window ever holds more sends than there are
rows, however many processes there are.
"""

import asyncio
from collections.abc import Awaitable, Callable

from sqlalchemy import BigInteger, Connection, bindparam, text

from storage.address import PostgresServer, parse_address
from storage.engine import PostgresLine

WINDOW = 1.02
"""Seconds: the service's own second and the jitter allowed for on the way to it."""

_LONGEST_HOLD = 60.0
_SHORTEST_PAUSE = 0.02

_CLAIM = text(
    "WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) "
    "UPDATE send_slot SET sent_at = clock.now FROM clock WHERE n = ("
    "SELECT n FROM send_slot WHERE sent_at <= clock.now - :window ORDER BY sent_at LIMIT 1 FOR UPDATE SKIP LOCKED"
    ") RETURNING n"
).bindparams(bindparam("window", type_=BigInteger))
_NEXT = text("SELECT min(sent_at) - (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM send_slot")
_HOLD = text(
    "UPDATE send_slot "
    "SET sent_at = greatest(sent_at, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + :hold)"
).bindparams(bindparam("hold", type_=BigInteger))


class SharedSlots:
    """What the payments client asks before every request, when several processes share the partner's limit."""

    def __init__(
        self, *, line: PostgresLine, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep, window: float = WINDOW
    ) -> None:
        self._line = line
        self._sleep = sleep
        self._window = window
        self._hold: float | None = None

    @classmethod
    def open(cls, url: str) -> "SharedSlots":
        """For a migrated PostgreSQL database; close it with :meth:`close`."""
        server = parse_address(url)
        if not isinstance(server, PostgresServer):
            raise TypeError("one process needs no shared slots")
        return cls(line=PostgresLine.open(server, writes=True, connections=2))

    async def acquire(self, lane: int, *, patience: float) -> bool:
        """Wait for a turn, at most about ``patience`` seconds. A later ``lane`` asks a little less often."""
        waited = 0.0
        while True:
            rest = await self._line.run(self._claim)
            if rest is None:
                return True
            pause = max(_SHORTEST_PAUSE, rest) + _SHORTEST_PAUSE * lane
            if waited + pause > patience:
                return False
            await self._sleep(pause)
            waited += pause

    def departed(self) -> None:
        """Nothing to do: a row holds the moment of permission, and moving it would take another round trip."""

    def stayed(self) -> None:
        """Nothing to do: the row is free again when it is old enough."""

    def slow_down(self, retry_after: float | None) -> None:
        """The service answered 429: with the next request, everybody is held for that long."""
        self._hold = min(retry_after or self._window, _LONGEST_HOLD)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._line.close()

    def _claim(self, connection: Connection) -> float | None:
        """Claim a row; None when that worked, otherwise seconds until one may be free."""
        hold, self._hold = self._hold, None
        with connection.begin():
            if hold is not None:
                connection.execute(_HOLD, {"hold": int((hold - self._window) * 1_000_000)})
            if connection.execute(_CLAIM, {"window": int(self._window * 1_000_000)}).first() is not None:
                return None
            micros: int = connection.execute(_NEXT).scalar_one()
        return float(max(0.0, micros / 1_000_000 + self._window))
