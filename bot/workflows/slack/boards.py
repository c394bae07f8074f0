"""Boards: one message a subject and place, edited when its subject changes; lines and files in its thread.

What is queued here is posted by :mod:`bot.workflows.slack.outbox`. The subject supplies the content: see
:class:`bot.workflows.context.Subject`.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.references import ulid
from bot.domain.tracking import back_off
from bot.slack.messenger import TOO_RICH, Posted
from bot.slack.pace import EditRank
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit
from bot.workflows.workers import Work
from storage.errors import StorageError
from storage.rows import Action, Board, Job, OutboxRow
from storage.transaction import Tx

ELSEWHERE = "elsewhere"
"""Place of a line that stands by itself in another conversation than its board."""
PRIVATE = "private"
"""Place of a line for the requester alone: at the response URL of what they did, else as a direct message."""
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
    """Queue the message; False when this subject has its board already.

    ``subject``: the kind (a key of ``Context.subjects``), a colon and the id. ``requester`` gets it as a direct message
    where the bot cannot post in ``channel``. ``about``: the request that it shows, every change of which edits it.
    ``due_at``: when it is posted at the latest; None: at once.
    """
    if not uow.boards.add(subject, channel=channel, thread_ts=thread_ts, requester=requester, instruction_id=about):
        return False
    key = key or f"board:{subject}"
    return queue(uow, Action.BOARD, subject, key, channel=channel, payload={}, about=about, due_at=due_at)


def post_job(uow: Unit, job: Job, *, directly: bool = False, shown_in: str = "") -> bool:
    """Store a job and queue its board where it was asked for; False when the same act made it before.

    ``directly``: the board goes to the requester as a direct message. ``shown_in``: subject whose message shows the job
    from now on, so that it needs none of its own.
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
    """Store a job whose only message is a private line at its end; False when the same act made it before."""
    return uow.jobs.add(job) and uow.boards.add(job.subject, channel="", thread_ts=None, requester=job.requester)


def post_anew(uow: Unit, board: Board) -> bool:
    """Queue a message again, once, that was deleted or can never be edited; what waits follows in its thread."""
    if not uow.boards.lost(board.subject, ts=board.ts):
        return False
    return uow.outbox.post_anew(board.subject, action=Action.BOARD, new_id=ulid(uow.now), now=uow.now)


def show_board(uow: Unit, subject: str, *, progress: bool = False, last: bool = False) -> None:
    """Queue an edit: what it shows has changed. ``progress``: only by how far the work is; ``last``: it has ended."""
    uow.boards.mark(subject, now=uow.now, progress=progress, urgent=last)


def post_line(
    uow: Unit, *, subject: str, key: str, payload: Mapping[str, object], channel: str | None = None, last: bool = False
) -> bool:
    """Queue one message for the thread; False when this key was queued before for this subject.

    ``channel``: another conversation, where it is posted outside a thread. ``last``: it tells the end, and goes first.
    """
    key, place = f"line:{subject}:{key}", ELSEWHERE if channel else THREAD
    where = channel or _channel_of(uow, subject)
    return queue(uow, Action.LINE, subject, key, channel=where, payload=payload, place=place, urgent=last)


def post_privately(uow: Unit, job: Job, *, key: str, payload: Mapping[str, object]) -> bool:
    """Queue one message for the requester of a job alone; False when this key was queued before."""
    key, subject = f"line:{job.subject}:{key}", job.subject
    # In a queue of its own: posts to one channel wait for each other.
    return queue(uow, Action.LINE, subject, key, channel=job.requester, payload=payload, place=PRIVATE, urgent=True)


def post_file(
    uow: Unit, *, subject: str, key: str, payload: Mapping[str, object], channel: str | None = None, last: bool = False
) -> bool:
    """Queue one file for the thread, built when it is posted; False when this key was queued before.

    ``channel``: another conversation, where it is posted outside a thread.
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
    """Queue a post; False when this key was queued before. ``urgent``: before posts of other subjects that wait."""
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


log = structlog.get_logger(__name__)

_AT_ONCE = 10
_EDIT_TIME = timedelta(seconds=30)
"""Time that an edit may take. Afterwards it is due again: the editing process died."""
_GIVEN_UP_AFTER = 12
_TOLD_AFTER = 4
"""Failed edits of a message after which a bug of ours is an alert."""
_NOT_DRAWN = "not_drawn:"
"""Prefix of the flag of a message of which such an alert was posted, with its number."""
_DELETED = "message_not_found"
_FIXED = frozenset({"cant_update_message", "edit_window_closed"})
"""The message is there and will never change: another app's by now, or older than the workspace lets edit."""
_GONE = frozenset({"not_in_channel", "channel_not_found", "is_archived", "is_inactive"})
"""Nobody will see this message change any more, nor another one in its place."""


@dataclass(frozen=True, slots=True)
class _NotYet:
    """Retry at ``due_at``; ``failed``: Slack did not take the edit, as opposed to a rate limit."""

    due_at: datetime
    failed: bool


async def _refresh(ctx: Context, board: Board) -> None:
    """Edit one board, or post it anew. A bug in drawing one message must not hold up the others: it is tried later."""
    try:
        later = await _edit(ctx, board)
    except StorageError:
        raise  # the database failed, not the message
    except Exception:
        number = secrets.token_hex(4)
        log.exception("a message could not be drawn", subject=board.subject, error_id=number)
        later = _NotYet(ctx.clock.now() + _pause(board), failed=True)
        if board.attempts == _TOLD_AFTER:
            await ctx.write(lambda uow: _tell_not_drawn(uow, board, number), name="not_drawn")
    if isinstance(later, _NotYet):
        due, failed = later.due_at, later.failed
        await ctx.write(lambda uow: uow.boards.delay(board, due, failed=failed), name="edit_later", wakes=False)
    elif later:
        await ctx.write(lambda uow: post_anew(uow, board), name="post_anew")
    else:
        await ctx.write(lambda uow: _shown(uow, board), name="shown", wakes=False)


def _tell_not_drawn(uow: Unit, board: Board, number: str) -> None:
    if uow.flags.add(f"{_NOT_DRAWN}{board.subject}", number, uow.now):
        facts = {"topic": "not_drawn", "channel": board.channel, "number": number}
        tell_everybody(uow, key=f"not_drawn:{number}", facts=facts)


def _shown(uow: Unit, board: Board) -> None:
    """Store that the message shows what it should; if it was an alert that it didn't, tell that this is over."""
    uow.boards.shown(board.subject, board.wanted_version, uow.now)
    key = f"{_NOT_DRAWN}{board.subject}"
    number = uow.flags.readable(key) if board.attempts > _TOLD_AFTER else None
    if number is not None:
        uow.flags.forget(key)
        tell_everybody(uow, key=f"drawn:{number}", facts={"topic": "drawn", "channel": board.channel})


async def _edit(ctx: Context, board: Board) -> _NotYet | bool:
    """Edit the message; True: it can be edited no more, and is worth a new one. False: there is nothing more to do."""
    kind, name = split(board.subject)
    subject = ctx.subjects[kind]
    content = await subject.board(ctx, name)
    if content is None:
        return False
    wait = ctx.pace.take(EditRank.LAST if board.urgent else EditRank.PROGRESS if board.progress else EditRank.CHANGE)
    if wait:
        return _NotYet(ctx.clock.now() + timedelta(seconds=wait), failed=False)
    try:
        await _show(ctx, Posted(board.channel, board.ts), content)
    except (ServiceNow, OutcomeUnknown) as later:
        asked = later.retry_after
        pause = _pause(board) if asked is None else timedelta(seconds=asked)
        return _NotYet(ctx.clock.now() + pause, failed=asked is None)
    except ServiceNever as refused:
        log.warning("a message could not be edited", subject=board.subject, error=str(refused.reason))
        # A message that only shows older progress is worth no new one, unless it was deleted.
        if (refused.error == _DELETED or (refused.error in _FIXED and not board.progress)) and await subject.lasts(
            ctx, name
        ):
            return True
        if refused.error not in _GONE | _FIXED | {_DELETED} and board.attempts < _GIVEN_UP_AFTER:
            return _NotYet(ctx.clock.now() + _pause(board), failed=True)
    return False


async def _show(ctx: Context, at: Posted, content: Content) -> None:
    """Edit the message; where Slack refuses its blocks, without them, so that no old buttons remain."""
    try:
        await ctx.messenger.edit(at=at, content=content)
    except ServiceNever as refused:
        if refused.error not in TOO_RICH:
            raise
        log.exception("Slack refused the blocks of a message", channel=at.channel, ts=at.ts)
        await ctx.messenger.edit(at=at, content=Content(text=content.text, blocks=content.plainer))


def _pause(board: Board) -> timedelta:
    return back_off(first=1.0, attempts=board.attempts, ceiling=60.0)


BOARDS: Work[Board] = Work(
    name="boards",
    table="board",
    slots=_AT_ONCE,
    claim=lambda uow, hold: uow.boards.claim_due(
        now=hold["now"], again_at=hold["now"] + _EDIT_TIME, limit=hold["limit"]
    ),
    step=lambda ctx: partial(_refresh, ctx),
    # Until an edit may be sent none is claimed: after many clicks thousands may be waiting.
    ready=lambda ctx: not ctx.pace.is_used_up,
    leased=False,
)
"""Edit the boards that no longer show the latest. Without a lease: the claim alone excludes other processes."""
