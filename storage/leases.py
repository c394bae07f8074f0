"""Leases: short, and renewed for as long as the process lives and the step runs."""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from bot.domain.clock import Clock
from storage.errors import StorageError
from storage.repositories.leased import Key
from storage.store import Store
from storage.transaction import Tx

LOG = logging.getLogger(__name__)

LEASE_SECONDS: Final = 60.0
"""Length of a lease: a row is free at most this long after its process died. Longer steps renew the lease."""
_AFTER_TROUBLE: Final = 2.0


class Leases:
    """The rows that this process, ``owner``, works on. ``sleep`` waits so many seconds of the ``clock``."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        owner: str,
        seconds: float = LEASE_SECONDS,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.seconds = seconds
        self._store = store
        self._clock = clock
        self._owner = owner
        self._sleep = sleep
        self._held: Counter[tuple[str, Key]] = Counter()
        self._beat: asyncio.Task[None] | None = None

    def holds(self, table: str, key: Key) -> bool:
        """Whether a step of this row runs in this process, even if its lease has run out."""
        return (table, key) in self._held

    @contextmanager
    def kept(self, table: str, key: Key) -> Iterator[None]:
        """Keep the lease of a row that this process has just claimed, until its step is done."""
        self._held[table, key] += 1
        if self._beat is None:
            self._beat = asyncio.create_task(self._renew_all(), name="leases")
        try:
            yield
        finally:
            self._held[table, key] -= 1
            if not self._held[table, key]:
                del self._held[table, key]
            if not self._held and self._beat is not None:
                self._beat.cancel()
                self._beat = None

    async def _renew_all(self) -> None:
        pause = self.seconds / 4
        while True:
            await self._sleep(pause)
            pause = self.seconds / 4 if await self._renewed() else _AFTER_TROUBLE

    async def _renewed(self) -> bool:
        until = self._clock.now() + timedelta(seconds=self.seconds)
        keys: dict[str, list[Key]] = defaultdict(list)
        for table, key in self._held:
            keys[table].append(key)

        def work(tx: Tx) -> None:
            for table, held in keys.items():
                tx.steps.renew(table, held, owner=self._owner, until=until)

        try:
            await self._store.write(work, name="renew")
        except StorageError as error:
            LOG.warning("the leases of %d rows could not be renewed: %s", len(self._held), error)
            return False
        return True
