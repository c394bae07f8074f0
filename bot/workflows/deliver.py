"""Drain the outbox to Slack, and keep every copy of a card current.

A post goes out once. When its outcome is unknown, the conversation is searched for the message's own
marker before anything is posted again. Edits are repeated freely: they show the newest state.
"""

from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.instruction import Instruction, State, Vote
from bot.domain.tracking import back_off
from bot.presentation import cards, news
from bot.slack.messenger import Posted
from bot.workflows.announce import Action, Place, alert
from bot.workflows.context import LEASE_SECONDS, Context
from storage.rows import CardCopy, OutboxRow, OutboxState
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_AT_ONCE = 10
_SCAN_AFTER = timedelta(seconds=10)
"""Slack's own read-after-write lag: how long a message we may have posted can stay invisible."""
_CLOCK_SKEW = 60.0
_PLAIN_AFTER = 1
_DEAD_AFTER = 12

_NO_PLACE = frozenset({"not_in_channel", "channel_not_found", "is_archived", "restricted_action", "no_permission"})
_TOO_RICH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
_NOT_EDITABLE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", *_NO_PLACE})


async def deliver_due(ctx: Context) -> int:
    """Post what waits in the outbox; returns how many rows there were."""
    now = ctx.clock.now()
    due = await ctx.store.write(
        lambda tx: tx.outbox.claim_due(now=now, owner=ctx.owner, lease_seconds=LEASE_SECONDS, limit=_AT_ONCE),
        name="claim_outbox",
    )
    for row in due:
        await _deliver(ctx, row)
    return len(due)


async def refresh_due(ctx: Context) -> int:
    """Edit the copies of cards that no longer show the newest state; returns how many there were."""
    now = ctx.clock.now()
    due = await ctx.store.read(lambda tx: tx.copies.due(now, _AT_ONCE))
    for copy in due:
        await _refresh(ctx, copy)
    return len(due)


async def _deliver(ctx: Context, row: OutboxRow) -> None:
    found = await ctx.store.read(lambda tx: _subject(tx, row))
    if found is None:
        await ctx.store.write(lambda tx: tx.outbox.dead(row.id, error="its instruction is gone"), name="dead")
        return
    instruction, votes, copies = found
    root = copies.get(row.place)
    try:
        channel, thread_ts = await _where(ctx, row, instruction, root)
        posted = await _search(ctx, row, channel, thread_ts)
        if posted is None:
            content = _content(ctx, row, instruction, votes, rich=row.attempts <= _PLAIN_AFTER)
            posted = await ctx.messenger.post(channel=channel, content=content, marker=row.id, thread_ts=thread_ts)
    except ServiceNow as later:
        await _again(ctx, row, wait=later.retry_after, error=later.reason)
    except OutcomeUnknown as lost:
        due = ctx.clock.now() + _SCAN_AFTER
        error = lost.reason
        await ctx.store.write(lambda tx: tx.outbox.unknown(row.id, due_at=due, error=error), name="post_unknown")
    except ServiceNever as refused:
        await _refused(ctx, row, instruction, refused.reason)
    else:
        at = posted
        await ctx.store.write(lambda tx: _posted(tx, ctx, row, instruction, at), name="posted")
        ctx.wake()


def _subject(tx: Tx, row: OutboxRow) -> tuple[Instruction, list[Vote], dict[str, CardCopy]] | None:
    instruction = tx.instructions.get(row.instruction_id or "")
    if instruction is None:
        return None
    votes = tx.votes.of(instruction.id, instruction.round)
    copies = {copy.place: copy for place in Place if (copy := tx.copies.of(instruction.id, place)) is not None}
    return instruction, votes, copies


async def _where(
    ctx: Context, row: OutboxRow, instruction: Instruction, root: CardCopy | None
) -> tuple[str, str | None]:
    """The conversation, and the thread in it: news belong to the thread of the card they are about."""
    if row.action != Action.CARD and root is not None:
        return root.channel, root.ts
    if row.place == Place.REQUESTER and row.payload.get("direct"):
        return await ctx.messenger.direct_message(instruction.requester), None
    return row.channel, None


async def _search(ctx: Context, row: OutboxRow, channel: str, thread_ts: str | None) -> Posted | None:
    """After an unknown outcome: is the message there already?"""
    if row.before is not OutboxState.UNKNOWN:
        return None
    oldest = row.created_at.timestamp() - _CLOCK_SKEW
    return await ctx.messenger.find(channel=channel, marker=row.id, thread_ts=thread_ts, oldest=oldest)


def _content(ctx: Context, row: OutboxRow, instruction: Instruction, votes: list[Vote], *, rich: bool) -> Content:
    place = row.place
    if row.action == Action.CARD:
        if _starts_the_clock(row, instruction):
            instruction = replace(instruction, expires_at=_expiry(instruction, ctx.clock.now()))
        content = _card(ctx, instruction, votes, place, direct=bool(row.payload.get("direct")))
    elif row.action == Action.NEWS:
        content = news.news(instruction, row.payload)
    else:
        content = news.alert(instruction, row.payload)
    return content if rich else Content(text=content.text)


def _card(ctx: Context, instruction: Instruction, votes: list[Vote], place: str, *, direct: bool = False) -> Content:
    hint = instruction.origin_channel if direct and not instruction.origin_channel.startswith("D") else ""
    return cards.card(
        instruction,
        votes,
        for_approvers=place == Place.APPROVALS,
        approvals_channel=ctx.policy.channels.approvals,
        invite_to=hint,
    )


def _posted(tx: Tx, ctx: Context, row: OutboxRow, instruction: Instruction, at: Posted) -> None:
    now = ctx.clock.now()
    tx.outbox.sent(row.id, channel=at.channel, ts=at.ts, now=now)
    if row.action != Action.CARD:
        return
    shown = instruction.version
    current = tx.instructions.get(instruction.id) or instruction
    if _starts_the_clock(row, current):
        expires = _expiry(current, now)
        started = tx.instructions.touch(current, now=now, show=True, posted_at=now, expires_at=expires, due_at=expires)
        if started is not None and current.version == shown:
            shown = started.version  # the post shows this very deadline already
    tx.copies.put(
        CardCopy(
            instruction_id=instruction.id,
            place=row.place,
            channel=at.channel,
            ts=at.ts,
            shown_version=shown,
            due_at=None,
            attempts=0,
        )
    )


def _starts_the_clock(row: OutboxRow, instruction: Instruction) -> bool:
    """Whether this post is the first time that the approvers see the request."""
    waiting = instruction.state is State.AWAITING and instruction.posted_at is None
    return waiting and row.action == Action.CARD and row.place == Place.APPROVALS


def _expiry(instruction: Instruction, now: datetime) -> datetime:
    return now + timedelta(seconds=instruction.requirement.expires_seconds)


async def _refused(ctx: Context, row: OutboxRow, instruction: Instruction, error: str) -> None:
    """Slack said no for good: another conversation, plainer blocks, or later; lost is not an answer."""
    if error in _NO_PLACE and row.place == Place.REQUESTER and not row.payload.get("direct"):
        payload = {**row.payload, "direct": True}
        now = ctx.clock.now()
        await ctx.store.write(lambda tx: tx.outbox.redirect(row.id, payload=payload, due_at=now), name="redirect")
        return
    if error in _NO_PLACE and row.place == Place.APPROVALS and row.action == Action.CARD:
        await ctx.store.write(lambda tx: _alert_no_place(ctx, tx, instruction, error), name="no_place")
    if error in _TOO_RICH:
        log.error("Slack refused the blocks of a message", outbox=row.id, error=error)
    if row.attempts >= _DEAD_AFTER and row.action != Action.CARD:
        log.error("a message could not be delivered", outbox=row.id, error=error)
        await ctx.store.write(lambda tx: tx.outbox.dead(row.id, error=error), name="dead")
        return
    await _again(ctx, row, wait=None, error=error)


def _alert_no_place(ctx: Context, tx: Tx, instruction: Instruction, error: str) -> None:
    facts = {"reason": error, "channel": ctx.policy.channels.approvals}
    alert(tx, instruction, topic="no_approvals_channel", facts=facts, policy=ctx.policy, now=ctx.clock.now())


async def _again(ctx: Context, row: OutboxRow, *, wait: float | None, error: str) -> None:
    pause = back_off(first=1.0, attempts=row.attempts, ceiling=60.0)
    due = ctx.clock.now() + max(pause, timedelta(seconds=wait or 0.0))
    await ctx.store.write(lambda tx: tx.outbox.again(row.id, due_at=due, error=error), name="post_again")


async def _refresh(ctx: Context, copy: CardCopy) -> None:
    found = await ctx.store.read(
        lambda tx: (tx.instructions.get(copy.instruction_id), _votes_shown(tx, copy.instruction_id))
    )
    instruction, votes = found
    if instruction is None:
        return
    direct = copy.place == Place.REQUESTER and copy.channel != instruction.origin_channel
    content = _card(ctx, instruction, votes, copy.place, direct=direct)
    try:
        await ctx.messenger.edit(at=Posted(copy.channel, copy.ts), content=content)
    except (ServiceNow, OutcomeUnknown) as later:
        wait = later.retry_after if isinstance(later, ServiceNow) else None
        pause = max(back_off(first=1.0, attempts=copy.attempts, ceiling=60.0), timedelta(seconds=wait or 0.0))
        due = ctx.clock.now() + pause
        await ctx.store.write(
            lambda tx: tx.copies.delay(copy.instruction_id, copy.place, due_at=due), name="edit_later"
        )
    except ServiceNever as refused:
        log.warning("a card could not be edited", reference=instruction.reference, error=refused.reason)
        if refused.reason in _NOT_EDITABLE or copy.attempts >= _DEAD_AFTER:
            await _shown(ctx, copy, instruction)
            return
        due = ctx.clock.now() + back_off(first=1.0, attempts=copy.attempts, ceiling=60.0)
        await ctx.store.write(
            lambda tx: tx.copies.delay(copy.instruction_id, copy.place, due_at=due), name="edit_later"
        )
    else:
        await _shown(ctx, copy, instruction)


async def _shown(ctx: Context, copy: CardCopy, instruction: Instruction) -> None:
    now = ctx.clock.now()
    await ctx.store.write(
        lambda tx: tx.copies.shown(copy.instruction_id, copy.place, version=instruction.version, now=now),
        name="shown",
    )


def _votes_shown(tx: Tx, instruction_id: str) -> list[Vote]:
    instruction = tx.instructions.get(instruction_id)
    return tx.votes.of(instruction_id, instruction.round) if instruction is not None else []
