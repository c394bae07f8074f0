"""Whether an approved request may be sent now, checked once more in the transaction of the claim.

The requester and the voters are checked last: their rights at the time of the claim count. A requester who lost the
right to ask holds the request: every approval so far is void, because it was given to a requester who was allowed to
ask; if the requester may ask again, new approvals are needed. A stricter policy also applies to open requests.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any

from bot.domain.approvals import Count, No, Void, facts_of, may_request, requirement_of
from bot.domain.payments.instruction import MONEY_OUT, Instruction, Kind, Payload, State
from bot.domain.payments.moves import APPROVED, is_on_hold
from bot.domain.payments.sealed import daily_key, needed
from bot.domain.policy import Requirement
from bot.domain.reasons import OfRequest, Reason, has_code, stored
from bot.workflows.context import Context, Unit, witness
from bot.workflows.effect import Claim, hold
from bot.workflows.requests.announce import Line, alert, ask_people, asked_in, end, queue_line, remind
from bot.workflows.requests.authority import (
    Standings,
    count,
    frozen,
    may_send,
    next_round,
    require_fresh,
    why_more,
    without_the_others,
)
from bot.workflows.requests.claim import Claimed, OvertakenError, held_claim, lease, open_attempt, with_people
from bot.workflows.requests.repeats import repeats_of
from storage.errors import RowUnreadable
from storage.repositories.queues import Key
from storage.repositories.requests import Changes


def refusal_of_requester(ctx: Context, instruction: Instruction, standings: Standings) -> No | None:
    """Return why the requester may no longer ask for money, or None if they may."""
    return may_request(standings[instruction.requester], people=ctx.policy.people, home=ctx.home)


async def read_refusal(ctx: Context, instruction: Instruction) -> No | None:
    """Like :func:`refusal_of_requester`, with the standing read now."""
    standing = await ctx.people.standing(instruction.requester, patient=True)
    return may_request(standing, people=ctx.policy.people, home=ctx.home)


def suspend(uow: Unit, instruction: Instruction, no: No) -> Instruction | None:
    """Send the request back to the approvers with every approval void; None if it was changed concurrently.

    A request that does not wait for approvers yet keeps its state. One alert is posted.
    """
    back = instruction.state
    if back is State.APPROVED:
        back = State.NEEDS_HUMAN if instruction.commits else State.AWAITING
    votes = uow.votes.of(instruction.id, instruction.round)
    reason = Reason(OfRequest.HELD, no=no.value, sent_before=instruction.commits > 0)
    if back is instruction.state and instruction.reason == reason and not votes:
        return instruction
    changes: Changes = {"reason": reason, "round": instruction.round + 1 if votes else instruction.round}
    detail = {"why": no.value}
    if back is not instruction.state:
        changes |= {"decided_by": "", "exec_deadline": None, "due_at": uow.now}
        if back is State.NEEDS_HUMAN:
            changes["due_at"] = uow.now + uow.quiet.spacing * 60
        after = uow.instructions.move(instruction, back, action="suspended", facts=detail, **changes)
    else:
        after = uow.instructions.touch(instruction, action="suspended", facts=detail, show=True, **changes)
    if after is not None:
        alert(uow, after, f"suspended:{after.round}", reason=reason)
    return after


def resumed(uow: Unit, instruction: Instruction) -> Instruction | None:
    """Return the instruction, no longer marked as held, or None if it was changed concurrently."""
    if not has_code(instruction.reason, OfRequest.HELD):
        return instruction
    after = uow.instructions.touch(instruction, show=True, reason=None)
    if after is not None:
        alert(uow, after, f"continues:{after.version}", reason=None)
    return after


_OPEN = (
    State.NEW,
    State.CREATING,
    State.CREATE_UNKNOWN,
    State.AWAITING,
    State.APPROVED,
    State.COMMIT_UNKNOWN,
    State.NEEDS_HUMAN,
)


async def tighten_open(ctx: Context) -> int:
    """At start, check every open request against the current policy; return how many need more than before."""

    def is_tightened(uow: Unit, one: Instruction) -> bool:
        try:
            votes = uow.votes.of(one.id, one.round)
            held = tighten(uow, one)
            if held is not None and held.state is State.AWAITING and held.requirement.typed_amount:
                # If no vote is open now, votes are counted before anything is sent.
                typed = frozenset(vote.person for vote in votes if vote.typed)
                void = {vote.person: Void.UNTYPED for vote in votes if not vote.typed}
                held = without_the_others(uow, held, votes, Count(typed, void))
                if held is not None and void:
                    remind(uow, held, 0)
        except RowUnreadable:
            return False  # an unreadable vote is noted, and the request is held
        return held is not one

    def work(uow: Unit, after: Key | None) -> tuple[int, Key | None]:
        page, end = uow.sweep.page("instruction", after)
        found = [one for one in page if one.kind in APPROVED and one.state in _OPEN]
        return sum(is_tightened(uow, one) for one in found), end

    count, end = await ctx.write(partial(work, after=None), name="tighten", wakes=False)
    while end is not None:
        more, end = await ctx.write(partial(work, after=end), name="tighten", wakes=False)
        count += more
    return count


def required(
    uow: Unit, kind: Kind, payload: Payload, items: Sequence[Any], asked_at: datetime, *, before: str = ""
) -> Requirement:
    """Return the policy's requirement for a request with this payload and these items, if any.

    ``before``: id of a stored request, compared only with earlier ones; empty: a new one, compared with all others.
    """
    alone = not payload.has_items
    facts = facts_of(
        payload,
        new_recipient=uow.policy.looks_at_recipients and alone and not uow.instructions.paid_before([payload.email]),
        sent_today=uow.reservations.sum(daily_key(uow.now)) if uow.policy.looks_at_the_day else 0,
    )
    repeats = repeats_of(uow, kind, payload, items, asked_at=asked_at, before=before)
    return requirement_of(uow.policy, facts, payload, repeats)


def over_today(uow: Unit, instruction: Instruction) -> Reason | None:
    """Return why the limit on all payments of a UTC day blocks a request today, or None if it fits."""
    limit = uow.policy.approval.daily_limit
    left = max(limit - uow.reservations.sum(daily_key(uow.now)), 0)
    fits = instruction.kind not in MONEY_OUT or instruction.cents <= left
    return None if fits else Reason(OfRequest.OVER_TODAY, left=left, limit=limit)


def tighten(uow: Unit, instruction: Instruction) -> Instruction | None:
    """Raise the request's requirement to the current policy if that is stricter; None if it changed concurrently."""
    kind, payload, name = instruction.kind, instruction.payload, instruction.id
    items = uow.bulk_items.rows(name) if payload.has_items else ()
    now_required = required(uow, kind, payload, items, instruction.created_at, before=name)
    wanted = instruction.requirement.tightened(now_required)
    if wanted is instruction.requirement:
        return instruction
    before, expires, deadline = instruction.requirement, instruction.expires_at, instruction.exec_deadline
    if expires is not None:
        expires -= timedelta(seconds=before.expires_seconds - wanted.expires_seconds)
    if deadline is not None:
        deadline -= timedelta(seconds=before.execute_within_seconds - wanted.execute_within_seconds)
    due = [end for end in (instruction.due_at, expires, deadline) if end is not None]
    return uow.instructions.touch(
        instruction,
        action="tightened",
        facts=needed(wanted),
        show=True,
        requirement=wanted,
        expires_at=expires,
        exec_deadline=deadline,
        due_at=min(due) if instruction.due_at is not None else None,
        lease_owner=instruction.lease_owner,
        lease_until=instruction.lease_until,
    )


async def not_now(ctx: Context, instruction: Instruction) -> bool:
    """Whether nothing may be sent: the window has passed (which is stored), or an earlier attempt may be in flight."""
    now = ctx.clock.now()
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        await ctx.write(lambda uow: _expire(uow, instruction), name="window", wakes=False)
        return True
    if not instruction.commits or ctx.quiet.over(sent_at=instruction.sent_at, now=now):
        return False
    await ctx.write(lambda uow: uow.instructions.touch(instruction, due_at=now + ctx.quiet.spacing), wakes=False)
    return True


def sending(
    ctx: Context,
    instruction: Instruction,
    *,
    name: str,
    hindrance: Callable[[Unit], Reason | None] = lambda _: None,
    sealed: Mapping[str, object] = MappingProxyType({}),
) -> Claim[Claimed]:
    """Return a function that claims the one attempt to send an approved request; see :func:`claim`.

    ``hindrance``: another reason not to send, checked last. ``sealed``: additional facts for its audit row.
    """
    return with_people(
        ctx,
        instruction,
        lambda uow, standings: claim(uow, instruction, standings, hindrance=hindrance, sealed=sealed),
        name=name,
        read_back=lambda uow: held_claim(uow, instruction),
    )


def claim(
    uow: Unit,
    instruction: Instruction,
    standings: Standings,
    *,
    hindrance: Callable[[Unit], Reason | None] = lambda _: None,
    sealed: Mapping[str, object] = MappingProxyType({}),
) -> Claimed | None:
    """Store the one attempt to send an approved request before it is sent; None: not now, and the reason is stored.

    Raises:
        OvertakenError: the request was changed concurrently; see :func:`with_people`.
        OutdatedError: people were read too long ago, or not all of them.
    """
    if not may_send(uow, instruction):
        return None
    if instruction.exec_deadline is not None and uow.now >= instruction.exec_deadline:
        _expire(uow, instruction)  # frozen requests, too
        return None
    stopped = frozen(uow)
    if stopped is not None:
        _hold_back(uow, instruction, Reason(OfRequest.FROZEN, why=stopped.reason, person=stopped.by))
    allowed = still_approved(uow, instruction, standings) if stopped is None else None
    if allowed is None:
        return None
    instruction, counted = allowed
    n = len(uow.attempts.of(instruction.id)) + 1
    limit = uow.policy.approval.daily_limit
    if not uow.reservations.reserve(
        instruction.id, n, day=daily_key(uow.now), cents=instruction.cents, limit_cents=limit
    ):
        _hold_back(uow, instruction, over_today(uow, instruction))
        return None
    if (hindered := hindrance(uow)) is not None:
        uow.reservations.release(instruction.id, n)
        _hold_back(uow, instruction, hindered)
        return None
    under_way = uow.instructions.move(
        instruction,
        State.SENDING,
        action="send",
        facts={"attempt": n, "counted": sorted(counted), "digest": instruction.digest, **sealed},
        sent_at=uow.now,
        commits=instruction.commits + 1,
        reason=None,
        **lease(uow.ctx),
    )
    if under_way is None:
        raise OvertakenError  # e.g. withdrawn: its reservation is rolled back
    return open_attempt(uow, under_way, request_hash=instruction.digest)


def _hold_back(uow: Unit, instruction: Instruction, reason: Reason | None) -> None:
    """Hold an approved request, record why and since when in its audit rows, and notify its requester once."""
    if is_on_hold(instruction) and reason is not None and has_code(instruction.reason, reason.code):
        hold(uow, instruction, reason)
        return
    held = hold(uow, instruction, reason, held_at=uow.now)
    if held is None or not is_on_hold(held):
        return
    by = {"by": reason.facts["person"]} if reason is not None and has_code(reason, OfRequest.FROZEN) else {}
    witness(uow, "held", {"reason": stored(reason), **by}, about=held)
    key = f"held:{held.id}:{held.commits}:{reason.code if reason is not None else ''}"
    queue_line(uow, held, asked_in(uow.ctx, held), key, {"line": Line.HELD, "reason": stored(reason)})


def still_approved(
    uow: Unit, instruction: Instruction, standings: Standings
) -> tuple[Instruction, frozenset[str]] | None:
    """Return the request and the voters who count, if they meet the current policy within the window; else None.

    The requester must still be allowed to ask. Standings may be up to a minute old.
    """
    votes = uow.votes.of(instruction.id, instruction.round)
    require_fresh(uow.ctx, [instruction.requester, *(vote.person for vote in votes)], standings)
    tightened = tighten(uow, instruction)
    if tightened is None:
        return None
    if tightened.exec_deadline is not None and uow.now >= tightened.exec_deadline:
        _expire(uow, tightened)
        return None
    if (no := refusal_of_requester(uow.ctx, tightened, standings)) is not None:
        suspend(uow, tightened, no)
        return None
    needs = tightened.requirement
    found = count(uow, tightened, votes, standings, seconds=needs.expires_seconds + needs.execute_within_seconds)
    if len(found.counted) >= needs.quorum:
        return tightened, found.counted
    back = State.NEEDS_HUMAN if tightened.commits else State.AWAITING  # keeps the votes that still count
    number = next_round(uow, tightened, votes, found.counted) or tightened.round
    void = {who: why.value for who, why in found.void.items()}
    moved = uow.instructions.move(
        tightened,
        back,
        action="votes_no_longer_count",
        facts={"round": number, "counted": sorted(found.counted), "void": void},
        reason=why_more(tightened, found),
        round=number,
        decided_by="",
        exec_deadline=None,
        due_at=uow.now + uow.quiet.spacing * 60 if tightened.commits else uow.now,
    )
    if moved is not None and back is State.AWAITING:
        remind(uow, moved, 0)  # at once: the approvers think they are done
    return None


def _expire(uow: Unit, instruction: Instruction) -> None:
    """Expire a request whose window to execute has passed; after an earlier attempt, let people decide instead."""
    held = instruction.reason
    if instruction.commits:
        ask_people(uow, instruction, Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=held))
        return
    waited = has_code(held, OfRequest.UNANSWERED, OfRequest.SERVICE_SAID)
    late = held if held is not None and not waited else Reason(OfRequest.NOT_SENT_IN_TIME, held=held)
    end(uow, instruction, State.EXPIRED, late)
