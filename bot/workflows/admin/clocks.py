"""Follow the clock by which rows are written and compared: the database server's, or this machine's on SQLite.

It is looked at once a minute and goes on by boot time in between. Where it was set, every time that is compared with
it is moved along, once for all processes: a due time, a lease, a deadline is as far away as before.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from bot.domain.audit import CLOCK_SET
from bot.domain.clock import SharedClock
from bot.workflows import reading_only
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit, witness
from bot.workflows.effect import FLAG, Silence
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_TOO_FAR = 5.0
"""Seconds between our clock and the server's from which an operator should act."""
_STEPS = "clock_steps"
"""Flag: how often the rows were moved along with the clock."""


async def look(store: Store, clock: SharedClock, *, server_now: Callable[[], datetime] | None = None) -> None:
    """At start: take the time; ``server_now`` replaces the server's where time is simulated."""
    found, asked_at, steps = await _ask(store, clock, server_now)
    clock.take(found, asked_at=asked_at)
    clock.steps = steps
    written = await store.read(lambda tx: tx.times.written())
    if written is not None:
        clock.ahead = max(written - clock.now(), timedelta(0))


async def begin(ctx: Context, clock: SharedClock) -> None:
    """At start, before anything is due: rows that were written by a clock ahead of ours are moved back."""
    if clock.ahead.total_seconds() >= _TOO_FAR:
        await _move(ctx, clock, -clock.ahead)
        clock.ahead = timedelta(0)
    await warn(ctx, clock)


async def look_again(ctx: Context) -> int:
    """Compare every minute; a clock that was set, or is far off the server's, is an alert."""
    clock = ctx.clock
    if not isinstance(clock, SharedClock) or not clock.is_due:
        return 0
    found, asked_at, steps = await _ask(ctx.store, clock, ctx.server_now)
    by = clock.set_by(found, asked_at=asked_at)
    if by:
        await _move(ctx, clock, by)
    else:
        clock.steps = steps
    clock.take(found, asked_at=asked_at)
    await warn(ctx, clock)
    return int(bool(by))


async def _ask(
    store: Store, clock: SharedClock, server_now: Callable[[], datetime] | None
) -> tuple[datetime, float, int]:
    """The clock's time, the boot time at which it was asked, and how often rows were moved."""
    asked_at = clock.boottime()
    found, steps = await store.read(lambda tx: (tx.server_now(), _steps(tx)))
    if store.exclusive or found is None:
        return clock.calendar(), clock.boottime(), steps
    return (server_now() if server_now is not None else found), asked_at, steps


async def _move(ctx: Context, clock: SharedClock, by: timedelta) -> None:
    """Move all times along, unless another process has done it since our last look."""
    known, now = clock.steps, ctx.clock.now() + (by if not clock.ahead else timedelta(0))

    def work(uow: Unit) -> int:
        steps = _steps(uow)
        if steps != known:
            return steps
        rows = uow.times.shift(by)
        reading_only.move_along(uow, by)
        for key, value in uow.flags.starting(FLAG).items():  # what was found silent is as long ago as before
            if found := Silence.read(value):
                uow.flags.set(key, Silence(found.since + by, found.seen + by).stored(), uow.now)
        uow.flags.set(_STEPS, steps + 1, uow.now)
        seconds, exactly = round(by.total_seconds()), by // timedelta(microseconds=1)
        witness(uow, CLOCK_SET, {"seconds": seconds, "microseconds": exactly, "rows": rows})
        tell_everybody(uow, key=f"clock_set:{ctx.owner}:{steps}", facts={"topic": "clock_set", "seconds": seconds})
        log.warning("clock was set, deadlines shifted", seconds=seconds, rows=rows)
        return steps + 1

    clock.steps = await ctx.store.write(lambda tx: work(Unit(tx, ctx, now=now)), name="clock_set")
    ctx.wake()


def _steps(tx: Tx) -> int:
    found = tx.flags.readable(_STEPS)
    return found if isinstance(found, int) else 0


async def warn(ctx: Context, clock: SharedClock) -> None:
    is_skewed = abs(clock.skew) >= _TOO_FAR
    if is_skewed:
        log.warning("machine clock differs from the database server's", seconds=round(clock.skew, 1))
    if is_skewed == clock.is_skewed:
        return
    facts: dict[str, object] = {"topic": "clock_right"}
    if is_skewed:
        facts = {"topic": "clock_skew", "seconds": round(clock.skew)}
    key = f"{facts['topic']}:{ctx.owner}:{clock.now():%Y-%m-%dT%H:%M}"
    await ctx.write(lambda uow: tell_everybody(uow, key=key, facts=facts), name="clock_skew")
    clock.is_skewed = is_skewed
