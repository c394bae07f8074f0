"""Boards: one message per subject and place, edited when its subject changes; lines and files in its thread.

Queued posts are sent by :mod:`bot.workflows.slack.outbox`. The subject supplies the content: see
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


log = structlog.get_logger(__name__)

_AT_ONCE = 10
_EDIT_TIME = timedelta(seconds=30)
"""Time that an edit may take. Afterwards it is due again because the editing process has died."""
_GIVEN_UP_AFTER = 12
_TOLD_AFTER = 4
"""Failed edits of one message before a rendering bug raises an alert."""
_NOT_DRAWN = "not_drawn:"
"""Prefix of the flag that stores the number of such an alert for a message."""
_DELETED = "message_not_found"
_FIXED = frozenset({"cant_update_message", "edit_window_closed"})
"""The message exists but can't be edited any more: it belongs to another app, or the workspace's edit window closed."""
_GONE = frozenset({"not_in_channel", "channel_not_found", "is_archived", "is_inactive"})
"""The conversation is out of reach: neither an edit nor a replacement of the message would be seen."""


@dataclass(frozen=True, slots=True)
class _NotYet:
    """Retry at ``due_at``. ``failed`` counts as a failed edit, as opposed to a wait for a rate limit."""

    due_at: datetime
    failed: bool


async def _refresh(ctx: Context, board: Board) -> None:
    """Edit one board or post a replacement. If a bug prevents drawing it, retry later without delaying other boards."""
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
    """Store that the message is up to date; if an alert reported that it wasn't, announce that this is over."""
    uow.boards.shown(board.subject, board.wanted_version, uow.now)
    key = f"{_NOT_DRAWN}{board.subject}"
    number = uow.flags.readable(key) if board.attempts > _TOLD_AFTER else None
    if number is not None:
        uow.flags.forget(key)
        tell_everybody(uow, key=f"drawn:{number}", facts={"topic": "drawn", "channel": board.channel})


async def _edit(ctx: Context, board: Board) -> _NotYet | bool:
    """Edit the message; return True if it needs a replacement, False if there is nothing more to do."""
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
        # If only the progress is outdated, a replacement would be noise, unless the message was deleted.
        if (refused.error == _DELETED or (refused.error in _FIXED and not board.progress)) and await subject.lasts(
            ctx, name
        ):
            return True
        if refused.error not in _GONE | _FIXED | {_DELETED} and board.attempts < _GIVEN_UP_AFTER:
            return _NotYet(ctx.clock.now() + _pause(board), failed=True)
    return False


async def _show(ctx: Context, at: Posted, content: Content) -> None:
    """Edit the message; if Slack refuses its blocks, use the plainer ones so that no old buttons remain."""
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
    # Claim nothing while the rate limit is used up: after many clicks thousands of edits may be queued.
    ready=lambda ctx: not ctx.pace.is_used_up,
    leased=False,
)
"""Edit outdated boards. They need no lease: the claim alone excludes other processes."""
