"""Documents: texts split into pieces, each a job that is sent once. The document ends when all pieces have ended."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from bot.domain.files.dropped import FileTrouble, UnusableFile
from bot.domain.localization.pieces import MOST_PIECES, Piece, form_of, pieces_of, result_form, whole
from bot.domain.localization.progress import (
    BATCH_LANE,
    DOCUMENT_LANE,
    PIECE_LANE,
    TEXT_LANE,
    CallProgress,
    CallState,
    Order,
    Undone,
    batch_of,
    document_of,
    piece_key,
)
from bot.domain.localization.request import TARGET, Request
from bot.domain.localization.results import Result, Track, Tracks, Written
from bot.domain.outcome import NotExecuted
from bot.domain.reasons import Reason
from bot.domain.tracking import back_off
from bot.workflows.context import Unit
from bot.workflows.localization.batches import (
    FAILURE,
    LOOK_AGAIN,
    OPEN,
    RESULT,
    is_certain,
    settle_batch,
    told,
    undone_of,
)
from bot.workflows.slack.boards import post_file, post_line, post_privately, show_board
from storage.rows import Job
from storage.transaction import Tx

_STEM = 40
_TRIES = 6
"""Retries of a piece that the service temporarily refuses."""
_ACCOUNT = frozenset({401, 402, 403})
"""Status codes that refuse the account: every other piece would be refused too."""
_OUT_OF_SIGHT = timedelta(minutes=1)
"""Time after which the requester may no longer watch a call's message, so its end is also posted in the thread."""


def file_name(order: Order, job_id: str, track: Track) -> str:
    """Return e.g. ``interview-vocals-4f7k2m.mp3``: the original name, a unique suffix, valid on every file system."""
    asked = order.request
    given = order.file_name or PurePosixPath(asked.url.partition("?")[0]).name or asked.capability.verb
    stem = re.sub(r"[^\w-]+", "-", PurePosixPath(given).stem)[:_STEM].strip("-_") or asked.capability.verb
    return f"{stem}-{track.name}-{job_id[-6:].lower()}.{track.extension}"


def text_name(job: Job) -> str:
    """Return the name of the file for a job's text result."""
    order = Order.read(job.payload)
    name, ending = order.request.capability.verb, "txt"
    if job.kind == DOCUMENT_LANE:
        operation = order.request.operation
        name, ending = order.request.options.get(TARGET, name), result_form(operation, form_of(order.file_name))
    return file_name(order, job.id, Track(name=name, url="", extension=ending))


def is_quiet(job: Job) -> bool:
    """Return whether the job's only message is its private answer."""
    return job.kind == TEXT_LANE and Order.read(job.payload).private


def tell_end(uow: Unit, job: Job, *, key: str, what: str = FAILURE, whole: bool = True) -> None:
    """Notify the requester of an end: privately, or in the thread if they may no longer watch the call's message.

    ``whole``: the call's message already shows the complete result.
    """
    if is_quiet(job):
        post_privately(uow, job, key=key, payload={"what": what})
    elif not whole or uow.now - job.created_at >= _OUT_OF_SIGHT:
        post_line(uow, subject=job.subject, key=key, payload={"what": what}, last=True)


def board_of(job: Job) -> str:
    """Return the subject of the message that shows a job: a piece's document, a call's batch, or the job itself."""
    whole = document_of(job.source_key) or batch_of(job.source_key)
    return f"localization:{whole}" if whole else job.subject


def pieces_for(job: Job, order: Order, request: Request, *, limit: int) -> list[Job]:
    """Return the pieces of a document whose text was read. Raises UnusableFile if there are none or too many."""
    form = form_of(order.file_name)
    found = pieces_of(request.operation, request.text, form=form, limit=limit)
    if not any(piece.is_sent for piece in found):
        raise UnusableFile(FileTrouble.NO_TEXT, name=order.file_name)
    if len(found) > MOST_PIECES:
        raise UnusableFile(FileTrouble.TOO_LONG, name=order.file_name)
    stem = PurePosixPath(order.file_name).stem or request.capability.verb
    made = []
    for number, piece in enumerate(found, 1):
        name = f"{stem[: _STEM - 16]}-{number}-of-{len(found)}" if len(found) > 1 else stem
        part = replace(request, text=piece.text, file="")
        payload = Order(request=part, file_name=name, before=piece.before, after=piece.after).payload()
        made.append(_piece(job, number, payload, now=job.created_at))
        if not piece.is_sent:
            detail = CallProgress(result=Written(text=piece.text)).detail()
            made[-1] = replace(made[-1], state=CallState.DONE, detail=detail, due_at=None, closed_at=job.created_at)
    return made


def _piece(document: Job, number: int, payload: dict[str, object], *, now: datetime) -> Job:
    return Job(
        id=f"{document.id}-{number:05}",  # in their order
        kind=PIECE_LANE,
        state=CallState.WAITING,
        payload=payload,
        detail={},
        requester=document.requester,
        channel=document.channel,
        thread_ts=document.thread_ts,
        source_key=piece_key(document.id, number),
        created_at=document.created_at,
        due_at=now,
    )


def begin(uow: Unit, job: Job, order: Order, pieces: Sequence[Job], *, left: Undone) -> Job | None:
    """Store the pieces, which makes each of them due. ``order`` includes the language detected in the text.

    ``left`` contains the lines that aren't in any piece.
    """
    progress = CallProgress.read(job.detail).but(started_at=uow.now, parts=len(pieces), undone=left)
    look_at, asked = uow.now + LOOK_AGAIN, order.payload()
    begun = uow.jobs.move(job, CallState.RUNNING, detail=progress.detail(), payload=asked, due_at=look_at)
    if begun is not None:
        for piece in pieces:
            uow.jobs.add(piece)
    return begun


def ended(uow: Unit, job: Job) -> bool:
    """Settle the document or batch of a part that has ended; return False if the job isn't a part."""
    name = document_of(job.source_key)
    document = uow.jobs.get(name) if name else None
    if document is not None and document.state in (CallState.RUNNING, CallState.UNREAD):
        settle(uow, document)
    return bool(name) or told(uow, job)


def take(uow: Unit, found: Sequence[tuple[Job, Result]]) -> None:
    """Store the results read from kept answers to pieces of one document; the document changes once, with all."""
    for piece, result in found:
        read = CallProgress.read(piece.detail).but(result=result, reason=None, answer="")
        uow.jobs.move(piece, CallState.DONE, detail=read.detail())
    document = uow.jobs.get(document_of(found[0][0].source_key))
    if document is not None and document.state == CallState.UNREAD:
        settle(uow, document)


def settle(uow: Unit, document: Job) -> None:
    """End a document if all of its pieces have ended, otherwise show its progress."""
    states = uow.jobs.piece_states(document)
    if any(states[state] for state in OPEN):
        show_board(uow, document.subject, progress=True)
        return
    progress, order, pieces = (
        CallProgress.read(document.detail),
        Order.read(document.payload),
        uow.jobs.pieces(document),
    )
    read = [(Order.read(one.payload), CallProgress.read(one.detail)) for one in pieces]
    # A piece that was canceled in flight may have a late result, so only done pieces count.
    results = [
        one.result if piece.state == CallState.DONE else None for piece, (_, one) in zip(pieces, read, strict=True)
    ]
    done = [one for one in results if one is not None]
    operation, form = order.request.operation, form_of(order.file_name)
    parts = [Piece(part.request.text, part.before, part.after) for part, _ in read]
    result = whole(operation, form, list(zip(parts, results, strict=True)))
    trouble = next((one for piece, (_, one) in zip(pieces, read, strict=True) if piece.state != CallState.DONE), None)
    progress = progress.but(
        ended_at=uow.now,
        result=result,
        undone=replace(undone_of(pieces), unclear=progress.undone.unclear),
        reason=trouble.reason if trouble is not None else None,
        words=trouble.words if trouble is not None else "",
    )
    is_news = document.state == CallState.RUNNING or result != CallProgress.read(document.detail).result
    state = CallState.CANCELED if progress.by else CallState.DONE if result is not None else CallState.FAILED
    if progress.undone.unread:
        state = CallState.UNREAD
    over: dict[str, Any] = {"detail": progress.detail(), "closed_at": uow.now, "due_at": None}
    if state == document.state:
        after = uow.jobs.touch(document, show=True, **over)
    else:
        after = uow.jobs.move(document, CallState.DONE if document.state == CallState.UNREAD else state, **over)
    if after is None or told(uow, after) or not is_news:
        return
    if isinstance(result, Written):
        payload = {"name": text_name(document)}
        post_file(uow, subject=document.subject, key=f"{RESULT}:{len(done)}", payload=payload, last=True)
    elif not isinstance(result, Tracks) or progress.undone != Undone():
        tell_end(uow, document, key="end")


def put_off(uow: Unit, piece: Job, refused: NotExecuted) -> bool:
    """Schedule a retry of a piece that the service temporarily refused; return False if it isn't retried."""
    progress = CallProgress.read(piece.detail)
    if not document_of(piece.source_key) or not refused.again or progress.tries >= _TRIES:
        return False
    pause = back_off(first=2.0, attempts=progress.tries, ceiling=60.0, named=refused.retry_after)
    detail = progress.but(tries=progress.tries + 1, started_at=None).detail()
    return uow.jobs.move(piece, CallState.WAITING, detail=detail, due_at=uow.now + pause, show=False) is not None


def give_up_rest(uow: Unit, piece: Job, refused: NotExecuted, *, reason: Reason, words: str) -> None:
    """End the unstarted pieces of a document with this piece's reason if the service refuses the account."""
    document = uow.jobs.get(document_of(piece.source_key))
    if document is not None and refused.status in _ACCOUNT:
        detail = CallProgress(reason=reason, words=words).detail()
        uow.jobs.end_waiting(document, CallState.FAILED, detail=detail, now=uow.now)


_SETTLE = {DOCUMENT_LANE: settle, BATCH_LANE: settle_batch}


def look_again(uow: Unit, parent: Job) -> None:
    """Settle a document or batch by the current states of its calls."""
    kept = uow.jobs.touch(parent, due_at=uow.now + LOOK_AGAIN)
    if kept is not None:
        _SETTLE[kept.kind](uow, kept)


def stop(uow: Unit, parent: Job, *, by: str) -> Job | None:
    """Start no more calls of a document or batch. Calls in progress may be billed, so their results are kept."""
    progress = CallProgress.read(parent.detail).but(by=by)
    after = uow.jobs.touch(parent, show=True, detail=progress.detail(), due_at=uow.now + LOOK_AGAIN)
    if after is not None:
        uow.jobs.end_waiting(parent, CallState.CANCELED, detail=CallProgress(by=by).detail(), now=uow.now)
        _SETTLE[after.kind](uow, after)
    return None if after is None else uow.jobs.get(parent.id)


def repeated(uow: Unit, before: Job, new: Job) -> Job | None:
    """Return a document that keeps another one's results and runs its other pieces again; None if it has no pieces.

    Pieces that may have been done and billed aren't repeated, unless no others are missing.
    """
    pieces = uow.jobs.pieces(before) if before.kind == DOCUMENT_LANE else []
    if not pieces:
        return None
    only_unknown = not any(map(is_certain, pieces))
    for number, old in enumerate(pieces, 1):
        again = old.state not in (CallState.DONE, CallState.UNREAD) and (only_unknown or is_certain(old))
        piece = _piece(new, number, dict(old.payload), now=uow.now)
        if not again:
            piece = replace(piece, state=old.state, detail=old.detail, due_at=None, closed_at=uow.now)
        uow.jobs.add(piece)
    left = Undone(unclear=CallProgress.read(before.detail).undone.unclear)
    progress = CallProgress(started_at=uow.now, parts=len(pieces), undone=left)
    return replace(new, state=CallState.RUNNING, detail=progress.detail(), due_at=uow.now + LOOK_AGAIN)


def through(tx: Tx, document: Job) -> int:
    """Return how many pieces of a document, or calls of a batch, have ended."""
    states = tx.jobs.piece_states(document)
    return sum(states.values()) - sum(states[state] for state in OPEN)
