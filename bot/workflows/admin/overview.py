"""Status of everything, read in one transaction, and what is under way."""

from bot.domain.bookings.booking import CLOSED, Stage
from bot.domain.emails.lists import RUN, WHOLE
from bot.domain.localization.progress import LANES, Order
from bot.domain.overview import Counts, Overview, Running, Service, UnderWay, What
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State
from bot.domain.services import DELIVERY, EMAIL_FILES, EMAILS, EMAILS_ALONE, LOCALIZATION, PAYMENTS
from bot.workflows.context import Context, Unit
from bot.workflows.holding import silent_services
from bot.workflows.reading_only import reading_only
from bot.workflows.requests.freeze import frozen
from storage.rows import Job
from storage.transaction import Tx

MOST = 50
"""Rows under way that are listed at once, of each kind."""

_LISTS = (RUN, WHOLE)
_OPEN = tuple(state for state in State if state not in FINAL)
_MOVING = tuple(state for state in _OPEN if state not in (State.AWAITING, State.NEW))
_LEFT_OUT = frozenset(stage.value for stage in (*CLOSED, Stage.QUOTED))


def services(uow: Unit) -> tuple[Service, ...]:
    """The outside services, the variables they lack, and whether they answer."""
    silent = silent_services(uow, uow.now)
    named = ((PAYMENTS, uow.ctx.payments), (LOCALIZATION, uow.ctx.localization), (DELIVERY, uow.ctx.delivery))
    return (
        *(Service(name=name, missing=one.missing, silent_since=silent.get(name)) for name, one in named),
        *_emails(uow.ctx),
    )


def _emails(ctx: Context) -> tuple[Service, ...]:
    """One service, or its two halves where one of them works alone."""
    emails = ctx.emails
    if emails.missing or not (emails.missing_single or emails.missing_files):
        return (Service(name=EMAILS, missing=emails.missing),)
    return (
        Service(name=EMAILS_ALONE, missing=emails.missing_single),
        Service(name=EMAIL_FILES, missing=emails.missing_files),
    )


async def overview(ctx: Context) -> Overview:
    """Counts and ages of all rows."""
    blocking = sum(one.blocks for one in ctx.assumptions)

    def work(uow: Unit) -> Overview:
        queues = uow.queues.waiting(ctx.clock.now())
        return Overview(
            services=services(uow),
            under_way=_counts(uow),
            oldest={name: queues[name].oldest for name in ("messages", "callbacks", "webhooks", "files")},
            frozen=frozen(uow),
            blocking=blocking,
            reading_only=reading_only(uow),
        )

    return await ctx.read(work)


def _counts(tx: Tx) -> Counts:
    """How much is not over: what ``status`` counts and ``jobs`` names."""
    requests = tx.instructions.counts().items()
    return Counts(
        requests={(kind, state): count for (kind, state), count in requests if state in _OPEN},
        jobs=tx.jobs.counts(),
        bookings={stage: count for stage, count in tx.bookings.counts().items() if stage not in _LEFT_OUT},
    )


async def under_way(ctx: Context, *, even_waiting: bool = True) -> UnderWay:
    """Requests, localization calls, lists of addresses and bookings that are not over; oldest first.

    ``even_waiting`` False: without requests that nothing is done about before people decide.
    """

    def work(uow: Unit) -> UnderWay:
        found = [_request(one) for one in uow.instructions.awaiting(_OPEN if even_waiting else _MOVING, limit=MOST)]
        found += [_job(one) for one in uow.jobs.open(limit=MOST) if one.kind in (*_LISTS, *LANES)]
        found += [
            Running(
                what=What.BOOKING,
                name=booking.reference,
                state=booking.status or booking.stage.value,
                requester=booking.requester,
                channel=booking.channel,
                since=booking.created_at,
            )
            for booking in uow.bookings.open(limit=MOST)
        ]
        return UnderWay(rows=sorted(found, key=lambda one: one.since), total=_counts(uow).total)

    return await ctx.read(work)


def _request(one: Instruction) -> Running:
    return Running(
        what=_WHAT[one.kind],
        name=one.reference,
        state=one.state.value,
        requester=one.requester,
        channel=one.origin_channel,
        since=one.created_at,
    )


_WHAT = {
    Kind.PAYOUT: What.PAYOUT,
    Kind.ONE_STEP: What.PAYOUT,
    Kind.PURCHASE: What.PURCHASE,
    Kind.BULK: What.BULK,
    Kind.BULK_CANCEL: What.BULK_CANCEL,
}


def _job(job: Job) -> Running:
    is_list = job.kind in _LISTS
    return Running(
        what=What.EMAILS if is_list else What.LOCALIZATION,
        name=str(job.payload.get("name", "")) if is_list else Order.read(job.payload).request.capability.title,
        state=job.state,
        requester=job.requester,
        channel=job.channel,
        since=job.created_at,
    )
