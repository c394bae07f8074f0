"""Claims of attempts: a conditional update that only one process can make."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict, TypeVar

from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import (
    Attempt,
    AttemptKind,
    AttemptOutcome,
    Instruction,
    State,
)
from bot.domain.reasons import Exchange, OfRequest, Reason, has_code
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Claim, Permit, permitted
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
