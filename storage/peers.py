"""The other processes on one PostgreSQL server: their changes, their end, and the shared ten requests per second.

Slots: ten rows, one per request and second. A row serves one request after the other; it is free 1.07 s after
``sent_at``. ``bot.clients.limiter`` defines when a row is free after an answer, or without one. Without an
answer, ``sent_at`` is later by the difference, because earlier versions read it, too. No process starves, because none
reserves a second row before it has used the first.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import psycopg
from sqlalchemy import BigInteger, Connection, TextClause, bindparam, text
from sqlalchemy.exc import SQLAlchemyError

from storage.batches import NEWS
from storage.engine import KEEPALIVE, PostgresLine, PostgresServer, parse_address
from storage.errors import StorageBusy, StorageReadOnly
from storage.migrations import PEERS, session_name
from storage.repositories.admin import LOCKS, life_lock

LOG = logging.getLogger(__name__)

_AGAIN: Final = 0.5
"""Seconds between two attempts to reach the server."""
_LOOK: Final = 1.0
"""Seconds between two checks of other processes' locks, of one statement each."""
_ANYWAY: Final = 10.0
"""Seconds between two unconditional searches for dead processes: one may start and end between two checks."""

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


class Peers:
    """This process among the others: a permanent connection, whose advisory lock shows that the process runs."""

    # ``heard`` is called when another process changed a row, and after every reconnect; ``ended`` if a lock is gone;
    # ``renew`` before ``heard`` after a reconnect, as other connections may still be at a server that was replaced.

    def __init__(
        self,
        *,
        server: PostgresServer,
        owner: str,
        voice: str,
        heard: Callable[[], None],
        ended: Callable[[], None],
        clock: Callable[[], float],
        renew: Callable[[], None] = lambda: None,
    ) -> None:
        self._conninfo = server.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._lock = life_lock(owner)
        self._voice = voice
        self._heard = heard
        self._ended = ended
        self._renew = renew
        self._clock = clock
        self._listening: asyncio.Task[None] | None = None
        self._since: float | None = None
        self._held: frozenset[int] = frozenset()
        self.ends = 0
        """Grows whenever a process may have died: if a lock is gone, and at each connect."""
        self._accounted = 0
        self._accounted_at = float("-inf")

    async def join(self) -> None:
        """Take the lock and start listening. Raises StorageBusy if the server doesn't accept the connection now."""
        try:
            connection = await self._connected()
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise StorageReadOnly from error
        except psycopg.Error as error:
            raise StorageBusy("The database is unreachable.", mend="See whether the server runs.") from error
        self._listening = asyncio.create_task(self._listen(connection), name="peers")

    async def leave(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    def connected_for(self) -> float:
        """Return the age of the connection in seconds, or 0. A server restart ends all processes' connections."""
        return 0.0 if self._since is None else self._clock() - self._since

    def may_miss_somebody(self) -> bool:
        """Return whether to search for dead processes: a lock is gone, or the last search is too old."""
        return self.ends != self._accounted or self._clock() - self._accounted_at >= _ANYWAY

    def misses_nobody(self, ends: int) -> None:
        """Record a search that found no dead process; ``ends`` is the value of :attr:`ends` when it began."""
        self._accounted, self._accounted_at = ends, self._clock()

    async def _listen(self, connection: psycopg.AsyncConnection) -> None:
        while True:
            try:
                async with connection:
                    while True:
                        async for news in connection.notifies(timeout=_LOOK):
                            if news.payload != self._voice:
                                self._heard()
                        await self._look(connection)
            except (psycopg.Error, OSError) as lost:
                LOG.warning("the connection to the other processes broke: %s", type(lost).__name__)
            finally:
                self._since = None
            while self._since is None:
                with suppress(psycopg.Error, OSError):
                    connection = await self._connected()
                    break
                await asyncio.sleep(_AGAIN)
            self._renew()
            self._heard()  # notifications were missed meanwhile

    async def _look(self, connection: psycopg.AsyncConnection) -> None:
        await _require_primary(connection)
        held = await _locks(connection)
        missing, self._held = self._held - held, held
        if missing:
            self.ends += 1
            self._ended()

    async def _connected(self) -> psycopg.AsyncConnection:
        connection = await psycopg.AsyncConnection.connect(
            self._conninfo,
            autocommit=True,
            connect_timeout=5,
            application_name=session_name(PEERS),
            **KEEPALIVE,
        )
        try:
            await _require_primary(connection)
            await connection.execute("SELECT pg_advisory_lock_shared(%s)", (self._lock,))
            await connection.execute(f"LISTEN {NEWS}")
            self._held = await _locks(connection)
        except BaseException:
            await connection.close()
            raise
        self._since = self._clock()
        self.ends += 1
        return connection


async def _require_primary(connection: psycopg.AsyncConnection) -> None:
    """Raise ``ReadOnlySqlTransaction`` at a standby or a former primary, where our processes' locks aren't visible."""
    found = await (await connection.execute("SHOW transaction_read_only")).fetchone()
    if found == ("on",):
        raise psycopg.errors.ReadOnlySqlTransaction


async def _locks(connection: psycopg.AsyncConnection) -> frozenset[int]:
    found = await (await connection.execute(LOCKS)).fetchall()
    return frozenset(int(lock) for (lock,) in found)


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
