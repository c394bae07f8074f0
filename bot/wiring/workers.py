"""The workers of due rows, and the subjects of boards: the parts of the workflows that run by themselves."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from bot.clients.circuit import Circuit
from bot.domain.emails.lists import RUN, WHOLE
from bot.domain.payments.instruction import Kind
from bot.wiring.schedule import Look, Plan, Schedule
from bot.workflows import alerts, localization
from bot.workflows.admin import clocks
from bot.workflows.admin.recover import recover_claims
from bot.workflows.admin.silence import Watched, pass_on_news, probe
from bot.workflows.admin.takeover import take_over
from bot.workflows.bookings import book, events, stores
from bot.workflows.bookings import follow as booking_polls
from bot.workflows.bookings.subject import BookingSubject, StoreSubject
from bot.workflows.context import Context, Recovery, RequestKind, Subject, Unit
from bot.workflows.emails.request import SUBJECT as EMAIL_LISTS
from bot.workflows.emails.subject import EmailList
from bot.workflows.payments import (
    bulk_cancel,
    bulk_follow,
    bulk_send,
    callbacks,
    follow,
    one_step,
    orphans,
    payout,
    purchase,
)
from bot.workflows.payments.subject import RequestSubject
from bot.workflows.payments.survey import survey_due
from bot.workflows.requests import advance, announce, attempt
from bot.workflows.requests.restore import look_due
from bot.workflows.slack import dropped_files, outbox, refresh
from bot.workflows.slack.denials import tell_denials
from bot.workflows.workers import Work
from storage.repositories.horizon import Due

_SLOWEST_TICK: Final = 1.0
_FASTEST_TICK: Final = 0.05

Worker = Callable[[Context], Awaitable[int]]
"""Does or begins what is due; returns how much that was."""


async def _stores(ctx: Context) -> int:
    return await stores.list_due(ctx) + await stores.settle_due(ctx)


async def _leftovers(ctx: Context) -> int:
    await recover_claims(ctx)
    return 0


async def _clock(ctx: Context) -> int:
    return await clocks.look_again(ctx)


async def _chore(name: str, ctx: Context) -> int:
    return await ctx.chores[name](ctx)


SUBJECTS: dict[str, Subject] = {
    announce.SUBJECT: RequestSubject(),
    alerts.SUBJECT: alerts.Notices(),
    dropped_files.SUBJECT: dropped_files.FileOffers(),
    "booking": BookingSubject(),
    "store": StoreSubject(),
    "localization": localization.LocalizationSubject(),
    EMAIL_LISTS: EmailList(),
}
"""Subjects of boards, by the word before the colon."""

KINDS: Final[Mapping[Kind, RequestKind]] = {
    one.kind: one for one in (payout.KIND, one_step.KIND, purchase.KIND, bulk_send.KIND, bulk_cancel.KIND)
}
"""Kinds of requests."""


def _posts(uow: Unit) -> int:
    look_at = uow.now + outbox.SCAN_AFTER
    return uow.outbox.recover(owner=uow.owner, now=uow.now, exclusive=uow.ctx.store.exclusive, look_at=look_at)


RECOVERIES: Final[tuple[Recovery, ...]] = (attempt.recover, _posts, book.recover)
"""Recoveries of what a process that died left behind."""

WORKS: Final[tuple[Work[Any], ...]] = (
    *advance.works(KINDS.values()),
    callbacks.CALLBACKS,
    follow.POLLS,
    bulk_follow.POLLS,
    purchase.POLLS,
    orphans.WATCH,
    dropped_files.FILES,
    book.BOOKINGS,
    booking_polls.POLLS,
    events.EVENTS,
    *localization.WORKS,
    outbox.OUTBOX,
    refresh.BOARDS,
)
"""What is done row by row."""


async def _take_up(work: Work[Any], ctx: Context) -> int:
    return await ctx.workers.take_up(ctx, work)


def _payments(ctx: Context) -> Circuit | None:
    client = ctx.payments.client
    return None if client is None else client.circuit


def _delivery(ctx: Context) -> Circuit | None:
    service = ctx.delivery.client
    return None if service is None else service.client.circuit


def _localization(ctx: Context) -> Circuit | None:
    client = ctx.localization.client
    return None if client is None else client.circuit


WATCHED: Final = (
    Watched(name="payments", circuit=_payments, ask=lambda ctx: ctx.payments.required().partner()),
    Watched(name="delivery", circuit=_delivery, ask=stores.ask_something),
    Watched(name="localization", circuit=_localization, show=localization.show_queues),
)
"""Services whose silence is noticed."""
CHORES: Final = ("anchors", "disk", "lists", "unread", "damage", "retention", "reach")
"""Periodic work of this process without rows of its own; see :attr:`bot.workflows.context.Context.chores`."""
_PROBES: Final[Mapping[str, Worker]] = {f"probe {one.name}": partial(probe, one) for one in WATCHED}
"""One worker a service: a hanging probe delays no other."""

WORKERS: Final[Mapping[str, Worker]] = {
    **{work.name: partial(_take_up, work) for work in WORKS},
    "stores": _stores,
    "processes": take_over,
    "denials": tell_denials,
    "leftovers": _leftovers,
    "lost": look_due,
    "survey": survey_due,
    "clock": _clock,
    "silence": partial(pass_on_news, WATCHED),
    **_PROBES,
    **{name: partial(_chore, name) for name in CHORES},
}
"""All workers of due rows, by name."""

BY_THE_CLOCK = frozenset({"leftovers", "anchors", "lost", "survey", "clock", "retention", "reach"})
"""Workers that no look covers: they become due by time, or by a write."""
EVERY_TICK = frozenset({"denials", "disk", "unread", "damage", "processes", "silence", *_PROBES})
"""Those of them that cost next to nothing when there is nothing to do."""

_DUE: Final[Mapping[str, Sequence[Due]]] = {
    **{work.name: ((work.table, work.kind),) for work in WORKS},
    "lists": (("job", RUN), ("job", WHOLE)),
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


async def look(ctx: Context) -> Look:
    """Which workers have work now, and when the next one has."""
    earliest = await ctx.read(lambda uow: uow.horizon.earliest(_KINDS))
    now = ctx.clock.now()
    is_due = {kind for kind, due_at in earliest.items() if due_at <= now}
    later = [due_at for due_at in earliest.values() if due_at > now]
    return Look([name for name, kinds in _DUE.items() if is_due.intersection(kinds)], min(later, default=None))


def plan(ctx: Context) -> Plan:
    """The background work of a process. Each begun row is its own task, and is not looked for before it ends."""
    rows = {work.name for work in WORKS}
    return Plan(
        workers={
            name: partial(_begun, worker, ctx) if name in rows else partial(worker, ctx)
            for name, worker in WORKERS.items()
        },
        look=partial(look, ctx),
        changes=lambda: ctx.store.changes,
        now=ctx.clock.now,
        by_the_clock=BY_THE_CLOCK,
        every_tick=EVERY_TICK,
    )


def make_schedule(ctx: Context) -> Schedule:
    """The ticks of this process."""
    pace = min(_SLOWEST_TICK, ctx.poll_seconds / 2, ctx.quiet.seconds / 8)
    schedule = Schedule(plan(ctx), tick_seconds=max(_FASTEST_TICK, pace))
    ctx.workers.freed = schedule.run
    return schedule


async def _begun(worker: Worker, ctx: Context) -> int:
    await worker(ctx)
    return 0
