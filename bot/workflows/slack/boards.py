"""Boards: one message per subject and place, edited when its subject changes; lines and files in its thread.

Queued posts are sent by :mod:`bot.workflows.slack.outbox`, edits by :mod:`bot.workflows.slack.edits`. The subject
supplies the content: see :class:`bot.workflows.context.Subject`.
"""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.references import ulid
from bot.workflows.context import Unit
from storage.rows import Action, Board, Job, OutboxRow
from storage.transaction import Tx

ELSEWHERE = "elsewhere"
"""Place of a line posted outside a thread in another conversation than its board."""

PRIVATE = "private"
"""Place of a line that only the requester sees: at the response URL of their action, else as a direct message."""

THREAD = "thread"


def post_board(
    uow: Unit,
    *,
    subject: str,
    channel: str,
    thread_ts: str | None,
    requester: str = "",
    key: str = "",
    about: str | None = None,
    due_at: datetime | None = None,
) -> bool:
    """Queue the message; return False if this subject already has a board.

    ``subject`` is the kind (a key of ``Context.subjects``), a colon and the id. ``requester`` gets it as a direct
    message if the bot can't post in ``channel``. ``about`` is the request that it shows; every change of it edits the
    board. ``due_at`` is the latest time of the post; None means now.
    """
    if not uow.boards.add(subject, channel=channel, thread_ts=thread_ts, requester=requester, instruction_id=about):
        return False
    key = key or f"board:{subject}"
    return queue(uow, Action.BOARD, subject, key, channel=channel, payload={}, about=about, due_at=due_at)


def post_job(uow: Unit, job: Job, *, directly: bool = False, shown_in: str = "") -> bool:
    """Store a job and queue its board in the job's conversation; return False if the same act already created it.

    ``directly`` sends the board to the requester as a direct message. ``shown_in`` is a subject whose message shows the
    job, which then gets no separate message.
    """
    if not uow.jobs.add(job):
        return False
    if not shown_in:
        channel, thread_ts = ("", None) if directly else (job.channel, job.thread_ts)
        return post_board(uow, subject=job.subject, channel=channel, thread_ts=thread_ts, requester=job.requester)
    uow.boards.add(
        job.subject, channel=job.channel, thread_ts=job.thread_ts, requester=job.requester, shown_in=shown_in
    )
    show_board(uow, job.subject)
    return True


def add_quietly(uow: Unit, job: Job) -> bool:
    """Store a job whose only message is a private line at its end; return False if the same act already created it."""
    return uow.jobs.add(job) and uow.boards.add(job.subject, channel="", thread_ts=None, requester=job.requester)


def post_anew(uow: Unit, board: Board) -> bool:
    """Queue a deleted or permanently uneditable message again, once; queued posts of its thread follow below it."""
    if not uow.boards.lost(board.subject, ts=board.ts):
        return False
    return uow.outbox.post_anew(board.subject, action=Action.BOARD, new_id=ulid(uow.now), now=uow.now)


def show_board(uow: Unit, subject: str, *, progress: bool = False, last: bool = False) -> None:
    """Queue an edit of an outdated board. ``progress``: only the progress changed; ``last``: the work has ended."""
    uow.boards.mark(subject, now=uow.now, progress=progress, urgent=last)


def post_line(
    uow: Unit, *, subject: str, key: str, payload: Mapping[str, object], channel: str | None = None, last: bool = False
) -> bool:
    """Queue one message for the thread; return False if this key was queued before for this subject.

    ``channel`` is another conversation, used outside a thread. ``last`` marks the final message, which goes first.
    """
    key, place = f"line:{subject}:{key}", ELSEWHERE if channel else THREAD
    where = channel or _channel_of(uow, subject)
    return queue(uow, Action.LINE, subject, key, channel=where, payload=payload, place=place, urgent=last)


def post_privately(uow: Unit, job: Job, *, key: str, payload: Mapping[str, object]) -> bool:
    """Queue one message that only a job's requester sees; return False if this key was queued before."""
    key, subject = f"line:{job.subject}:{key}", job.subject
    # The requester's id gives it a separate queue: posts to one channel wait for each other.
    return queue(uow, Action.LINE, subject, key, channel=job.requester, payload=payload, place=PRIVATE, urgent=True)


def post_file(
    uow: Unit, *, subject: str, key: str, payload: Mapping[str, object], channel: str | None = None, last: bool = False
) -> bool:
    """Queue one file for the thread, built when it is posted; return False if this key was queued before.

    ``channel`` is another conversation, used outside a thread.
    """
    key, place = f"file:{subject}:{key}", ELSEWHERE if channel else THREAD
    where = channel or _channel_of(uow, subject)
    return queue(uow, Action.FILE, subject, key, channel=where, payload=payload, place=place, urgent=last)


def queue(
    uow: Unit,
    action: Action,
    subject: str,
    key: str,
    *,
    channel: str,
    payload: Mapping[str, object],
    place: str = THREAD,
    about: str | None = None,
    urgent: bool = False,
    due_at: datetime | None = None,
) -> bool:
    """Queue a post, ahead of other subjects' posts if ``urgent``; return False if this key was queued before."""
    row = OutboxRow(
        id=ulid(uow.now),
        subject=subject,
        instruction_id=about,
        key=key,
        action=action,
        place=place,
        channel=channel,
        payload=dict(payload),
        due_at=due_at or uow.now,
        created_at=uow.now,
        urgent=urgent,
    )
    return uow.outbox.add(row)


def split(subject: str) -> tuple[str, str]:
    kind, _, name = subject.partition(":")
    return kind, name


def _channel_of(tx: Tx, subject: str) -> str:
    board = tx.boards.get(subject)
    return board.channel if board is not None else ""
