"""The other processes of one PostgreSQL: what they changed is heard, and the end of one is noticed.

One connection for life: it holds the advisory lock by which the others see that we live, and listens.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psycopg

from storage.address import PostgresServer
from storage.errors import StorageBusy
from storage.repositories.processes import life_lock
from storage.writer import NEWS

LOG = logging.getLogger(__name__)

_AGAIN: Final = 0.5
"""Seconds between two tries at a server that is away."""


class Peers:
    """This process among the others.

    Args:
        server: where the database is.
        owner: id of this process.
        voice: of our own store, whose news are none to us.
        heard: called when another process changed something, and when the connection had to be made anew.
        clock: monotonic seconds.
    """

    def __init__(
        self, *, server: PostgresServer, owner: str, voice: str, heard: Callable[[], None], clock: Callable[[], float]
    ) -> None:
        self._conninfo = server.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._lock = life_lock(owner)
        self._voice = voice
        self._heard = heard
        self._clock = clock
        self._listening: asyncio.Task[None] | None = None
        self._since: float | None = None

    async def join(self) -> None:
        """Take the lock and begin to listen.

        Raises:
            StorageBusy: the server does not let us in now.
        """
        try:
            connection = await self._connected()
        except psycopg.Error as error:
            raise StorageBusy("The database is unreachable.", mend="See whether the server runs.") from error
        self._listening = asyncio.create_task(self._listen(connection), name="peers")

    async def leave(self) -> None:
        """Let go of the lock."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    def connected_for(self) -> float:
        """Seconds that the connection has stood; 0: it does not. A server that was restarted ended those of all."""
        return 0.0 if self._since is None else self._clock() - self._since

    async def _listen(self, connection: psycopg.AsyncConnection) -> None:
        while True:
            try:
                async with connection:
                    async for news in connection.notifies():
                        if news.payload != self._voice:
                            self._heard()
            except (psycopg.Error, OSError) as lost:
                LOG.warning("the connection to the other processes broke: %s", type(lost).__name__)
            finally:
                self._since = None
            connection = await self._reconnected()
            self._heard()  # whatever was told meanwhile

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
            application_name="switchboard peers",
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
        )
        try:
            await connection.execute("SELECT pg_advisory_lock_shared(%s)", (self._lock,))
            await connection.execute(f"LISTEN {NEWS}")
        except BaseException:
            await connection.close()
            raise
        self._since = self._clock()
        return connection
