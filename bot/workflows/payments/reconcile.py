"""Read what became of a commit whose outcome is unknown. Nothing here sends anything."""

from datetime import datetime

from bot.clients.payments import PaymentsClient
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.payout import counts_as_read, differences, is_paid, silence_is_proven, state_of
from bot.workflows.context import Context
from bot.workflows.payments.create import ask_people, end_refused
from bot.workflows.payments.follow import apply_record, note_status
from bot.workflows.payments.refused import next_watch, watch_by_code
from bot.workflows.requests.announce import alert, alert_paid
from storage.repositories.instructions import Changes
from storage.transaction import Tx


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: adopt what the service says, or go on looking.

    "Still created" is believed after the quiet period and three reads, and then a person decides.
    """
    if instruction.remote_id is None:
        return
    try:
        operation = await payments.get_operation(instruction.remote_id)
    except (ServiceNow, ServiceNever) as silent:
        reason = f"it cannot be read ({silent})"
        await ctx.store.write(lambda tx: not_read(ctx, tx, instruction, reason), name="not_read")
        return
    await ctx.store.write(lambda tx: take_in(ctx, tx, instruction, operation), name="read_outcome")
    ctx.wake()


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: a payment that shows up after all is an alert, the state stays."""
    if instruction.remote_id is None:
        await watch_by_code(ctx, payments, instruction)
        return
    operation = await payments.get_operation(instruction.remote_id)
    now = ctx.clock.now()
    await ctx.store.write(lambda tx: seen_after_close(ctx, tx, instruction, operation, now), name="watch_closed")


def seen_after_close(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, now: datetime) -> None:
    """Alert when it was paid after all; look on while it may still be; a failure is what was said already."""
    state = state_of(operation)
    if is_paid(operation):
        alert_paid(tx, instruction, f"the service now says {operation.status}", policy=ctx.policy, now=now)
    due = next_watch(ctx, instruction, now) if state is None else None
    tx.instructions.touch(instruction, now=now, due_at=due)


def take_in(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation) -> None:
    """Act on a record read while the outcome is unknown."""
    now = ctx.clock.now()
    wrong = differences(instruction, operation)
    if wrong:
        facts = {"reason": "; ".join(wrong)}
        alert(tx, instruction, topic="differs", facts=facts, policy=ctx.policy, now=now)
        later(ctx, tx, instruction, now)
        return
    if operation.state is not OperationStatus.CREATED:
        if not apply_record(ctx, tx, instruction, operation, now):
            later(ctx, tx, note_status(ctx, tx, instruction, operation, now), now)
        return
    if instruction.state is State.NEEDS_HUMAN:
        tx.instructions.touch(instruction, now=now, due_at=now + ctx.quiet.spacing * 60)
        return
    if instruction.refusal is not None:
        end_refused(ctx, tx, instruction, now)
        return
    counted = counts_as_read(instruction, quiet=ctx.quiet, now=now)
    reads = instruction.reads + (1 if counted else 0)
    if silence_is_proven(instruction, reads=reads, quiet=ctx.quiet, now=now):
        ask_people(ctx, tx, instruction, "the service still shows it as not committed", now)
        return
    tx.instructions.touch(
        instruction,
        now=now,
        reads=reads,
        last_read_at=now if counted else instruction.last_read_at,
        puts_off=0,
        due_at=now + ctx.quiet.spacing,
    )


def not_read(ctx: Context, tx: Tx, instruction: Instruction, reason: str, *, suspect: str | None = None) -> None:
    """Reading came to nothing: look again, and ask people when that goes on for too long.

    ``suspect`` is what the service holds and may be this one; people see it at once.
    """
    now = ctx.clock.now()
    if instruction.state is State.COMMIT_UNKNOWN and ctx.quiet.given_up(since=instruction.unknown_since, now=now):
        ask_people(ctx, tx, instruction, reason, now, suspect=suspect)
    elif suspect is not None and suspect != instruction.suspect:
        later(ctx, tx, instruction, now, {"suspect": suspect, "reason": reason, "reads": 0})
    else:
        later(ctx, tx, instruction, now)


def later(ctx: Context, tx: Tx, instruction: Instruction, now: datetime, changes: Changes | None = None) -> None:
    """Look again at the pace of the state; ``changes`` are what this look came to."""
    pace = ctx.quiet.spacing * (60 if instruction.state is State.NEEDS_HUMAN else 1)
    kept: Changes = {**(changes or {}), "due_at": now + pace}
    show = kept.get("suspect", instruction.suspect) != instruction.suspect
    tx.instructions.touch(instruction, now=now, show=show, **kept)


def asks_people_already(instruction: Instruction) -> bool:
    """Whether it is with people, so that only a record can change anything."""
    return instruction.state is State.NEEDS_HUMAN
