"""Calls: a few at a time, each sent once.

A job is stored as running before its request is sent. A running job without an owner was interrupted by a restart: the
requester is notified, and it isn't sent again automatically.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

import structlog

from bot.clients.localization import Upload, UploadTrouble, upload_as
from bot.clients.transport import Guard
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.files.dropped import LARGEST
from bot.domain.files.sniffing import HEAD_BYTES, sniff
from bot.domain.localization.declaration import normal_format
from bot.domain.localization.detection import load
from bot.domain.localization.pieces import form_of, is_subtitled, unclear_lines
from bot.domain.localization.progress import BATCH_LANE, DOCUMENT_LANE, LANES, CallProgress, CallState, Order, Undone
from bot.domain.localization.request import Request, file_errors, request_errors
from bot.domain.localization.results import Kept, Result, Tracks
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import OfCall, Reason
from bot.domain.services import LOCALIZATION
from bot.domain.troubles import failed
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Permit, once
from bot.workflows.keeping import keep
from bot.workflows.localization.archive import pack
from bot.workflows.localization.documents import begin, board_of, give_up_rest, look_again, pieces_for, put_off
from bot.workflows.localization.reading import read_text
from bot.workflows.localization.request import show_queue
from bot.workflows.localization.results import accept, close, end, set_aside
from bot.workflows.localization.spool import Spool
from bot.workflows.localization.uploads import hand_over
from bot.workflows.slack.boards import show_board
from bot.workflows.slack.dropped_files import playing_ms
from bot.workflows.workers import Work, elsewhere
from storage.errors import StorageError
from storage.rows import Hold, Job

log = structlog.get_logger(__name__)


async def _step(ctx: Context, job: Job) -> None:
    match CallState(job.state):
        case CallState.WAITING if job.kind == DOCUMENT_LANE:
            await _begin(ctx, job)
        case CallState.RUNNING if job.kind in (DOCUMENT_LANE, BATCH_LANE):
            await ctx.write(partial(look_again, parent=job), name="localization_parts", wakes=False)
        case CallState.WAITING:
            await _call(ctx, job)
        case CallState.HANDING_OVER if job.kind == BATCH_LANE:
            await _hand_over_archive(ctx, job)
        case CallState.HANDING_OVER:
            await hand_over(ctx, job, spool=None)
        case _:
            await end(ctx, job, CallState.INTERRUPTED, reason=Reason(OfCall.RESTARTED))
    ctx.wake()


async def _hand_over_archive(ctx: Context, job: Job) -> None:
    """Pack the archive from stored results, again after a restart, and hand it over."""
    spool = await pack(ctx, job)
    try:
        await hand_over(ctx, job, spool=spool)
    finally:
        spool.close()


async def _begin(ctx: Context, job: Job) -> None:
    """Read a document and split it. Nothing is sent yet, so it is read again after a restart."""
    order = Order.read(job.payload)
    try:
        asked = await read_text(ctx, order.request)
        for error in request_errors(asked):
            raise error
        known = replace(order.request, options=asked.options)
        order = replace(order, request=known, guessed=order.guessed or known.options != order.request.options)
        if form_of(order.file_name) == "txt" and is_subtitled(asked.text):
            order = replace(order, file_name=str(PurePosixPath(order.file_name or "subtitles").with_suffix(".srt")))
        pieces = pieces_for(job, order, asked, limit=ctx.localization.characters)
        left = Undone(unclear=unclear_lines(asked.text, form_of(order.file_name)))
    except SwitchboardError as trouble:
        await end(ctx, job, CallState.FAILED, reason=_trouble(trouble))
        return
    await keep(ctx, lambda uow: begin(uow, job, order, pieces, left=left), name="begin_document")


async def _call(ctx: Context, job: Job) -> None:
    """Check the file, claim the call, make its one request, hand over the results."""
    spool = Spool()

    def begin(uow: Unit) -> Job | None:
        progress = CallProgress.read(job.detail).but(started_at=uow.now)
        begun = uow.jobs.move(job, CallState.RUNNING, patient=True, detail=progress.detail(), keep_lease=True)
        if begun is not None:
            show_queue(uow, job.kind)
        return begun

    async def claim(permit: Permit) -> Job | None:
        return await permit.claim(
            begin,
            name="begin_localization",
            read_back=lambda uow: uow.jobs.held(job.id, CallState.RUNNING, owner=uow.owner),
        )

    try:
        asked, upload = await _prepared(ctx, Order.read(job.payload).request)

        async def send(begun: Job, guard: Guard) -> Answered:
            return await _answer(ctx, begun, partial(ctx.localization.required().run, asked, sink=spool), upload, guard)

        accepted = await once(ctx, None, claim, send, _store, name="localization_result")
        ctx.wake()
        if accepted is not None:
            await hand_over(ctx, accepted, spool=spool)
    except SwitchboardError as trouble:
        await end(ctx, job, CallState.FAILED, reason=_trouble(trouble))
    finally:
        spool.close()


Answered = Done[Result] | Kept | NotExecuted | Unknown | Reason | None
"""Outcome of a request: a Reason if it couldn't be made, None if a person ended the call."""


async def _answer(
    ctx: Context, job: Job, request: Callable[..., Awaitable[Answered]], upload: Upload | None, guard: Guard
) -> Answered:
    """Make the request; meanwhile show its elapsed time, and cancel it if a person ends the call."""

    def beat(uow: Unit) -> bool:
        """Show the elapsed time; return False if the call was ended, in whichever process."""
        found = uow.jobs.get(job.id)
        if found is None or found.version != job.version:
            return False
        show_board(uow, board_of(job), progress=True)
        return True

    with ctx.localization.calls.made(job.id) as sending:
        sending.upload = upload
        answer = asyncio.ensure_future(request(upload=upload, guard=guard))
        ended = asyncio.ensure_future(sending.ended.wait())
        try:
            while not answer.done():
                await asyncio.wait(
                    {answer, ended}, timeout=ctx.localization.calls.beat_seconds, return_when=asyncio.FIRST_COMPLETED
                )
                if answer.done():
                    break
                if ended.done():
                    return None
                with suppress(StorageError):  # the call continues; the next write may succeed
                    if not await ctx.write(beat, name="localization_beat"):
                        return None
            return await answer
        except UploadTrouble as broken:
            return _trouble(broken.cause)
        except SwitchboardError as trouble:
            return _trouble(trouble)
        except Exception:
            log.exception("a localization call failed", job=job.id)
            return Reason(OfCall.BROKEN)
        finally:
            answer.cancel()
            ended.cancel()
            await asyncio.gather(answer, ended, return_exceptions=True)


def _store(uow: Unit, job: Job, answered: Answered) -> Job | None:
    """Store the outcome of the request; return the job if files have to be handed over."""
    match answered:
        case Done(value=result):
            return accept(uow, job, result)
        case Kept(read=Tracks() as found, answer=answer):
            return accept(uow, job, found, answer=answer)
        case Kept() as kept:
            set_aside(uow, job, kept)
        case NotExecuted() as refused if put_off(uow, job, refused):
            return None
        case NotExecuted(words=words) as refused:
            # The service's words are shown separately.
            reason = failed(replace(refused, words=""), service=LOCALIZATION)
            give_up_rest(uow, job, refused, reason=reason, words=words)
            close(uow, job, CallState.FAILED, reason=reason, words=words)
        case Unknown() as lost:
            reason = Reason(OfCall.UNKNOWN, why=lost.reason)
            close(uow, job, CallState.UNKNOWN, reason=reason, words=lost.words)
        case Reason() as reason:
            close(uow, job, CallState.FAILED, reason=reason)
    return None


async def _prepared(ctx: Context, request: Request) -> tuple[Request, Upload | None]:
    """Return the request with its file's detected format, and the upload. Raises PersonError if the file is unfit."""
    if ctx.localization.client is None:
        raise OperatorError(Reason(OfCall.NOT_CONFIGURED), mend=f"set {', '.join(ctx.localization.missing)}")
    await asyncio.to_thread(load)  # the client checks the language of the text
    if not request.file:
        return request, None
    info = await ctx.downloads.info(request.file)
    media = request.capability.media
    if media is None:
        raise PersonError(argument="file", rule=Reason(OfCall.TEXT_ONLY), example="")
    found = sniff(await ctx.downloads.head(info, most=HEAD_BYTES), info.claim)
    told = await playing_ms(ctx, info, found.format) if media.max_seconds is not None else info.duration_ms
    seconds = told / 1000 if told else request.seconds
    errors = file_errors(media, kind=found.kind, found=found.format or "unknown", seconds=seconds)
    if errors:
        raise errors[0]
    known = replace(request, file_format=normal_format(found.format), seconds=seconds)
    source = partial(ctx.downloads.open, info, limit=LARGEST)
    return known, upload_as(known.file_format, size=info.size, source=source)


def _trouble(trouble: BaseException | None) -> Reason:
    match trouble:
        case PersonError():
            return Reason(OfCall.BAD_INPUT, rule=trouble.rule, example=trouble.example)
        case ServiceNow() | ServiceNever() | OperatorError():
            return failed(trouble)
        case _:
            return Reason(OfCall.FILE_CUT_OFF)


def _room(ctx: Context) -> int:
    """Return how many calls may start; only one at a time, as a probe, while the service is silent."""
    circuit = ctx.localization.calls.circuit
    if not circuit.is_silent:
        return sum(LANES.values())
    return 0 if circuit.rest or any(map(ctx.workers.running, _NAMES.values())) else 1


def _claim(uow: Unit, hold: Hold, *, lane: str) -> list[Job]:
    return elsewhere(uow, "job", uow.jobs.claim_due(kind=lane, in_turn=True, **hold))


_NAMES = {lane: f"localization {lane}" for lane in LANES}
WORKS: tuple[Work[Job], ...] = tuple(
    Work(
        name=_NAMES[lane],
        table="job",
        kind=lane,
        slots=slots,
        claim=partial(_claim, lane=lane),
        step=lambda ctx: partial(_step, ctx),
        room=_room,
        lasting=True,
    )
    for lane, slots in LANES.items()
)
"""Start waiting calls as far as there is room."""
