"""Request, cancel or repeat a call. Calls in flight are in :mod:`.running`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.errors import PersonError
from bot.domain.files.dropped import DroppedFile
from bot.domain.localization.progress import (
    BATCH_LANE,
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
    batch_of,
    lane_of,
)
from bot.domain.localization.request import SOURCE, Request
from bot.domain.reasons import OfCall, Reason
from bot.domain.references import ulid
from bot.workflows.context import Context, Unit
from bot.workflows.effect import silent_services
from bot.workflows.localization.batches import (
    LOOK_AGAIN,
    calls_for,
    problems_of,
    repeated_batch,
    settle_batch,
)
from bot.workflows.localization.documents import is_quiet, repeated, stop, through
from bot.workflows.presets import remember
from bot.workflows.slack.boards import add_quietly, post_job, show_board
from bot.workflows.slack.dropped_files import offer_of
from storage.errors import CommitUnknown
from storage.rows import Job
from storage.sealing import SealError
from storage.transaction import Tx

_MOST = 1_000
"""Most jobs of a lane that are read to find a position in the queue."""

_SLIP = timedelta(seconds=5)
"""Time within which a repeated click by the same person counts as accidental."""


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
    private: bool = False,
    response_url: str = "",
) -> CallView:
    """Store a checked request as a job and queue its message, durably; it starts as soon as there is room.

    ``source_key`` identifies the command, form or click. ``pressed``: requested by a button that stays, so a second
    click by the same person for the same call within seconds is ignored, in any process. ``private``: only the
    requester sees the answer to a text, at ``response_url`` as long as that can be used.
    """
    order = Order(request=request.complete(), file_name=file_name, guessed=request.guesses_source)
    order = replace(order, private=private and is_whispered(order.request))
    lane, now = lane_of(order.request, ctx.localization.characters), ctx.clock.now()
    job = _job(order, lane, by=by, channel=channel, thread_ts=thread_ts, source_key=source_key, now=now)
    job = _replying(ctx, job, response_url)
    chosen = _chosen(request, order.request)

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
        if before is not None or not _add(uow, job):
            return sight_in(uow, before or job)
        remember(uow, job.channel, order.request.operation, chosen)
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


async def request_batch(
    ctx: Context,
    request: Request,
    files: Sequence[DroppedFile],
    *,
    by: str,
    channel: str,
    thread_ts: str,
    source_key: str,
    kind: str,
) -> CallView | None:
    """Store a call for each file in one transaction; the offer of the files shows them. None if already requested.

    ``request`` is checked and refers to the file of the offer. ``kind`` is the message's word for the files.
    """
    now, whole = ctx.clock.now(), request.complete()
    order = Order(request=whole, file_name=kind)
    batch = _job(order, BATCH_LANE, by=by, channel=channel, thread_ts=thread_ts, source_key=source_key, now=now)
    progress = CallProgress(started_at=now, parts=len(files))
    batch = replace(batch, state=CallState.RUNNING, detail=progress.detail(), due_at=now + LOOK_AGAIN)
    calls = calls_for(batch, request, files, characters=ctx.localization.characters)

    def work(uow: Unit) -> CallView | None:
        lately = uow.jobs.lately(by, BATCH_LANE, since=now - _SLIP)
        alike = any(
            (one.channel, Order.read(one.payload)) == (channel, order) and one.state == CallState.RUNNING
            for one in lately
        )
        if alike or uow.jobs.by_source(source_key) is not None:
            return None
        if room_in(uow, by, BATCH_LANE) < 1:
            raise too_many()
        if not _add(uow, batch):
            return None
        for call in calls:
            uow.jobs.add(call)
        remember(uow, channel, request.operation, _chosen(request, whole))
        settle_batch(uow, batch)  # possibly none of the files fits
        return sight_in(uow, uow.jobs.get(batch.id) or batch)

    stored = await ctx.write(work, name="localize_batch", wakes=False)
    ctx.wake()
    return stored


def _chosen(request: Request, whole: Request) -> dict[str, str]:
    """Return the given or default settings, without detected ones and those that aren't sent to the service."""
    sent = {one.name for one in whole.capability.options if one.is_sent}
    shown = {SOURCE} - request.options.keys()
    return {name: value for name, value in whole.options.items() if name in sent - shown}


REPLY = "job.reply"
"""Column name in the seal of a response URL."""


def is_whispered(request: Request) -> bool:
    """Return whether the answer is text, which can be shown privately."""
    return request.capability.media is None and not request.capability.streams


_FORM = "form.reply"


def sealed(ctx: Context, response_url: str, *, person: str) -> str:
    """Return a response URL sealed for a form; empty if there is none."""
    return ctx.localization.sealer.seal(response_url, row=person, column=_FORM) if response_url else ""


def opened(ctx: Context, reply: str, *, person: str) -> str:
    """Return the response URL from a form; empty if there is none or it was sealed for another person."""
    try:
        return ctx.localization.sealer.open(reply, row=person, column=_FORM) if reply else ""
    except SealError:
        return ""


def _replying(ctx: Context, job: Job, response_url: str) -> Job:
    """Add the sealed response URL to a job with a private answer."""
    order = Order.read(job.payload)
    if not order.private or not response_url:
        return job
    sealed = ctx.localization.sealer.seal(response_url, row=job.id, column=REPLY)
    return replace(job, payload=replace(order, reply=sealed).payload())


def address_of(ctx: Context, job: Job) -> str:
    """Return the response URL for a job's answer; empty if there is none or another ``SECRET_KEY`` sealed it."""
    sealed = Order.read(job.payload).reply
    try:
        return ctx.localization.sealer.open(sealed, row=job.id, column=REPLY) if sealed else ""
    except SealError:
        return ""


def _add(uow: Unit, job: Job) -> bool:
    if is_quiet(job):
        return add_quietly(uow, job)
    order = Order.read(job.payload)
    offer = offer_of(uow, order.request.file, channel=job.channel)
    return post_job(uow, job, directly=order.private, shown_in=offer)


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
    """Cancel a call, in whichever process it runs; return its current view, or None if it doesn't exist."""

    def work(uow: Unit) -> CallView | None:
        job = find(uow, job_id)
        if job is None or CallState(job.state) not in STOPPABLE:
            return None if job is None else sight_in(uow, job)
        if job.kind == BATCH_LANE or (job.kind == DOCUMENT_LANE and job.state == CallState.RUNNING):
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


async def repeat(ctx: Context, job_id: str, *, person: str, response_url: str = "") -> CallView | None:
    """Repeat a call that ended without a complete result, once; None if there is nothing to repeat.

    ``response_url`` is where a private answer of the new call is shown.
    """
    now = ctx.clock.now()

    def work(uow: Unit) -> Job | None:
        job = find(uow, job_id)
        progress = CallProgress() if job is None else CallProgress.read(job.detail)
        if job is None or not (job.state in REPEATABLE or progress.undone != Undone()) or progress.again:
            return None
        order = replace(Order.read(job.payload), again_of=job_id, reply="")
        if order.private and job.requester != person:
            return None
        source = f"again:{job_id}"
        new = _job(order, job.kind, by=person, channel=job.channel, thread_ts=job.thread_ts, source_key=source, now=now)
        if job.kind == BATCH_LANE:
            missing = repeated_batch(uow, job, new, characters=ctx.localization.characters)
            if missing is None:
                return None
            new = missing
        else:
            new = _replying(ctx, repeated(uow, job, new) or new, response_url)
        changed = uow.jobs.touch(job, show=True, detail=progress.but(again=new.id, by=progress.by or person).detail())
        return new if changed is not None and _add(uow, new) else None

    new = await ctx.write(work, name="repeat_localization", wakes=False)
    if new is None:
        return None
    ctx.wake()
    return await ctx.read(lambda uow: sight_in(uow, new))


async def sight_of(ctx: Context, job_id: str) -> CallView | None:
    now = ctx.clock.now()

    def work(uow: Unit) -> CallView | None:
        job, silent = find(uow, job_id), silent_services(uow, uow.now).get("localization")
        return (
            None
            if job is None
            else replace(sight_in(uow, job), silent_since=silent, command=ctx.spelled("switchboard"))
        )

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
    """Return the view of a job, without the elapsed time."""
    state, position = CallState(job.state), 0
    if state is CallState.WAITING:  # its number in the queue, from 1; 0 if there is already room for it
        all_open = tx.jobs.in_turn(job.kind, limit=_MOST)
        waiting = [one.id for one in all_open if one.state == CallState.WAITING]
        before = waiting.index(job.id) if job.id in waiting else len(waiting)
        position = max(len(all_open) - len(waiting) + before + 1 - LANES[job.kind], 0)
    is_batch = job.kind == BATCH_LANE
    counted = (is_batch or job.kind == DOCUMENT_LANE) and state is CallState.RUNNING
    return CallView(
        id=job.id,
        order=Order.read(job.payload),
        state=state,
        progress=CallProgress.read(job.detail),
        requester=job.requester,
        lane=job.kind,
        channel=job.channel,
        position=position,
        through=through(tx, job) if counted else 0,
        is_batch=is_batch,
        problems=problems_of(tx, job) if is_batch else (),
    )


async def make_sure_of_room(ctx: Context, person: str, requests: Sequence[Request]) -> None:
    """Raise PersonError if there isn't room for all requests; called before the first one is stored."""
    lane = lane_of(requests[0], ctx.localization.characters)
    if await ctx.read(lambda uow: room_in(uow, person, lane)) < len(requests):
        raise too_many()


def room_in(tx: Tx, person: str, lane: str) -> int:
    """Return how many more calls a person may have; calls of a batch don't count, as they wait for other people's."""
    mine = (one for one in tx.jobs.open(lane, limit=_MOST) if one.requester == person)
    return MOST_OPEN - sum(1 for one in mine if not batch_of(one.source_key))


def too_many() -> PersonError:
    return PersonError(
        argument="queue", rule=Reason(OfCall.QUEUE_FULL, most=MOST_OPEN), example="press Cancel on a call that waits"
    )


def show_queue(uow: Unit, kind: str) -> None:
    if kind == PIECE_LANE:  # its document shows the progress
        return
    for job in uow.jobs.open(kind, limit=_MOST):
        if job.state == CallState.WAITING and not batch_of(job.source_key):
            show_board(uow, job.subject, progress=True)


def show_queues(uow: Unit) -> None:
    for lane in LANES:
        show_queue(uow, lane)
