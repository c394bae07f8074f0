"""Send what was approved: at most one request for each claimed attempt, and only what the card showed.

Before the claim everything is read again: who voted and still counts, and the payout at the service,
compared with the digest. The claim is a conditional update; the request leaves within five seconds of
it or not at all. What the answer does not prove is unknown, and unknown is read, never sent again.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.clients.payments import PaymentsClient
from bot.domain.approvals import Standing, counting
from bot.domain.instruction import Attempt, AttemptKind, AttemptOutcome, Instruction, State
from bot.domain.operation import Operation, OperationStatus
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payout import GUARD_SECONDS, daily_key, differences
from bot.domain.tracking import back_off
from bot.workflows.announce import tell
from bot.workflows.context import SYSTEM, Context
from bot.workflows.create import ask_people, end, lease
from bot.workflows.follow import apply_record
from storage.transaction import Tx

_LIMIT_PAUSE = timedelta(seconds=60)


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store what came of it."""
    if await _window_closed(ctx, instruction):
        return
    payments.require_committable()
    if not ctx.quiet.over(sent_at=instruction.sent_at if instruction.commits else None, now=ctx.clock.now()):
        await ctx.store.write(
            lambda tx: tx.instructions.touch(
                instruction, now=ctx.clock.now(), due_at=ctx.clock.now() + ctx.quiet.spacing
            )
        )
        return
    votes = await ctx.store.read(lambda tx: tx.votes.of(instruction.id, instruction.round))
    standings = await ctx.people.standings([vote.person for vote in votes])
    operation = await payments.get_operation(instruction.remote_id or "")
    if await ctx.store.write(lambda tx: _is_not_as_approved(ctx, tx, instruction, operation), name="reread"):
        ctx.wake()
        return
    claimed = await ctx.store.write(lambda tx: _claim(ctx, tx, instruction, standings), name="claim_commit")
    if claimed is None:
        ctx.wake()
        return
    attempt, sending = claimed
    outcome = await payments.commit_payout(
        operation.id,
        earlier_unknown=instruction.commits > 0,
        guard=lambda: ctx.clock.boottime() - attempt.boot_at <= GUARD_SECONDS,
    )
    await ctx.store.write(lambda tx: _record(ctx, tx, sending, attempt, outcome), name="committed")
    ctx.wake()


async def _window_closed(ctx: Context, instruction: Instruction) -> bool:
    """Whether the time to execute has passed; then that is stored."""
    now = ctx.clock.now()
    if instruction.exec_deadline is None or now < instruction.exec_deadline:
        return False
    await ctx.store.write(lambda tx: _expire(ctx, tx, instruction, now), name="window")
    return True


def _expire(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    if instruction.commits:
        ask_people(ctx, tx, instruction, "the new attempt was not sent in time", now)
    else:
        end(ctx, tx, instruction, State.EXPIRED, instruction.reason or "it was not sent in time after approval", now)


def _is_not_as_approved(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation) -> bool:
    """Store what the re-read payout forbids; True when nothing may be sent."""
    now = ctx.clock.now()
    wrong = differences(instruction, operation)
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


def _claim(
    ctx: Context, tx: Tx, instruction: Instruction, standings: Mapping[str, Standing]
) -> tuple[Attempt, Instruction] | None:
    now = ctx.clock.now()
    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        _expire(ctx, tx, instruction, now)
        return None
    counted = counting(
        tx.votes.of(instruction.id, instruction.round),
        instruction=instruction,
        standings=standings,
        people=ctx.policy.people,
        home=ctx.home,
    )
    if len(counted) < instruction.requirement.quorum:
        _ask_again(tx, instruction, sorted(counted), now)
        return None
    n = len(tx.attempts.of(instruction.id)) + 1
    limit = ctx.policy.approval.daily_limit
    if not tx.reservations.reserve(instruction.id, n, day=daily_key(now), cents=instruction.cents, limit_cents=limit):
        tx.instructions.touch(
            instruction, now=now, show=True, due_at=now + _LIMIT_PAUSE, reason="the daily limit is reached"
        )
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
        tx.reservations.release(instruction.id, n)
        return None
    attempt = Attempt(
        instruction_id=instruction.id,
        n=n,
        kind=AttemptKind.COMMIT,
        request_hash=instruction.digest,
        claimed_at=now,
        boot_at=ctx.clock.boottime(),
    )
    tx.attempts.open(attempt)
    return attempt, sending


def _ask_again(tx: Tx, instruction: Instruction, counted: list[str], now: datetime) -> None:
    """Somebody who voted no longer counts: back to the approvers, with the votes that are left."""
    back = State.NEEDS_HUMAN if instruction.commits else State.AWAITING
    tx.instructions.move(
        instruction,
        back,
        now=now,
        actor=SYSTEM,
        action="votes_no_longer_count",
        detail={"counted": counted},
        reason="somebody who approved no longer counts; one more approval is needed",
        exec_deadline=None,
        due_at=None if instruction.commits else instruction.expires_at,
    )


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
            tx.attempts.close(attempt.instruction_id, attempt.n, AttemptOutcome.DONE, operation.status, now)
            apply_record(ctx, tx, sending, operation, now)
        case NotExecuted(again=True, reason=reason, retry_after=wait, failure=failure):
            kind = AttemptOutcome.ABANDONED if failure is not None else AttemptOutcome.NOT_EXECUTED
            tx.attempts.close(attempt.instruction_id, attempt.n, kind, reason, now)
            _take_back(tx, sending, attempt, reason, wait, now)
        case NotExecuted(reason=reason, words=words):
            tx.attempts.close(attempt.instruction_id, attempt.n, AttemptOutcome.NOT_EXECUTED, reason, now)
            tx.reservations.release(attempt.instruction_id, attempt.n)
            end(ctx, tx, sending, State.REFUSED, words or reason, now)
        case Unknown(reason=reason):
            lose(ctx, tx, sending, attempt, reason, now)


def _take_back(tx: Tx, sending: Instruction, attempt: Attempt, reason: str, wait: float | None, now: datetime) -> None:
    """It certainly did not happen: approved as before, tried again later as an attempt of its own."""
    tx.reservations.release(attempt.instruction_id, attempt.n)
    pause = back_off(first=max(wait or 0.0, 1.0), attempts=sending.puts_off, ceiling=60)
    tx.instructions.move(
        sending,
        State.APPROVED,
        now=now,
        actor=SYSTEM,
        action="send_put_off",
        detail={"reason": reason},
        commits=sending.commits - 1,
        puts_off=sending.puts_off + 1,
        due_at=now + pause,
    )


def lose(ctx: Context, tx: Tx, sending: Instruction, attempt: Attempt, reason: str, now: datetime) -> None:
    """Nobody can tell from the answer whether money moved: from here on we only read."""
    tx.attempts.close(attempt.instruction_id, attempt.n, AttemptOutcome.UNKNOWN, reason, now)
    moved = tx.instructions.move(
        sending,
        State.COMMIT_UNKNOWN,
        now=now,
        actor=SYSTEM,
        action="commit_unknown",
        detail={"reason": reason},
        reason=reason,
        unknown_since=now,
        reads=0,
        last_read_at=None,
        puts_off=0,
        due_at=now + ctx.quiet.spacing / 30,
    )
    if moved is not None:
        tell(tx, moved, policy=ctx.policy, now=now)
