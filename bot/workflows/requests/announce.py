"""Queue cards, news and alerts of a request in the transaction that makes them true; change states without sending.

A request has one board in each of its places, called its card; its text comes from
:mod:`bot.workflows.payments.subject`. Outbox rows are unique by key: one piece of news for each state and place,
however often that state is observed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from bot.domain.payments.instruction import FINAL, Instruction, Progress, State
from bot.domain.payments.moves import APPROVED
from bot.domain.payments.operation import OperationStatus, read_status
from bot.domain.payments.sealed import PAID_AFTER_ALL
from bot.domain.policy import Policy
from bot.domain.reasons import OfRequest, Reason, stored
from bot.domain.tracking import next_look
from bot.workflows.context import Context, Unit, witness
from bot.workflows.slack.boards import ELSEWHERE, THREAD, post_board, queue, show_board
from storage.repositories.requests import Changes
from storage.rows import Action
from storage.transaction import Tx


class Place(StrEnum):
    """The two places of an instruction's cards."""

    APPROVALS = "approvals"
    REQUESTER = "requester"


class Line(StrEnum):
    """Kind of a message about a request; stored in its payload as ``line``."""

    NEWS = "news"
    ALERT = "alert"
    REMINDER = "reminder"
    OUT_OF_REACH = "out_of_reach"
    NOT_SHOWN = "not_shown"
    HELD = "held"


SUBJECT = "request"
"""Prefix of the subject of a request in one place."""


TOLD = FINAL | {State.PENDING_ESCROW, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN}
"""States that trigger a message. The others only update the card."""
_PREPARED_WITHIN: Final = timedelta(seconds=5)
"""How long the first post waits for the recipient's look-up, so that the card shows what to decide."""

_ALERTS, PAYMENTS = "alerts", "payments"
"""Conversations that get messages about a request without having its card."""
_ALARMING = frozenset({State.NEEDS_HUMAN, State.MISMATCH})


def places(ctx: Context, instruction: Instruction) -> tuple[Place, ...]:
    """Return the places of this instruction's cards. A request made in the approvals channel has one card for both.

    A kind without approval has no approvers' card. A request made in a file's thread always has its own card there.
    """
    if instruction.kind not in APPROVED:
        return (Place.REQUESTER,)
    if instruction.origin_channel == ctx.policy.channels.approvals and not instruction.payload.thread_ts:
        return (Place.APPROVALS,)
    return (Place.APPROVALS, Place.REQUESTER)


def asked_in(ctx: Context, instruction: Instruction) -> Place:
    """Return the place whose card is in the conversation where the request was made."""
    return places(ctx, instruction)[-1]


def subject_of(instruction_id: str, place: str) -> str:
    """Return the subject of a request in a :class:`Place`, or in another conversation, which gets no board."""
    return f"{SUBJECT}:{instruction_id}:{place}"


def show_card(uow: Unit, instruction: Instruction, place: Place, *, prepared: bool = True) -> None:
    """Queue the first post of a copy of the card; edits follow automatically.

    Unless ``prepared``, the post is delayed until :func:`show_now`, but at most by ``_PREPARED_WITHIN``.
    """
    asked_here = place is Place.REQUESTER
    post_board(
        uow,
        subject=subject_of(instruction.id, place),
        key=card_key(instruction, place),
        channel=_channel_of(uow.policy, instruction, place),
        thread_ts=(instruction.payload.thread_ts or None) if asked_here else None,
        requester=instruction.requester if asked_here else "",
        about=instruction.id,
        due_at=None if prepared else uow.now + _PREPARED_WITHIN,
    )


def card_key(instruction: Instruction, place: Place) -> str:
    """Return the outbox key of a card's post."""
    return f"card:{instruction.id}:{place}"


def unseen_until(instruction: Instruction) -> datetime:
    """Return when a request expires if the approvers' card can't be posted: its time to decide runs from creation."""
    return instruction.created_at + timedelta(seconds=instruction.requirement.expires_seconds)


def tell_not_shown(uow: Unit, instruction: Instruction, why: Reason) -> None:
    """Notify operators and the requester, once each, that the approvers' card can't be posted, and name the fix."""
    channel = uow.policy.channels.approvals
    facts = {"channel": channel, "setting": uow.policy.setting_of(channel)}
    alert(uow, instruction, "no_approvals_channel", reason=why, more=facts)
    until = unseen_until(instruction).isoformat()
    line = {"line": Line.NOT_SHOWN, "reason": why.stored(), "channel": channel, "until": until}
    queue_line(uow, instruction, asked_in(uow.ctx, instruction), f"not_shown:{instruction.id}", line)


def show_now(uow: Unit, instruction: Instruction) -> None:
    """Post cards at once that were delayed until the request is prepared, whether or not it was."""
    for place in Place:
        uow.outbox.hasten(subject_of(instruction.id, place), uow.now)


def show_progress(uow: Unit, instruction: Instruction, place: Place) -> None:
    """Queue an edit that updates only the progress on a copy of the card."""
    show_board(uow, subject_of(instruction.id, place), progress=True)


def show_file(uow: Unit, instruction: Instruction, place: Place, what: str, *, key: str = "") -> bool:
    """Queue a file, built when posted, for the thread of a copy of the card; False if it was queued before.

    ``what`` names the file for the card's subject; ``key``: outbox key, by default derived from the other arguments.
    """
    key, channel = key or f"file:{instruction.id}:{place}:{what}", _channel_of(uow.policy, instruction, place)
    subject, payload = subject_of(instruction.id, place), {"what": what}
    return queue(uow, Action.FILE, subject, key, channel=channel, payload=payload, about=instruction.id, urgent=False)


def tell(uow: Unit, instruction: Instruction) -> None:
    """Queue news of the instruction's current state for its requester, and an alert if the state needs one.

    Requesters get no news of their own withdrawal. If approvers have to decide, the alert replaces the news.
    """
    if instruction.state in FINAL:
        tell_unstuck(uow, instruction)
    if instruction.state not in TOLD:
        return
    topic = f"{instruction.state}:{instruction.round}"
    own = instruction.state is State.WITHDRAWN and instruction.decided_by == instruction.requester
    theirs = instruction.state is State.NEEDS_HUMAN and instruction.kind in APPROVED
    if own:
        show_now(uow, instruction)
    elif not theirs:
        news_of(uow, instruction, asked_in(uow.ctx, instruction), topic)
    if instruction.state in _ALARMING:
        alert(uow, instruction, topic, reason=instruction.reason, more=_facts(uow, instruction))


def news_of(uow: Unit, instruction: Instruction, place: Place, what: str) -> None:
    """Queue a message with the instruction's current facts for one of its threads, once per ``what``."""
    facts = {"line": Line.NEWS, **_facts(uow, instruction)}
    queue_line(uow, instruction, place, f"news:{instruction.id}:{place}:{what}", facts)


def _facts(tx: Tx, instruction: Instruction) -> dict[str, object]:
    """Return the instruction's current facts, which may change before the message is posted."""
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


STUCK: Final = "stuck"
"""Topic of the alert that a request is blocked until a person acts."""
FIRST: Final = "first"
"""Number of the reminder to approvers whose card was posted before there was anything to decide."""


def remind(uow: Unit, instruction: Instruction, number: int | str) -> None:
    """Queue a reminder in the thread of the approvers' card; each ``number`` is posted once per round."""
    key = f"reminder:{instruction.id}:{instruction.round}:{number}"
    facts = {"line": Line.REMINDER, "approvers": list(uow.policy.people.approvers)}
    queue_line(uow, instruction, Place.APPROVALS, key, facts)


def alert(
    uow: Unit,
    instruction: Instruction,
    topic: str,
    *,
    reason: Reason | None,
    once: str = "",
    more: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Queue a message to the alerts channel, once per topic of an instruction.

    ``once``: a key shared by several topics, of which only the first is posted. ``more``: facts besides the reason.
    """
    said = {"line": Line.ALERT, "topic": topic.partition(":")[0], "reason": stored(reason), **more}
    queue_line(uow, instruction, _ALERTS, f"alert:{instruction.id}:{once or topic}", said)


def tell_unstuck(uow: Unit, instruction: Instruction) -> None:
    """Queue the all-clear for this round's alert that a request is blocked, if there was one."""
    topic = f"{STUCK}:{instruction.round}"
    if uow.outbox.by_key(f"alert:{instruction.id}:{topic}") is not None:
        alert(uow, instruction, f"continues:{topic}", reason=None)


def alert_paid(uow: Unit, instruction: Instruction, reason: Reason) -> None:
    """Queue the alert that a request that ended as not paid now reads as paid; once, across all processes."""
    note_paid(uow, instruction, reason)
    if instruction.state is State.CLOSED:
        topic = "paid_after_close"
    else:
        topic = "paid_after_end" if instruction.commits else "paid_elsewhere"
    alert(uow, instruction, topic, once="paid after its end", reason=reason)


def alert_changed(uow: Unit, instruction: Instruction, status: str) -> None:
    """Queue the alert that the service now reports a different outcome than before."""
    reason = Reason(OfRequest.CONTRADICTED, before=instruction.state.value, status=status)
    alert(uow, instruction, "contradiction", reason=reason)
    if read_status(status) not in (OperationStatus.FAILED, OperationStatus.CANCELED):
        note_paid(uow, instruction, reason)


def note_paid(uow: Unit, instruction: Instruction, reason: Reason) -> None:
    """Note once in the audit that the request reads as paid, for requests that pay the same or were made from it."""
    if not reads_as_paid(uow, instruction):
        witness(uow, PAID_AFTER_ALL, {"reason": stored(reason)}, about=instruction)


def reads_as_paid(tx: Tx, instruction: Instruction) -> bool:
    """Whether the service later reported a payment for a request that ended as not paid."""
    return any(row.action == PAID_AFTER_ALL for row in tx.audit.about(instruction.id))


def queue_line(uow: Unit, instruction: Instruction, place: str, key: str, payload: Mapping[str, object]) -> None:
    """Queue a message for one of the request's conversations; ``payload`` holds its facts and its :class:`Line`.

    A requester's message meant for the thread of the approvers' card goes to them directly until that card is posted.
    """
    line, channel = payload.get("line"), _channel_of(uow.policy, instruction, place)
    unseen = instruction.state in (State.AWAITING, State.EXPIRED) and instruction.posted_at is None
    directly = unseen and place == Place.APPROVALS and line in (Line.NEWS, Line.NOT_SHOWN)
    queue(
        uow,
        Action.LINE,
        subject_of(instruction.id, Place.REQUESTER if directly else place),
        key,
        channel=instruction.requester if directly else channel,
        payload=payload,
        place=ELSEWHERE if directly else THREAD,
        about=instruction.id,
        urgent=line in (Line.NEWS, Line.ALERT),
    )


def _channel_of(policy: Policy, instruction: Instruction, place: str) -> str:
    named = {Place.APPROVALS: policy.channels.approvals, _ALERTS: policy.alerts, PAYMENTS: policy.payments}
    return named.get(place, instruction.origin_channel)


def on_record(remote_id: str, status: str) -> Changes:
    """Return the changes that store the service's record of a request and clear every doubt about it."""
    return {
        "remote_id": remote_id,
        "remote_status": status,
        "refusal": None,
        "suspect": None,
        "unknown_since": None,
        "reads": 0,
        "puts_off": 0,
        "reason": None,
        "due_at": None,
    }


async def prepared(
    ctx: Context, instruction: Instruction, *, progress: Progress | None = None, files: Sequence[str] = ()
) -> None:
    """Show a request that needs no create to the approvers, with these files in the thread of their card."""
    changes: Changes = {"puts_off": 0, "reason": None, "progress": progress or instruction.progress}

    def work(uow: Unit) -> None:
        show_approvers(uow, instruction, changes, action="prepared")
        for file in files:
            show_file(uow, instruction, Place.APPROVALS, file)

    await ctx.write(work, name="prepared")


def show_approvers(uow: Unit, instruction: Instruction, changes: Changes, *, action: str) -> None:
    """Move the request to AWAITING and show it to the approvers.

    The expiry clock starts when their card is posted, which may be the case already. If the card can't be posted, the
    request expires equally long after it was made.
    """
    board = uow.boards.get(subject_of(instruction.id, Place.APPROVALS))
    seen = board is not None and board.ts != ""
    expires = uow.now + timedelta(seconds=instruction.requirement.expires_seconds)
    merged: Changes = {
        **changes,
        "posted_at": uow.now if seen else None,
        "expires_at": expires if seen else None,
        "due_at": next_look(posted_at=uow.now, expires_at=expires, now=uow.now) if seen else unseen_until(instruction),
    }
    made = {"remote_id": changes["remote_id"]} if "remote_id" in changes else {}
    moved = uow.instructions.move(instruction, State.AWAITING, action=action, facts=made, **merged)
    if moved is None:
        return
    show_card(uow, moved, Place.APPROVALS)
    show_now(uow, moved)
    if seen:
        remind(uow, moved, FIRST)


def end(
    uow: Unit,
    instruction: Instruction,
    state: State,
    reason: Reason | None,
    *,
    remote_id: str | None = None,
    said: str = "",
) -> None:
    """Move a request to a final state that no person chose, report the reason and run its kind's ``ended``.

    ``remote_id``: from the record that ended it, if any; ``said``: the service's own words, for the audit.
    """
    known = remote_id or instruction.remote_id
    sent, watches = instruction.creates or instruction.commits, State.REFUSED in uow.kinds[instruction.kind].steps
    unnamed = state is State.REFUSED and known is None and bool(sent) and watches  # it may leave an orphan there
    moved = uow.instructions.move(
        instruction,
        state,
        action=state.value,
        facts={"reason": stored(reason), **({"said": said} if said else {})},
        reason=reason,
        decided_by="",
        remote_id=known,
        due_at=uow.now + uow.quiet.spacing * 60 if unnamed else None,
    )
    if moved is not None:
        uow.kinds[moved.kind].ended(uow, moved)
        tell(uow, moved)


def end_refused(uow: Unit, instruction: Instruction) -> None:
    """Release the reservations and end the request as refused, once the service's records confirm the refusal."""
    for attempt in uow.attempts.of(instruction.id):
        uow.reservations.release(instruction.id, attempt.n)
    end(uow, instruction, State.REFUSED, instruction.refusal or instruction.reason)


def ask_people(uow: Unit, instruction: Instruction, reason: Reason | None, *, suspect: str | None = None) -> None:
    """Hand a request whose outcome no read can settle to people, in a new round of votes.

    The stored reason combines ``reason`` with the service's answer while the outcome was open. ``suspect``: id of a
    record that may be this request; while it is set, nothing is sent again until people decide.
    """
    before, why = instruction.reason, reason
    unknown = instruction.state in (State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN)
    if instruction.refusal is not None:
        why = Reason(OfRequest.AFTER_REFUSAL, refusal=instruction.refusal, why=reason)
    elif unknown and before is not None and before.quotes_answer:
        why = Reason(OfRequest.AFTER_ANSWER, answer=before, why=reason)
    moved = uow.instructions.move(
        instruction,
        State.NEEDS_HUMAN,
        action="needs_human",
        facts={"reason": stored(reason), "suspect": suspect or ""},
        reason=why,
        suspect=suspect,
        decided_by="",
        round=instruction.round + 1,
        due_at=uow.now + uow.quiet.spacing * 60 if instruction.commits else None,
    )
    if moved is not None:
        show_card(uow, moved, Place.APPROVALS)  # approvers may never have seen it before
        tell(uow, moved)
