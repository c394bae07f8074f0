"""Batches: one operation on many files, with a separate call per file. Their results go into one archive.

The calls run in the lanes of their kinds, beside all others. Their results are kept in the database until the archive
is in the thread, so a restart loses none. A failed call doesn't stop the others.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.errors import PersonError
from bot.domain.files.dropped import DroppedFile, FileTrouble, UnusableFile
from bot.domain.localization.declaration import normal_format
from bot.domain.localization.pieces import holds_text
from bot.domain.localization.progress import (
    CallProgress,
    CallState,
    FileOutcome,
    Order,
    ResultFile,
    Undone,
    batch_key,
    batch_of,
    lane_of,
)
from bot.domain.localization.request import Request, file_errors
from bot.domain.localization.results import Track, Tracks
from bot.domain.reasons import OfCall, Reason
from bot.workflows.context import Unit
from bot.workflows.slack.boards import post_line, show_board
from storage.rows import Job
from storage.transaction import Tx

RESULT = "result"
FAILURE = "failure"
LOOK_AGAIN = timedelta(minutes=10)
"""Interval at which a job with running parts is settled again, in case a part failed to do so."""
OPEN = (CallState.WAITING, CallState.RUNNING, CallState.HANDING_OVER)
_LISTED = 5
"""Most failures listed in the message; if more files fail, an archive lists them all, even without a result."""


def calls_for(batch: Job, request: Request, files: Sequence[DroppedFile], *, characters: int) -> list[Job]:
    """Return a call for each file; for a file that the operation doesn't accept, a failed call with the reason."""
    made = []
    for number, file in enumerate(files, 1):
        seconds = file.duration_ms / 1000 if file.duration_ms else None
        asked = replace(request, file=file.id, file_format=normal_format(file.format), seconds=seconds)
        order = Order(request=asked.complete(), file_name=file.name)
        call = _call(batch, number, order, lane_of(asked, characters), now=batch.created_at)
        made.append(_unfit(call, file, asked))
    return made


def _call(batch: Job, number: int, order: Order, lane: str, *, now: datetime) -> Job:
    return Job(
        id=f"{batch.id}-{number:05}",  # sorts in order; its results are stored under it
        kind=lane,
        state=CallState.WAITING,
        payload=order.payload(),
        detail={},
        requester=batch.requester,
        channel=batch.channel,
        thread_ts=batch.thread_ts,
        source_key=batch_key(batch.id, number),
        created_at=batch.created_at,
        due_at=now,
    )


def _unfit(call: Job, file: DroppedFile, asked: Request) -> Job:
    media = asked.capability.media
    wrong: PersonError | None = None
    if media is None:
        wrong = None if holds_text(file) else UnusableFile(FileTrouble.BINARY, name=file.name)
    elif errors := file_errors(media, kind=file.kind, found=asked.file_format or "unknown", seconds=asked.seconds):
        wrong = errors[0]
    return call if wrong is None else _failed(call, wrong)


def _failed(call: Job, wrong: PersonError) -> Job:
    reason = Reason(OfCall.BAD_INPUT, rule=wrong.rule, example="")
    detail = CallProgress(reason=reason, ended_at=call.created_at).detail()
    return replace(call, state=CallState.FAILED, detail=detail, due_at=None, closed_at=call.created_at)


def is_certain(piece: Job) -> bool:
    """Return whether a piece of a document, or a call of a batch, has no result and was certainly not done."""
    progress = CallProgress.read(piece.detail)
    begun = progress.started_at is not None
    return progress.result is None and (
        piece.state == CallState.FAILED or (piece.state == CallState.CANCELED and not begun)
    )


def undone_of(pieces: Sequence[Job]) -> Undone:
    left = [(number, piece) for number, piece in enumerate(pieces, 1) if piece.state != CallState.DONE]
    unread = {number for number, piece in left if piece.state == CallState.UNREAD}
    certain = {number for number, piece in left if is_certain(piece)}
    unknown = tuple(number for number, _ in left if number not in unread | certain)
    return Undone(certain=tuple(sorted(certain)), unknown=unknown, unread=tuple(sorted(unread)))


def told(uow: Unit, call: Job) -> bool:
    """Settle the batch of a call that has ended; return False if the call isn't part of a batch."""
    name = batch_of(call.source_key)
    batch = uow.jobs.get(name) if name else None
    if batch is not None and batch.state == CallState.RUNNING:
        settle_batch(uow, batch)
    return bool(name)


def settle_batch(uow: Unit, batch: Job) -> None:
    """Show a batch's progress; once all its calls have ended, start its archive, or end it if it has no results."""
    states = uow.jobs.piece_states(batch)
    if any(states[state] for state in OPEN):
        show_board(uow, batch.subject, progress=True)
        return
    calls = uow.jobs.pieces(batch)
    progress = CallProgress.read(batch.detail).but(ended_at=uow.now, undone=undone_of(calls))
    if not states[CallState.DONE] and (progress.by or len(calls) <= _LISTED):
        state = CallState.CANCELED if progress.by else CallState.FAILED
        if uow.jobs.move(batch, state, detail=progress.detail()) is not None and not progress.by:
            post_line(uow, subject=batch.subject, key="end", payload={"what": FAILURE}, last=True)
        return
    verb, track = Order.read(batch.payload).request.capability.verb, Track(name=RESULT, url="", extension="zip")
    name = f"{verb}-{len(calls)}-files-{batch.id[-6:].lower()}.zip"
    deliveries = (ResultFile(track=track, name=name),)
    detail = progress.but(result=Tracks(tracks=(track,)), deliveries=deliveries, tries=0).detail()
    uow.jobs.move(batch, CallState.HANDING_OVER, detail=detail, due_at=uow.now)


def repeated_batch(uow: Unit, before: Job, new: Job, *, characters: int) -> Job | None:
    """Return a batch of another one's files without a result; None if each has one.

    Calls that may have been done and billed are left out, unless no others are missing.
    """
    calls = [one for one in uow.jobs.pieces(before) if one.state not in (CallState.DONE, CallState.UNREAD)]
    calls = [one for one in calls if is_certain(one)] or calls
    for number, old in enumerate(calls, 1):
        order = Order.read(old.payload)
        uow.jobs.add(_call(new, number, order, lane_of(order.request, characters), now=uow.now))
    if not calls:
        return None
    progress = CallProgress(started_at=uow.now, parts=len(calls))
    return replace(new, state=CallState.RUNNING, detail=progress.detail(), due_at=uow.now + LOOK_AGAIN)


def problems_of(tx: Tx, batch: Job) -> tuple[FileOutcome, ...]:
    """Return the files of a batch that have ended without a complete result so far."""
    found = []
    for call in tx.jobs.pieces(batch):
        state, progress = CallState(call.state), CallProgress.read(call.detail)
        if state not in OPEN and (state is not CallState.DONE or progress.undone != Undone()):
            name, reason, words = Order.read(call.payload).file_name, progress.reason, progress.words
            found.append(FileOutcome(file=name, state=state, reason=reason, words=words, undone=progress.undone))
    return tuple(found)
