"""The other processes on one PostgreSQL: notifications of their changes, and detection of their end.

One connection, kept for life. It holds the advisory lock that shows the others that this process lives. It listens for
notifications, and checks once a second whether the lock of another process is gone.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psycopg

from storage.address import PostgresServer
from storage.errors import StorageBusy
from storage.migrations import PEERS, session_name
from storage.repositories.processes import LOCKS, life_lock
from storage.writer import NEWS

LOG = logging.getLogger(__name__)

_AGAIN: Final = 0.5
"""Seconds between two tries to reach the server."""
_LOOK: Final = 1.0
"""Seconds between two checks of the others' locks; each is one statement."""
_ANYWAY: Final = 10.0
"""Seconds between two searches for dead processes that run anyway: one may start and end between two checks."""


class Peers:
    """This process among the others.

    Args:
        server: where the database is.
        owner: id of this process.
        voice: id of our own store, whose notifications are ignored.
        heard: called when another process changed a row, and after every reconnect.
        ended: called when the lock of another process is gone.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        *,
        server: PostgresServer,
        owner: str,
        voice: str,
        heard: Callable[[], None],
        ended: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._conninfo = server.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._lock = life_lock(owner)
        self._voice = voice
        self._heard = heard
        self._ended = ended
        self._clock = clock
        self._listening: asyncio.Task[None] | None = None
        self._since: float | None = None
        self._held: frozenset[int] = frozenset()
        self.ends = 0
        """Grows when a lock is gone and at each connect: a process may have died."""
        self._accounted = 0
        self._accounted_at = float("-inf")

    async def join(self) -> None:
        """Take the lock and start listening.

        Raises:
            StorageBusy: the server does not accept the connection now.
        """
        try:
            connection = await self._connected()
        except psycopg.Error as error:
            raise StorageBusy("The database is unreachable.", mend="See whether the server runs.") from error
        self._listening = asyncio.create_task(self._listen(connection), name="peers")

    async def leave(self) -> None:
        """Release the lock."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    def connected_for(self) -> float:
        """Age of the connection in seconds; 0 without one. A restart of the server ends those of all processes."""
        return 0.0 if self._since is None else self._clock() - self._since

    def may_miss_somebody(self) -> bool:
        """Whether to search for dead processes: a lock is gone, or the last search is too old."""
        return self.ends != self._accounted or self._clock() - self._accounted_at >= _ANYWAY

    def misses_nobody(self, ends: int) -> None:
        """Record a search that found no dead process; ``ends``: the value of :attr:`ends` when it began."""
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
            connection = await self._reconnected()
            self._heard()  # notifications were missed meanwhile

    async def _look(self, connection: psycopg.AsyncConnection) -> None:
        held = await _locks(connection)
        missing, self._held = self._held - held, held
        if missing:
            self.ends += 1
            self._ended()

    async def _reconnected(self) -> psycopg.AsyncConnection:
        while True:
            with suppress(psycopg.Error, OSError):
                return await self._connected()
            await asyncio.sleep(_AGAIN)

    async def _connected(self) -> psycopg.AsyncConnection:
        connection = await psycopg.AsyncConnection.connect(
            self._conninfo,
            autocommit=True,
            connect_timeout=5,
            application_name=session_name(PEERS),
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
        )
        try:
            await connection.execute("SELECT pg_advisory_lock_shared(%s)", (self._lock,))
            await connection.execute(f"LISTEN {NEWS}")
            self._held = await _locks(connection)
        except BaseException:
            await connection.close()
            raise
        self._since = self._clock()
        self.ends += 1
        return connection


async def _locks(connection: psycopg.AsyncConnection) -> frozenset[int]:
    found = await (await connection.execute(LOCKS)).fetchall()
    return frozenset(int(lock) for (lock,) in found)
