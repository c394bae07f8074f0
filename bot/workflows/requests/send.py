"""Whether an approved request may be sent now, checked once more in the transaction of the claim.

The requester and the voters are checked last: their rights at the time of the claim count.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from types import MappingProxyType

from bot.clients.circuit import Seat
from bot.domain.approvals import Count
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.payout import daily_key
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.workflows.context import Context
from bot.workflows.holding import hold
from bot.workflows.requests.announce import remind
from bot.workflows.requests.authority import may_send
from bot.workflows.requests.ballot import Standings, count, next_round, require_fresh, why_more
from bot.workflows.requests.claim import Claimed, OvertakenError, held_claim, lease, open_attempt, with_people
from bot.workflows.requests.freeze import frozen
from bot.workflows.requests.settle import ask_people, end
from bot.workflows.requests.suspend import refusal_of_requester, suspend
from bot.workflows.requests.tighten import tighten
from storage.transaction import Tx

Hindrance = Callable[[Tx], Reason | None]
"""Another reason not to send; checked last."""


def _nothing(_: Tx) -> None:
    return None


async def not_now(ctx: Context, instruction: Instruction) -> bool:
    """Whether nothing may be sent: the window has passed (that is stored), or an earlier request may be in flight."""
    now = ctx.clock.now()
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        await ctx.store.write(lambda tx: _expire(ctx, tx, instruction, now), name="window")
        return True
    if not instruction.commits or ctx.quiet.over(sent_at=instruction.sent_at, now=now):
        return False
    await ctx.store.write(lambda tx: tx.instructions.touch(instruction, now=now, due_at=now + ctx.quiet.spacing))
    return True


def sending(
    ctx: Context,
    instruction: Instruction,
    *,
    name: str,
    hindrance: Hindrance = _nothing,
    sealed: Mapping[str, object] = MappingProxyType({}),
) -> Callable[[Seat], Awaitable[Claimed | None]]:
    """Function that claims the one attempt to send an approved request; see :func:`claim`."""
    return with_people(
        ctx,
        instruction,
        lambda tx, standings: claim(ctx, tx, instruction, standings, hindrance=hindrance, sealed=sealed),
        name=name,
        read_back=lambda tx: held_claim(ctx, tx, instruction),
    )


def claim(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    standings: Standings,
    *,
    hindrance: Hindrance = _nothing,
    sealed: Mapping[str, object] = MappingProxyType({}),
) -> Claimed | None:
    """The one attempt to send an approved request, stored before it is sent; None: not now, and the reason is stored.

    ``sealed``: what else goes into its audit row.

    Raises:
        OvertakenError: somebody else changed the request first; see :func:`claim.with_people`.
        OutdatedError: people were read too long ago, or not all of them.
    """
    now = ctx.clock.now()
    if not may_send(ctx, tx, instruction, now):
        return None
    allowed = _still_allowed(ctx, tx, instruction, standings, now)
    if allowed is None:
        return None
    instruction, counted = allowed
    n = len(tx.attempts.of(instruction.id)) + 1
    limit = ctx.policy.approval.daily_limit
    if not tx.reservations.reserve(instruction.id, n, day=daily_key(now), cents=instruction.cents, limit_cents=limit):
        hold(tx, instruction, Reason(OfRequest.DAILY_LIMIT), now)
        return None
    hindered = hindrance(tx)
    if hindered is not None:
        tx.reservations.release(instruction.id, n)
        hold(tx, instruction, hindered, now)
        return None
    under_way = tx.instructions.move(
        instruction,
        State.SENDING,
        now=now,
        action="send",
        detail={"attempt": n, "counted": sorted(counted), "digest": instruction.digest, **sealed},
        sent_at=now,
        commits=instruction.commits + 1,
        reason=None,
        **lease(ctx),
    )
    if under_way is None:
        raise OvertakenError  # e.g. withdrawn: its reservation is rolled back
    return open_attempt(ctx, tx, under_way, request_hash=instruction.digest)


def _still_allowed(
    ctx: Context, tx: Tx, instruction: Instruction, standings: Standings, now: datetime
) -> tuple[Instruction, frozenset[str]] | None:
    """The request and the voters who count, if it may be sent: in time, not frozen, with enough votes."""
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        _expire(ctx, tx, instruction, now)  # what is frozen, too
        return None
    stopped = frozen(tx)
    if stopped is not None:
        hold(tx, instruction, Reason(OfRequest.FROZEN, why=stopped.reason), now)
        return None
    return still_approved(ctx, tx, instruction, standings, now)


def still_approved(
    ctx: Context, tx: Tx, instruction: Instruction, standings: Standings, now: datetime
) -> tuple[Instruction, frozenset[str]] | None:
    """The request and the voters who count, if they suffice by the policy that is in force now, and in time.

    The requester must still be allowed to ask. People are taken as they were within the last minute.
    """
    votes = tx.votes.of(instruction.id, instruction.round)
    require_fresh(ctx, [instruction.requester, *(vote.person for vote in votes)], standings)
    tightened = tighten(ctx, tx, instruction, now)
    if tightened is None:
        return None
    if tightened.exec_deadline is not None and now >= tightened.exec_deadline:
        _expire(ctx, tx, tightened, now)
        return None
    no = refusal_of_requester(ctx, tightened, standings)
    if no is not None:
        suspend(ctx, tx, tightened, no, now)
        return None
    needs = tightened.requirement
    found = count(ctx, tightened, votes, standings, seconds=needs.expires_seconds + needs.execute_within_seconds)
    if len(found.counted) < needs.quorum:
        _ask_again(ctx, tx, tightened, found, now)
        return None
    return tightened, found.counted


def _ask_again(ctx: Context, tx: Tx, instruction: Instruction, found: Count, now: datetime) -> None:
    """The votes no longer suffice: back to the approvers, with the votes that still count."""
    back = State.NEEDS_HUMAN if instruction.commits else State.AWAITING
    votes = tx.votes.of(instruction.id, instruction.round)
    number = next_round(tx, instruction, votes, found.counted) or instruction.round
    moved = tx.instructions.move(
        instruction,
        back,
        now=now,
        action="votes_no_longer_count",
        detail={
            "round": number,
            "counted": sorted(found.counted),
            "void": {who: why.value for who, why in found.void.items()},
        },
        reason=why_more(instruction, found),
        round=number,
        decided_by="",
        exec_deadline=None,
        due_at=now + ctx.quiet.spacing * 60 if instruction.commits else now,
    )
    if moved is not None and back is State.AWAITING:
        remind(ctx, tx, moved, 0, now)  # at once: the approvers think they are done


def _expire(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """The window to execute has passed: the request expires; after an earlier attempt, people decide."""
    held = instruction.reason
    if instruction.commits:
        ask_people(ctx, tx, instruction, Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=held), now)
        return
    waited = has_code(held, OfRequest.UNANSWERED, OfRequest.SERVICE_SAID)
    late = held if held is not None and not waited else Reason(OfRequest.NOT_SENT_IN_TIME, held=held)
    end(ctx, tx, instruction, State.EXPIRED, late, now)
