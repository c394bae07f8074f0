"""Whether an approved request may be sent now, checked once more in the transaction of the claim.

The requester and the voters are checked last: their rights at the time of the claim count.
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from bot.clients.circuit import Seat
from bot.domain.approvals import Count
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.payout import daily_key
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.workflows.context import Context, Unit
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

Hindrance = Callable[[Unit], Reason | None]
"""Another reason not to send; checked last."""


def _nothing(_: Tx) -> None:
    return None


async def not_now(ctx: Context, instruction: Instruction) -> bool:
    """Whether nothing may be sent: the window has passed (that is stored), or an earlier request may be in flight."""
    now = ctx.clock.now()
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        await ctx.write(lambda uow: _expire(uow, instruction), name="window", wakes=False)
        return True
    if not instruction.commits or ctx.quiet.over(sent_at=instruction.sent_at, now=now):
        return False
    await ctx.write(
        lambda uow: uow.instructions.touch(instruction, now=now, due_at=now + ctx.quiet.spacing), wakes=False
    )
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
        lambda uow, standings: claim(uow, instruction, standings, hindrance=hindrance, sealed=sealed),
        name=name,
        read_back=lambda uow: held_claim(uow, instruction),
    )


def claim(
    uow: Unit,
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
    if not may_send(uow, instruction):
        return None
    allowed = _still_allowed(uow, instruction, standings)
    if allowed is None:
        return None
    instruction, counted = allowed
    n = len(uow.attempts.of(instruction.id)) + 1
    limit = uow.policy.approval.daily_limit
    if not uow.reservations.reserve(
        instruction.id, n, day=daily_key(uow.now), cents=instruction.cents, limit_cents=limit
    ):
        hold(uow, instruction, Reason(OfRequest.DAILY_LIMIT))
        return None
    hindered = hindrance(uow)
    if hindered is not None:
        uow.reservations.release(instruction.id, n)
        hold(uow, instruction, hindered)
        return None
    under_way = uow.instructions.move(
        instruction,
        State.SENDING,
        now=uow.now,
        action="send",
        detail={"attempt": n, "counted": sorted(counted), "digest": instruction.digest, **sealed},
        sent_at=uow.now,
        commits=instruction.commits + 1,
        reason=None,
        **lease(uow.ctx),
    )
    if under_way is None:
        raise OvertakenError  # e.g. withdrawn: its reservation is rolled back
    return open_attempt(uow, under_way, request_hash=instruction.digest)


def _still_allowed(
    uow: Unit, instruction: Instruction, standings: Standings
) -> tuple[Instruction, frozenset[str]] | None:
    """The request and the voters who count, if it may be sent: in time, not frozen, with enough votes."""
    if instruction.exec_deadline is not None and uow.now >= instruction.exec_deadline:
        _expire(uow, instruction)  # what is frozen, too
        return None
    stopped = frozen(uow)
    if stopped is not None:
        hold(uow, instruction, Reason(OfRequest.FROZEN, why=stopped.reason))
        return None
    return still_approved(uow, instruction, standings)


def still_approved(
    uow: Unit, instruction: Instruction, standings: Standings
) -> tuple[Instruction, frozenset[str]] | None:
    """The request and the voters who count, if they suffice by the policy that is in force now, and in time.

    The requester must still be allowed to ask. People are taken as they were within the last minute.
    """
    votes = uow.votes.of(instruction.id, instruction.round)
    require_fresh(uow.ctx, [instruction.requester, *(vote.person for vote in votes)], standings)
    tightened = tighten(uow, instruction)
    if tightened is None:
        return None
    if tightened.exec_deadline is not None and uow.now >= tightened.exec_deadline:
        _expire(uow, tightened)
        return None
    no = refusal_of_requester(uow.ctx, tightened, standings)
    if no is not None:
        suspend(uow, tightened, no)
        return None
    needs = tightened.requirement
    found = count(uow.ctx, tightened, votes, standings, seconds=needs.expires_seconds + needs.execute_within_seconds)
    if len(found.counted) < needs.quorum:
        _ask_again(uow, tightened, found)
        return None
    return tightened, found.counted


def _ask_again(uow: Unit, instruction: Instruction, found: Count) -> None:
    """The votes no longer suffice: back to the approvers, with the votes that still count."""
    back = State.NEEDS_HUMAN if instruction.commits else State.AWAITING
    votes = uow.votes.of(instruction.id, instruction.round)
    number = next_round(uow, instruction, votes, found.counted) or instruction.round
    moved = uow.instructions.move(
        instruction,
        back,
        now=uow.now,
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
        due_at=uow.now + uow.quiet.spacing * 60 if instruction.commits else uow.now,
    )
    if moved is not None and back is State.AWAITING:
        remind(uow, moved, 0)  # at once: the approvers think they are done


def _expire(uow: Unit, instruction: Instruction) -> None:
    """The window to execute has passed: the request expires; after an earlier attempt, people decide."""
    held = instruction.reason
    if instruction.commits:
        ask_people(uow, instruction, Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=held))
        return
    waited = has_code(held, OfRequest.UNANSWERED, OfRequest.SERVICE_SAID)
    late = held if held is not None and not waited else Reason(OfRequest.NOT_SENT_IN_TIME, held=held)
    end(uow, instruction, State.EXPIRED, late)
