"""Refusals by the service, which may have executed the request nevertheless.

Example: a proxy repeats a request, and the repeat is refused because the first one went through. The rule: a refusal is
reported as final once a read agrees with it, and reading goes on for a month. For a payout with an id, one read right
after the refusal is enough. What can only be searched for in a list is handled as an unknown outcome; the card says at
once that it was refused and is being checked. Creating moves no money, so one look at the list is enough there,
whatever it proves.
"""

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, doubted
from bot.domain.payments.evidence import differences
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.payout import state_of
from bot.workflows.context import Context, Unit
from bot.workflows.payments.orphans import leave_behind
from bot.workflows.payments.sought import by_code
from bot.workflows.requests.attempt import Outcome
from bot.workflows.requests.look_again import next_watch


async def reread(payments: PaymentsClient, instruction: Instruction, outcome: Outcome[Operation]) -> Outcome[Operation]:
    """Outcome of a commit. A refusal is compared with the payout's own record: where they differ, the record counts."""
    if doubted(outcome) is outcome:
        return outcome
    try:
        operation = await payments.get_operation(instruction.remote_id or "")
    except (ServiceNow, ServiceNever, OperatorError):
        return doubted(outcome)
    if differences(instruction, operation):
        return doubted(outcome)
    if operation.state is OperationStatus.CREATED:
        return outcome
    return Done(value=operation) if state_of(operation) is not None else doubted(outcome)


async def watch_by_code(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED or REFUSED without an id to be read by: what appears after all is followed; when paid, an alert."""
    look = await by_code(ctx, payments, instruction)

    def work(uow: Unit) -> None:
        now = ctx.clock.now()
        if look.hits:
            leave_behind(uow, instruction, look.hits)
        else:
            uow.instructions.touch(instruction, now=now, due_at=next_watch(ctx, instruction, now))

    await ctx.write(work, name="watch_closed")
