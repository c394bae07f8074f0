"""One edit of a message of ours: within the workspace's pace, and with an answer to every refusal of Slack."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import Protocol, TypeVar

import structlog

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.tracking import back_off
from bot.slack.messenger import TOO_RICH, Posted
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context
from bot.workflows.workers import Hold, Work
from storage.errors import StorageError
from storage.transaction import Tx

R = TypeVar("R")

log = structlog.get_logger(__name__)

_GIVEN_UP_AFTER = 12
_TOLD_AFTER = 4
"""Edits of a message that failed, when a defect of ours is told to the alerts channel."""
_GONE = frozenset(
    {
        "message_not_found",
        "cant_update_message",
        "edit_window_closed",
        "not_in_channel",
        "channel_not_found",
        "is_archived",
        "is_inactive",
    }
)


_AT_ONCE = 10
_EDIT_TIME = timedelta(seconds=30)
"""That editing a message may take. Afterwards it is due again: who was about to edit it died."""


R_co = TypeVar("R_co", covariant=True)


class Messages(Protocol[R_co]):
    """A table of messages that show something."""

    def claim_due(self, *, now: datetime, again_at: datetime, limit: int) -> Sequence[R_co]:
        """Messages to be edited, which are due again at ``again_at`` unless they are."""
        ...


def edits(
    name: str, *, table: str, rows: Callable[[Tx], Messages[R]], step: Callable[[Context, R], Awaitable[None]]
) -> Work[R]:
    """The work of editing messages. Their claims alone keep others away: an edit may be repeated freely."""

    def claim(tx: Tx, hold: Hold) -> Sequence[R]:
        return rows(tx).claim_due(now=hold["now"], again_at=hold["now"] + _EDIT_TIME, limit=hold["limit"])

    return Work(
        name=name,
        table=table,
        slots=_AT_ONCE,
        claim=claim,
        step=lambda ctx: partial(step, ctx),
        ready=_may_edit,
        leased=False,
    )


def _may_edit(ctx: Context) -> bool:
    """Whether any edit may go out. Nothing is looked for until then: after many clicks thousands may be waiting."""
    return not ctx.pace.is_used_up


class Edited(Enum):
    """What became of an edit."""

    SHOWN = "shown"
    GONE = "gone"
    """Nobody will see this message change any more."""


@dataclass(frozen=True, slots=True)
class NotYet:
    """To be tried then; ``failed``: Slack did not take it, as opposed to being asked too often already."""

    due_at: datetime
    failed: bool


async def edit(ctx: Context, at: Posted, content: Content, *, attempts: int, progress: bool = False) -> Edited | NotYet:
    """Show the content in the message that stands there; repeating it changes nothing.

    ``attempts`` counts the edits of this message that failed since one last succeeded. ``progress`` tells only how
    far something is, and yields to what people wait for.
    """
    wait = ctx.pace.take(progress=progress)
    if wait:
        return NotYet(ctx.clock.now() + timedelta(seconds=wait), failed=False)
    try:
        await _edit(ctx, at, content)
    except (ServiceNow, OutcomeUnknown) as later:
        asked = later.retry_after if isinstance(later, ServiceNow) else None
        pause = _pause(attempts) if asked is None else timedelta(seconds=asked)
        return NotYet(ctx.clock.now() + pause, failed=asked is None)
    except ServiceNever as refused:
        log.warning("a message could not be edited", channel=at.channel, ts=at.ts, error=refused.reason)
        if refused.reason in _GONE or attempts >= _GIVEN_UP_AFTER:
            return Edited.GONE
        return NotYet(ctx.clock.now() + _pause(attempts), failed=True)
    return Edited.SHOWN


async def or_later(ctx: Context, edited: Awaitable[Edited | NotYet], *, at: Posted, attempts: int) -> Edited | NotYet:
    """What comes of an edit. A defect of ours in drawing one message must not hold up the others: it is tried later.

    Raises:
        StorageError: the database failed, not the message.
    """
    try:
        return await edited
    except StorageError:
        raise
    except Exception:
        number, now = secrets.token_hex(4), ctx.clock.now()
        log.exception("a message could not be drawn", channel=at.channel, ts=at.ts, error_id=number)
        if attempts == _TOLD_AFTER:
            facts = {"topic": "not_drawn", "channel": at.channel, "number": number}
            key = f"not_drawn:{number}"
            await ctx.store.write(
                lambda tx: tell_everybody(tx, key=key, facts=facts, policy=ctx.policy, now=now), name="not_drawn"
            )
            ctx.wake()
        return NotYet(now + _pause(attempts), failed=True)


async def _edit(ctx: Context, at: Posted, content: Content) -> None:
    """Blocks that Slack refuses must not leave old buttons standing, so then the words alone."""
    try:
        await ctx.messenger.edit(at=at, content=content)
    except ServiceNever as refused:
        if refused.reason not in TOO_RICH:
            raise
        log.exception("Slack refused the blocks of a message", channel=at.channel, ts=at.ts)
        await ctx.messenger.edit(at=at, content=Content(text=content.text, blocks=content.plainer))


def _pause(attempts: int) -> timedelta:
    return back_off(first=1.0, attempts=attempts, ceiling=60.0)
