"""One step of every request that is due. The record of its kind names the step for each state."""

from collections.abc import Collection
from functools import partial

import structlog

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.domain.tracking import back_off, next_look, reminders_due
from bot.domain.troubles import answered, failed
from bot.workflows import holding
from bot.workflows.context import Context, Queue, RequestKind, Unit
from bot.workflows.requests import authority, restore
from bot.workflows.requests.announce import alert, end, remind
from bot.workflows.requests.attempt import LOST, lease
from bot.workflows.requests.ballot import without_old
from bot.workflows.requests.send import followed, guessed_refusal
from bot.workflows.workers import Work
from storage.errors import StorageError
from storage.repositories.requests import CLAIMED
from storage.rows import Hold

log = structlog.get_logger(__name__)

_BY_PEOPLE = frozenset({State.AWAITING})
_BEFORE_SENDING = frozenset({State.NEW, State.APPROVED})
_BY_THE_SERVICE = CLAIMED - _BY_PEOPLE
"""A separate queue, so that a deadline never waits behind a service."""


async def _step(ctx: Context, claimed: Instruction) -> None:
    instruction = await authority.checked(ctx, claimed)
    if instruction is None or await restore.is_held(ctx, instruction) or await holding.is_held(ctx, instruction):
        return
    await _go_on(ctx, instruction)


async def _go_on(ctx: Context, instruction: Instruction) -> None:
    if instruction.state is State.AWAITING:
        await wait_for_people(ctx, instruction)
        return
    step = ctx.kinds[instruction.kind].steps.get(instruction.state)
    if step is None:
        await ctx.write(lambda uow: uow.instructions.touch(instruction, now=ctx.clock.now(), due_at=None), wakes=False)
        return
    payments = ctx.payments.client
    if payments is None:
        await _put_off(
            ctx, instruction, wait=None, reason=Reason(OfRequest.NOT_CONFIGURED, missing=ctx.payments.missing)
        )
        return
    if instruction.state is State.NEEDS_HUMAN:
        seen = await _without_old_votes(ctx, instruction)
        if seen is None:
            return  # somebody else was faster
        instruction = seen
    try:
        if await restore.is_known_here(ctx, payments, instruction):
            await step(ctx, payments, instruction)
    except StorageError:
        raise  # not the instruction's fault; the step is taken again
    except ServiceNow as later:
        await _wait(ctx, instruction, later)
    except (ServiceNever, OperatorError) as stuck:
        log.warning("an instruction cannot go on", reference=instruction.reference, reason=str(stuck))
        await _put_off(ctx, instruction, wait=None, reason=failed(stuck))


async def _without_old_votes(ctx: Context, instruction: Instruction) -> Instruction | None:
    seen = await without_old(ctx, instruction)
    if seen is None or seen.version == instruction.version:
        return seen
    kept = lease(ctx)
    return await ctx.write(lambda uow: uow.instructions.touch(seen, **kept), name="hold", wakes=False)


async def _wait(ctx: Context, instruction: Instruction, later: ServiceNow) -> None:
    """Nobody has to act. Before anything is sent, the card says what the service said; after that, what is in doubt."""
    said = answered(later) if instruction.state in _BEFORE_SENDING else None
    await _put_off(ctx, instruction, wait=later.retry_after, reason=said, alarming=False)


async def _put_off(
    ctx: Context, instruction: Instruction, *, wait: float | None, reason: Reason | None, alarming: bool = True
) -> None:
    """Look again later; the deadlines of the instruction itself go on running.

    ``reason``: shown on the card; None: as before. ``alarming``: somebody has to mend it, so it is an alert, too.
    """
    now = ctx.clock.now()
    first, longest = min(2.0, ctx.poll_seconds), max(ctx.poll_seconds, 1)
    pause = back_off(first=first, attempts=instruction.puts_off, ceiling=longest, named=wait)
    due = holding.in_time(instruction, now + pause, now)

    def work(uow: Unit) -> None:
        said, times = reason or instruction.reason, instruction.puts_off + 1
        held = uow.instructions.put_off(instruction, reason=said, due_at=due, puts_off=times)
        if held is not None and reason is not None and alarming:
            alert(uow, held, f"stuck:{held.round}", reason=reason)

    await ctx.write(work, name="put_off", wakes=False)


async def wait_for_people(ctx: Context, instruction: Instruction) -> None:
    """AWAITING: remind the approvers, or store the expiry. An expired request stays expired, whatever the clock says.

    No reminder goes out while the requester may no longer ask: the card says so instead.
    """
    refusal, known = await guessed_refusal(ctx, instruction)
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        posted, expires = instruction.posted_at, instruction.expires_at
        if posted is None or expires is None:
            uow.instructions.touch(instruction, due_at=None)
            return
        if expires <= now:
            end(uow, instruction, State.EXPIRED, Reason(OfRequest.UNDECIDED, held=instruction.reason))
            return
        seen = followed(uow, instruction, refusal, known=known)
        if seen is None:
            return
        number = reminders_due(posted_at=posted, expires_at=expires, now=now)
        if number and not has_code(seen.reason, OfRequest.HELD):
            remind(uow, seen, number)
        due = next_look(posted_at=posted, expires_at=expires, now=now)
        uow.instructions.touch(seen, due_at=due)

    await ctx.write(work, name="wait")


def _work(queue: Queue, kinds: Collection[Kind]) -> Work[Instruction]:
    def claim(uow: Unit, hold: Hold) -> list[Instruction]:
        return uow.instructions.claim_due(kinds=kinds, states=_BY_THE_SERVICE, **hold)

    return Work(
        name=queue.name,
        table="instruction",
        slots=queue.slots,
        claim=claim,
        step=lambda ctx: partial(_step, ctx),
        in_flight=LOST.in_flight,
    )


def works(kinds: Collection[RequestKind]) -> tuple[Work[Instruction], ...]:
    """Work that takes every due request one step further: the deadlines of waiting requests, then one work a queue."""
    deadlines: Work[Instruction] = Work(
        name="deadlines",
        table="instruction",
        slots=50,
        claim=lambda uow, hold: uow.instructions.claim_due(states=_BY_PEOPLE, **hold),
        step=lambda ctx: partial(_step, ctx),
    )
    queues = dict.fromkeys(one.queue for one in kinds)
    return deadlines, *(_work(queue, [one.kind for one in kinds if one.queue == queue]) for queue in queues)
