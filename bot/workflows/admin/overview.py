"""Overall status, read in one transaction, and lists of open requests, jobs and bookings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import structlog

from bot.domain.approvals import Membership, Role, listed
from bot.domain.bookings.booking import CLOSED, Booking, Stage
from bot.domain.emails.lists import RUN, WHOLE
from bot.domain.errors import ServiceTrouble
from bot.domain.localization.progress import LANES, Order
from bot.domain.overview import Counts, Overview, Running, ServiceStatus, UnderWay, WaitingRequest, What
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State
from bot.domain.payments.lookups import CHECK
from bot.domain.payments.moves import APPROVED
from bot.domain.services import DELIVERY, EMAIL_FILES, EMAILS, EMAILS_ALONE, LOCALIZATION, PAYMENTS
from bot.slack.messenger import Messenger, Posted
from bot.workflows.admin.health import read_health
from bot.workflows.context import Context, Unit
from bot.workflows.effect import silent_services
from bot.workflows.requests.announce import Place, subject_of
from bot.workflows.requests.authority import frozen, refusal_of
from bot.workflows.requests.reach import short_of
from bot.workflows.requests.request import with_votes
from storage.rows import Board, Job
from storage.transaction import Tx

log = structlog.get_logger(__name__)

MOST = 50
"""Most open rows of each kind in one list."""

MOST_IN_A_FILE: Final = 100_000
"""Most open rows of each kind in a file."""
_OPEN = tuple(state for state in State if state not in FINAL)

WAITING: Final = (State.AWAITING, State.NEEDS_HUMAN)
"""States in which people decide."""
_LEFT_OUT = frozenset(stage.value for stage in (*CLOSED, Stage.QUOTED))


def services(uow: Unit) -> tuple[ServiceStatus, ...]:
    silent, health, emails = silent_services(uow, uow.now), read_health(uow), uow.ctx.emails
    named = [
        (PAYMENTS, uow.ctx.payments.missing),
        (LOCALIZATION, uow.ctx.localization.missing),
        (DELIVERY, uow.ctx.delivery.missing),
    ]
    if emails.missing or not (emails.missing_single or emails.missing_files):
        named.append((EMAILS, emails.missing))
    else:  # the two halves separately, if only one is configured
        named += [(EMAILS_ALONE, emails.missing_single), (EMAIL_FILES, emails.missing_files)]
    alone = {EMAILS_ALONE: health.get("email_single"), EMAIL_FILES: health.get("email_bulk")}
    health |= {name: one for name, one in alone.items() if one is not None}
    halves = [one for one in alone.values() if one is not None]
    if halves:  # the service is only as healthy as its worse half
        health[EMAILS] = max(halves, key=lambda one: (one.fault is not None, one.at))
    return tuple(
        ServiceStatus(name=name, missing=missing, silent_since=silent.get(name), health=health.get(name))
        for name, missing in named
    )


async def overview(ctx: Context) -> Overview:

    def work(uow: Unit) -> Overview:
        queues = uow.queues.waiting(ctx.clock.now())
        return Overview(
            services=services(uow),
            under_way=_counts(uow),
            oldest={name: queues[name].oldest for name in ("messages", "callbacks", "webhooks", "files")},
            frozen=frozen(uow),
            blocking=sum(one.blocks for one in ctx.assumptions),
        )

    return await ctx.read(work)


def _counts(tx: Tx) -> Counts:
    """Count open requests, jobs and bookings, which ``status`` counts and ``jobs`` lists."""
    requests = tx.instructions.counts().items()
    return Counts(
        requests={(kind, state): count for (kind, state), count in requests if state in _OPEN},
        jobs=tx.jobs.counts(),
        bookings={stage: count for stage, count in tx.bookings.counts().items() if stage not in _LEFT_OUT},
    )


async def under_way(ctx: Context, *, most: int = MOST) -> UnderWay:
    """Return open requests, jobs and bookings, oldest first, up to ``most`` rows of each kind."""

    def work(uow: Unit) -> UnderWay:
        asked = uow.instructions.awaiting(_OPEN, limit=most)
        found = [_running(one, one.kind, one.reference, one.state.value, one.origin_channel) for one in asked]
        found += [shown for job in uow.jobs.open(limit=most) if (shown := running_job(job)) is not None]
        for one in uow.bookings.open(limit=most):
            found.append(_running(one, What.BOOKING, one.reference, one.status or one.stage.value, one.channel))
        return UnderWay(rows=sorted(found, key=lambda one: one.since), total=_counts(uow).total)

    return await ctx.read(work)


def running_job(job: Job) -> Running | None:
    """Return the list row for a job that people requested, None for an internal kind of job."""
    if job.kind not in (RUN, WHOLE, CHECK, *LANES):
        return None
    what, name = What.CHECK if job.kind == CHECK else What.EMAILS, str(job.payload.get("name", ""))
    if job.kind in LANES:
        what, name = What.LOCALIZATION, Order.read(job.payload).request.capability.title
    return _running(job, what, name, job.state, job.channel)


def _running(one: Instruction | Job | Booking, what: Kind | What, name: str, state: str, channel: str) -> Running:
    return Running(what=what, name=name, state=state, requester=one.requester, channel=channel, since=one.created_at)


async def decisions(ctx: Context, standing: Membership, user: str, laid: Sequence[str] = ()) -> list[WaitingRequest]:
    """Return the requests waiting for approvers that this person may see, first those that they could decide.

    ``laid`` contains the ids of requests in the shown list, which keep their places whatever their state is now.
    """
    sees_all = any(listed(role, standing, ctx.policy.people) for role in Role)

    def waiting(uow: Unit) -> tuple[list[WaitingRequest], dict[str, Board]]:
        waits = {one.id: one for one in uow.instructions.awaiting(WAITING)}
        over = [one for name in laid if name not in waits and (one := uow.instructions.get(name)) is not None]
        told, cards = list[WaitingRequest](), dict[str, Board]()
        for one, votes in with_votes(uow, (one for one in (*waits.values(), *over) if one.kind in APPROVED)):
            if sees_all or one.requester == user:
                is_over, voted = one.id not in waits, user in [vote.person for vote in votes]
                mine = not (is_over or voted) and refusal_of(uow, one, standing) is None
                card = uow.boards.get(subject_of(one.id, Place.APPROVALS))
                cards |= {one.id: card} if card is not None and card.ts else {}
                settled = one.id in laid and (is_over or voted)
                short = short_of(uow, one)
                told.append(WaitingRequest(one, votes, mine, short, is_over=is_over, is_settled=settled))
        return told, cards

    told, cards = await ctx.read(waiting)
    links = await links_to(ctx.messenger, cards)
    found = (replace(one, link=links.get(one.instruction.id, "")) for one in told)
    places = {name: place for place, name in enumerate(laid)}
    return sorted(found, key=lambda one: (places.get(one.instruction.id, len(laid)), not one.mine, one.instruction.id))


async def links_to(messenger: Messenger, boards: Mapping[str, Board]) -> dict[str, str]:
    """Links to posted messages, under the keys of their boards; empty or short if Slack doesn't give them."""
    links: dict[str, str] = {}
    try:
        for key, board in boards.items():
            links[key] = await messenger.link(Posted(board.channel, board.ts))
    except ServiceTrouble as silent:  # don't request the other links: each would wait as long
        log.info("messages shown without links", reason=str(silent.reason))
    return links
