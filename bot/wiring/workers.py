"""The schedule, and the workers of due rows that run by it; the subjects of boards.

APScheduler is only a clock; work is kept in rows, not in its jobs. A look is one read of the next due time of every
kind of work. It is taken after a wake, after a write, and when that time has come; an idle process does not read the
database. Every ten seconds everything that might be due is begun, whatever the looks say.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.domain.payments.instruction import Kind
from bot.workflows import alerts
from bot.workflows.admin import clocks
from bot.workflows.admin.silence import Watched, pass_on_news, probe
from bot.workflows.admin.takeover import recover_claims, take_over
from bot.workflows.bookings import book, events, stores
from bot.workflows.bookings import follow as booking_polls
from bot.workflows.bookings.subject import BookingSubject, StoreSubject
from bot.workflows.context import Context, Recovery, RequestKind, Subject
from bot.workflows.emails import work as email_lists
from bot.workflows.emails.lists import SUBJECT as EMAIL_LISTS
from bot.workflows.emails.subject import EmailList
from bot.workflows.localization import running
from bot.workflows.localization.request import show_queues
from bot.workflows.localization.results import LocalizationSubject
from bot.workflows.payments import bulk, bulk_cancel, bulk_check, callbacks, payout, purchase
from bot.workflows.payments.subject import RequestSubject
from bot.workflows.quarantine import retry_died
from bot.workflows.requests import advance, announce, attempt
from bot.workflows.slack import dropped_files, edits, outbox
from bot.workflows.workers import Work
from storage.errors import StorageBusy
from storage.repositories.queues import Due

log = structlog.get_logger(__name__)

Step = Callable[[], Awaitable[int]]
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
class DueWork:
    """``due``: names of workers that have work now. ``next_at``: next due time; None: nothing, as rows are now."""

    due: Collection[str] = ()
    next_at: datetime | None = None


@dataclass(eq=False, kw_only=True)
class Pump:
    """Runs one worker until nothing is due; a nudge while running makes it run once more."""

    name: str
    worker: Step
    pause_seconds: float = _PAUSE_SECONDS
    _again: bool = False
    """There may be work since the last step."""
    _running: asyncio.Task[None] | None = None
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def nudge(self) -> None:
        self._again = True
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run(), name=f"worker {self.name}")

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
                found = await self.worker()
            except StorageBusy as busy:
                log.warning("a worker waits for the database", worker=self.name, reason=str(busy))
                return
            except Exception:
                # A worker must survive the error of one row; the next tick tries again.
                log.exception("a worker failed", worker=self.name)
                return
            if found:
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(self.pause_seconds):
                    await self._stopping.wait()
            if self._stopping.is_set() or not self._again:
                return


@dataclass(eq=False, kw_only=True)
class Schedule:
    """The ticks of one process, its looks and the workers they run, by name."""

    workers: Mapping[str, Step]
    look: Callable[[], Awaitable[DueWork]]
    changes: Callable[[], int]
    """Counter of writes; an equal number means no write."""
    now: Callable[[], datetime]
    by_the_clock: Collection[str] = ()
    """Workers that no look covers: run at the ticks after a write."""
    every_tick: Collection[str] = ()
    tick_seconds: float
    _next_at: datetime | None = None
    _alarm: asyncio.TimerHandle | None = None
    _seen: int = -1
    _everything_at: float = 0.0
    _stopped: bool = False

    def __post_init__(self) -> None:
        self._pumps = {name: Pump(name=name, worker=worker) for name, worker in self.workers.items()}
        self._looking = Pump(name="look", worker=self._look)
        self._scheduler = AsyncIOScheduler(job_defaults={"misfire_grace_time": None})

    def start(self) -> None:
        self._scheduler.add_job(self._tick, "interval", seconds=self.tick_seconds)
        self._scheduler.start()
        self._begin_everything()

    def wake(self) -> None:
        """DueWork for due work now, instead of at the next tick."""
        if not self._stopped:
            self._looking.nudge()

    def heard(self) -> None:
        """Another process wrote something: look in a moment, to give it time to begin that itself."""
        if not self._stopped and (self._alarm is None or self._alarm.when() > self._later(_OTHERS_FIRST)):
            self._set_alarm(_OTHERS_FIRST)

    def run(self, name: str) -> None:
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
        self._nudge(self.every_tick)
        changes = self.changes()
        if changes != self._seen:
            self._seen = changes
            self._nudge(self.by_the_clock)
            self.wake()
        elif self._next_at is not None and self._next_at <= self.now():
            self.wake()

    def _begin_everything(self) -> None:
        self._everything_at = self._later(_EVERYTHING_SECONDS)
        self._seen = self.changes()
        self._nudge(self._pumps)
        self.wake()  # for the next due time

    async def _look(self) -> int:
        found = await self.look()
        self._nudge(found.due)
        now = self.now()
        self._next_at = now if found.due else found.next_at  # due work that cannot begin is looked at again
        rest = (found.next_at - now).total_seconds() if found.next_at is not None else self.tick_seconds
        if rest < self.tick_seconds and not self._stopped:
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


Worker = Callable[[Context], Awaitable[int]]
"""Does or begins what is due; returns how much that was."""


async def _stores(ctx: Context) -> int:
    return await stores.list_due(ctx) + await stores.settle_due(ctx)


async def _leftovers(ctx: Context) -> int:
    await recover_claims(ctx)
    return 0


async def _take_up(work: Work[Any], ctx: Context) -> int:
    return await ctx.workers.take_up(ctx, work)


async def _chore(name: str, ctx: Context) -> int:
    return await ctx.chores[name](ctx)


SUBJECTS: dict[str, Subject] = {
    announce.SUBJECT: RequestSubject(),
    alerts.SUBJECT: alerts.Notices(),
    dropped_files.SUBJECT: dropped_files.FileOffers(),
    "booking": BookingSubject(),
    "store": StoreSubject(),
    "localization": LocalizationSubject(),
    EMAIL_LISTS: EmailList(),
    bulk_check.SUBJECT: bulk_check.FileChecks(),
}
"""Subjects of boards, by the word before the colon."""

KINDS: Final[Mapping[Kind, RequestKind]] = {
    one.kind: one for one in (payout.KIND, payout.ONE_STEP, purchase.KIND, bulk.KIND, bulk_cancel.KIND)
}
"""Kinds of requests."""


RECOVERIES: Final[tuple[Recovery, ...]] = (
    attempt.LOST.recover,
    lambda uow: uow.outbox.mark_unknown(
        owner=uow.owner, now=uow.now, exclusive=uow.ctx.store.exclusive, look_at=uow.now + outbox.SCAN_AFTER
    ),
    book.LOST.recover,
)
"""Recoveries of what a process that died left behind."""

WORKS: Final[tuple[Work[Any], ...]] = (
    *advance.works(KINDS.values()),
    callbacks.CALLBACKS,
    payout.POLLS,
    bulk.POLLS,
    purchase.POLLS,
    payout.WATCH,
    dropped_files.FILES,
    book.BOOKINGS,
    booking_polls.POLLS,
    events.EVENTS,
    *running.WORKS,
    *email_lists.WORKS,
    bulk_check.WORK,
    outbox.OUTBOX,
    edits.BOARDS,
)
"""What is done row by row."""


WATCHED: Final = (
    Watched(
        name="payments",
        circuit=lambda ctx: ctx.payments.client.circuit if ctx.payments.client else None,
        ask=lambda ctx: ctx.payments.required().partner(),
    ),
    Watched(
        name="delivery",
        circuit=lambda ctx: ctx.delivery.client.client.circuit if ctx.delivery.client else None,
        ask=stores.ask_something,
    ),
    Watched(
        name="localization",
        circuit=lambda ctx: ctx.localization.client.circuit if ctx.localization.client else None,
        show=show_queues,
    ),
)
"""Services whose silence is noticed."""
CHORES: Final = ("anchors", "disk", "health", "unread", "damage", "retention", "reach", "homes")
"""Periodic work of this process without rows of its own; see :attr:`bot.workflows.context.Context.chores`."""
_PROBES: Final[Mapping[str, Worker]] = {f"probe {one.name}": partial(probe, one) for one in WATCHED}
"""One worker a service: a hanging probe delays no other."""

WORKERS: Final[Mapping[str, Worker]] = {
    **{work.name: partial(_take_up, work) for work in WORKS},
    "stores": _stores,
    "processes": take_over,
    "denials": alerts.tell_denials,
    "leftovers": _leftovers,
    "died": retry_died,
    "clock": clocks.compare,
    "silence": partial(pass_on_news, WATCHED),
    **_PROBES,
    **{name: partial(_chore, name) for name in CHORES},
}
"""All workers of due rows, by name."""

BY_THE_CLOCK = frozenset({"leftovers", "died", "anchors", "clock", "retention", "reach"})
"""Workers that no look covers: they become due by time, or by a write."""
EVERY_TICK = frozenset({"denials", "disk", "health", "unread", "damage", "processes", "silence", "homes", *_PROBES})
"""Those of them that cost next to nothing when there is nothing to do."""

_DUE: Final[Mapping[str, Sequence[Due]]] = {
    **{work.name: ((work.table, work.kind),) for work in WORKS},
    "stores": (("store", ""),),
}
"""The rows by which each worker becomes due."""
_QUEUE_OF: Final = {
    "inbox": "callbacks",
    "store_event": "webhooks",
    "outbox": "messages",
    "dropped_file": "files",
    "job": "jobs",
    "instruction": "requests",
    "tracked": "polls",
    "booking": "bookings",
    "board": "cards",
    "store": "stores",
}
"""What operators call the rows of a table."""
QUEUES: Final[Mapping[str, Sequence[Due]]] = {
    name: tuple(dict.fromkeys(kind for kinds in _DUE.values() for kind in kinds if kind[0] == table))
    for table, name in _QUEUE_OF.items()
}
"""The rows by which each queue of ``/metrics`` becomes due."""
_KINDS: Final = tuple(dict.fromkeys(kind for kinds in _DUE.values() for kind in kinds))


async def look(ctx: Context) -> DueWork:
    earliest = await ctx.read(lambda uow: uow.horizon.earliest(_KINDS))
    now = ctx.clock.now()
    is_due = {kind for kind, due_at in earliest.items() if due_at <= now}
    later = [due_at for due_at in earliest.values() if due_at > now]
    return DueWork([name for name, kinds in _DUE.items() if is_due.intersection(kinds)], min(later, default=None))


def make_schedule(ctx: Context) -> Schedule:
    rows = {work.name for work in WORKS}  # each begun row is its own task; one in progress is not claimed again

    async def begun(worker: Worker) -> int:
        await worker(ctx)
        return 0

    schedule = Schedule(
        workers={
            name: partial(begun, worker) if name in rows else partial(worker, ctx) for name, worker in WORKERS.items()
        },
        look=partial(look, ctx),
        changes=lambda: ctx.store.writer.changes,
        now=ctx.clock.now,
        by_the_clock=BY_THE_CLOCK,
        every_tick=EVERY_TICK,
        tick_seconds=max(0.05, min(1.0, ctx.poll_seconds / 2, ctx.quiet.seconds / 8)),
    )
    ctx.workers.freed = schedule.run
    return schedule
