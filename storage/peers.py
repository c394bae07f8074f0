"""The other processes on one PostgreSQL server: their changes and their end."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psycopg

from storage.batches import NEWS
from storage.engine import KEEPALIVE, PostgresServer
from storage.errors import StorageBusy, StorageReadOnly
from storage.migrations import PEERS, session_name
from storage.repositories.flags import LOCKS, life_lock

LOG = logging.getLogger(__name__)

_AGAIN: Final = 0.5
"""Seconds between two attempts to reach the server."""
_LOOK: Final = 1.0
"""Seconds between two checks of other processes' locks, of one statement each."""
_ANYWAY: Final = 10.0
"""Seconds between two unconditional searches for dead processes: one may start and end between two checks."""


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
