"""Compare the time in use with the wall clocks of the machine and the database server once a minute.

Setting a clock changes no stored time. Operators are alerted, and restart the processes once the clock is right.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.domain.clock import TOLERATED, SharedClock
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_OFF: Final = "clock_off"
"""Flag with the seconds by which some process found a wall clock ahead of its time."""
_YEAR: Final = 31_536_000


async def start(store: Store, clock: SharedClock, *, server_now: Callable[[], datetime] | None = None) -> None:
    """Set the time from the wall clocks; ``server_now`` replaces the server's clock if time is simulated."""
    server, asked_at = await _ask(store, clock, server_now)
    clock.start(server, asked_at=asked_at)
    seconds, newest = await store.read(lambda tx: (seconds_off(tx), tx.times.newest()))
    clock.is_alerted = seconds is not None
    clock.unsure = max(timedelta(seconds=abs(seconds or 0)), (newest or clock.started) - clock.started)


async def begin(ctx: Context) -> None:
    """At start, before any work: if a clock ahead of ours wrote rows, alert and make them due soon."""
    await ctx.write(_alert_ahead, name="rows_ahead", wakes=False)
    await _alert_off(ctx)


async def compare(ctx: Context) -> int:
    """Compare the clocks if a minute has passed; return 1 if one is off."""
    if not ctx.clock.is_due:
        return 0
    server, asked_at = await _ask(ctx.store, ctx.clock, ctx.server_now)
    ctx.clock.compare(server, asked_at=asked_at)
    return await _alert_off(ctx)


def seconds_off(tx: Tx) -> int | None:
    """Return the seconds by which some process found a wall clock ahead of its time; None if no clock is off."""
    found = tx.flags.readable(_OFF)
    return max(-_YEAR, min(found, _YEAR)) if isinstance(found, int) else None


async def _ask(
    store: Store, clock: SharedClock, server_now: Callable[[], datetime] | None
) -> tuple[datetime | None, float]:
    """Return the server's time (None on SQLite) and the boot time at which it was requested."""
    asked_at = clock.boottime()
    server = await store.read(lambda tx: tx.server_now())
    return (server if server is None or server_now is None else server_now()), asked_at


def _alert_ahead(uow: Unit) -> None:
    newest = uow.times.newest()
    if newest is None or newest - uow.now <= TOLERATED:
        return
    seconds = round((newest - uow.now).total_seconds())
    log.warning("newest rows are ahead of the clock", seconds=seconds)
    # Deadlines stay. Being due early is safe because each step checks its deadlines. Not before a minute has passed: by
    # then, a message of unknown outcome is visible in Slack's history.
    uow.times.hasten(uow.now + TOLERATED)
    tell_everybody(uow, key=f"rows_ahead:{newest.isoformat()}", facts={"topic": "rows_ahead", "seconds": seconds})


async def _alert_off(ctx: Context) -> int:
    clock, is_off = ctx.clock, abs(ctx.clock.off) > TOLERATED
    # A finding of an earlier process is valid until requests that it may have sent can no longer be in flight.
    if not is_off and not (clock.is_alerted and ctx.quiet.over(sent_at=clock.started, now=clock.now())):
        return 0
    topic, seconds = "clock_off" if is_off else "clock_right", round(clock.off.total_seconds())

    def work(uow: Unit) -> None:  # of several processes, the first one to notice alerts
        if uow.flags.add(_OFF, seconds, uow.now) if is_off else uow.flags.forget(_OFF):
            facts = {"topic": topic, "seconds": seconds, "machine": clock.is_machine}
            tell_everybody(uow, key=f"{topic}:{ctx.owner}:{uow.now.isoformat()}", facts=facts)

    await ctx.write(work, name=topic)
    if is_off is not clock.is_alerted:
        log.warning("clock found off" if is_off else "clock found right", seconds=seconds, machine=clock.is_machine)
    clock.is_alerted = is_off
    return int(is_off)
