"""Result files, streamed into the thread of their call: each is posted once, or searched for after a crash."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any

from bot.domain.errors import OutcomeUnknown, PersonError, ServiceNever, ServiceNow
from bot.domain.files.sniffing import FileKind, sniff, true_name
from bot.domain.localization.progress import (
    BATCH_LANE,
    CallProgress,
    CallState,
    Handed,
    ResultFile,
)
from bot.domain.localization.results import SOUNDS, Tracks, seconds_of
from bot.domain.reasons import NO_PLACE, Exchange, OfCall, Reason
from bot.domain.tracking import back_off
from bot.domain.troubles import failed
from bot.presentation import localization as texts
from bot.presentation.files import batches
from bot.slack.messenger import Stretch
from bot.workflows.context import Context, Unit
from bot.workflows.keeping import keep
from bot.workflows.localization.archive import batch_in, keep_result
from bot.workflows.localization.documents import board_of, ended, tell_end
from bot.workflows.localization.request import show_queue, sight_of
from bot.workflows.localization.results import end, wait_for_names
from bot.workflows.localization.spool import LARGEST_RESULT, Spool
from bot.workflows.slack.outbox import posted_between
from storage.rows import Job

_HEAD = 64 * 1024
_TRIES = 5
_LOOKS, _LOOK_PAUSE = 40, 0.25


async def hand_over(ctx: Context, job: Job, *, spool: Spool | None) -> None:
    """Post every missing file in the thread; ``spool`` is the file that was the answer itself, lost after a restart."""
    for number in range(len(CallProgress.read(job.detail).deliveries)):
        handed = await _hand_one(ctx, job, number, spool)
        if handed is None:
            return
        job = handed
    done, progress = job, CallProgress.read(job.detail)
    lost = {one.track.name for one in progress.deliveries if one.state is Handed.LOST}
    if isinstance(progress.result, Tracks) and lost >= {one.name for one in progress.result.tracks}:
        await end(ctx, job, CallState.FAILED, reason=progress.reason)
        return
    await keep(ctx, lambda uow: _close(uow, done), name="localization_done")
    ctx.wake()


async def _hand_one(  # noqa: C901, PLR0911 - one return per outcome
    ctx: Context, job: Job, number: int, spool: Spool | None
) -> Job | None:
    """Hand over one file; return the updated job, or None if it continues later or has ended."""
    progress = CallProgress.read(job.detail)
    delivery = progress.deliveries[number]
    if delivery.state in (Handed.THERE, Handed.LOST):
        return job
    known = delivery.state
    try:
        batch = await ctx.read(lambda uow: batch_in(uow, job))
        if delivery.state is Handed.MAYBE and not batch:
            # Slack may not list an uploaded file yet. A time in the future is from an earlier process whose clock was
            # ahead: it sent the file long enough ago.
            sent = progress.sent_at or job.created_at
            seen_from = sent + timedelta(seconds=ctx.localization.calls.look_seconds)
            if sent <= ctx.clock.now() < seen_from:
                await ctx.write(
                    lambda uow: uow.jobs.touch(job, due_at=seen_from), name="localization_look", wakes=False
                )
                return None
            channel, thread_ts = await _where(ctx, job)
            oldest, _ = posted_between(ctx, job.created_at)
            names = {delivery.name, *(f"{PurePosixPath(delivery.name).stem}.{ending}" for ending in SOUNDS)}
            stretch = Stretch(channel=channel, thread_ts=thread_ts, oldest=oldest)
            if await ctx.messenger.find(stretch, names=names) is not None:
                return await _mark(ctx, job, number, Handed.THERE)
        if not delivery.track.url and spool is None:
            await end(ctx, job, CallState.INTERRUPTED, reason=Reason(OfCall.RESULT_LOST))
            return None
        if batch:
            return await _keep_one(ctx, job, number, spool, batch=batch)
        # Stored before sending, so that after a crash the next process searches first.
        marked = await _mark(ctx, job, number, Handed.MAYBE, sent_at=ctx.clock.now())
        if marked is None:
            return None
        job, known = marked, Handed.NEW
        await _put(ctx, job, delivery, spool)
    except ServiceNow as later:
        # The search failed, so nothing new is known.
        reason, asked = failed(later, advice=False), later.retry_after
        return await _later(ctx, job, number, known, reason=reason, spool=spool, asked=asked)
    except OutcomeUnknown as lost:
        return await _later(ctx, job, number, Handed.MAYBE, reason=lost.reason, spool=spool)
    except ServiceNever as refused:
        # The other files are still handed over.
        return await _mark(ctx, job, number, Handed.LOST, reason=_not_handed_over(refused), tries=0)
    return await _mark(ctx, job, number, Handed.THERE)


async def _keep_one(ctx: Context, job: Job, number: int, spool: Spool | None, *, batch: str) -> Job | None:
    try:
        await keep_result(ctx, job, CallProgress.read(job.detail).deliveries[number], spool, batch=batch)
    except PersonError as full:
        reason = full.rule if isinstance(full.rule, Reason) else None
        return await _mark(ctx, job, number, Handed.LOST, reason=reason)
    return await _mark(ctx, job, number, Handed.THERE)


def _not_handed_over(refused: ServiceNever) -> Reason:
    if refused.service == "Slack":
        return Reason(OfCall.FILE_REFUSED, why=refused.reason)
    return Reason(OfCall.SERVICE_REFUSED, service=refused.service, why=refused.reason)


async def _mark(ctx: Context, job: Job, number: int, state: Handed, **changes: Any) -> Job | None:
    """Store the state of a file; return the updated job, or None if it ended meanwhile."""
    progress = _marked(CallProgress.read(job.detail), number, state).but(**changes)
    return await keep(
        ctx, lambda uow: uow.jobs.touch(job, detail=progress.detail(), keep_lease=True), name="localization_file"
    )


def _marked(progress: CallProgress, number: int, state: Handed) -> CallProgress:
    deliveries = list(progress.deliveries)
    one = deliveries[number]
    # A used address is deleted.
    track = replace(one.track, url="") if state in (Handed.THERE, Handed.LOST) else one.track
    deliveries[number] = ResultFile(track=track, name=one.name, state=state)
    return progress.but(deliveries=tuple(deliveries))


def _close(uow: Unit, job: Job) -> None:
    progress = CallProgress.read(job.detail)
    lost, result = tuple(one.track.name for one in progress.deliveries if one.state is Handed.LOST), progress.result
    if isinstance(result, Tracks) and lost:
        there = tuple(one for one in result.tracks if one.name not in lost)
        result = Tracks(tracks=there, missing=(*result.missing, *lost))
    if progress.answer:
        wait_for_names(uow, job, progress.but(deliveries=(), result=result))
        return
    closed = uow.jobs.move(job, CallState.DONE, detail=progress.but(deliveries=(), result=result).detail())
    if closed is not None and job.kind == BATCH_LANE:
        uow.results.drop(job.id)
    if closed is not None and not ended(uow, closed):
        show_queue(uow, job.kind)
        if isinstance(result, Tracks) and result.missing:
            tell_end(uow, job, key="end")


async def _later(
    ctx: Context,
    job: Job,
    number: int,
    state: Handed,
    *,
    reason: Reason,
    spool: Spool | None,
    asked: float | None = None,
) -> Job | None:
    """Schedule a retry, up to a limit; a file that exists only in the spool is retried by this process.

    ``asked``: seconds of a Retry-After, which isn't counted as a try. Returns the job if this file is given up.
    """
    progress = _marked(CallProgress.read(job.detail), number, state)
    if asked is None and progress.tries >= _TRIES:
        return await _mark(ctx, job, number, Handed.LOST, reason=Reason(OfCall.NOT_HANDED_OVER, why=reason), tries=0)
    progress = progress.but(tries=progress.tries + (asked is None))
    maybe = any(one.state is Handed.MAYBE for one in progress.deliveries)
    named = max(ctx.localization.calls.look_seconds, asked or 0.0) if maybe else asked
    pause = back_off(first=2.0, attempts=progress.tries, ceiling=30.0, named=named)
    holds = spool is not None and spool.size > 0
    changed = await ctx.write(
        lambda uow: uow.jobs.touch(job, detail=progress.detail(), due_at=uow.now + pause, keep_lease=holds),
        name="localization_later",
        wakes=False,
    )
    if changed is not None and holds:
        await asyncio.sleep(pause.total_seconds())
        await hand_over(ctx, changed, spool=spool)
    return None


async def _put(ctx: Context, job: Job, delivery: ResultFile, spool: Spool | None) -> None:
    channel, thread_ts = await _where(ctx, job)
    try:
        await _share(ctx, job, delivery, spool, channel=channel, thread_ts=thread_ts)
    except ServiceNever as refused:
        if refused.error not in NO_PLACE:
            raise
        direct = await ctx.messenger.direct_message(job.requester)
        await _share(ctx, job, delivery, spool, channel=direct, thread_ts=None)


async def _where(ctx: Context, job: Job) -> tuple[str, str | None]:
    """Return the thread of the call's message; wait for the message, which may be later than a quick service."""
    for _ in range(_LOOKS):
        board = await ctx.read(lambda uow: uow.boards.get(board_of(job)))
        if board is None:
            return job.channel, job.thread_ts
        if board.thread is not None:
            return board.channel, board.thread
        ctx.wake()
        await asyncio.sleep(_LOOK_PAUSE)
    raise ServiceNow("Slack", Reason(Exchange.SLACK_MESSAGE_MISSING))


async def _share(
    ctx: Context, job: Job, delivery: ResultFile, spool: Spool | None, *, channel: str, thread_ts: str | None
) -> None:
    async with AsyncExitStack() as stack:
        chunks: AsyncIterator[bytes]
        length: int | None
        if not delivery.track.url and spool is not None:
            chunks, length = spool.chunks(), spool.size
        else:
            opened = ctx.localization.results.open(delivery.track.url, service="localization", limit=LARGEST_RESULT)
            result = await stack.enter_async_context(opened)
            chunks, length = result, result.length
        head, whole = await _begun(chunks)
        found = sniff(head, delivery.name)
        name = true_name(delivery.name, found.format if found.kind is FileKind.AUDIO else "")
        if name != delivery.name:  # the bytes require another extension than the service's
            delivery = replace(delivery, name=name, track=replace(delivery.track, extension=found.format))
        seconds = seconds_of(head, length or 0) if length else None
        sight = await sight_of(ctx, job.id)
        if sight is None:
            return
        about = batches.about_archive(sight) if job.kind == BATCH_LANE else None
        alt, comment = about or texts.about_file(sight, delivery.track, seconds)
        await ctx.files.share(
            name=delivery.name,
            content=whole,
            length=length,
            title=delivery.name,
            alt=alt,
            comment=comment,
            channel=channel,
            thread_ts=thread_ts,
        )


async def _begun(source: AsyncIterator[bytes]) -> tuple[bytes, AsyncIterator[bytes]]:
    """Return the first bytes of a stream, and the whole stream including them."""
    held: list[bytes] = []
    while sum(map(len, held)) < _HEAD:
        try:
            held.append(await anext(source))
        except StopAsyncIteration:
            break

    async def whole() -> AsyncIterator[bytes]:
        for chunk in held:
            yield chunk
        async for chunk in source:
            yield chunk

    return b"".join(held), whole()
