"""Leases are short, and renewed for as long as the process lives and the step runs.

So a step may take as long as it has to, and the rows of a process that died are free after a minute at the latest.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import structlog

from storage.errors import StorageError
from storage.repositories.steps import Key
from storage.transaction import Tx

if TYPE_CHECKING:  # the context holds what runs
    from bot.workflows.context import Context

log = structlog.get_logger(__name__)

_AFTER_TROUBLE: Final = 2.0


class Leases:
    """What this process works on.

    Args:
        seconds: how long a lease is.
        sleep: waits that many seconds of the clock by which leases run out.
    """

    def __init__(self, *, seconds: float, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self.seconds = seconds
        self._sleep = sleep
        self._held: Counter[tuple[str, Key]] = Counter()
        self._beat: asyncio.Task[None] | None = None

    def holds(self, table: str, key: Key) -> bool:
        """Whether a step of this row runs in this very process, whatever any clock says of its lease."""
        return (table, key) in self._held

    @contextmanager
    def kept(self, ctx: "Context", table: str, key: Key) -> Iterator[None]:
        """Renew the lease of a row, which this process has just claimed, until its step is done."""
        self._held[table, key] += 1
        if self._beat is None:
            self._beat = asyncio.create_task(self._renew_all(ctx), name="leases")
        try:
            yield
        finally:
            self._held[table, key] -= 1
            if not self._held[table, key]:
                del self._held[table, key]
            if not self._held and self._beat is not None:
                self._beat.cancel()
                self._beat = None

    async def _renew_all(self, ctx: "Context") -> None:
        pause = self.seconds / 4
        while True:
            await self._sleep(pause)
            pause = self.seconds / 4 if await self._renewed(ctx) else _AFTER_TROUBLE

    async def _renewed(self, ctx: "Context") -> bool:
        until = ctx.clock.now() + timedelta(seconds=self.seconds)
        keys: dict[str, list[Key]] = defaultdict(list)
        for table, key in self._held:
            keys[table].append(key)

        def work(tx: Tx) -> None:
            for table, held in keys.items():
                tx.steps.renew(table, held, owner=ctx.owner, until=until)

        try:
            await ctx.store.write(work, name="renew")
        except StorageError as error:
            log.warning("leases could not be renewed", rows=len(self._held), reason=str(error))
            return False
        return True
