"""APScheduler as a clock; its ticks look for due rows and begin them. Work is kept in rows, not in scheduler jobs.

A look is one read of the next due time of every kind of work. It is taken after a wake, after a write, and when that
time has come; an idle process does not read the database. Every ten seconds everything that might be due is begun,
whatever the looks say. Under constant wakes a process looks only a few times a second.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from storage.errors import StorageBusy

log = structlog.get_logger(__name__)

Worker = Callable[[], Awaitable[int]]
"""Does what is due and returns how much there was; more than nothing means: ask again."""

_STOP_SECONDS = 4.0
_MOST_ROUNDS = 1_000
_PAUSE_SECONDS = 0.025
"""Between two runs of a worker that found nothing."""
_EVERYTHING_SECONDS: Final = 10.0
"""Between two ticks that begin everything."""
_OTHERS_FIRST: Final = 0.25
"""Seconds that another process has to begin its own writes."""


@dataclass(frozen=True, slots=True)
class Look:
    """Result of a look.

    Attributes:
        due: names of workers that have work now.
        next_at: next due time; None: nothing will become due as rows are now.
    """

    due: Collection[str] = ()
    next_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The background work of a process.

    Attributes:
        workers: by name.
        look: which of them have work.
        changes: counter of writes; an equal number means no write.
        now: the clock by which rows are due.
        by_the_clock: names of workers that no look covers: run at the ticks after a write.
        every_tick: those of them that cost nothing when there is no work, run at every tick.
    """

    workers: Mapping[str, Worker]
    look: Callable[[], Awaitable[Look]]
    changes: Callable[[], int]
    now: Callable[[], datetime]
    by_the_clock: Collection[str] = field(default=())
    every_tick: Collection[str] = field(default=())


class Pump:
    """Runs one worker until nothing is due; a nudge while running makes it run once more."""

    _again: bool
    """There may be work since the last step; a nudge comes before the first."""

    def __init__(self, *, name: str, worker: Worker, pause_seconds: float = _PAUSE_SECONDS) -> None:
        self._name = name
        self._worker = worker
        self._pause_seconds = pause_seconds
        self._running: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    def nudge(self) -> None:
        """There may be work."""
        self._again = True
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run(), name=f"worker {self._name}")

    async def stop(self) -> None:
        """Let the running step end, with a time limit; then cancel it: recovery handles the rest."""
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
                found = await self._worker()
            except StorageBusy as busy:
                log.warning("a worker waits for the database", worker=self._name, reason=str(busy))
                return
            except Exception:
                # A worker must survive the error of one row; the next tick tries again.
                log.exception("a worker failed", worker=self._name)
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
    """The ticks of one process, its looks and the workers they run."""

    def __init__(self, plan: Plan, *, tick_seconds: float) -> None:
        self._plan = plan
        self._pumps = {name: Pump(name=name, worker=worker) for name, worker in plan.workers.items()}
        self._looking = Pump(name="look", worker=self._look)
        self._tick_seconds = tick_seconds
        self._scheduler = AsyncIOScheduler(
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )
        self._next_at: datetime | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._seen = -1
        self._everything_at = 0.0
        self._stopped = False

    def start(self) -> None:
        """Begin to tick."""
        self._scheduler.add_job(self._tick, "interval", seconds=self._tick_seconds)
        self._scheduler.start()
        self._begin_everything()

    def wake(self) -> None:
        """Look for due work now, instead of at the next tick."""
        if not self._stopped:
            self._looking.nudge()

    def heard(self) -> None:
        """Another process wrote something: look in a moment, to give it time to begin that itself."""
        if not self._stopped and (self._alarm is None or self._alarm.when() > self._later(_OTHERS_FIRST)):
            self._set_alarm(_OTHERS_FIRST)

    def run(self, name: str) -> None:
        """Begin what is due of one kind."""
        self._nudge((name,))

    async def stop(self) -> None:
        """Tick no more, and let the steps under way end."""
        self._stopped = True
        if self._alarm is not None:
            self._alarm.cancel()
        if self._scheduler.running:
            self._scheduler.pause()
            await asyncio.sleep(0)  # a tick that was handed out ends; cut off, the scheduler reports it as an error
            self._scheduler.shutdown(wait=False)
        await asyncio.gather(self._looking.stop(), *(pump.stop() for pump in self._pumps.values()))

    async def _tick(self) -> None:
        if self._later(0) >= self._everything_at:
            self._begin_everything()
            return
        self._nudge(self._plan.every_tick)
        changes = self._plan.changes()
        if changes != self._seen:
            self._seen = changes
            self._nudge(self._plan.by_the_clock)
            self.wake()
        elif self._next_at is not None and self._next_at <= self._plan.now():
            self.wake()

    def _begin_everything(self) -> None:
        self._everything_at = self._later(_EVERYTHING_SECONDS)
        self._seen = self._plan.changes()
        self._nudge(self._pumps)
        self.wake()  # for the next due time

    async def _look(self) -> int:
        found = await self._plan.look()
        self._nudge(found.due)
        now = self._plan.now()
        self._next_at = now if found.due else found.next_at  # due work that cannot begin is looked at again
        if found.next_at is not None and not self._stopped:
            rest = (found.next_at - now).total_seconds()
            if rest < self._tick_seconds:
                self._set_alarm(max(rest, 0.0))
        return 0

    def _set_alarm(self, seconds: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = asyncio.get_running_loop().call_later(seconds, self.wake)

    def _later(self, seconds: float) -> float:
        return asyncio.get_running_loop().time() + seconds

    def _nudge(self, names: Iterable[str]) -> None:
        if not self._stopped:
            for name in names:
                self._pumps[name].nudge()
