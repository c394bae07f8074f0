"""Follow the clock of the database's server, where several processes compare what they wrote."""

from collections.abc import Callable
from datetime import datetime

import structlog

from bot.domain.clock import SharedClock
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context
from storage.store import Store

log = structlog.get_logger(__name__)

_TOO_FAR = 5.0
"""Seconds between our clock and the server's from which an operator should act."""


async def look(store: Store, clock: SharedClock, *, server_now: Callable[[], datetime] | None = None) -> None:
    """Ask the server for its time; ``server_now`` replaces it where time is simulated."""
    asked_at = clock.boottime()
    found = server_now() if server_now is not None else await store.read(lambda tx: tx.server_now())
    if found is not None:
        clock.take(found, asked_at=asked_at)


async def look_again(ctx: Context) -> int:
    """Compare every minute; a clock that is far off is an alert, once a process."""
    clock = ctx.clock
    if not isinstance(clock, SharedClock) or not clock.is_due:
        return 0
    await look(ctx.store, clock, server_now=ctx.server_now)
    await warn(ctx, clock)
    return 0


async def warn(ctx: Context, clock: SharedClock) -> None:
    """Tell the alerts channel when our own clock is far from the server's."""
    if abs(clock.skew) < _TOO_FAR:
        return
    log.warning("the clock of this machine is not the database server's", seconds=round(clock.skew, 1))
    facts = {"topic": "clock_skew", "seconds": round(clock.skew)}
    now = ctx.clock.now()
    await ctx.store.write(
        lambda tx: tell_everybody(tx, key=f"clock_skew:{ctx.owner}", facts=facts, policy=ctx.policy, now=now),
        name="clock_skew",
    )
    ctx.wake()
