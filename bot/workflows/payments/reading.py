"""Read what the payments service holds. Nothing is changed, there or here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.payments.operation import Operation, OperationPage
from bot.workflows.context import Context
from storage.transaction import Tx

PER_PAGE = 10
"""Operations of one page: what fits on a phone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of operations; ``references`` maps the service's id to our reference where it is one of ours."""

    page: OperationPage
    references: Mapping[str, str]


async def list_operations(
    ctx: Context, payments: PaymentsClient, *, page: int, operation_type: OperationType | None
) -> Listed:
    """Read one page.

    Raises:
        ServiceNow, ServiceNever, OperatorError: see ``PaymentsClient.list_operations``.
    """
    found = await payments.list_operations(page=page, per_page=PER_PAGE, operation_type=operation_type)
    references = await ctx.store.read(lambda tx: _references(tx, found.operations))
    return Listed(page=found, references=references)


def _references(tx: Tx, operations: Sequence[Operation]) -> dict[str, str]:
    found = {}
    for operation in operations:
        ours = tx.instructions.by_remote(operation.id)
        if ours is None and operation.code:
            # Its creation may have an unknown outcome: then we know the code, and not yet the id.
            same = tx.instructions.find(operation.code)
            ours = same if same is not None and same.code == operation.code else None
        if ours is not None:
            found[operation.id] = ours.reference
    return found
