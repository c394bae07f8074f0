"""Calls in flight: a few at a time, each in a task that can be canceled.

A job is stored as running before its request is sent. A running job without an owner was interrupted by a restart: the
requester is told so, and it is not sent again automatically.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from bot.clients.localization import Upload, UploadTrouble, upload_as
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.files.dropped import HEAD_BYTES, LARGEST, FileInfo, sniff
from bot.domain.localization import Request
from bot.domain.localization.declaration import normal_format
from bot.domain.localization.progress import LANES, CallProgress, CallState, Order
from bot.domain.localization.request import file_errors
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import OfCall, Reason
from bot.domain.services import LOCALIZATION
from bot.domain.troubles import failed
from bot.workflows.context import Context, Unit
from bot.workflows.localization.request import show_queue, subject_of
from bot.workflows.localization.results import Spool, accept, end, hand_over
from bot.workflows.slack.boards import show_board
from bot.workflows.workers import Work
from storage.errors import StorageError
from storage.rows import Hold, Job

log = structlog.get_logger(__name__)

LEASE_SECONDS = 30.0
"""Six beats: after that time, another process reports a crashed call as interrupted."""


async def _take_up(ctx: Context, job: Job) -> None:
    match CallState(job.state):
        case CallState.WAITING:
            begun = await ctx.write(lambda uow: _begin(uow, job), name="begin_localization", wakes=False)
            if begun is not None:
                ctx.localization.calls.begin(begun, _beating(ctx, begun, _run(ctx, begun)))
        case CallState.HANDING_OVER:
            ctx.localization.calls.begin(job, _beating(ctx, job, hand_over(ctx, job, spool=None)))
        case _:
            await end(ctx, job, CallState.INTERRUPTED, reason=Reason(OfCall.RESTARTED))


def _begin(uow: Unit, job: Job) -> Job | None:
    progress = CallProgress.read(job.detail).but(started_at=uow.now)
    begun = uow.jobs.move(job, CallState.RUNNING, patient=True, detail=progress.detail(), keep_lease=True)
    if begun is not None:
        show_queue(uow, job.kind)
    return begun


async def _beating(ctx: Context, job: Job, work: Coroutine[Any, Any, None]) -> None:
    """Do the work with heartbeats; it is canceled when the job was ended elsewhere."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=ctx.localization.calls.beat_seconds)
            if not task.done() and not await _beat(ctx, job):
                task.cancel()
        await task
    except asyncio.CancelledError:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if ctx.localization.calls.closing:
            await _let_go(ctx, job)
    except Exception:
        # Nothing awaits this task: its error ends here, and the job says so.
        log.exception("a localization call failed", job=job.id)
        task.cancel()
        await _end_of(ctx, job.id)
    finally:
        ctx.wake()


async def _let_go(ctx: Context, job: Job) -> None:
    """End the lease, so that the next process says at once that this was interrupted."""
    now = ctx.clock.now()
    try:
        await ctx.write(lambda uow: uow.jobs.extend(job.id, owner=ctx.owner, until=now), name="let_go", wakes=False)
    except StorageError:
        log.info("the lease of a call runs out by itself", job=job.id)


async def _end_of(ctx: Context, job_id: str) -> None:
    job = await ctx.read(lambda uow: uow.jobs.get(job_id))
    if job is not None and job.closed_at is None:
        await end(ctx, job, CallState.FAILED, reason=Reason(OfCall.BROKEN))


async def _beat(ctx: Context, job: Job) -> bool:
    """Renew the lease and show the elapsed time; False when this process no longer holds the job."""
    now = ctx.clock.now()

    def work(uow: Unit) -> bool:
        held = uow.jobs.extend(job.id, owner=ctx.owner, until=now + timedelta(seconds=LEASE_SECONDS))
        if held:
            show_board(uow, subject_of(job.id), progress=True)
        return held

    try:
        held = await ctx.write(work, name="localization_beat", wakes=False)
    except StorageError:
        return True  # the call goes on; the next beat may be stored
    ctx.wake()
    return held


async def _run(ctx: Context, job: Job) -> None:
    """Send the request once, and handle its outcome."""
    order = Order.read(job.payload)
    spool = Spool()
    try:
        outcome = await _call(ctx, job, order.request, spool)
    except UploadTrouble as broken:
        await end(ctx, job, CallState.FAILED, reason=_trouble(broken.cause))
    except SwitchboardError as trouble:
        await end(ctx, job, CallState.FAILED, reason=_trouble(trouble))
    else:
        match outcome:
            case Done(value=result):
                accepted = await accept(ctx, job, result)
                if accepted is not None:
                    await hand_over(ctx, accepted, spool=spool)
            case NotExecuted(words=words) as refused:
                await end(ctx, job, CallState.FAILED, reason=_told(refused), words=words)
            case Unknown() as lost:
                await end(ctx, job, CallState.UNKNOWN, reason=Reason(OfCall.UNKNOWN, why=lost.told))
    finally:
        spool.close()


async def _call(ctx: Context, job: Job, request: Request, spool: Spool) -> Any:
    client = ctx.localization.client
    if client is None:
        raise OperatorError(Reason(OfCall.NOT_CONFIGURED), mend=f"set {', '.join(ctx.localization.missing)}")
    if not request.file:
        return await client.run(request, sink=spool)
    info = await ctx.downloads.info(request.file)
    request = await _known(ctx, request, info)
    upload = upload_of(ctx, info, request)
    ctx.localization.calls.sending(job.id, upload)
    return await client.run(request, upload=upload, sink=spool)


async def _known(ctx: Context, request: Request, info: FileInfo) -> Request:
    """The request with the true format of its file.

    Raises:
        PersonError: the operation does not take it.
    """
    media = request.capability.media
    if media is None:
        raise PersonError(argument="file", rule=Reason(OfCall.TEXT_ONLY), example="")
    head = await ctx.downloads.head(info, most=HEAD_BYTES)
    found = sniff(head, info.name)
    seconds = info.duration_ms / 1000 if info.duration_ms else request.seconds
    errors = file_errors(media, kind=found.kind, found=found.format or "unknown", seconds=seconds)
    if errors:
        raise errors[0]
    return Request(
        operation=request.operation,
        file=request.file,
        file_format=normal_format(found.format),
        seconds=seconds,
        options=request.options,
    )


def upload_of(ctx: Context, info: FileInfo, request: Request) -> Upload:
    """The upload of the file, streamed from the workspace."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[AsyncIterator[bytes]]:
        async with ctx.downloads.open(info, limit=LARGEST) as body:
            yield body

    return upload_as(request.file_format, size=info.size, source=opened)


def _trouble(trouble: BaseException | None) -> Reason:
    match trouble:
        case PersonError():
            return Reason(OfCall.BAD_INPUT, rule=trouble.rule, example=trouble.example)
        case ServiceNow() | ServiceNever() | OperatorError():
            return failed(trouble)
        case _:
            return Reason(OfCall.FILE_CUT_OFF)


def _told(refused: NotExecuted) -> Reason:
    """Why it was not executed, without the service's words, which are shown separately."""
    return failed(replace(refused, words=""), service=LOCALIZATION)


def _lane(lane: str) -> Work[Job]:
    def claim(uow: Unit, hold: Hold) -> list[Job]:
        short: Hold = {**hold, "lease_seconds": LEASE_SECONDS}
        return uow.jobs.claim_due(kind=lane, in_turn=True, **short)

    return Work(
        name=f"localization {lane}",
        table="job",
        kind=lane,
        slots=LANES[lane],
        claim=claim,
        step=lambda ctx: partial(_take_up, ctx),
        beside=lambda ctx: LANES[lane] - ctx.localization.calls.room(lane),
    )


WORKS = tuple(_lane(lane) for lane in LANES)
"""Begin what waits, as far as there is room."""
