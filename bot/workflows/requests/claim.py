"""Claim: one attempt is stored before its request leaves, by a conditional update that only one process can make.

The request is sent within five seconds of its claim or not at all.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict, TypeVar

from bot.clients.circuit import Seat
from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import Attempt, AttemptKind, AttemptOutcome, Instruction, State
from bot.domain.payments.payout import GUARD_SECONDS
from bot.domain.reasons import Exchange, OfRequest, Reason, has_code
from bot.workflows import keeping
from bot.workflows.context import Context, Unit
from bot.workflows.holding import seated
from bot.workflows.requests.authority import may_send
from bot.workflows.requests.ballot import OutdatedError, Standings, standings_of
from storage.leases import LEASE_SECONDS

_READINGS = 3
"""Times that people are read for one claim, when reading them takes too long."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """One stored attempt, its request, and whether an earlier attempt at the same may have been executed."""

    attempt: Attempt
    instruction: Instruction
    earlier_unknown: bool


C = TypeVar("C", bound=Claimed)


class Lease(TypedDict):
    """Owner of a step, and the time until which nobody else may take it."""

    lease_owner: str
    lease_until: datetime


class OvertakenError(Exception):
    """Somebody else changed the request first. The transaction is rolled back."""


def lease(ctx: Context) -> Lease:
    """A lease of this process that outlasts its request."""
    return {"lease_owner": ctx.owner, "lease_until": ctx.clock.now() + timedelta(seconds=LEASE_SECONDS)}


def still_fresh(ctx: Context, attempt: Attempt) -> Callable[[], bool]:
    """The guard before the first byte: a process that slept between claim and send must not send."""
    return lambda: ctx.clock.boottime() - attempt.boot_at <= GUARD_SECONDS


def fingerprint(content: object) -> str:
    """SHA-256 (hex) of what an attempt sends."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def open_attempt(uow: Unit, under_way: Instruction, *, request_hash: str) -> Claimed:
    """Store an attempt, in the transaction of its claim; the state says whether it creates or sends."""
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
    """This process's claim of an instruction, after a commit without an answer; None: the claim was not stored."""
    held, attempts = uow.instructions.get(before.id), uow.attempts.of(before.id)
    still_open = [one for one in attempts if one.outcome is AttemptOutcome.OPEN]
    if held is None or held.version == before.version or held.lease_owner != uow.owner or not still_open:
        return None
    return _claimed(still_open[0], held, attempts)


def _claimed(attempt: Attempt, under_way: Instruction, attempts: list[Attempt]) -> Claimed:
    same = (one for one in attempts if one.kind is attempt.kind)
    return Claimed(attempt, under_way, any(one.outcome is AttemptOutcome.UNKNOWN for one in same))


def not_what_it_said(reason: Reason | None) -> Reason | None:
    """The reason once the service has answered what had to be read; any other reason stays."""
    return None if has_code(reason, OfRequest.SERVICE_SAID) else reason


def creating(
    ctx: Context, instruction: Instruction, content: Mapping[str, object]
) -> Callable[[Seat], Awaitable[Claimed | None]]:
    """Function that claims the one attempt to create this; None while the service is silent or somebody was faster."""

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

    async def claim(seat: Seat) -> Claimed | None:
        if not await seated(ctx, seat, instruction):
            return None
        read_back = lambda uow: held_claim(uow, instruction)  # noqa: E731
        return await keeping.claimed(ctx, work, name="claim_create", read_back=read_back)

    return claim


def with_people(
    ctx: Context,
    instruction: Instruction,
    work: Callable[[Unit, Standings], C | None],
    *,
    name: str,
    read_back: Callable[[Unit], C | None],
) -> Callable[[Seat], Awaitable[C | None]]:
    """Function that reads people, then runs the claiming transaction ``work``; None also when somebody was faster.

    Long reads happen earlier: between this read of people and the claim there is only a short wait for a seat.

    Raises:
        ServiceNow: Slack did not say who people are, or not soon enough for the claim to depend on it.
    """

    async def claim_now(seat: Seat) -> C | None:
        standings = await standings_of(ctx, instruction.id)
        if not await seated(ctx, seat, instruction):
            return None
        return await keeping.claimed(ctx, lambda uow: work(uow, standings), name=name, read_back=read_back)

    async def claim(seat: Seat) -> C | None:
        for _ in range(_READINGS):
            try:
                return await claim_now(seat)
            except OutdatedError:
                continue
            except OvertakenError:
                return None
        raise ServiceNow("Slack", Reason(Exchange.SLACK_SLOW_PEOPLE))

    return claim
