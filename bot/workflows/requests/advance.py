"""Take one step of every due request. The record of its kind maps each state to its step."""

from collections.abc import Collection
from datetime import timedelta
from functools import partial

import structlog

from bot.domain.approvals import Count, Void
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.domain.tracking import back_off, next_look, reminders_due
from bot.domain.troubles import answered, failed
from bot.workflows import effect, restored
from bot.workflows.context import Context, RequestKind, Unit, WorkQueue
from bot.workflows.requests import authority
from bot.workflows.requests.announce import STUCK, Place, alert, card_key, end, remind, tell_unstuck, unseen_until
from bot.workflows.requests.attempt import LOST
from bot.workflows.requests.authority import without_the_others
from bot.workflows.requests.claim import lease
from bot.workflows.requests.send import not_now, read_refusal, resumed, suspend
from bot.workflows.workers import Work
from storage.errors import StorageError
from storage.repositories.requests import CLAIMED
from storage.rows import OutboxState

log = structlog.get_logger(__name__)

_UNSURE = timedelta(minutes=1)
"""Time between two checks of whether a card was posted after all."""
_BY_PEOPLE = frozenset({State.AWAITING})
_BEFORE_SENDING = frozenset({State.NEW, State.APPROVED})
_BY_THE_SERVICE = CLAIMED - _BY_PEOPLE
"""A separate queue, so that a deadline never waits behind a service."""


async def _step(ctx: Context, claimed: Instruction) -> None:
    instruction = await authority.checked(ctx, claimed)
    if instruction is None or await restored.is_held(ctx, instruction) or await _is_suspended(ctx, instruction):
        return
    if not await effect.is_held(ctx, instruction):
        await _go_on(ctx, instruction)


async def _is_suspended(ctx: Context, instruction: Instruction) -> bool:
    """Suspend an approved request whose requester lost the right to ask, even if something else holds it back."""
    if instruction.state is not State.APPROVED:
        return False
    try:
        refusal = await read_refusal(ctx, instruction)
    except ServiceNow:  # read again before it is sent
        return False
    if refusal is not None:
        await ctx.write(lambda uow: suspend(uow, instruction, refusal), name="suspend")
    return refusal is not None


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
        await _wait_for_settings(ctx, instruction)
        return
    if instruction.state is State.NEEDS_HUMAN:
        seen = await _without_old_votes(ctx, instruction)
        if seen is None:
            return  # changed concurrently
        instruction = seen
    try:
        await step(ctx, payments, instruction)
        await _tell_progress(ctx, instruction)
    except StorageError:
        raise  # not the instruction's fault; the step is retried
    except ServiceNow as later:  # no action needed; after a claim the card shows the doubt
        said = answered(later) if instruction.state in _BEFORE_SENDING else None
        await _put_off(ctx, instruction, wait=later.retry_after, reason=said, alarming=False)
    except (ServiceNever, OperatorError) as stuck:
        log.warning("request blocked", reference=instruction.reference, reason=str(stuck))
        await _put_off(ctx, instruction, reason=failed(stuck))


async def _wait_for_settings(ctx: Context, instruction: Instruction) -> None:
    """Retry later while payments aren't configured; an approved request still expires when its window ends."""
    if instruction.state is not State.APPROVED or not await not_now(ctx, instruction):
        await _put_off(ctx, instruction, reason=Reason(OfRequest.NOT_CONFIGURED, missing=ctx.payments.missing))


async def _tell_progress(ctx: Context, before: Instruction) -> None:
    """Queue the all-clear if a step succeeded whose earlier failure had raised an alert."""

    def work(uow: Unit) -> None:
        after = uow.instructions.get(before.id)
        if after is None:
            return
        # Giving up a look-up clears the reason, but the request itself may still be refused afterwards.
        is_read = before.state not in _BEFORE_SENDING and after.reason != before.reason
        if is_read or after.state not in {before.state, State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN}:
            tell_unstuck(uow, after)

    if before.puts_off and before.reason is not None:
        await ctx.write(work, name="unstuck")


async def _without_old_votes(ctx: Context, instruction: Instruction) -> Instruction | None:
    """Return the instruction without expired votes, still leased; None if it was changed concurrently.

    Approvals expire with their request; votes for a new attempt expire only here.
    """
    since = ctx.clock.now() - timedelta(seconds=instruction.requirement.expires_seconds)

    def work(uow: Unit) -> Instruction | None:
        votes = uow.votes.of(instruction.id, instruction.round)
        void = {vote.person: Void.TOO_OLD for vote in votes if vote.at < since}
        kept = frozenset(vote.person for vote in votes if vote.person not in void)
        seen = without_the_others(uow, instruction, votes, Count(kept, void))
        return seen and uow.instructions.touch(seen, **lease(ctx))

    votes = await ctx.read(lambda uow: uow.votes.of(instruction.id, instruction.round))
    if all(vote.at >= since for vote in votes):
        return instruction
    return await ctx.write(work, name="old_votes", wakes=False)


async def _put_off(
    ctx: Context, instruction: Instruction, *, wait: float | None = None, reason: Reason | None, alarming: bool = True
) -> None:
    """Retry later; the deadlines of the instruction itself keep running.

    ``reason``: shown on the card; None keeps the previous one. ``alarming``: a person has to act, so also alert.
    """
    now = ctx.clock.now()
    first, longest = min(2.0, ctx.poll_seconds), max(ctx.poll_seconds, 1)
    pause = back_off(first=first, attempts=instruction.puts_off, ceiling=longest, named=wait)
    due = effect.in_time(instruction, now + pause, now)

    def work(uow: Unit) -> None:
        said, times = reason or instruction.reason, instruction.puts_off + 1
        held = uow.instructions.put_off(instruction, reason=said, due_at=due, puts_off=times)
        if held is not None and reason is not None and alarming:
            alert(uow, held, f"{STUCK}:{held.round}", reason=reason)

    await ctx.write(work, name="put_off", wakes=False)


async def wait_for_people(ctx: Context, instruction: Instruction) -> None:
    """AWAITING: remind the approvers or store the expiry, which is final even if the clock is set back.

    No reminder goes out while the requester may not ask: the card shows that instead.
    """
    try:
        refusal, known = await read_refusal(ctx, instruction), True
    except ServiceNow:  # the last known reason stays
        refusal, known = None, False
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        posted, expires = instruction.posted_at, instruction.expires_at
        if posted is None or expires is None:
            _wait_unseen(uow, instruction)
            return
        if expires <= now:
            end(uow, instruction, State.EXPIRED, Reason(OfRequest.UNDECIDED, held=instruction.reason))
            return
        seen: Instruction | None = instruction
        if refusal is not None:
            seen = suspend(uow, instruction, refusal)
        elif known:
            seen = resumed(uow, instruction)
        if seen is None:
            return
        number = reminders_due(posted_at=posted, expires_at=expires, now=now)
        if number and not has_code(seen.reason, OfRequest.HELD):
            remind(uow, seen, number)
        uow.instructions.touch(seen, due_at=next_look(posted_at=posted, expires_at=expires, now=now))

    await ctx.write(work, name="wait")


def _wait_unseen(uow: Unit, instruction: Instruction) -> None:
    """Store the expiry of a request whose card could not be posted, once Slack has certainly refused the post."""
    card, until = uow.outbox.by_key(card_key(instruction, Place.APPROVALS)), unseen_until(instruction)
    if uow.now < until:
        uow.instructions.touch(instruction, due_at=until)
    elif card is None or card.state in (OutboxState.SENT, OutboxState.DEAD):
        uow.instructions.touch(instruction, due_at=None)
    elif card.state == OutboxState.NEW and card.last_error:
        end(uow, instruction, State.EXPIRED, Reason(OfRequest.NOT_SHOWN))
    else:  # the card may have been posted
        uow.instructions.touch(instruction, due_at=uow.now + _UNSURE)


def works(kinds: Collection[RequestKind]) -> tuple[Work[Instruction], ...]:
    """Return work that advances every due request by one step: deadlines first, then one work per queue."""
    deadlines: Work[Instruction] = Work(
        name="deadlines",
        table="instruction",
        slots=50,
        claim=lambda uow, hold: uow.instructions.claim_due(states=_BY_PEOPLE, **hold),
        step=lambda ctx: partial(_step, ctx),
    )

    def steps(queue: WorkQueue) -> Work[Instruction]:
        its_own = [one.kind for one in kinds if one.queue == queue]
        return Work(
            name=queue.name,
            table="instruction",
            slots=queue.slots,
            claim=lambda uow, hold: uow.instructions.claim_due(kinds=its_own, states=_BY_THE_SERVICE, **hold),
            step=lambda ctx: partial(_step, ctx),
            in_flight=LOST.in_flight,
        )

    return deadlines, *map(steps, dict.fromkeys(one.queue for one in kinds))
