"""Results of calls: stored, read again, closed, and their boards; texts are posted through the outbox."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from bot.domain.content import Content
from bot.domain.localization.progress import (
    DOCUMENT_LANE,
    PIECE_LANE,
    CallProgress,
    CallState,
    CallView,
    Order,
    ResultFile,
    document_of,
)
from bot.domain.localization.results import Kept, Result, Tracks
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import Reason
from bot.presentation import localization as texts
from bot.presentation.files import batches
from bot.tables.prose import write_document
from bot.workflows.context import Attachment, Context, Subject, Unit
from bot.workflows.keeping import keep
from bot.workflows.localization.batches import RESULT
from bot.workflows.localization.documents import ended, file_name, take, tell_end, text_name
from bot.workflows.localization.request import address_of, find, show_queue, sight_in, sight_of
from bot.workflows.slack.boards import post_file, post_line
from storage.rows import Job

_UNREAD = "unread"
SHARED = "shared"


async def end(ctx: Context, job: Job, state: CallState, *, reason: Reason | None) -> None:
    """Close a call, edit its message and notify the requester; do nothing if it ended meanwhile."""
    await keep(ctx, lambda uow: close(uow, job, state, reason=reason), name="end_localization")
    ctx.wake()


def close(uow: Unit, job: Job, state: CallState, *, reason: Reason | None, words: str = "") -> None:
    """Close a call like :func:`end`, in a transaction. ``words`` is the service's text about it."""
    progress = CallProgress.read(job.detail).but(ended_at=uow.now, reason=reason, words=words, deliveries=())
    if uow.jobs.move(job, state, detail=progress.detail()) is not None and not ended(uow, job):
        tell_end(uow, job, key="end")
        show_queue(uow, job.kind)


def set_aside(uow: Unit, job: Job, kept: Kept) -> None:
    """Keep an unreadable answer until a person has it read again."""
    progress = CallProgress.read(job.detail).but(ended_at=uow.now, reason=kept.reason, answer=kept.answer)
    wait_for_names(uow, job, progress)


def wait_for_names(uow: Unit, job: Job, progress: CallProgress) -> None:
    detail = progress.detail()
    kept = uow.jobs.move(job, CallState.UNREAD, detail=detail, closed_at=uow.now, due_at=None)
    if kept is not None and not ended(uow, kept):
        tell_end(uow, job, key=_UNREAD)
        show_queue(uow, job.kind)


def accept(uow: Unit, job: Job, result: Result, *, answer: str = "") -> Job | None:
    """Store the result and queue a text; return the job if files have to be handed over.

    ``answer`` is the complete answer, given if the result lacks part of it.
    """
    before = CallProgress.read(job.detail)
    progress = before.but(ended_at=before.ended_at or uow.now, reason=None, answer=answer)
    if isinstance(result, Tracks):
        order, earlier = Order.read(job.payload), before.result
        had = {one.name for one in earlier.tracks} if isinstance(earlier, Tracks) else set()
        new = [one for one in result.tracks if one.name not in had]
        if not new:
            return None
        document = document_of(job.source_key) or job.id
        deliveries = tuple(ResultFile(track=one, name=file_name(order, document, one)) for one in new)
        # The addresses of its files are kept only in the deliveries, until those are done.
        kept = replace(result, tracks=tuple(replace(one, url="") for one in result.tracks))
        detail = progress.but(result=kept, deliveries=deliveries, tries=0).detail()
        due = uow.now
        return uow.jobs.move(job, CallState.HANDING_OVER, detail=detail, closed_at=None, due_at=due, keep_lease=True)
    changed = uow.jobs.move(job, CallState.DONE, detail=progress.but(result=result).detail())
    if changed is not None and not ended(uow, changed):
        sight, subject = sight_in(uow, changed), changed.subject
        show_queue(uow, changed.kind)
        if texts.is_long(sight):  # for a private call, a direct message
            post_file(uow, subject=subject, key=RESULT, payload={"name": text_name(changed)}, last=True)
        else:
            tell_end(uow, changed, key=RESULT, what=RESULT, whole=texts.is_whole(sight))
    return None


async def read_again(ctx: Context, job_id: str) -> CallView | None:
    """Read the kept answer again with the names known by now and deliver its results, once; the service isn't called.

    Returns None if no answer is kept. The returned call is still unread if its names are still unknown.
    """

    def kept(uow: Unit) -> list[Job]:
        job = find(uow, job_id)
        if job is None or job.state != CallState.UNREAD:
            return []
        whole = uow.jobs.pieces(job) if job.kind == DOCUMENT_LANE else [job]
        return [one for one in whole if one.state == CallState.UNREAD]

    found = await ctx.read(kept)
    pieces = [one for one in found if one.kind == PIECE_LANE and not Order.read(one.payload).request.capability.streams]
    outcomes = [(one, _read(ctx, one)) for one in pieces]
    known = [(one, outcome.value) for one, outcome in outcomes if isinstance(outcome, Done)]
    if known:
        await ctx.write(lambda uow: take(uow, known), name="localization_read_pieces", wakes=False)
    for job in found:
        if job not in pieces:
            await _read_kept(ctx, job)
    ctx.wake()
    return await sight_of(ctx, job_id) if found else None


def _read(ctx: Context, job: Job) -> Done[Result] | Kept | NotExecuted | Unknown:
    request, answer = Order.read(job.payload).request, CallProgress.read(job.detail).answer
    return ctx.localization.required().read_again(request, answer)


async def _read_kept(ctx: Context, job: Job) -> None:
    answer = CallProgress.read(job.detail).answer
    match _read(ctx, job):
        case Done(value=result):
            await ctx.write(lambda uow: accept(uow, job, result), name="localization_read_again", wakes=False)
        case Kept(read=Tracks() as some):
            name = "localization_read_some"
            await ctx.write(lambda uow: accept(uow, job, some, answer=answer), name=name, wakes=False)


async def share(ctx: Context, job_id: str) -> CallView | None:
    """Post a private result in the channel of its request, once; None if there is nothing to post."""

    def work(uow: Unit) -> CallView | None:
        job = find(uow, job_id)
        if job is None or not Order.read(job.payload).private or CallProgress.read(job.detail).result is None:
            return None
        sight, payload = sight_in(uow, job), {"what": SHARED}
        if sight.is_quiet and not texts.is_long(sight):
            post_line(uow, subject=job.subject, key=SHARED, payload=payload, channel=job.channel, last=True)
        else:
            payload["name"] = text_name(job)
            post_file(uow, subject=job.subject, key=SHARED, payload=payload, channel=job.channel, last=True)
        return sight

    return await ctx.write(work, name="share_localization")


class LocalizationSubject(Subject):
    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - what it is
        sight = await sight_of(ctx, id)
        if sight is None:
            return None
        names = await _names(ctx, sight)
        return batches.board(sight, names) if sight.is_batch else texts.board(sight, names)

    async def part(self, ctx: Context, id: str) -> Content | None:  # noqa: A002
        """Return the content, or None for a call that was repeated: the repeating call shows it."""
        sight = await sight_of(ctx, id)
        if sight is None or sight.progress.again:
            return None
        names = await _names(ctx, sight)
        return batches.board(sight, names) if sight.is_batch else texts.board(sight, names, named=False)

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        sight = await sight_of(ctx, id)
        if sight is None:
            return None
        if sight.is_batch:
            return batches.failure(sight)
        if payload["what"] == SHARED:
            return texts.shared(sight, await _names(ctx, sight))
        if sight.is_quiet:
            return texts.private(sight)
        return texts.result(sight) if payload["what"] == RESULT else texts.failure(sight, await _names(ctx, sight))

    async def address(self, ctx: Context, id: str) -> str:  # noqa: A002
        job = await ctx.read(lambda uow: find(uow, id))
        return "" if job is None else address_of(ctx, job)

    async def file(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Attachment | None:  # noqa: A002
        """Return a text that is too long for a message."""
        sight = await sight_of(ctx, id)
        if sight is None:
            return None
        names = await _names(ctx, sight) if payload.get("what") == SHARED else None
        name, (alt, comment) = str(payload["name"]), texts.about_text(sight, shared_by=names)
        written = texts.long_text(sight)
        content = await asyncio.to_thread(write_document, written) if name.endswith(".docx") else written.encode()
        return Attachment(name=name, content=content, title=name, alt=alt, comment=comment)


async def _names(ctx: Context, sight: CallView) -> Mapping[str, str]:
    return await ctx.people.names([sight.requester, sight.progress.by])
