"""Pages of the service's list of operations, for the command and for the buttons below a page."""

from bot.clients.payments import OperationType, PaymentsClient
from bot.presentation.payments import operations
from bot.workflows.payments.reading import list_operations
from handlers.dependencies import Dependencies
from handlers.input.payments import COMMAND
from handlers.replies import Answer, Edit, Private


async def turn_page(
    deps: Dependencies, payments: PaymentsClient, *, page: int, operation_type: OperationType | None, instead: bool
) -> Answer:
    """One page of the list. ``instead``: in place of the page whose button was pressed."""
    found = await list_operations(deps.ctx, payments, page=page, operation_type=operation_type)
    content = operations.listing(found.page, found.ours, operation_type=operation_type, command=deps.spelled(COMMAND))
    return Edit(content) if instead else Private(content)
