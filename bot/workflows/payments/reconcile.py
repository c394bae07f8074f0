"""Read the outcome of a commit when it is unknown. Nothing here sends anything."""

from bot.clients.payments import PaymentsClient
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.payments.evidence import differences
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.payout import is_paid, state_of
from bot.domain.reasons import OfRequest, Reason, together
from bot.workflows.context import Context, Unit
from bot.workflows.payments.follow import apply_record, note_status
from bot.workflows.payments.refused import watch_by_code
from bot.workflows.requests.announce import alert, alert_paid
from bot.workflows.requests.look_again import later, next_watch, not_read, still
from bot.workflows.requests.settle import end_refused


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
        await ctx.write(lambda uow: not_read(uow, instruction, reason, wait=wait), name="not_read", wakes=False)
        return
    await ctx.write(lambda uow: take_in(uow, instruction, operation), name="read_outcome")


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: a payment that appears after all is an alert; the state stays."""
    if instruction.remote_id is None:
        await watch_by_code(ctx, payments, instruction)
        return
    operation = await payments.get_operation(instruction.remote_id)
    await ctx.write(lambda uow: seen_after_close(uow, instruction, operation), name="watch_closed", wakes=False)


def seen_after_close(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Alert when it was paid after all; keep reading while it may still be paid; a failure is no news."""
    state = state_of(operation)
    if is_paid(operation):
        alert_paid(uow, instruction, Reason(OfRequest.SAYS, status=operation.status))
    due = next_watch(uow.ctx, instruction, uow.now) if state is None else None
    uow.instructions.touch(instruction, now=uow.now, due_at=due)


def take_in(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Act on a record read while the outcome is unknown."""
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        later(uow, instruction)
        return
    if operation.state is not OperationStatus.CREATED:
        if not apply_record(uow, instruction, operation):
            later(uow, note_status(uow, instruction, operation))
        return
    if instruction.state is State.NEEDS_HUMAN:
        uow.instructions.touch(instruction, now=uow.now, due_at=uow.now + uow.quiet.spacing * 60)
        return
    if instruction.refusal is not None:
        end_refused(uow, instruction)
        return
    still(uow, instruction, Reason(OfRequest.STILL_NOT_COMMITTED), {"puts_off": 0})
