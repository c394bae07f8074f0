"""Requests to make a call, cancel one, or repeat one. Calls in flight are in :mod:`.running`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.errors import PersonError
from bot.domain.localization.progress import (
    DOCUMENT_LANE,
    LANES,
    MOST_OPEN,
    PIECE_LANE,
    REPEATABLE,
    STOPPABLE,
    CallProgress,
    CallState,
    CallView,
    Order,
    Undone,
    lane_of,
)
from bot.domain.localization.request import Request
from bot.domain.reasons import OfCall, Reason
from bot.domain.references import ulid
from bot.workflows.context import Context, Unit
from bot.workflows.effect import silent_services
from bot.workflows.localization.documents import repeated, stop, through
from bot.workflows.slack.boards import post_job, show_board
from bot.workflows.slack.dropped_files import offer_of
from storage.errors import CommitUnknown
from storage.rows import Job
from storage.transaction import Tx

_MOST = 1_000
"""Jobs of a lane that are looked through for a position in the queue."""

_SLIP = timedelta(seconds=5)
"""Time within which a repeated press by the same person counts as accidental."""


async def request_call(
    ctx: Context,
    request: Request,
    *,
    by: str,
    channel: str,
    source_key: str,
    file_name: str = "",
    thread_ts: str | None = None,
    pressed: bool = False,
) -> CallView:
    """Store a checked request as a job and queue its message, durably; it begins as soon as there is room.

    ``source_key``: of the command, form or click that asked. ``pressed``: by a button that stays, where a second
    press by the same person for the same call, within seconds, makes no second one, in any process.
    """
    order = Order(request=request.complete(), file_name=file_name, guessed=request.guesses_source)
    lane, now = lane_of(order.request, ctx.localization.characters), ctx.clock.now()
    job = _job(order, lane, by=by, channel=channel, thread_ts=thread_ts, source_key=source_key, now=now)

    def known(uow: Unit) -> Job | None:
        before = uow.jobs.by_source(source_key)
        if before is not None or not pressed:
            return before
        alike = (
            one
            for one in uow.jobs.lately(by, job.kind, since=job.created_at - _SLIP)
            if (one.channel, one.thread_ts, Order.read(one.payload)) == (channel, thread_ts, order)
        )
        return next((one for one in alike if one.state != CallState.CANCELED), None)

    def work(uow: Unit) -> CallView:
        before = known(uow)  # write transactions are serialized, across processes too
        if before is None and room_in(uow, by, job.kind) < 1:
            raise too_many()
        offer = offer_of(uow, request.file, channel=channel)
        if before is not None or not post_job(uow, job, shown_in=offer):
            return sight_in(uow, before or job)
        show_queue(uow, job.kind)  # requesters with many calls move back
        return sight_in(uow, job)

    try:
        stored = await ctx.write(work, name="localize", wakes=False)
    except CommitUnknown:
        found = await ctx.read(known)
        if found is None:
            raise
        stored = await ctx.read(lambda uow: sight_in(uow, found))
    ctx.wake()
    return stored


def _job(
    order: Order, lane: str, *, by: str, channel: str, thread_ts: str | None, source_key: str, now: datetime
) -> Job:
    return Job(
        id=ulid(now),
        kind=lane,
        state=CallState.WAITING,
        payload=order.payload(),
        detail={},
        requester=by,
        channel=channel,
        thread_ts=thread_ts,
        source_key=source_key,
        created_at=now,
        due_at=now,
    )


async def cancel(ctx: Context, job_id: str, *, person: str) -> CallView | None:
    """Cancel a call in whichever process it runs, and what it is now; None when there is no such call."""

    def work(uow: Unit) -> CallView | None:
        job = find(uow, job_id)
        if job is None or CallState(job.state) not in STOPPABLE:
            return None if job is None else sight_in(uow, job)
        if job.kind == DOCUMENT_LANE and job.state == CallState.RUNNING:
            return sight_in(uow, stop(uow, job, by=person) or job)
        progress = CallProgress.read(job.detail).but(by=person, ended_at=uow.now)
        changed = uow.jobs.move(job, CallState.CANCELED, detail=progress.detail())
        show_queue(uow, job.kind)
        return sight_in(uow, changed or job)

    found = await ctx.write(work, name="cancel_localization", wakes=False)
    sending = ctx.localization.calls.sending.get(job_id)
    if found is not None and found.state is CallState.CANCELED and sending is not None:
        sending.ended.set()
    ctx.wake()
    return found


async def repeat(ctx: Context, job_id: str, *, person: str) -> CallView | None:
    """Repeat a call that ended without a result, once; None when there is none to repeat."""
    now = ctx.clock.now()

    def work(uow: Unit) -> Job | None:
        job = find(uow, job_id)
        progress = CallProgress() if job is None else CallProgress.read(job.detail)
        if job is None or not (job.state in REPEATABLE or progress.undone != Undone()) or progress.again:
            return None
        order = replace(Order.read(job.payload), again_of=job_id)
        source = f"again:{job_id}"
        new = _job(order, job.kind, by=person, channel=job.channel, thread_ts=job.thread_ts, source_key=source, now=now)
        new = repeated(uow, job, new) or new
        changed = uow.jobs.touch(job, show=True, detail=progress.but(again=new.id, by=progress.by or person).detail())
        offer = offer_of(uow, order.request.file, channel=new.channel)
        return new if changed is not None and post_job(uow, new, shown_in=offer) else None

    new = await ctx.write(work, name="repeat_localization", wakes=False)
    if new is None:
        return None
    ctx.wake()
    return await ctx.read(lambda uow: sight_in(uow, new))


async def sight_of(ctx: Context, job_id: str) -> CallView | None:
    now = ctx.clock.now()

    def work(uow: Unit) -> CallView | None:
        job, silent = find(uow, job_id), silent_services(uow, uow.now).get("localization")
        return None if job is None else replace(sight_in(uow, job), silent_since=silent)

    found = await ctx.read(work)
    if found is None or found.progress.started_at is None:
        return found
    elapsed = max(((found.progress.ended_at or now) - found.progress.started_at).total_seconds(), 0.0)
    sending = ctx.localization.calls.sending.get(job_id)
    return replace(found, elapsed=elapsed, percent=None if sending is None else sending.percent)


def find(tx: Tx, job_id: str) -> Job | None:
    job = tx.jobs.get(job_id)
    return job if job is not None and job.kind in LANES else None


def sight_in(tx: Tx, job: Job) -> CallView:
    """A job as displayed, without the elapsed time."""
    state, position = CallState(job.state), 0
    if state is CallState.WAITING:  # its number in the queue, from 1; 0 when there is room for it already
        all_open = tx.jobs.in_turn(job.kind, limit=_MOST)
        waiting = [one.id for one in all_open if one.state == CallState.WAITING]
        before = waiting.index(job.id) if job.id in waiting else len(waiting)
        position = max(len(all_open) - len(waiting) + before + 1 - LANES[job.kind], 0)
    counted = job.kind == DOCUMENT_LANE and state is CallState.RUNNING
    return CallView(
        id=job.id,
        order=Order.read(job.payload),
        state=state,
        progress=CallProgress.read(job.detail),
        requester=job.requester,
        position=position,
        through=through(tx, job) if counted else 0,
    )


async def make_sure_of_room(ctx: Context, person: str, requests: Sequence[Request]) -> None:
    """Check that there is room for all of them, before the first one is requested; ``PersonError``: there is not."""
    lane = lane_of(requests[0], ctx.localization.characters)
    if await ctx.read(lambda uow: room_in(uow, person, lane)) < len(requests):
        raise too_many()


def room_in(tx: Tx, person: str, lane: str) -> int:
    return MOST_OPEN - sum(1 for one in tx.jobs.open(lane, limit=_MOST) if one.requester == person)


def too_many() -> PersonError:
    return PersonError(
        argument="queue", rule=Reason(OfCall.QUEUE_FULL, most=MOST_OPEN), example="press Cancel on a call that waits"
    )


def show_queue(uow: Unit, kind: str) -> None:
    if kind == PIECE_LANE:  # its document says how far it is
        return
    for job in uow.jobs.open(kind, limit=_MOST):
        if job.state == CallState.WAITING:
            show_board(uow, job.subject, progress=True)


def show_queues(uow: Unit) -> None:
    for lane in LANES:
        show_queue(uow, lane)
