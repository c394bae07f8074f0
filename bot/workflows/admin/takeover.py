"""Takeover: the rows of a process that died are free at once, not when its leases run out (PostgreSQL)."""

import asyncio
from typing import Final

import structlog

from bot.workflows.admin.recover import recover_claims
from bot.workflows.context import Context, Unit
from storage.peers import Peers

log = structlog.get_logger(__name__)

_SETTLED: Final = 5.0
"""Seconds that our own connection must have been open: a restart of the server ends every connection."""
_SURE: Final = 0.3
"""Seconds in which a process whose connection broke has made another."""


async def take_over(ctx: Context) -> int:
    """End the leases of processes that died; how many held any. A slow one holds its lock, and is left alone."""
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
    gone = missing & (await _gone(ctx, peers) or set())
    died = 0
    for owner in gone:
        rows = await ctx.write(lambda uow: _expire(uow, owner), name="take_over", wakes=False)  # noqa: B023 - awaited here
        if rows:  # a process that stopped in order holds none
            died += 1
            log.warning("a process died: what it worked on goes on here", process=owner, rows=rows)
    if died:
        await recover_claims(ctx)
        ctx.wake()
    return died


async def _gone(ctx: Context, peers: Peers) -> set[str] | None:
    """Owners whose process is gone; None while our own connection is too young to tell."""
    if peers.connected_for() < _SETTLED:
        return None
    return set(await ctx.read(lambda uow: uow.processes.gone())) - {ctx.owner}


def _expire(uow: Unit, owner: str) -> int:
    uow.processes.forget(owner)
    uow.boards.hasten(uow.now)
    return uow.steps.expire(owner, uow.now)
