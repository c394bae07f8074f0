"""Send what was approved: at most one request for each claimed attempt, and only what the card showed.

Before the claim everything is read again: the payout at the service, compared with the digest, and last of all, because
they count as they stand at the claim, who asked and who voted. The claim is a conditional update; the request leaves
within five seconds of it or not at all. What the answer does not prove is unknown, and unknown is read, never sent
again.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from bot.clients.circuit import Circuit, Seat
from bot.clients.payments import PaymentsClient
from bot.clients.transport import Guard
from bot.domain.approvals import Count
from bot.domain.errors import ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.instruction import Attempt, AttemptKind, AttemptOutcome, Instruction, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.payout import GUARD_SECONDS, daily_key, differences
from bot.domain.tracking import back_off
from bot.presentation.payments.holding import is_unanswered
from bot.workflows import keeping
from bot.workflows.context import SYSTEM, Context
from bot.workflows.holding import hold, seated
from bot.workflows.keeping import keep
from bot.workflows.payments.create import ask_people, close, end, held_claim, lease
from bot.workflows.payments.follow import apply_record
from bot.workflows.payments.refused import reread
from bot.workflows.requests.announce import alert, remind, tell
from bot.workflows.requests.ballot import (
    OutdatedError,
    Standings,
    count,
    next_round,
    require_fresh,
    standings_of,
    why_more,
)
from bot.workflows.requests.freeze import frozen
from bot.workflows.requests.suspend import refusal_of_requester, suspend
from bot.workflows.requests.tighten import tighten
from storage.transaction import Tx

_READINGS = 3
"""Times that people are read again before one claim, should reading them take too long."""
_Claimed = TypeVar("_Claimed")


Request = Callable[[Guard], Awaitable[Done[Operation] | NotExecuted | Unknown]]
"""The one request of an attempt; its guard is asked right before the first byte."""


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store what came of it."""
    if await not_now(ctx, instruction):
        return
    payments.require_committable()
    operation = await payments.get_operation(instruction.remote_id or "")
    if await ctx.store.write(lambda tx: _is_not_as_approved(ctx, tx, instruction, operation), name="reread"):
        ctx.wake()
        return

    async def commit(guard: Guard) -> Done[Operation] | NotExecuted | Unknown:
        outcome = await payments.commit_payout(operation.id, earlier_unknown=instruction.commits > 0, guard=guard)
        return await reread(payments, instruction, outcome)

    await attempt_once(ctx, payments.circuit, instruction, commit)


async def attempt_once(ctx: Context, circuit: Circuit, instruction: Instruction, request: Request) -> None:
    """Claim one attempt, make its one request, store what came of it."""

    def work(tx: Tx, standings: Standings) -> tuple[Attempt, Instruction] | None:
        return claim(ctx, tx, instruction, standings)

    with circuit.seat() as seat:
        claimed = await claimed_by(
            ctx, seat, instruction, work, name="claim_commit", read_back=lambda tx: held_claim(ctx, tx, instruction)
        )
        if claimed is not None:
            attempt, sending = claimed
            outcome = await request(seat.guard(still_fresh(ctx, attempt)))
            await keep(ctx, lambda tx: _record(ctx, tx, sending, attempt, outcome), name="committed")
    ctx.wake()


class OvertakenError(Exception):
    """Somebody else changed the request first. Nothing of the transaction is stored."""


async def claimed_by(
    ctx: Context,
    seat: Seat,
    instruction: Instruction,
    work: Callable[[Tx, Standings], _Claimed | None],
    *,
    name: str,
    read_back: Callable[[Tx], _Claimed | None],
) -> _Claimed | None:
    """Read people, and what a transaction that claims an attempt comes to; None also when somebody else was faster.

    Long reads come earlier: between this reading of people and the claim there is only a moment's wait for a seat.

    Raises:
        ServiceNow: Slack did not say who people are, or not soon enough for the claim to depend on it.
    """

    async def claim_now() -> _Claimed | None:
        standings = await standings_of(ctx, instruction.id)
        if not await seated(ctx, seat, instruction):
            return None
        return await keeping.claimed(ctx, lambda tx: work(tx, standings), name=name, read_back=read_back)

    for _ in range(_READINGS):
        try:
            return await claim_now()
        except OutdatedError:
            continue
        except OvertakenError:
            return None
    raise ServiceNow("Slack", "takes too long to say who people are")


def still_fresh(ctx: Context, attempt: Attempt) -> Callable[[], bool]:
    """The guard before the first byte: a process that slept between claim and send must not send."""
    return lambda: ctx.clock.boottime() - attempt.boot_at <= GUARD_SECONDS


async def not_now(ctx: Context, instruction: Instruction) -> bool:
    """Whether nothing may be sent: the window has passed (that is stored), or an earlier request may still travel."""
    now = ctx.clock.now()
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        await ctx.store.write(lambda tx: expire(ctx, tx, instruction, now), name="window")
        return True
    if not instruction.commits or ctx.quiet.over(sent_at=instruction.sent_at, now=now):
        return False
    await ctx.store.write(lambda tx: tx.instructions.touch(instruction, now=now, due_at=now + ctx.quiet.spacing))
    return True


def expire(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """The window for sending has passed; what may have been sent before is a question for people."""
    if instruction.commits:
        held = f" ({instruction.reason})" if instruction.reason else ""
        ask_people(ctx, tx, instruction, f"the new attempt was not sent in time{held}", now)
    else:
        late, reason = "it was not sent in time after approval", instruction.reason
        said = f"{late}: {reason}" if is_unanswered("payments", reason) else reason or late
        end(ctx, tx, instruction, State.EXPIRED, said, now)


def _nothing(_: Tx) -> str:
    return ""


def _is_not_as_approved(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation) -> bool:
    """Store what the re-read payout forbids; True when nothing may be sent."""
    now = ctx.clock.now()
    wrong = differences(instruction, operation)
    if wrong and instruction.commits:  # something was sent before, so nobody can say that nothing was paid
        ask_people(ctx, tx, instruction, "; ".join(wrong), now)
        return True
    if wrong:
        end(ctx, tx, instruction, State.MISMATCH, "; ".join(wrong), now)
        return True
    if operation.state is OperationStatus.CREATED:
        return False
    if instruction.commits:
        apply_record(ctx, tx, instruction, operation, now)
        return True
    reason = f"the service says {operation.status} although Switchboard sent nothing"
    end(ctx, tx, instruction, State.MISMATCH, reason, now)
    return True


def claim(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    standings: Standings,
    *,
    hindrance: Callable[[Tx], str] = _nothing,
) -> tuple[Attempt, Instruction] | None:
    """The one attempt to send what was approved, stored before anything leaves; None: not now, and why is stored.

    Args:
        ctx: the outside world.
        tx: the transaction.
        instruction: approved.
        standings: of who asked and of everybody who voted.
        hindrance: what else stands in the way, in words; asked last.

    Raises:
        OvertakenError: somebody else changed the request first; see :func:`claimed_by`.
        OutdatedError: what is known of people is too old, or not of all of them.
    """
    now = ctx.clock.now()
    allowed = _still_allowed(ctx, tx, instruction, standings, now)
    if allowed is None:
        return None
    instruction, counted = allowed
    n = len(tx.attempts.of(instruction.id)) + 1
    limit = ctx.policy.approval.daily_limit
    if not tx.reservations.reserve(instruction.id, n, day=daily_key(now), cents=instruction.cents, limit_cents=limit):
        hold(tx, instruction, "the daily limit is reached", now)
        return None
    hindered = hindrance(tx)
    if hindered:
        tx.reservations.release(instruction.id, n)
        hold(tx, instruction, hindered, now)
        return None
    sending = tx.instructions.move(
        instruction,
        State.SENDING,
        now=now,
        actor=SYSTEM,
        action="send",
        detail={"attempt": n, "counted": sorted(counted), "digest": instruction.digest},
        sent_at=now,
        commits=instruction.commits + 1,
        reason="",
        **lease(ctx),
    )
    if sending is None:
        raise OvertakenError  # who took it back perhaps: what was taken for it here goes with the transaction
    return open_attempt(ctx, tx, sending, n, request_hash=instruction.digest), sending


def open_attempt(ctx: Context, tx: Tx, sending: Instruction, n: int, *, request_hash: str) -> Attempt:
    """Store an attempt to send, in the transaction of its claim."""
    attempt = Attempt(
        instruction_id=sending.id,
        n=n,
        kind=AttemptKind.COMMIT,
        request_hash=request_hash,
        claimed_at=ctx.clock.now(),
        boot_at=ctx.clock.boottime(),
    )
    tx.attempts.open(attempt)
    return attempt


def _still_allowed(
    ctx: Context, tx: Tx, instruction: Instruction, standings: Standings, now: datetime
) -> tuple[Instruction, frozenset[str]] | None:
    """The request with whose votes count, if it may be sent: in time, not frozen, with enough of them."""
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        expire(ctx, tx, instruction, now)
        return None
    stopped = frozen(tx)
    if stopped is not None:
        hold(tx, instruction, f"payments are frozen: {stopped.reason}", now)
        return None
    return still_approved(ctx, tx, instruction, standings, now)


def still_approved(
    ctx: Context, tx: Tx, instruction: Instruction, standings: Standings, now: datetime
) -> tuple[Instruction, frozenset[str]] | None:
    """The request with whose votes count, if they suffice by the policy that is in force now.

    Who asked must still be allowed to. People are taken as they were within the last minute.
    """
    votes = tx.votes.of(instruction.id, instruction.round)
    require_fresh(ctx, [instruction.requester, *(vote.person for vote in votes)], standings)
    tightened = tighten(ctx, tx, instruction, now)
    if tightened is None:
        return None
    no = refusal_of_requester(ctx, tightened, standings)
    if no is not None:
        suspend(ctx, tx, tightened, no, now)
        return None
    needs = tightened.requirement
    found = count(ctx, tightened, votes, standings, seconds=needs.expires_seconds + needs.execute_within_seconds)
    if len(found.counted) < needs.quorum:
        ask_again(ctx, tx, tightened, found, now)
        return None
    return tightened, found.counted


def ask_again(ctx: Context, tx: Tx, instruction: Instruction, found: Count, now: datetime) -> None:
    """The votes do not suffice any more: back to the approvers, with those that are left."""
    back = State.NEEDS_HUMAN if instruction.commits else State.AWAITING
    votes = tx.votes.of(instruction.id, instruction.round)
    moved = tx.instructions.move(
        instruction,
        back,
        now=now,
        actor=SYSTEM,
        action="votes_no_longer_count",
        detail={"counted": sorted(found.counted), "void": {who: why.value for who, why in found.void.items()}},
        reason=why_more(instruction, found),
        round=next_round(tx, instruction, votes, found.counted) or instruction.round,
        decided_by="",
        exec_deadline=None,
        due_at=now + ctx.quiet.spacing * 60 if instruction.commits else now,
    )
    if moved is not None and back is State.AWAITING:
        remind(tx, moved, 0, policy=ctx.policy, now=now)  # at once: they believe that they are done with it


def _record(
    ctx: Context,
    tx: Tx,
    sending: Instruction,
    attempt: Attempt,
    outcome: Done[Operation] | NotExecuted | Unknown,
) -> None:
    now = ctx.clock.now()
    match outcome:
        case Done(value=operation):
            sending = close(tx, sending, attempt, AttemptOutcome.DONE, operation.status, now)
            _alert_if_different(ctx, tx, sending, operation, now)
            apply_record(ctx, tx, sending, operation, now)
        case NotExecuted(again=True, reason=reason, failure=failure):
            kind = AttemptOutcome.ABANDONED if failure is not None else AttemptOutcome.NOT_EXECUTED
            sending = close(tx, sending, attempt, kind, reason, now)
            take_back(tx, sending, attempt, outcome, now)
        case NotExecuted(reason=reason):
            sending = close(tx, sending, attempt, AttemptOutcome.NOT_EXECUTED, reason, now)
            tx.reservations.release(attempt.instruction_id, attempt.n)
            end(ctx, tx, sending, State.REFUSED, outcome.told, now, said=outcome.detail)
        case Unknown():
            lose(ctx, tx, sending, attempt, outcome, now)


def _alert_if_different(ctx: Context, tx: Tx, sending: Instruction, operation: Operation, now: datetime) -> None:
    """What was paid is what it is; when it is not what was approved, people hear it at once."""
    wrong = differences(sending, operation)
    if wrong:
        alert(tx, sending, topic="differs", facts={"reason": "; ".join(wrong)}, policy=ctx.policy, now=now)


def take_back(tx: Tx, sending: Instruction, attempt: Attempt, outcome: NotExecuted, now: datetime) -> None:
    """It certainly did not happen: approved as before, tried again later as an attempt of its own."""
    tx.reservations.release(attempt.instruction_id, attempt.n)
    pause = back_off(first=max(outcome.retry_after or 0.0, 1.0), attempts=sending.puts_off, ceiling=60)
    tx.instructions.move(
        sending,
        State.APPROVED,
        now=now,
        actor=SYSTEM,
        action="send_put_off",
        detail=outcome.facts,
        commits=sending.commits - 1,
        puts_off=sending.puts_off + 1,
        due_at=now + pause,
    )


def lose(
    ctx: Context,
    tx: Tx,
    sending: Instruction,
    attempt: Attempt,
    outcome: Unknown,
    now: datetime,
) -> None:
    """Nobody can tell from the answer whether money moved: from here on we only read."""
    sending = close(tx, sending, attempt, AttemptOutcome.UNKNOWN, outcome.reason, now)
    moved = tx.instructions.move(
        sending,
        State.COMMIT_UNKNOWN,
        now=now,
        actor=SYSTEM,
        action="commit_unknown",
        detail=outcome.facts,
        reason=outcome.told,
        refusal=outcome.refusal,
        suspect=None,
        unknown_since=now,
        reads=0,
        last_read_at=None,
        puts_off=0,
        due_at=now + ctx.quiet.spacing / 30,
    )
    if moved is not None:
        tell(tx, moved, policy=ctx.policy, now=now)
