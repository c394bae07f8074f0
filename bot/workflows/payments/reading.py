"""Read what the payments service holds. Nothing is changed, there or here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import Operation, OperationPage
from bot.workflows.context import Context
from storage.transaction import Tx

PER_PAGE = 10
"""Operations of one page: what fits on a phone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of operations; ``ours``: our requests by the service's id, where it is one of ours."""

    page: OperationPage
    ours: Mapping[str, Instruction]


async def list_operations(
    ctx: Context, payments: PaymentsClient, *, page: int, operation_type: OperationType | None
) -> Listed:
    """Read one page.

    Raises:
        ServiceNow, ServiceNever, OperatorError: see ``PaymentsClient.list_operations``.
    """
    found = await payments.list_operations(page=page, per_page=PER_PAGE, operation_type=operation_type)
    ours = await ctx.read(lambda uow: _ours(uow, found.operations))
    return Listed(page=found, ours=ours)


def _ours(tx: Tx, operations: Sequence[Operation]) -> dict[str, Instruction]:
    found = {}
    for operation in operations:
        ours = tx.instructions.by_remote(operation.id)
        if ours is None and operation.code:
            # Its creation may have an unknown outcome: then we know the code, and not yet the id.
            same = tx.instructions.find(operation.code)
            ours = same if same is not None and same.code == operation.code else None
        if ours is not None:
            found[operation.id] = ours
    return found
