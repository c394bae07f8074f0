"""One attempt: claimed, sent once, its outcome stored.

The request is sent within five seconds of its claim or not at all. An outcome that the answer does not prove is
unknown, and is looked up.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog

from bot.clients.circuit import Circuit
from bot.clients.transport import Guard
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.instruction import (
    EFFECT_UNDER_WAY,
    Attempt,
    AttemptKind,
    AttemptOutcome,
    AttemptStep,
    Instruction,
    State,
)
from bot.domain.reasons import Reason
from bot.domain.tracking import back_off
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Claim, Lost, in_time, once
from bot.workflows.requests.announce import tell
from bot.workflows.requests.claim import C

log = structlog.get_logger(__name__)

T = TypeVar("T")

Outcome = Done[T] | NotExecuted | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers(Generic[C, T]):
    """How a kind handles the outcome of its request.

    Attributes:
        done: applies the service's record of it.
        says: returns the detail that the attempt stores of that record; by default the service's status.
        refused: handles a refusal as final. None: a refusal is an unknown outcome until a read confirms it.
        unsent: undoes what the claim reserved besides the attempt.
    """

    done: Callable[[Unit, Instruction, T], None]
    says: Callable[[C, Any], str] = lambda _, record: record.status
    refused: Callable[[Unit, Instruction, NotExecuted], None] | None = None
    unsent: Callable[[Unit, Instruction, Attempt], None] = lambda *_: None


async def attempt_once(
    ctx: Context,
    circuit: Circuit,
    claim: Claim[C],
    request: Callable[[C, Guard], Awaitable[Outcome[T]]],
    answers: Answers[C, T],
    *,
    name: str,
) -> None:
    """Claim one attempt, make its one request and store the outcome; arguments as for :func:`once`."""

    async def send(claimed: C, guard: Guard) -> Outcome[T]:
        ctx.attempted(claimed.attempt.kind, AttemptStep.CLAIMED)
        outcome = await request(claimed, guard)
        if not _stayed(outcome):
            ctx.attempted(claimed.attempt.kind, AttemptStep.SENT)
        return outcome

    def store(uow: Unit, claimed: C, outcome: Outcome[T]) -> tuple[AttemptKind, AttemptStep]:
        return claimed.attempt.kind, AttemptStep(record(uow, claimed, outcome, answers))

    ended = await once(ctx, circuit, claim, send, store, name=name)
    if ended is not None:
        ctx.attempted(*ended)
    ctx.wake()


def _stayed(outcome: Outcome[T]) -> bool:
    """Whether no byte of the request was sent."""
    return isinstance(outcome, NotExecuted) and outcome.again and outcome.failure is not None


def record(uow: Unit, claimed: C, outcome: Outcome[T], answers: Answers[C, T]) -> AttemptOutcome:
    """Store an attempt's outcome, apply it to the request and return how the attempt ended."""
    under_way, attempt = claimed.instruction, claimed.attempt
    match outcome:
        case Done(value=value):
            under_way = close(uow, under_way, attempt, AttemptOutcome.DONE, answers.says(claimed, value))
            answers.done(uow, under_way, value)
            return AttemptOutcome.DONE
        case NotExecuted(again=True, reason=reason):
            ended = AttemptOutcome.ABANDONED if _stayed(outcome) else AttemptOutcome.NOT_EXECUTED
            under_way = close(uow, under_way, attempt, ended, str(reason))
            answers.unsent(uow, under_way, attempt)
            _put_off(uow, under_way, attempt, outcome)
            return ended
        case NotExecuted(reason=reason) if answers.refused is not None:
            under_way = close(uow, under_way, attempt, AttemptOutcome.NOT_EXECUTED, str(reason))
            uow.reservations.release(attempt.instruction_id, attempt.n)
            answers.refused(uow, under_way, outcome)
            return AttemptOutcome.NOT_EXECUTED
        case NotExecuted():
            lose(uow, under_way, attempt, outcome.in_doubt())
        case Unknown():
            lose(uow, under_way, attempt, outcome)
    return AttemptOutcome.UNKNOWN


def close(uow: Unit, under_way: Instruction, attempt: Attempt, outcome: AttemptOutcome, detail: str) -> Instruction:
    """Close an attempt with its outcome; return the request's current state if the attempt was still open.

    The row may have changed while the request was in flight, e.g. because another process started with a stricter
    policy; the answer still counts. Once another process has given the attempt up, only reads count: the
    stale ``under_way`` is returned, and conditional updates of it have no effect.
    """
    if not uow.attempts.close(attempt.instruction_id, attempt.n, outcome, detail, uow.now):
        return under_way
    uow.inbox.hasten(under_way.id, uow.now)  # a callback can arrive before the answer
    return uow.instructions.get(under_way.id) or under_way


def _put_off(uow: Unit, under_way: Instruction, attempt: Attempt, outcome: NotExecuted) -> None:
    """Restore the state before an attempt that was certainly not executed; the retry is a new attempt.

    The service's own retry delay applies, unless the window to execute ends before it.
    """
    creates = attempt.kind is AttemptKind.CREATE
    uow.reservations.release(attempt.instruction_id, attempt.n)
    pause = back_off(first=1.0, attempts=under_way.puts_off, ceiling=60, named=outcome.retry_after)
    uow.instructions.move(
        under_way,
        State.NEW if creates else State.APPROVED,
        action="create_put_off" if creates else "send_put_off",
        facts=outcome.facts,
        creates=under_way.creates - creates,
        commits=under_way.commits - (not creates),
        puts_off=under_way.puts_off + 1,
        due_at=in_time(under_way, uow.now + pause, uow.now),
    )


def lose(uow: Unit, under_way: Instruction, attempt: Attempt, outcome: Unknown) -> None:
    """Record an outcome that the answer does not prove; from here on it is only read, for a refused create at once."""
    creates = under_way.state is State.CREATING
    under_way = close(uow, under_way, attempt, AttemptOutcome.UNKNOWN, str(outcome.reason))
    moved = uow.instructions.move(
        under_way,
        State.CREATE_UNKNOWN if creates else State.COMMIT_UNKNOWN,
        action="create_unknown" if creates else "commit_unknown",
        facts=outcome.facts,
        reason=outcome.full_reason if outcome.words or not creates else under_way.reason,
        refusal=outcome.refusal,
        suspect=None,
        unknown_since=uow.now,
        reads=0,
        last_read_at=None,
        puts_off=under_way.puts_off if creates else 0,
        due_at=uow.now if creates and outcome.refusal is not None else uow.now + uow.quiet.spacing / 30,
    )
    if moved is not None:
        tell(uow, moved)


def give_up(uow: Unit, instruction: Instruction, reason: Reason) -> None:
    """Record the outcome of the request in flight as unknown; from here on it is only read."""
    attempts = uow.attempts.of(instruction.id)
    still_open = [one for one in attempts if one.outcome is AttemptOutcome.OPEN]
    if not still_open:
        # Not reachable by design; but one inconsistent row must not keep the others from being recovered.
        log.error(
            "attempt finished, request state not updated", reference=instruction.reference, state=instruction.state
        )
    if not attempts:  # its row was deleted: the next step finds that it is missing, and holds the request
        kind = AttemptKind.CREATE if instruction.state is State.CREATING else AttemptKind.COMMIT
        name, now = instruction.id, uow.ctx.clock.now()
        attempts = [Attempt(instruction_id=name, n=0, kind=kind, request_hash="", claimed_at=now, boot_at=0.0)]
    lost = (still_open or attempts)[-1]
    lose(uow, instruction, lost, Unknown(reason=reason))
    uow.ctx.attempted(lost.kind, AttemptStep.UNKNOWN)


LOST = Lost("instruction", lambda uow: uow.instructions, EFFECT_UNDER_WAY, give_up)
