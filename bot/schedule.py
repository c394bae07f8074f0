"""APScheduler as a clock: each tick is one workflow call. What is due stands in rows, not in jobs.

A drain that is told of work runs at once instead of at its next tick; it never runs twice at a time, and
correctness never depends on either.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from storage.errors import StorageBusy

log = structlog.get_logger(__name__)

Drain = Callable[[], Awaitable[int]]
"""Does what is due and returns how much there was; more than nothing means: ask again."""

_STOP_SECONDS = 4.0
_MOST_ROUNDS = 1_000


class Pump:
    """Runs one drain until nothing is due; told of work while running, it runs once more."""

    def __init__(self, *, name: str, drain: Drain) -> None:
        self._name = name
        self._drain = drain
        self._again = False
        self._running: asyncio.Task[None] | None = None

    def nudge(self) -> None:
        """There may be work."""
        self._again = True
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run(), name=f"drain {self._name}")

    async def stop(self) -> None:
        """Let the step under way end, for a while; then cut it off: recovery knows what to do."""
        if self._running is None or self._running.done():
            return
        _, late = await asyncio.wait([self._running], timeout=_STOP_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _run(self) -> None:
        for _ in range(_MOST_ROUNDS):
            self._again = False
            try:
                found = await self._drain()
            except StorageBusy as busy:
                log.warning("a drain waits for the database", drain=self._name, reason=str(busy))
                return
            except Exception:
                # A drain must outlive what one row does to it; the next tick tries again.
                log.exception("a drain failed", drain=self._name)
                return
            if not found and not self._again:
                return


class Schedule:
    """The ticks of one process and the drains they run."""

    def __init__(self, *, drains: Mapping[str, Drain], tick_seconds: float) -> None:
        self._pumps = [Pump(name=name, drain=drain) for name, drain in drains.items()]
        self._tick_seconds = tick_seconds
        self._scheduler = AsyncIOScheduler(
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )
        self._stopped = False

    def start(self) -> None:
        """Begin to tick."""
        self._scheduler.add_job(self._tick, "interval", seconds=self._tick_seconds)
        self._scheduler.start()
        self.wake()

    def wake(self) -> None:
        """Do what is due now instead of at the next tick."""
        if not self._stopped:
            for pump in self._pumps:
                pump.nudge()

    async def stop(self) -> None:
        """Tick no more, and let the steps under way end."""
        self._stopped = True
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        await asyncio.gather(*(pump.stop() for pump in self._pumps))

    async def _tick(self) -> None:
        self.wake()
