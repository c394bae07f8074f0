"""Files of a bulk payment and of its cancellation, built from the stored items when they are posted."""

import asyncio

from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import OperationStatus
from bot.presentation.payments import bulk_cards
from bot.tables import write_csv
from bot.workflows.context import Attachment, Context
from bot.workflows.payments.bulk import FAILED_FILE, ITEMS_FILE

_REQUEST = (bulk_cards.REQUEST_HEADER, bulk_cards.request_lines)
_CANCEL = (bulk_cards.CANCEL_HEADER, bulk_cards.cancel_lines)
_TABLES = {
    FAILED_FILE: (bulk_cards.FAILED_HEADER, bulk_cards.failed_lines),
    ITEMS_FILE: (bulk_cards.ITEMS_HEADER, bulk_cards.item_lines),
}


async def attachment(ctx: Context, instruction: Instruction, what: str) -> Attachment | None:
    """The file as things stand now; None when no item belongs in it."""
    kind = what.partition(":")[0]
    statuses = [OperationStatus.FAILED.value] if kind == FAILED_FILE else []
    rows = await ctx.read(lambda uow: uow.bulk_items.rows(instruction.id, statuses=statuses))
    if not rows:
        return None
    table = _CANCEL if instruction.kind is Kind.BULK_CANCEL else _TABLES.get(kind, _REQUEST)
    content = await asyncio.to_thread(lambda: write_csv(table[0], table[1](rows)))
    told = bulk_cards.about(instruction, kind=kind, count=len(rows))
    return Attachment(
        name=f"{instruction.reference}-{what.replace(':', '-')}.csv",
        content=content,
        title=told.title,
        alt=told.alt,
        comment=told.comment,
        own_title=False,
    )
