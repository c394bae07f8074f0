"""Leases are short, and renewed for as long as the process lives and the step runs.

So a step may take as long as it has to, and the rows of a process that died are free after a minute.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import structlog

from storage.errors import StorageError
from storage.repositories.steps import Key

if TYPE_CHECKING:  # the context holds what runs
    from bot.workflows.context import Context

log = structlog.get_logger(__name__)

_AFTER_TROUBLE: Final = 2.0


class Held:
    """The rows of one batch that are still being worked on."""

    def __init__(self, table: str, keys: Sequence[Key]) -> None:
        self.table = table
        self.keys = list(keys)

    def done(self, key: Key) -> None:
        """This one is worked on no more."""
        self.keys.remove(key)


class Leases:
    """What this process works on.

    Args:
        seconds: how long a lease is.
        sleep: waits that many seconds of the clock by which leases run out.
    """

    def __init__(self, *, seconds: float, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._seconds = seconds
        self._sleep = sleep
        self._batches: Counter[Held] = Counter()

    def holds(self, table: str, key: Key) -> bool:
        """Whether a step of this row runs in this very process, whatever any clock says of its lease."""
        return any(held.table == table and key in held.keys for held in self._batches)

    @asynccontextmanager
    async def kept(self, ctx: "Context", table: str, keys: Sequence[Key]) -> AsyncIterator[Held]:
        """Renew the leases of these rows, which this process has just claimed, until each of them is done."""
        held = Held(table, keys)
        self._batches[held] += 1
        beat = asyncio.create_task(self._beat(ctx, held), name=f"leases of {table}")
        try:
            yield held
        finally:
            del self._batches[held]
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)

    async def _beat(self, ctx: "Context", held: Held) -> None:
        pause = self._seconds / 4
        while True:
            await self._sleep(pause)
            renewed = await self._renew(ctx, held)
            pause = self._seconds / 4 if renewed else _AFTER_TROUBLE

    async def _renew(self, ctx: "Context", held: Held) -> bool:
        until = ctx.clock.now() + timedelta(seconds=self._seconds)
        keys = list(held.keys)
        try:
            await ctx.store.write(
                lambda tx: tx.steps.renew(held.table, keys, owner=ctx.owner, until=until), name="renew"
            )
        except StorageError as error:
            log.warning("leases could not be renewed", table=held.table, reason=str(error))
            return False
        return True
