"""Boards: one message a subject and place, edited when its subject changes; lines and files in its thread.

What is queued here is posted by :mod:`bot.workflows.slack.outbox`, and edited by :mod:`bot.workflows.slack.refresh`.
The subject supplies the content: see :class:`bot.workflows.context.Subject`.
"""

from collections.abc import Mapping

from bot.domain.references import ulid
from bot.workflows.context import Unit
from storage.rows import Action, Board, Job
from storage.transaction import Tx

ELSEWHERE = "elsewhere"
"""Place of a line that stands by itself in another conversation than its board."""
_THREAD = "thread"


def post_board(
    uow: Unit,
    *,
    subject: str,
    channel: str,
    thread_ts: str | None,
    requester: str = "",
    key: str = "",
    about: str | None = None,
) -> bool:
    """Queue the message; False when this subject has its board already.

    Args:
        uow: the unit of work; it makes this true.
        subject: the kind (a key of ``Context.subjects``), a colon and the id.
        channel: where it goes.
        thread_ts: the thread to stand in, or None.
        requester: gets it as a direct message where the bot cannot post in ``channel``.
        key: of the row in the outbox, unique; by default made of the subject.
        about: the request that it shows, every change of which edits it.
    """
    if not uow.boards.add(subject, channel=channel, thread_ts=thread_ts, requester=requester, instruction_id=about):
        return False
    return queue(uow, Action.BOARD, subject, key or f"board:{subject}", channel=channel, payload={}, about=about)


def post_job(uow: Unit, job: Job, subject: str) -> bool:
    """Store a job and queue its board where it was asked for; False when the same act made it before."""
    return uow.jobs.add(job) and post_board(
        uow, subject=subject, channel=job.channel, thread_ts=job.thread_ts, requester=job.requester
    )


def post_anew(uow: Unit, board: Board) -> bool:
    """Queue the message once more: the posted one was deleted, or can never be edited. False when it was queued before.

    The buttons of the old message are outdated from now on. Lines and files that wait follow in the new one's thread.
    """
    if not uow.boards.lost(board.subject, ts=board.ts):
        return False
    return uow.outbox.post_anew(board.subject, action=Action.BOARD, new_id=ulid(uow.now), now=uow.now)


def show_board(uow: Unit, subject: str, *, progress: bool = False, last: bool = False) -> None:
    """Queue an edit: what it shows has changed. ``progress``: only by how far the work is; ``last``: it has ended."""
    uow.boards.mark(subject, now=uow.now, progress=progress, urgent=last)


def post_line(
    uow: Unit,
    *,
    subject: str,
    key: str,
    payload: Mapping[str, object],
    channel: str | None = None,
    last: bool = False,
) -> bool:
    """Queue one message for the thread; False when this key was queued before for this subject.

    ``channel``: another conversation, where it is posted outside a thread. ``last``: it tells the end, and goes first.
    """
    full = f"line:{subject}:{key}"
    place = ELSEWHERE if channel else _THREAD
    where = channel or _channel_of(uow, subject)
    return queue(uow, Action.LINE, subject, full, channel=where, payload=payload, place=place, urgent=last)


def post_file(uow: Unit, *, subject: str, key: str, payload: Mapping[str, object], last: bool = False) -> bool:
    """Queue one file for the thread, built when it is posted; False when this key was queued before."""
    key, where = f"file:{subject}:{key}", _channel_of(uow, subject)
    return queue(uow, Action.FILE, subject, key, channel=where, payload=payload, urgent=last)


def queue(
    uow: Unit,
    action: Action,
    subject: str,
    key: str,
    *,
    channel: str,
    payload: Mapping[str, object],
    place: str = _THREAD,
    about: str | None = None,
    urgent: bool = False,
) -> bool:
    """Queue a post; False when this key was queued before.

    ``about``: the request that it is about. ``urgent``: it goes before posts of other subjects that wait.
    """
    return uow.outbox.add(
        id=ulid(uow.now),
        subject=subject,
        instruction_id=about,
        key=key,
        action=action,
        place=place,
        channel=channel,
        payload=payload,
        now=uow.now,
        urgent=urgent,
    )


def split(subject: str) -> tuple[str, str]:
    """The kind, and the id."""
    kind, _, name = subject.partition(":")
    return kind, name


def _channel_of(tx: Tx, subject: str) -> str:
    board = tx.boards.get(subject)
    return board.channel if board is not None else ""
