"""Due work on a clock that a test moves: what the ticks of a process do, one after the other."""

from typing import Final

from sqlalchemy import Executable, literal, select, union_all

from bot.wiring.workers import BY_THE_CLOCK, EVERY_TICK, WORKERS, look
from bot.workflows.context import Context
from storage.tables.columns import metadata
from storage.transaction import Tx

_MOST_ROUNDS: Final = 200
_AFTER_A_WRITE: Final = BY_THE_CLOCK - {"leftovers"} | {"stores"}
"""Leftovers have a lease. Stores are also listed now and then, which no row says."""
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
    """Which workers to run, one round after the other.

    Those that have due rows, and at first and after each write those that go by the clock. No look shows a row whose
    lease a dead process left behind: while there is one, all workers run, as they do every ten seconds.
    """

    def __init__(self) -> None:
        self._seen = -1

    async def due(self, ctx: Context) -> list[str]:
        """Names of the workers, in their order."""
        if await ctx.store.read(_anything_leased):
            return list(WORKERS)
        names = {*(await look(ctx)).due, *EVERY_TICK}
        if self._seen != ctx.store.changes:
            self._seen = ctx.store.changes
            names |= _AFTER_A_WRITE
        return [name for name in WORKERS if name in names]


async def settle(ctx: Context) -> None:
    """Do what is due now until nothing is."""
    ticks = Ticks()
    for _ in range(_MOST_ROUNDS):
        if not sum([await run_due(ctx, name) for name in await ticks.due(ctx)]):
            return
    raise RuntimeError("there is no end of what is due")


def _anything_leased(tx: Tx) -> bool:
    return tx._connection.execute(_LEASED).first() is not None
