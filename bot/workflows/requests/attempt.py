"""One attempt: claimed by a conditional update that only one process can make, sent once, its outcome stored.

The request is sent within five seconds of its claim or not at all. An outcome that the answer does not prove is
unknown, and is looked up.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypedDict, TypeVar

import structlog

from bot.clients.circuit import Circuit
from bot.clients.transport import Guard
from bot.domain.errors import ServiceNow
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
from bot.domain.reasons import Exchange, OfRequest, Reason, has_code
from bot.domain.tracking import back_off
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Claim, Lost, Permit, in_time, once, permitted
from bot.workflows.requests.announce import tell
from bot.workflows.requests.authority import OutdatedError, Standings, involved_in, may_send
from storage.leases import LEASE_SECONDS

_READINGS = 3
"""Most reads of people for one claim, if reading them takes too long."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """One stored attempt, its request, and whether an earlier attempt of its kind may have been executed."""

    attempt: Attempt
    instruction: Instruction
    earlier_unknown: bool


C = TypeVar("C", bound=Claimed)


class Lease(TypedDict):
    """Owner of a step, and the time until which no other process may take it."""

    lease_owner: str
    lease_until: datetime


class OvertakenError(Exception):
    """The request was changed concurrently. The transaction is rolled back."""


def lease(ctx: Context) -> Lease:
    """Return a lease of this process that outlasts its request."""
    return {"lease_owner": ctx.owner, "lease_until": ctx.clock.now() + timedelta(seconds=LEASE_SECONDS)}


def fingerprint(content: object) -> str:
    """Return the SHA-256 (hex) of an attempt's content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def open_attempt(uow: Unit, under_way: Instruction, *, request_hash: str) -> Claimed:
    """Store an attempt in the transaction of its claim; the state determines whether it creates or sends."""
    earlier = uow.attempts.of(under_way.id)
    attempt = Attempt(
        instruction_id=under_way.id,
        n=len(earlier) + 1,
        kind=AttemptKind.CREATE if under_way.state is State.CREATING else AttemptKind.COMMIT,
        request_hash=request_hash,
        claimed_at=under_way.sent_at or uow.now,
        boot_at=uow.ctx.clock.boottime(),
    )
    uow.attempts.open(attempt)
    return _claimed(attempt, under_way, earlier)


def held_claim(uow: Unit, before: Instruction) -> Claimed | None:
    """Return this process's claim after a commit without an answer, or None if the claim was not stored."""
    held, attempts = uow.instructions.get(before.id), uow.attempts.of(before.id)
    still_open = [one for one in attempts if one.outcome is AttemptOutcome.OPEN]
    if held is None or held.version == before.version or held.lease_owner != uow.owner or not still_open:
        return None
    return _claimed(still_open[0], held, attempts)


def _claimed(attempt: Attempt, under_way: Instruction, attempts: list[Attempt]) -> Claimed:
    same = (one for one in attempts if one.kind is attempt.kind)
    return Claimed(attempt, under_way, any(one.outcome is AttemptOutcome.UNKNOWN for one in same))


def not_what_it_said(reason: Reason | None) -> Reason | None:
    """Drop a reason that only reports a failing service, now that the service has answered; keep any other."""
    return None if has_code(reason, OfRequest.SERVICE_SAID) else reason


def creating(ctx: Context, instruction: Instruction, content: Mapping[str, object]) -> Claim[Claimed]:
    """Return a function that claims the one create attempt; None if the service is silent or another claim won."""

    def work(uow: Unit) -> Claimed | None:
        now = ctx.clock.now()
        if not may_send(uow, instruction):
            return None
        moved = uow.instructions.move(
            instruction,
            State.CREATING,
            now=now,
            action="create",
            show=False,
            sent_at=now,
            creates=instruction.creates + 1,
            reason=not_what_it_said(instruction.reason),
            **lease(ctx),
        )
        return open_attempt(uow, moved, request_hash=fingerprint(content)) if moved is not None else None

    async def claim(permit: Permit) -> Claimed | None:
        if not await permitted(ctx, permit, instruction):
            return None
        return await permit.claim(work, name="claim_create", read_back=lambda uow: held_claim(uow, instruction))

    return claim


def with_people(
    ctx: Context,
    instruction: Instruction,
    work: Callable[[Unit, Standings], C | None],
    *,
    name: str,
    read_back: Callable[[Unit], C | None],
) -> Claim[C]:
    """Return a function that reads people, then runs the claiming transaction ``work``.

    The function also returns None if the request was changed concurrently. Long reads happen earlier: only the wait
    for a permit separates this read of people from the claim, and people read too long ago by then are read again.
    """

    async def claim_now(permit: Permit) -> C | None:
        # patient: wait for Slack's own answer; a click uses a cached one
        standings = await ctx.people.standings(await involved_in(ctx, instruction.id), patient=True)
        if not await permitted(ctx, permit, instruction):
            return None
        return await permit.claim(lambda uow: work(uow, standings), name=name, read_back=read_back)

    async def claim(permit: Permit) -> C | None:
        for _ in range(_READINGS):
            try:
                return await claim_now(permit)
            except OutdatedError:
                continue
            except OvertakenError:
                return None
        raise ServiceNow("Slack", Reason(Exchange.SLACK_SLOW_PEOPLE))

    return claim


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
