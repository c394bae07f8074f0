"""People decide: approve, reject, withdraw; after an unknown outcome retry or close.

Authority is read from Slack before the transaction, everything else is checked inside it. The first
committed decision wins; the reply to a later voter names who was first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from bot.domain.approvals import Count, Membership, No, Refusal, Role, in_role, may_release, needs_confirming
from bot.domain.errors import RuleError
from bot.domain.money import parse_amount
from bot.domain.payments.instruction import Choice, Instruction, State, Vote
from bot.domain.payments.moves import CREATES
from bot.domain.payments.sealed import RELEASED
from bot.domain.reasons import OfRequest, Reason, given, has_code, stored
from bot.domain.text import clean
from bot.slack.messenger import Posted
from bot.workflows.context import Context, Unit, witness
from bot.workflows.requests.announce import Place, tell
from bot.workflows.requests.authority import (
    OutdatedError,
    Standings,
    count,
    involved_in,
    may_decide_on,
    paid_among,
    refusal_of,
    require_fresh,
    without_the_others,
)
from bot.workflows.requests.claim import fingerprint
from bot.workflows.requests.send import refusal_of_requester, resumed, suspend
from bot.workflows.restored import restored
from bot.workflows.slack.outbox import store_posted
from storage.rows import OutboxRow, OutboxState
from storage.transaction import Tx


@dataclass(frozen=True, slots=True)
class Decided:
    """The instruction after the decision, and the reason if the decision had no effect."""

    instruction: Instruction
    refusal: Refusal | No | None = None
    voices: int = 0
    """Votes that count so far, including this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One person's decision on the round of a request that the card or form was made for.

    ``involved``: the requester and the voters, if they were just read; otherwise empty, and they are read first.
    """

    instruction_id: str
    round: int
    person: str
    involved: frozenset[str] = frozenset()


_BEFORE_SENDING = frozenset({State.AWAITING, State.APPROVED})
_BEING_CREATED = frozenset({State.CREATING, State.CREATE_UNKNOWN})
_Work = Callable[[Unit, Instruction], Decided]
_Check = Callable[[Instruction, datetime], Refusal | None]


async def approve(
    ctx: Context, decision: Decision, *, typed_amount: str | None = None, confirmed: bool = False
) -> Decided:
    """Record a vote; the last one needed approves the request in the same transaction.

    If the rule requires the typed amount, a missing or wrong one is refused. ``confirmed``: the form showed the
    request's possible problems.
    """

    def check(found: Instruction, now: datetime) -> Refusal | None:
        if needs_confirming(found) and not confirmed:
            return _expired(found, now) or Refusal.UNCONFIRMED
        wrong = found.requirement.typed_amount and not _is_amount(typed_amount, found)
        return _expired(found, now) or (Refusal.WRONG_AMOUNT if wrong else None)

    return await _cast(ctx, decision, Choice.APPROVE, State.AWAITING, check, typed_amount)


async def retry(ctx: Context, decision: Decision, *, typed_amount: str) -> Decided:
    """Vote for another attempt after an unknown outcome; the amount must be typed."""

    def check(found: Instruction, _now: datetime) -> Refusal | None:
        if found.suspect is not None:
            return Refusal.SUSPECT
        return None if _is_amount(typed_amount, found) else Refusal.WRONG_AMOUNT

    return await _cast(ctx, decision, Choice.RETRY, State.NEEDS_HUMAN, check, typed_amount)


async def reject(ctx: Context, decision: Decision, *, reason: str) -> Decided:
    """Reject a request; one eligible person suffices, and the form requires a reason, which is shown."""
    standing = await ctx.people.standing(decision.person)

    def work(uow: Unit, found: Instruction) -> Decided:
        if (no := _refusal(uow, found, standing, State.AWAITING) or _expired(found, uow.now)) is not None:
            return Decided(found, no)
        return finish(uow, found, State.REJECTED, decision.person, given(reason))

    return await _decide(ctx, decision, work, name="reject")


async def close_as_not_paid(ctx: Context, decision: Decision, *, reason: str) -> Decided:
    """End a request whose outcome stayed unknown as not paid. Reads continue: a late success is an alert."""
    standing = await ctx.people.standing(decision.person)

    def work(uow: Unit, found: Instruction) -> Decided:
        if (no := _refusal(uow, found, standing, State.NEEDS_HUMAN)) is not None:
            return Decided(found, no)
        look = uow.now + ctx.quiet.spacing * 60 if found.creates or found.commits else None
        return finish(uow, found, State.CLOSED, decision.person, given(reason), due_at=look)

    return await _decide(ctx, decision, work, name="close")


def is_held_back(found: Instruction) -> bool:
    """Whether an admin has to release it, because an earlier request for the same may have been paid."""
    return found.state is State.APPROVED and has_code(found.reason, OfRequest.EARLIER_NOT_UNPAID)


def seen_of(found: Instruction) -> str:
    """Return the fingerprint of the reason for holding it back, which the form shows."""
    return fingerprint(stored(found.reason))


async def release(ctx: Context, decision: Decision, *, seen: str, reason: str) -> Decided:
    """Let a request that is held back be sent; allowed for an admin other than its requester.

    If the reason for holding it differs from the one ``seen`` in the form, it isn't released.
    """
    standing = await ctx.people.standing(decision.person)

    def work(uow: Unit, found: Instruction) -> Decided:
        payees = paid_among(uow, found, [standing])
        no = may_release(standing, requester=found.requester, people=ctx.policy.people, home=ctx.home, payees=payees)
        if no is not None or found.reason is None or not is_held_back(found):
            return Decided(found, no or Refusal.DECIDED)
        if seen_of(found) != seen:
            return Decided(found, Refusal.STALE)
        detail = {"found": found.reason.facts["found"], "reason": stored(given(reason))}
        witness(uow, RELEASED, detail, actor=decision.person, about=found)
        return Decided(uow.instructions.touch(found, show=True, reason=None, due_at=uow.now) or found)

    return await _decide(ctx, decision, work, name="release")


async def withdraw(ctx: Context, decision: Decision, *, reason: str = "") -> Decided:
    """Take a request back before anything is sent; allowed for its requester, or an admin who gives a reason."""
    standing = await ctx.people.standing(decision.person)

    def work(uow: Unit, found: Instruction) -> Decided:
        no = in_role(standing, (Role.ADMIN,), No.NOT_ADMIN, people=ctx.policy.people, home=ctx.home)
        if decision.person != found.requester and no is not None:
            return Decided(found, Refusal.NOT_YOURS)
        if found.state in _BEING_CREATED:
            return Decided(found, Refusal.TOO_EARLY)
        if found.state not in (State.NEW, *_BEFORE_SENDING) or found.commits:
            return Decided(found, Refusal.TOO_LATE)
        if decision.person != found.requester and not clean(reason):
            return Decided(found, Refusal.NO_REASON)
        return finish(uow, found, State.WITHDRAWN, decision.person, given(reason))

    return await _decide(ctx, decision, work, name="withdraw")


async def _decide(ctx: Context, decision: Decision, work: _Work, *, name: str) -> Decided:
    def checked(uow: Unit) -> Decided:
        found = uow.instructions.get(decision.instruction_id)
        if found is None:
            raise LookupError(decision.instruction_id)
        if restored(uow) is not None:
            return Decided(found, Refusal.RESTORED)
        if not may_decide_on(uow, found):
            return Decided(found, Refusal.DISAGREES)
        if found.round != decision.round:
            return Decided(found, Refusal.STALE)
        return work(uow, found)

    return await ctx.write(checked, name=name)


async def _cast(
    ctx: Context, decision: Decision, choice: Choice, state: State, check: _Check, typed_amount: str | None
) -> Decided:
    """Vote after reading the requester and voters; repeat if a new voter votes meanwhile (each votes once)."""

    def work(uow: Unit, found: Instruction, people: Standings) -> Decided:
        by = decision.person
        refusal = _refusal(uow, found, people[by], state)
        if refusal is Refusal.DECIDED and by in {one.person for one in uow.votes.of(found.id, found.round)}:
            refusal = Refusal.REPEATED
        refusal = refusal or check(found, uow.now)
        if refusal is not None:
            return Decided(found, refusal)
        name, typed = found.id, _is_amount(typed_amount, found)
        vote = Vote(instruction_id=name, round=found.round, person=by, choice=choice, at=uow.now, typed=typed)
        return _vote(uow, found, vote, people)

    involved = decision.involved
    while True:
        involved = involved or await involved_in(ctx, decision.instruction_id)
        people = await ctx.people.standings({decision.person, *involved})
        try:
            return await _decide(ctx, decision, partial(work, people=people), name=choice.value)
        except OutdatedError:
            involved = frozenset()


def _refusal(uow: Unit, found: Instruction, standing: Membership, state: State) -> Refusal | No | None:
    """Return why this person may not decide on it now; only in ``state`` is there anything to decide."""
    return refusal_of(uow, found, standing) or (None if found.state is state else Refusal.DECIDED)


def _expired(found: Instruction, now: datetime) -> Refusal | None:
    return Refusal.EXPIRED if found.expires_at is not None and found.expires_at <= now else None


def _vote(uow: Unit, found: Instruction, vote: Vote, people: Standings) -> Decided:
    """Store a vote and count. If the requester may no longer ask, suspend the request: it could never be sent."""
    require_fresh(uow.ctx, {found.requester, vote.person}, people)
    if (no := refusal_of_requester(uow.ctx, found, people)) is not None:
        return Decided(suspend(uow, found, no) or found, Refusal.HELD)
    if not uow.votes.cast(vote):
        return Decided(found, Refusal.REPEATED)
    votes = uow.votes.of(found.id, found.round)
    require_fresh(uow.ctx, [one.person for one in votes], people)
    counted = count(uow, found, votes, people, seconds=found.requirement.expires_seconds)
    held = resumed(uow, found)
    held = held and without_the_others(uow, held, votes, counted)
    return _counted(uow, held, vote, counted) if held is not None else Decided(found, Refusal.STALE)


def _counted(uow: Unit, found: Instruction, vote: Vote, count: Count) -> Decided:
    """Apply a vote: approve the request once the quorum is reached, otherwise keep it waiting.

    Votes to repeat a create do not approve the payment: the service is searched once more, in a new round.
    """
    voices = len(count.counted)
    counted, quorum = sorted(count.counted), found.requirement.quorum
    detail = {"round": found.round, "counted": counted, "quorum": quorum, "typed": vote.typed}
    if voices < quorum:
        witness(uow, vote.choice.value, detail, actor=vote.person, about=found)
        return Decided(uow.instructions.touch(found, now=vote.at, show=True) or found, voices=voices)
    again = found.state is State.NEEDS_HUMAN and found.kind in CREATES and not found.commits
    moved = uow.instructions.move(
        found,
        State.CREATE_UNKNOWN if again else State.APPROVED,
        now=vote.at,
        actor=vote.person,
        action=vote.choice.value,
        facts=detail,
        decided_by=vote.person,
        reason=None,
        due_at=vote.at,
        creates=0 if again else found.creates,
        round=found.round + 1 if again else found.round,
        unknown_since=vote.at if again else found.unknown_since,
        exec_deadline=None if again else vote.at + timedelta(seconds=found.requirement.execute_within_seconds),
    )
    return Decided(moved or found, voices=voices)


def finish(
    uow: Unit, found: Instruction, to: State, person: str, reason: Reason | None, *, due_at: datetime | None = None
) -> Decided:
    """End a request by a person's decision, in the caller's transaction."""
    moved = uow.instructions.move(
        found,
        to,
        actor=person,
        action=to.value,
        facts={"reason": stored(reason)},
        decided_by=person,
        reason=reason,
        due_at=due_at,
    )
    if moved is None:
        return Decided(uow.instructions.get(found.id) or found, Refusal.DECIDED)
    uow.kinds[moved.kind].ended(uow, moved)
    tell(uow, moved)
    return Decided(moved)


def _is_amount(typed: str | None, found: Instruction) -> bool:
    try:
        return typed is not None and parse_amount(typed) == found.cents
    except RuleError:
        return False


Shown = tuple[Instruction, list[Vote]]
"""A request with the votes of its round."""


async def shown_as(ctx: Context, instruction_id: str, *, channel: str, ts: str) -> Shown | None:
    """Return the request with this id, if this message is a copy of its card that we posted.

    A click can arrive before Slack's answer to our post: while the post of a card to this conversation is in
    flight, the button is taken as that card's. After a lost answer, the click shows where the card was posted.
    A card that has been reposted since is outdated.
    """
    after = _time_of(ts)

    def posts_here(uow: Unit) -> list[OutboxRow]:
        posts = [uow.outbox.by_key(f"card:{instruction_id}:{place}") for place in Place]
        return [post for post in posts if post and post.channel == channel and _time_of(post.sent_ts) < after]

    def look(uow: Unit) -> tuple[Shown | None, bool]:
        card = uow.boards.find(channel, ts)
        if card is not None:
            return (_shown(uow, instruction_id) if card.instruction_id == instruction_id else None), False
        states = [post.state for post in posts_here(uow)]
        under_way = OutboxState.SENDING in states or OutboxState.UNKNOWN in states
        return (_shown(uow, instruction_id) if under_way else None), OutboxState.UNKNOWN in states

    def keep(uow: Unit) -> None:
        here = posts_here(uow)
        if len(here) == 1 and here[0].state is OutboxState.UNKNOWN:
            [row] = here
            store_posted(uow, row, uow.boards.get(row.subject), Posted(channel, ts), found=True)

    found, lost = await ctx.read(look)
    if found is None or not lost:
        return found
    await ctx.write(keep, name="found_post")
    return await ctx.read(lambda uow: _shown(uow, instruction_id))


async def shown_at_home(ctx: Context, instruction_id: str) -> Shown | None:
    """Return the request for a button of an App Home, which only its reader gets and which is not a message."""
    return await ctx.read(lambda uow: _shown(uow, instruction_id))


def _time_of(ts: str) -> tuple[int, ...]:
    """Parse Slack's time stamp for comparison; an empty one sorts before any other."""
    return tuple(int(part) if part.isdecimal() else 0 for part in ts.split("."))


def _shown(tx: Tx, instruction_id: str) -> Shown | None:
    found = tx.instructions.get(instruction_id)
    return None if found is None else (found, tx.votes.of(found.id, found.round))
