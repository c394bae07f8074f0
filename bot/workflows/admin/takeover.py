"""After a restart or the end of another process: leases are freed and abandoned claims become unknown outcomes."""

import asyncio
from typing import Final

import structlog

from bot.workflows.context import Context, Unit
from storage.peers import Peers

log = structlog.get_logger(__name__)

_SETTLED: Final = 5.0
"""Seconds that our connection must have been open: a restart of the server ends every connection."""
_SURE: Final = 0.3
"""Seconds in which a process whose connection broke has reconnected."""


async def take_over(ctx: Context) -> int:
    """End the leases of dead processes; return how many held any. A slow process keeps its lock and its leases."""
    peers = ctx.peers
    if peers is None or not peers.may_miss_somebody():
        return 0
    ends = peers.ends
    missing = await _gone(ctx, peers)
    if missing is None:
        return 0
    if not missing:
        peers.misses_nobody(ends)
        return 0
    await asyncio.sleep(_SURE)

    def expire(uow: Unit, owner: str) -> int:
        uow.processes.forget(owner)
        uow.boards.hasten(uow.now)
        return uow.steps.expire(owner, uow.now)

    gone = missing & (await _gone(ctx, peers) or set())
    died = 0
    for owner in gone:
        rows = await ctx.write(lambda uow: expire(uow, owner), name="take_over", wakes=False)  # noqa: B023 - awaited here
        if rows:  # a process that stopped cleanly holds none
            died += 1
            log.warning("process died, its work continues here", process=owner, rows=rows)
    if died:
        await recover_claims(ctx)
        ctx.wake()
    return died


async def _gone(ctx: Context, peers: Peers) -> set[str] | None:
    """Return the owner ids of processes that are gone; None while our connection is too young to tell."""
    if peers.connected_for() < _SETTLED:
        return None
    return set(await ctx.read(lambda uow: uow.processes.gone())) - {ctx.owner}


async def recover(ctx: Context) -> int:
    """At start, end the leases of steps that only read, then call :func:`recover_claims`; return its result."""

    def free(uow: Unit) -> None:
        for rows in (uow.instructions, uow.inbox, uow.tracked, uow.jobs, uow.dropped, uow.bookings, uow.store_events):
            rows.recover(uow.owner)
        uow.boards.hasten(uow.now)

    if ctx.store.exclusive:
        await ctx.write(free, name="free", wakes=False)
    return await recover_claims(ctx)


async def recover_claims(ctx: Context) -> int:
    """Turn abandoned claims into unknown outcomes and return their number.

    On SQLite, claims of another owner are abandoned; otherwise those whose lease has run out.
    """
    count = await ctx.write(lambda uow: sum(each(uow) for each in ctx.recoveries), name="recover", wakes=False)
    if count:
        log.warning("recovered requests abandoned by an earlier process", count=count)
        ctx.wake()
    return count
