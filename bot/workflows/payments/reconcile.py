"""Read the outcome of a commit when it is unknown. Nothing here sends anything."""

from datetime import datetime

from bot.clients.payments import PaymentsClient
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.payments.evidence import differences
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.payout import is_paid, state_of
from bot.domain.reasons import OfRequest, Reason, together
from bot.workflows.context import Context
from bot.workflows.payments.follow import apply_record, note_status
from bot.workflows.payments.refused import watch_by_code
from bot.workflows.requests.announce import alert, alert_paid
from bot.workflows.requests.look_again import later, next_watch, not_read, still
from bot.workflows.requests.settle import end_refused
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
        reason = Reason(OfRequest.UNREAD, service=silent.service, why=silent.told)
        wait = silent.retry_after if isinstance(silent, ServiceNow) else None
        await ctx.store.write(lambda tx: not_read(ctx, tx, instruction, reason, wait=wait), name="not_read")
        return
    await ctx.write(lambda tx: take_in(ctx, tx, instruction, operation), name="read_outcome")


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: a payment that appears after all is an alert; the state stays."""
    if instruction.remote_id is None:
        await watch_by_code(ctx, payments, instruction)
        return
    operation = await payments.get_operation(instruction.remote_id)
    now = ctx.clock.now()
    await ctx.store.write(lambda tx: seen_after_close(ctx, tx, instruction, operation, now), name="watch_closed")


def seen_after_close(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, now: datetime) -> None:
    """Alert when it was paid after all; keep reading while it may still be paid; a failure is no news."""
    state = state_of(operation)
    if is_paid(operation):
        alert_paid(ctx, tx, instruction, Reason(OfRequest.SAYS, status=operation.status), now)
    due = next_watch(ctx, instruction, now) if state is None else None
    tx.instructions.touch(instruction, now=now, due_at=due)


def take_in(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation) -> None:
    """Act on a record read while the outcome is unknown."""
    now = ctx.clock.now()
    wrong = differences(instruction, operation)
    if wrong:
        alert(ctx, tx, instruction, "differs", now, reason=together(wrong))
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
    still(ctx, tx, instruction, Reason(OfRequest.STILL_NOT_COMMITTED), now, {"puts_off": 0})
