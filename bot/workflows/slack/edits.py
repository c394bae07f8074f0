"""Edits of boards whose subject changed, paced and retried; a deleted message is replaced."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.tracking import back_off
from bot.slack.messenger import TOO_RICH, Posted
from bot.slack.pace import EditRank
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit
from bot.workflows.slack.boards import post_anew, split
from bot.workflows.workers import Work
from storage.errors import StorageError
from storage.rows import Board

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
