"""Workers: each due row becomes a separate task as soon as a slot of its kind is free.

A row that waits for an answer occupies only its own slot. Its lease is renewed until its step ends.
Exceptions are handled by :mod:`bot.workflows.quarantine`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import structlog

from bot.workflows.context import Context, Unit
from storage.errors import StorageBusy
from storage.repositories.leased import Key, key_of
from storage.rows import Hold

log = structlog.get_logger(__name__)

R = TypeVar("R")

STOP_SECONDS: Final = 4.0
"""Time for running steps to end when the process stops; then they are canceled and left to recovery."""

Step = Callable[[R], Awaitable[None]]
InFlight = Callable[[Unit, Any], bool]
"""Returns whether a request of the row was in flight; if so, its outcome has just been stored as unknown."""


def nothing_in_flight(_uow: Unit, _row: object) -> bool:
    """Return False: the steps of this kind of work send nothing that has to be claimed first."""
    return False


def elsewhere(uow: Unit, table: str, rows: Sequence[R]) -> list[R]:
    """Return the rows without a running step in this process; a row has one if its lease ran out before the step."""
    return [row for row in rows if not uow.ctx.leases.holds(table, key_of(table, row))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[R]):
    """One kind of due work.

    Attributes:
        table: see :data:`storage.repositories.leased.KEYS`.
        slots: rows at a time; for a service, the requests that it allows in flight.
        step: creates the step function, once for all rows that are claimed together.
        leased: whether a row has a lease while its step runs; otherwise its claim alone excludes other processes.
        room: a further limit on rows that may start, e.g. one while the service is silent.
        lasting: whether its steps wait for a service that takes minutes.
        ready: whether this kind of work can run at all; otherwise its rows wait.
    """

    name: str
    table: str
    slots: int
    claim: Callable[[Unit, Hold], Sequence[R]]
    step: Callable[[Context], Step[R]]
    kind: str = ""
    in_flight: InFlight = nothing_in_flight
    leased: bool = True
    room: Callable[[Context], int] = lambda _: 1_000
    lasting: bool = False
    ready: Callable[[Context], bool] = lambda _: True


class Workers:
    """The tasks of one process, by kind of work. ``run`` runs a step and handles its end."""

    def __init__(self, *, run: Callable[[Context, Work[Any], Any, Step[Any]], Awaitable[None]]) -> None:
        self._run = run
        self._tasks: dict[str, dict[asyncio.Task[None], Key]] = defaultdict(dict)
        self._full: set[str] = set()
        self._lasting: set[str] = set()
        self.stopping = False
        """Whether the process is stopping: steps send nothing more, and store their results."""
        self.freed: Callable[[str], None] = lambda _: None
        """Called with the name of a kind of work whose slots were all taken, once one is free."""

    def running(self, name: str) -> int:
        """Return the number of occupied slots of this kind."""
        return len(self._tasks[name])

    async def take_up(self, ctx: Context, work: Work[Any]) -> int:
        """Start due rows as far as slots are free; return their number."""
        room = min(work.slots - self.running(work.name), work.room(ctx))
        if room <= 0:
            self._full.add(work.name)
            return 0
        if self.stopping or not work.ready(ctx):
            return 0
        hold = Hold(now=ctx.clock.now(), owner=ctx.owner, lease_seconds=ctx.leases.seconds, limit=room)
        name = f"claim_{work.name.replace(' ', '_')}"
        rows = await ctx.write(lambda uow: work.claim(uow, hold), name=name, wakes=False)
        if work.lasting:
            self._lasting.add(work.name)
        step = work.step(ctx)
        for row in rows:
            self._begin(ctx, work, row, step)
        if len(rows) == room:
            self._full.add(work.name)
        return len(rows)

    async def finished(self, *, lasting: bool = False) -> None:
        """Wait until no step is running, with ``lasting`` also steps that take minutes; raise the error of a step."""
        while tasks := self._all(lasting=lasting):
            for end in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError):
                    raise end

    async def stop(self) -> None:
        """Start nothing more, wait briefly for running steps, except lasting ones, then cancel the rest."""
        self.stopping = True
        tasks, short = self._all(), self._all(lasting=False)
        if short:
            await asyncio.wait(short, timeout=STOP_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _all(self, *, lasting: bool = True) -> list[asyncio.Task[None]]:
        return [task for name, tasks in self._tasks.items() if lasting or name not in self._lasting for task in tasks]

    def _begin(self, ctx: Context, work: Work[Any], row: Any, step: Step[Any]) -> None:
        key = key_of(work.table, row)
        tasks = self._tasks[work.name]
        former = [task for task, other in tasks.items() if other == key]

        async def stepping() -> None:
            if work.leased:
                with ctx.leases.kept(work.table, key):
                    await self._run(ctx, work, row, step)
                return
            if former:  # without a lease, a row may be claimed while its step still runs: run one after the other
                await asyncio.wait(former)
            await step(row)

        task = asyncio.create_task(stepping(), name=f"{work.name} {'/'.join(key)}")
        tasks[task] = key

        def ended(task: asyncio.Task[None]) -> None:
            del tasks[task]
            error = None if task.cancelled() else task.exception()
            # A database failure: the row is due again when its lease ends. A BaseException that isn't an Exception is a
            # simulated crash, after which nothing continues.
            if isinstance(error, StorageBusy):
                log.warning("a step waits for the database", work=work.name, reason=str(error))
            elif isinstance(error, Exception):
                log.error("a step could not be stored", work=work.name, exc_info=error)
            if work.name in self._full and not self.stopping:
                self._full.discard(work.name)
                self.freed(work.name)

        task.add_done_callback(ended)
