"""Drain the outbox to Slack.

A post goes out once. When its outcome is unknown, the conversation is searched for the message's own
marker before anything is posted again.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.reminders import next_look
from bot.domain.tracking import back_off
from bot.presentation.payments import news, purchases
from bot.slack.history import Stretch
from bot.slack.messenger import TOO_RICH, Posted
from bot.slack.turns import Turn
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context
from bot.workflows.payments import bulk_files
from bot.workflows.payments.purchase import link_of
from bot.workflows.requests.announce import Place, alert, news_elsewhere
from bot.workflows.slack import boards, destination, pictures
from bot.workflows.slack.destination import About, about_of
from bot.workflows.slack.refresh import card_for
from bot.workflows.slack.searching import forgetting, has_come_further, remembering, stretch_of
from bot.workflows.workers import Hold, Work
from storage.leases import LEASE_SECONDS
from storage.rows import Action, CardCopy, OutboxRow, OutboxState
from storage.transaction import Tx

log = structlog.get_logger(__name__)

SCAN_AFTER = timedelta(seconds=10)
"""Slack's own read-after-write lag: how long a message we may have posted can stay invisible."""
_FILE_SCAN_AFTER = timedelta(seconds=30)
"""The same for a message with a file, which Slack looks through first."""
_WITH_FILE = frozenset({Action.LINK, Action.FILE})
_ENOUGH = timedelta(seconds=45)
"""Of a lease: longer than a search and a post take."""
_DEAD_AFTER = 12
_BLIND_AFTER = 4
"""The same where Slack says that we may not look: two such answers may be wrong, more keep people waiting."""

_NO_THREAD = "thread_not_found"
_NO_PLACE = frozenset({"not_in_channel", "channel_not_found", "is_archived", "restricted_action", "no_permission"})


async def _deliver_ours(ctx: Context, row: OutboxRow) -> None:
    # Before anything is waited for: rows stand in the queue of their conversation as they were claimed.
    with ctx.turns.queued(row.channel, row.id) as turn:
        if row.before is not OutboxState.UNKNOWN:
            await _deliver(ctx, row, turn)
            return
        turn.step_back()
        missing = await _missing(ctx, row) if await _is_ours(ctx, row) else None
        if missing is not None:
            await _deliver(ctx, missing, turn)


async def _is_ours(ctx: Context, row: OutboxRow) -> bool:
    """Whether the row still is for us to post: the posts before it may have taken as long as its lease.

    A row that was lost is somebody else's to look for. Posted here too, it would stand there twice.
    """
    now = ctx.clock.now()
    if row.lease_until is not None and row.lease_until - now > _ENOUGH:
        return True
    until = now + timedelta(seconds=LEASE_SECONDS)
    return await ctx.store.write(lambda tx: tx.outbox.hold(row, now=now, until=until), name="hold_post")


async def _deliver(ctx: Context, row: OutboxRow, turn: Turn) -> None:
    await turn.begin()
    if not await _is_ours(ctx, row):
        return
    about = await ctx.store.read(lambda tx: about_of(tx, row))
    if row.action == Action.LINK and (about.instruction is None or about.instruction.state is not State.OPEN):
        await ctx.store.write(lambda tx: tx.outbox.dead(row.id, error="nothing to pay any more"), name="dead")
        return
    try:
        channel, thread_ts = await destination.where(ctx, row, about)
        if row.action not in _WITH_FILE:
            turn.keep_pace(channel)
        posted = await _post(ctx, row, about, channel, thread_ts)
    except ServiceNow as later:
        if later.retry_after is not None:
            turn.put_off(later.retry_after)
        await _again(ctx, row, wait=later.retry_after, error=later.reason)
    except OutcomeUnknown as lost:
        due = ctx.clock.now() + (_FILE_SCAN_AFTER if row.action in _WITH_FILE else SCAN_AFTER)
        error = lost.reason
        await ctx.store.write(lambda tx: tx.outbox.unknown(row.id, due_at=due, error=error), name="post_unknown")
    except ServiceNever as refused:
        await _refused(ctx, row, about, refused.reason)
    else:
        await ctx.store.write(lambda tx: _posted(tx, ctx, row, about, posted), name="posted")
        ctx.wake()


async def _missing(ctx: Context, row: OutboxRow) -> OutboxRow | None:
    """After an unknown outcome: the row, where its message certainly is not there. Else what became of it is stored."""
    about = await ctx.store.read(lambda tx: about_of(tx, row))
    stretch: Stretch | None = None
    try:
        channel, thread_ts = await destination.where(ctx, row, about)
        stretch = stretch_of(row, channel=channel, thread_ts=thread_ts, now=ctx.clock.now())
        there = await ctx.messenger.find(stretch, marker=row.id, names=await destination.names(ctx, row, about))
    except (ServiceNow, ServiceNever, OutcomeUnknown) as silent:
        await _not_searched(ctx, row, about, silent, stretch)
        return None
    if there is not None:
        await ctx.store.write(lambda tx: _posted(tx, ctx, row, about, there, found=True), name="found_post")
        ctx.wake()
        return None
    payload = forgetting(row)
    if payload is None:
        return row
    await ctx.store.write(lambda tx: tx.outbox.note(row.id, payload), name="searched")
    return replace(row, payload=payload)


async def _not_searched(
    ctx: Context,
    row: OutboxRow,
    about: About,
    silent: ServiceNow | ServiceNever | OutcomeUnknown,
    stretch: Stretch | None,
) -> None:
    """The message may be there, so it is not sent again before somebody has looked.

    A search that Slack asked to wait with, or that has come further, is no attempt in vain.
    """
    error = silent.reason
    is_final = isinstance(silent, ServiceNever)
    asked = silent.retry_after if isinstance(silent, ServiceNow) else None
    counted = asked is None and not has_come_further(row, stretch)
    if not counted or row.attempts < (_BLIND_AFTER if is_final else _DEAD_AFTER):
        due = ctx.clock.now() + (_pause(row) if asked is None else timedelta(seconds=asked))
        payload = remembering(row, stretch)
        await ctx.store.write(
            lambda tx: tx.outbox.unknown(row.id, due_at=due, error=error, payload=payload, counted=counted),
            name="post_unknown",
        )
    elif is_final and error in _NO_PLACE:
        await _refused(ctx, row, about, error)  # where we are not, nothing of ours can be kept up to date
    else:
        log.error("nobody can find out whether a message was delivered; it is sent again", outbox=row.id, error=error)
        await _again(ctx, row, wait=None, error=error)  # twice is better than never


async def _post(ctx: Context, row: OutboxRow, about: About, channel: str, thread_ts: str | None) -> Posted | None:
    """Post it; None when there is nothing to say any more."""
    if row.subject is not None:
        plain = row.last_error in TOO_RICH
        return await boards.post(ctx, row, channel=channel, thread_ts=thread_ts, plain=plain)
    if row.action == Action.LINK and about.instruction is not None:
        link = link_of(ctx, about.instruction)
        if not link:
            raise ServiceNow("payments", "is not configured")
        return await pictures.post_link(ctx, row, about.instruction, link=link, channel=channel, thread_ts=thread_ts)
    if row.action == Action.FILE and about.instruction is not None:
        return await bulk_files.post_file(ctx, row, about.instruction, channel=channel, thread_ts=thread_ts)
    names = await ctx.people.names(_people_in(row, about))
    content = _content(ctx, row, about, names, link=await _link_to_card(ctx, row, about))
    if row.last_error in TOO_RICH:
        content = Content(text=content.text, blocks=content.plainer)
    return await ctx.messenger.post(channel=channel, content=content, marker=row.id, thread_ts=thread_ts)


async def _link_to_card(ctx: Context, row: OutboxRow, about: About) -> str:
    """Where an alert is decided on; empty where no card stands or Slack does not say: the alert goes out then, too."""
    copy = about.copies.get(Place.APPROVALS) or about.copies.get(Place.REQUESTER)
    if row.action != Action.ALERT or copy is None:
        return ""
    try:
        return await ctx.messenger.permalink(Posted(copy.channel, copy.ts))
    except (ServiceNow, ServiceNever, OutcomeUnknown) as silent:
        log.info("an alert goes out without the link to its card", outbox=row.id, reason=silent.reason)
        return ""


def _people_in(row: OutboxRow, about: About) -> list[str]:
    """Whom a message names and does not ring."""
    if about.instruction is None:
        return []
    found = [about.instruction.requester]
    if row.action == Action.NEWS:
        voters = row.payload.get("voters")
        found += [str(row.payload.get("decided_by") or ""), *map(str, voters if isinstance(voters, list) else [])]
    return found


def _content(ctx: Context, row: OutboxRow, about: About, names: Mapping[str, str], *, link: str) -> Content:
    instruction = about.instruction
    if instruction is None:
        return news.notice(row.payload)
    if instruction.kind is Kind.PURCHASE and row.action in (Action.NEWS, Action.ALERT):
        tell = purchases.news if row.action == Action.NEWS else purchases.alert
        return tell(instruction, row.payload)
    match row.action:
        case Action.CARD:
            if _starts_the_clock(row, instruction):
                instruction = replace(instruction, expires_at=_expiry(instruction, ctx.clock.now()))
            direct = bool(row.payload.get("direct"))
            return card_for(ctx, instruction, about.votes, row.place, names=names, direct=direct)
        case Action.NEWS:
            return news.news(instruction, row.payload, names=names)
        case Action.REMINDER:
            return news.reminder(instruction, about.votes, row.payload, names=names)
        case _:
            approvers = ctx.policy.people.approvers
            return news.alert(instruction, row.payload, names=names, link=link, approvers=approvers)


def _posted(tx: Tx, ctx: Context, row: OutboxRow, about: About, at: Posted | None, *, found: bool = False) -> None:
    """Store where a message stands. One that was found shows what held when it was posted, which nobody knows now."""
    if at is None:
        tx.outbox.dead(row.id, error="nothing to say any more")
        return
    instruction = about.instruction
    now = ctx.clock.now()
    tx.outbox.sent(row.id, channel=at.channel, ts=at.ts, now=now)
    if about.board is not None:
        boards.posted(tx, row, at, version=0 if found else about.board.wanted_version, now=now)
    if row.action != Action.CARD or instruction is None:
        return
    shown = instruction.version
    current = tx.instructions.get(instruction.id) or instruction
    if _starts_the_clock(row, current):
        expires = _expiry(current, now)
        started = tx.instructions.touch(
            current,
            now=now,
            show=True,
            posted_at=now,
            expires_at=expires,
            due_at=next_look(posted_at=now, expires_at=expires, now=now),
        )
        if started is not None and current.version == shown:
            shown = started.version  # the post shows this very deadline already
    tx.copies.put(
        CardCopy(
            instruction_id=instruction.id,
            place=row.place,
            channel=at.channel,
            ts=at.ts,
            shown_version=0 if found else shown,
            due_at=None,
            attempts=0,
        )
    )


def adopt(ctx: Context, tx: Tx, row: OutboxRow, at: Posted) -> None:
    """The answer to this post was lost, and now it is known from elsewhere where the message stands."""
    _posted(tx, ctx, row, about_of(tx, row), at, found=True)


def _starts_the_clock(row: OutboxRow, instruction: Instruction) -> bool:
    """Whether this post is the first time that the approvers see the request."""
    waiting = instruction.state is State.AWAITING and instruction.posted_at is None
    return waiting and row.action == Action.CARD and row.place == Place.APPROVALS


def _expiry(instruction: Instruction, now: datetime) -> datetime:
    return now + timedelta(seconds=instruction.requirement.expires_seconds)


async def _refused(ctx: Context, row: OutboxRow, about: About, error: str) -> None:
    """Slack said no for good: another conversation, plainer blocks, or later; lost is not an answer."""
    instruction = about.instruction
    personal = row.place == Place.REQUESTER or (about.board is not None and about.board.requester != "")
    if error in _NO_PLACE and personal and not row.payload.get("direct"):
        payload = {**row.payload, "direct": True}
        now = ctx.clock.now()
        await ctx.store.write(lambda tx: tx.outbox.redirect(row.id, payload=payload, due_at=now), name="redirect")
        return
    if error == _NO_THREAD and instruction is not None and destination.thread(row, about) is not None:
        payload = {**row.payload, destination.ALONE: True}
        now = ctx.clock.now()
        await ctx.store.write(lambda tx: tx.outbox.redirect(row.id, payload=payload, due_at=now), name="redirect")
        return
    if error in _NO_PLACE and instruction is not None and row.place == Place.APPROVALS and row.action == Action.CARD:
        stuck = instruction
        await ctx.store.write(lambda tx: _alert_no_place(ctx, tx, stuck, error), name="no_place")
    if row.action == Action.LINK and not row.payload.get(pictures.PLAIN):
        payload = {**row.payload, pictures.PLAIN: True}
        log.warning("Slack refused a picture", outbox=row.id, error=error)
        now = ctx.clock.now()
        await ctx.store.write(lambda tx: tx.outbox.redirect(row.id, payload=payload, due_at=now), name="redirect")
        return
    if row.action == Action.FILE and instruction is not None:
        log.error("Slack refused a file", outbox=row.id, error=error)
        await ctx.store.write(lambda tx: _give_up(ctx, tx, row, instruction, error), name="dead")
        return
    if error in TOO_RICH:
        log.error("Slack refused the blocks of a message", outbox=row.id, error=error)
    if row.attempts >= _DEAD_AFTER and row.action != Action.CARD:
        log.error("a message could not be delivered", outbox=row.id, error=error)
        await ctx.store.write(lambda tx: _give_up(ctx, tx, row, instruction, error), name="dead")
        return
    await _again(ctx, row, wait=None, error=error)


def _give_up(ctx: Context, tx: Tx, row: OutboxRow, instruction: Instruction | None, error: str) -> None:
    """It never will arrive there; the alerts channel hears of it, unless it was meant for that.

    What became of money is told in the channel that the policy names for it.
    """
    tx.outbox.dead(row.id, error=error)
    if row.subject is not None:
        key = f"undelivered:{row.key}"
        facts = {"topic": "undelivered", "subject": row.subject, "channel": row.channel, "reason": error}
        tell_everybody(tx, key=key, facts=facts, policy=ctx.policy, now=ctx.clock.now())
    if instruction is not None and row.action == Action.NEWS and row.place in tuple(Place):
        news_elsewhere(tx, instruction, row.key, row.payload, policy=ctx.policy, now=ctx.clock.now())
    if instruction is not None and row.action != Action.ALERT:
        facts = {"reason": error, "channel": row.channel}
        alert(tx, instruction, topic=f"undelivered:{row.place}", facts=facts, policy=ctx.policy, now=ctx.clock.now())


def _alert_no_place(ctx: Context, tx: Tx, instruction: Instruction, error: str) -> None:
    facts = {"reason": error, "channel": ctx.policy.channels.approvals}
    alert(tx, instruction, topic="no_approvals_channel", facts=facts, policy=ctx.policy, now=ctx.clock.now())


async def _again(ctx: Context, row: OutboxRow, *, wait: float | None, error: str) -> None:
    """Later: after what Slack asked us to wait, which is no attempt; else after a pause that grows with them.

    Pictures are tried a few times, for whatever reason they do not go out: the link alone can.
    """
    counted = wait is None or row.action == Action.LINK
    due = ctx.clock.now() + (_pause(row) if wait is None else timedelta(seconds=wait))
    said = error if counted else row.last_error or error  # what Slack had against the blocks still holds
    await ctx.store.write(
        lambda tx: tx.outbox.again(row.id, due_at=due, error=said, counted=counted), name="post_again"
    )


def _pause(row: OutboxRow) -> timedelta:
    return back_off(first=1.0, attempts=row.attempts, ceiling=60.0)


def _claim(tx: Tx, hold: Hold) -> list[OutboxRow]:
    return tx.outbox.claim_due(**hold)


OUTBOX = Work(name="outbox", table="outbox", slots=100, claim=_claim, step=lambda ctx: partial(_deliver_ours, ctx))
"""Post what waits in the outbox."""
