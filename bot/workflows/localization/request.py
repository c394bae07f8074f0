"""Requests to make a call, cancel one, or repeat one. Calls in flight are in :mod:`.running`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.domain.errors import PersonError
from bot.domain.localization import Request
from bot.domain.localization.progress import (
    LANES,
    MOST_OPEN,
    REPEATABLE,
    STOPPABLE,
    SUBJECT,
    CallProgress,
    CallState,
    CallView,
    Order,
    lane_of,
)
from bot.domain.reasons import OfCall, Reason
from bot.domain.references import ulid
from bot.workflows.context import Context, Unit
from bot.workflows.holding import silent_services
from bot.workflows.slack.boards import post_job, show_board
from storage.errors import CommitUnknown
from storage.rows import Job
from storage.transaction import Tx

_MOST = 1_000
"""Jobs of a lane that are looked through for a position in the queue."""

_SLIP = timedelta(seconds=5)
"""Time within which a repeated press by the same person counts as accidental."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """A checked request.

    Attributes:
        source_key: idempotency key, by the command, form or click that asked.
        pressed: made by a button that stays visible: a second press by the same person for the same call, within
        seconds, makes no second one either, in any process.
    """

    request: Request
    file_name: str = ""
    requester: str
    channel: str
    thread_ts: str | None = None
    source_key: str
    pressed: bool = False


async def request_call(ctx: Context, requested: RequestedCall) -> CallView:
    """Store the request as a job and queue its message, durably; it begins as soon as there is room."""
    order = Order(request=requested.request.complete(), file_name=requested.file_name)
    job = _job(requested, order, now=ctx.clock.now())
    return await _store(ctx, job, known=_pressed_before if requested.pressed else _requested_before)


def _requested_before(tx: Tx, job: Job) -> Job | None:
    """The call that the same command, form or click made."""
    return tx.jobs.by_source(job.source_key)


def _pressed_before(tx: Tx, job: Job) -> Job | None:
    """The same, or the call that a press made a moment ago, unless it was canceled since."""
    lately = tx.jobs.lately(job.requester, job.kind, since=job.created_at - _SLIP)
    alike = (one for one in lately if _same(one, job) and one.state != CallState.CANCELED)
    return _requested_before(tx, job) or next(alike, None)


def _same(one: Job, other: Job) -> bool:
    """Whether both request the same for the same thread."""
    return (one.channel, one.thread_ts, Order.read(one.payload)) == (
        other.channel,
        other.thread_ts,
        Order.read(other.payload),
    )


async def _store(ctx: Context, job: Job, *, known: Callable[[Unit, Job], Job | None]) -> CallView:
    def work(uow: Unit) -> CallView:
        before = known(uow, job)  # write transactions are serialized, across processes too
        if before is None and room_in(uow, job.requester, job.kind) < 1:
            raise too_many()
        if before is not None or not post_job(uow, job, subject_of(job.id)):
            return sight_in(uow, before or job)
        show_queue(uow, job.kind)  # requesters with many calls move back
        return sight_in(uow, job)

    try:
        stored = await ctx.write(work, name="localize", wakes=False)
    except CommitUnknown:
        found = await ctx.read(lambda uow: known(uow, job))
        if found is None:
            raise
        stored = await ctx.read(lambda uow: sight_in(uow, found))
    ctx.wake()
    return stored


def _job(requested: RequestedCall, order: Order, *, now: datetime) -> Job:
    return Job(
        id=ulid(now),
        kind=lane_of(order.request.capability),
        state=CallState.WAITING,
        payload=order.payload(),
        detail={},
        requester=requested.requester,
        channel=requested.channel,
        thread_ts=requested.thread_ts,
        source_key=requested.source_key,
        created_at=now,
        due_at=now,
    )


async def cancel(ctx: Context, job_id: str, *, person: str) -> CallView | None:
    """Cancel a call, in whichever process it runs; None when there is no such call.

    It was canceled when the state says so and ``progress.by`` is the person.
    """

    def work(uow: Unit) -> CallView | None:
        job = find(uow, job_id)
        if job is None or CallState(job.state) not in STOPPABLE:
            return None if job is None else sight_in(uow, job)
        progress = CallProgress.read(job.detail).but(by=person, ended_at=uow.now)
        changed = uow.jobs.move(job, CallState.CANCELED, detail=progress.detail())
        show_queue(uow, job.kind)
        return sight_in(uow, changed or job)

    found = await ctx.write(work, name="cancel_localization", wakes=False)
    if found is not None and found.state is CallState.CANCELED:
        sending = ctx.localization.calls.sending.get(job_id)
        if sending is not None:
            sending.ended.set()
    ctx.wake()
    return found


async def repeat(ctx: Context, job_id: str, *, person: str) -> CallView | None:
    """Repeat a call that ended without a result; None when there is none to repeat.

    Two simultaneous presses make one call.
    """
    now = ctx.clock.now()

    def work(uow: Unit) -> tuple[Job, Job] | None:
        job = find(uow, job_id)
        if job is None or CallState(job.state) not in REPEATABLE:
            return None
        progress = CallProgress.read(job.detail)
        if progress.again:
            return None
        order = replace(Order.read(job.payload), again_of=job_id)
        requested = RequestedCall(
            request=order.request,
            requester=person,
            channel=job.channel,
            thread_ts=job.thread_ts,
            source_key=f"again:{job_id}",
        )
        new = _job(requested, order, now=now)
        detail = progress.but(again=new.id, by=progress.by or person).detail()
        changed = uow.jobs.touch(job, show=True, detail=detail)
        if changed is None or not post_job(uow, new, subject_of(new.id)):
            return None
        return job, new

    both = await ctx.write(work, name="repeat_localization", wakes=False)
    if both is None:
        return None
    ctx.wake()
    return await ctx.read(lambda uow: sight_in(uow, both[1]))


async def sight_of(ctx: Context, job_id: str) -> CallView | None:
    """A call as displayed now."""
    now = ctx.clock.now()

    def work(uow: Unit) -> CallView | None:
        job = find(uow, job_id)
        if job is None:
            return None
        return replace(sight_in(uow, job), silent_since=silent_services(uow, uow.now).get("localization"))

    found = await ctx.read(work)
    if found is None or found.progress.started_at is None:
        return found
    until = found.progress.ended_at or now
    elapsed = max((until - found.progress.started_at).total_seconds(), 0.0)
    sending = ctx.localization.calls.sending.get(job_id)
    percent = sending.percent if sending is not None else None
    return replace(found, elapsed=elapsed, percent=percent)


def find(tx: Tx, job_id: str) -> Job | None:
    """The job with this id, if it is one of ours."""
    job = tx.jobs.get(job_id)
    return job if job is not None and job.kind in LANES else None


def sight_in(tx: Tx, job: Job) -> CallView:
    """A job as displayed, without the elapsed time."""
    state = CallState(job.state)
    return CallView(
        id=job.id,
        order=Order.read(job.payload),
        state=state,
        progress=CallProgress.read(job.detail),
        requester=job.requester,
        position=_position(tx, job) if state is CallState.WAITING else 0,
    )


def _position(tx: Tx, job: Job) -> int:
    """Its number in the queue, from 1; 0 when there is room for it already."""
    all_open = tx.jobs.in_turn(job.kind, limit=_MOST)
    waiting = [one.id for one in all_open if one.state == CallState.WAITING]
    before = waiting.index(job.id) if job.id in waiting else len(waiting)
    return max(len(all_open) - len(waiting) + before + 1 - LANES[job.kind], 0)


async def make_sure_of_room(ctx: Context, person: str, requests: Sequence[Request]) -> None:
    """Check that there is room for all of them, before the first one is requested.

    Raises:
        PersonError: there is no room for all of them.
    """
    lane = lane_of(requests[0].capability)
    if await ctx.read(lambda uow: room_in(uow, person, lane)) < len(requests):
        raise too_many()


def room_in(tx: Tx, person: str, lane: str) -> int:
    """How many more calls of a lane this person may request now."""
    return MOST_OPEN - sum(1 for one in tx.jobs.open(lane, limit=_MOST) if one.requester == person)


def too_many() -> PersonError:
    """The error where a person's queue is full."""
    return PersonError(
        argument="queue", rule=Reason(OfCall.QUEUE_FULL, most=MOST_OPEN), example="press Cancel on a call that waits"
    )


def show_queue(uow: Unit, kind: str) -> None:
    """Redraw the waiting calls of a lane: their positions changed."""
    for job in uow.jobs.open(kind, limit=_MOST):
        if job.state == CallState.WAITING:
            show_board(uow, subject_of(job.id), progress=True)


def show_queues(uow: Unit) -> None:
    """Redraw the waiting calls of all lanes."""
    for lane in LANES:
        show_queue(uow, lane)


def subject_of(job_id: str) -> str:
    """The name of its board."""
    return f"{SUBJECT}:{job_id}"
