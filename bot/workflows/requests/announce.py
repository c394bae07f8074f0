"""Cards, news and alerts of a request, queued in the transaction that makes them true.

A request has one board in each of its places, called its card; its text comes from
:mod:`bot.workflows.payments.subject`. Outbox rows are unique by key: one piece of news for each state and place,
however often that state is observed.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from bot.domain.payments.bulk import BulkPayload
from bot.domain.payments.instruction import FINAL, Instruction, State
from bot.domain.payments.moves import APPROVED
from bot.domain.reasons import OfRequest, Reason, stored
from bot.workflows.context import Context
from bot.workflows.slack.boards import post_board, queue, show_board
from storage.rows import Action
from storage.transaction import Tx


class Place(StrEnum):
    """The two places of an instruction's cards."""

    APPROVALS = "approvals"
    REQUESTER = "requester"


class Line(StrEnum):
    """What a line about a request is; stored in its payload as ``line``."""

    NEWS = "news"
    ALERT = "alert"
    REMINDER = "reminder"
    OUT_OF_REACH = "out_of_reach"


SUBJECT = "request"
"""Kind of the subject that stands for a request in one place."""
LINK = "link"
"""The file that is the checkout link of a purchase, with its picture."""


TOLD = FINAL | {State.PENDING_ESCROW, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN}
"""States that are posted as news. The others only change the card."""

_ALERTS, _PAYMENTS = "alerts", "payments"
"""Conversations that get messages about a request without having its card."""
_ALARMING = frozenset({State.NEEDS_HUMAN, State.MISMATCH})


def places(ctx: Context, instruction: Instruction) -> tuple[Place, ...]:
    """Places of this instruction's cards. A request made in the approvals channel has one card for both.

    What needs no approval has none for approvers. A request made in a file's thread has its own card there anyway.
    """
    if instruction.kind not in APPROVED:
        return (Place.REQUESTER,)
    if instruction.origin_channel == ctx.policy.channels.approvals and not thread_of(instruction):
        return (Place.APPROVALS,)
    return (Place.APPROVALS, Place.REQUESTER)


def asked_in(ctx: Context, instruction: Instruction) -> Place:
    """The place of the card where the request was made."""
    return places(ctx, instruction)[-1]


def thread_of(instruction: Instruction) -> str:
    """Thread of the requester's card; empty: none."""
    return instruction.payload.thread_ts if isinstance(instruction.payload, BulkPayload) else ""


def subject_of(instruction_id: str, place: str) -> str:
    """The request in this place: one of :class:`Place`, or another conversation, where it has no board."""
    return f"{SUBJECT}:{instruction_id}:{place}"


def show_card(ctx: Context, tx: Tx, instruction: Instruction, place: Place, now: datetime) -> None:
    """Queue the first post of a copy of the card; edits follow by themselves."""
    asked_here = place is Place.REQUESTER
    post_board(
        tx,
        subject=subject_of(instruction.id, place),
        key=f"card:{instruction.id}:{place}",
        channel=_channel_of(ctx, instruction, place),
        thread_ts=(thread_of(instruction) or None) if asked_here else None,
        requester=instruction.requester if asked_here else "",
        about=instruction.id,
        now=now,
    )


def show_progress(tx: Tx, instruction: Instruction, place: Place, now: datetime) -> None:
    """Queue an edit of a copy of the card that tells only how far the work is."""
    show_board(tx, subject_of(instruction.id, place), now=now, progress=True)


def is_shown(tx: Tx, instruction: Instruction, place: Place) -> bool:
    """Whether a copy of the card is posted in this place."""
    board = tx.boards.get(subject_of(instruction.id, place))
    return board is not None and board.ts != ""


def show_link(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """Queue the checkout link of a purchase for the thread of its card."""
    _queue(ctx, tx, instruction, Action.FILE, Place.REQUESTER, f"link:{instruction.id}", {"what": LINK}, now)


def show_file(ctx: Context, tx: Tx, instruction: Instruction, place: Place, what: str, now: datetime) -> bool:
    """Queue a file for the thread of a copy of the card, built when it is posted; False when it was queued before.

    ``what`` says which file; see :mod:`bot.workflows.payments.bulk_files`.
    """
    key = f"file:{instruction.id}:{place}:{what}"
    return _queue(ctx, tx, instruction, Action.FILE, place, key, {"what": what}, now)


def tell(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """Queue the news of the instruction's present state for each of its conversations, and an alert if it needs one."""
    if instruction.state not in TOLD:
        return
    topic = f"{instruction.state}:{instruction.round}"
    for place in places(ctx, instruction):
        if place is Place.APPROVALS and instruction.posted_at is None and not _card_queued(tx, instruction):
            continue  # the approvers never saw it, so there is nothing to tell them
        news_of(ctx, tx, instruction, place, topic, now)
    if instruction.state in _ALARMING:
        alert(ctx, tx, instruction, topic, now, reason=instruction.reason, more=_facts(tx, instruction))


def news_of(ctx: Context, tx: Tx, instruction: Instruction, place: Place, what: str, now: datetime) -> None:
    """Queue a message about the instruction as it stands for one of its threads, once for each ``what``."""
    facts = {"line": Line.NEWS, **_facts(tx, instruction)}
    _queue(ctx, tx, instruction, Action.LINE, place, f"news:{instruction.id}:{place}:{what}", facts, now)


def news_elsewhere(
    ctx: Context, tx: Tx, instruction: Instruction, key: str, facts: Mapping[str, object], now: datetime
) -> None:
    """Queue news that could not be posted for the policy's payments channel, unless that channel has the card.

    ``key`` and ``facts``: of the news that could not be posted.
    """
    if ctx.policy.payments == ctx.policy.channels.approvals and Place.APPROVALS in places(ctx, instruction):
        return
    _queue(ctx, tx, instruction, Action.LINE, _PAYMENTS, f"{key}:elsewhere", facts, now)


def _facts(tx: Tx, instruction: Instruction) -> dict[str, object]:
    """Facts of the instruction now; they may have changed when the message is posted."""
    facts: dict[str, object] = {
        "state": instruction.state.value,
        "reason": stored(instruction.reason),
        "refusal": stored(instruction.refusal),
        "decided_by": instruction.decided_by,
        "voters": [vote.person for vote in tx.votes.of(instruction.id, instruction.round)],
        "svc_hash": instruction.svc_hash,
    }
    if instruction.progress is not None:
        facts["tally"] = instruction.progress.tally.model_dump(mode="json")
    return facts


FIRST: Final = "first"
"""The call of approvers whose card stood before there was something to decide."""


def remind(ctx: Context, tx: Tx, instruction: Instruction, number: int | str, now: datetime) -> None:
    """Queue a reminder for the approvers, in the thread of their card. ``number``: each is posted once a round."""
    key = f"reminder:{instruction.id}:{instruction.round}:{number}"
    facts = {"line": Line.REMINDER, "approvers": list(ctx.policy.people.approvers)}
    _queue(ctx, tx, instruction, Action.LINE, Place.APPROVALS, key, facts, now)


def out_of_reach(
    ctx: Context, tx: Tx, instruction: Instruction, nth: int, facts: Mapping[str, object], now: datetime
) -> None:
    """Queue the news that there are too few people to approve it, for the requester; ``nth``: each is posted once."""
    said = {"line": Line.OUT_OF_REACH, **facts}
    place = asked_in(ctx, instruction)
    _queue(ctx, tx, instruction, Action.LINE, place, f"out_of_reach:{instruction.id}:{nth}", said, now)


def alert(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    topic: str,
    now: datetime,
    *,
    reason: Reason | None,
    once: str = "",
    more: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Queue a message to the alerts channel, once for each topic of an instruction.

    ``once``: a key that several topics share; only the first of them is posted. ``more``: facts besides the reason.
    """
    said = {"line": Line.ALERT, "topic": topic.partition(":")[0], "reason": stored(reason), **more}
    _queue(ctx, tx, instruction, Action.LINE, _ALERTS, f"alert:{instruction.id}:{once or topic}", said, now)


def alert_paid(ctx: Context, tx: Tx, instruction: Instruction, reason: Reason, now: datetime) -> None:
    """Queue the alert that a request that ended as not paid reads as paid; once, across all processes."""
    if instruction.state is State.CLOSED:
        topic = "paid_after_close"
    else:
        topic = "paid_after_end" if instruction.commits else "paid_elsewhere"
    alert(ctx, tx, instruction, topic, now, once="paid after its end", reason=reason)


def alert_changed(ctx: Context, tx: Tx, instruction: Instruction, status: str, now: datetime) -> None:
    """Queue the alert that the service now tells another end than the one it told before."""
    alert(
        ctx,
        tx,
        instruction,
        "contradiction",
        now,
        reason=Reason(OfRequest.CONTRADICTED, before=instruction.state.value, status=status),
    )


def _card_queued(tx: Tx, instruction: Instruction) -> bool:
    return tx.boards.get(subject_of(instruction.id, Place.APPROVALS)) is not None


def _queue(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    action: Action,
    place: str,
    key: str,
    payload: Mapping[str, object],
    now: datetime,
) -> bool:
    subject, channel = subject_of(instruction.id, place), _channel_of(ctx, instruction, place)
    urgent = payload.get("line") in (Line.NEWS, Line.ALERT)
    return queue(
        tx, action, subject, key, channel=channel, payload=payload, now=now, about=instruction.id, urgent=urgent
    )


def _channel_of(ctx: Context, instruction: Instruction, place: str) -> str:
    policy = ctx.policy
    named = {Place.APPROVALS: policy.channels.approvals, _ALERTS: policy.alerts, _PAYMENTS: policy.payments}
    return named.get(place, instruction.origin_channel)
