"""Due work on a clock that a test moves: what the ticks of a process do, one after the other."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import Executable, literal, select, union_all

from bot.wiring.workers import BY_THE_CLOCK, EVERY_TICK, WORKERS, look
from bot.workflows.context import Context
from storage.repositories.queues import SWEPT
from storage.tables.columns import metadata

_MOST_ROUNDS: Final = 200
_EVERY: Final = {"retention": timedelta(hours=1), "stores": timedelta(seconds=1), "reach": timedelta(seconds=1)}
"""Shortest time between two runs of work that depends on the clock; running it again at the same time is slow."""
_BY_TIME: Final = EVERY_TICK | BY_THE_CLOCK - {"leftovers", "anchors", *_EVERY}
"""Workers of every round without due rows. Leftovers have a lease; anchors follow a write."""
_LEASED: Final[Executable] = union_all(
    *[
        select(literal(1)).select_from(table).where(table.c.lease_until.is_not(None))
        for table in metadata.tables.values()
        if "lease_until" in table.c
    ]
)


async def run_due(ctx: Context, name: str) -> int:
    """Begin what is due of one kind and wait until it is done; returns how much."""
    found = await WORKERS[name](ctx)
    await ctx.workers.finished()
    return found


class Ticks:
    """What the ticks of a process would run, one round after the other.

    Workers that have due rows come first. When they find nothing more, those follow that go by the clock or by a write.
    No look shows a row whose lease a dead process left behind: then all workers run, as they do every ten seconds.
    """

    def __init__(self) -> None:
        self._seen = self._anchored = -1
        self._last: dict[str, datetime] = {}

    def begin(self) -> None:
        """What was seen before may have changed behind the store's back, e.g. by a write that seemed to fail."""
        self._seen = -1

    async def run(self, ctx: Context, worker: Callable[[str], Awaitable[int]]) -> int:
        """One round with this way to run a worker of a name; returns how much was found."""
        found = sum([await worker(name) for name in (await look(ctx)).due])
        return found or sum([await worker(name) for name in await self._others(ctx)])

    async def _others(self, ctx: Context) -> list[str]:
        """Names of the workers to run when nothing is due, in their order; the first round sweeps every table."""
        sweep = [] if self._last else ["damage"] * len(SWEPT)
        now = ctx.clock.now()
        again = {name for name, every in _EVERY.items() if now - self._last.get(name, now - every) >= every}
        self._last |= dict.fromkeys(again, now)
        names = _BY_TIME | again
        changes = ctx.store.writer.changes
        if self._anchored != changes:
            self._anchored = changes
            names |= {"anchors"}
        if self._seen != changes:
            self._seen = changes
            if await ctx.store.read(lambda tx: tx._connection.execute(_LEASED).first() is not None):
                return list(WORKERS)
        return sweep + [name for name in WORKERS if name in names]


async def settle(ctx: Context, ticks: Ticks | None = None) -> None:
    """Do what is due now until nothing is; ``ticks``: those of this process up to now."""
    ticks = ticks or Ticks()
    ticks.begin()
    for _ in range(_MOST_ROUNDS):
        if not await ticks.run(ctx, partial(run_due, ctx)):
            return
    raise RuntimeError("there is no end of what is due")
