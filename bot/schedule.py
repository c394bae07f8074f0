"""APScheduler as a clock: each tick is one workflow call. What is due stands in rows, not in jobs.

A drain that is told of work runs at once instead of at its next tick; it never runs twice at a time, and
correctness never depends on either. Told of work all the time, it looks for it a few times a second and no more often:
many clicks at once are not to pay for as many looks at the database by everything that might be due.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from storage.errors import StorageBusy

log = structlog.get_logger(__name__)

Drain = Callable[[], Awaitable[int]]
"""Does what is due and returns how much there was; more than nothing means: ask again."""

_STOP_SECONDS = 4.0
_MOST_ROUNDS = 1_000
_PAUSE_SECONDS = 0.05
"""Between two looks of a drain that found nothing."""


class Pump:
    """Runs one drain until nothing is due; told of work while running, it runs once more."""

    def __init__(self, *, name: str, drain: Drain, pause_seconds: float = _PAUSE_SECONDS) -> None:
        self._name = name
        self._drain = drain
        self._pause_seconds = pause_seconds
        self._again = False
        self._running: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    def nudge(self) -> None:
        """There may be work."""
        self._again = True
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run(), name=f"drain {self._name}")

    async def stop(self) -> None:
        """Let the step under way end, for a while; then cut it off: recovery knows what to do."""
        self._stopping.set()
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
            if not found and (await self._paused() or not self._again):
                return

    async def _paused(self) -> bool:
        """Wait a moment; whether the process stops meanwhile."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause_seconds):
                await self._stopping.wait()
        return self._stopping.is_set()


class Schedule:
    """The ticks of one process and the drains they run."""

    def __init__(self, *, drains: Mapping[str, Drain], tick_seconds: float, by_the_clock: Collection[str] = ()) -> None:
        """``by_the_clock``: names of drains that only ticks run."""
        pumps = {name: Pump(name=name, drain=drain) for name, drain in drains.items()}
        self._pumps = list(pumps.values())
        self._told = [pump for name, pump in pumps.items() if name not in by_the_clock]
        self._tick_seconds = tick_seconds
        self._scheduler = AsyncIOScheduler(
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )
        self._stopped = False

    def start(self) -> None:
        """Begin to tick."""
        self._scheduler.add_job(self._tick, "interval", seconds=self._tick_seconds)
        self._scheduler.start()
        self._nudge(self._pumps)

    def wake(self) -> None:
        """Do what is due now instead of at the next tick."""
        self._nudge(self._told)

    async def stop(self) -> None:
        """Tick no more, and let the steps under way end."""
        self._stopped = True
        if self._scheduler.running:
            self._scheduler.pause()
            await asyncio.sleep(0)  # a tick that was handed out ends; cut off, the scheduler reports it as an error
            self._scheduler.shutdown(wait=False)
        await asyncio.gather(*(pump.stop() for pump in self._pumps))

    async def _tick(self) -> None:
        self._nudge(self._pumps)

    def _nudge(self, pumps: Iterable[Pump]) -> None:
        if not self._stopped:
            for pump in pumps:
                pump.nudge()
