"""Files of a bulk payment and of its cancellation, built from the stored items when they are posted."""

import asyncio
from collections.abc import Sequence

from bot.domain.payments.bulk_account import BulkRow
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import OperationStatus
from bot.presentation.payments import bulk_files
from bot.tables import write_csv
from bot.workflows.context import Attachment, Context
from bot.workflows.payments.bulk_cancel import RESULT_FILE
from bot.workflows.payments.bulk_follow import FAILED_FILE, ITEMS_FILE
from bot.workflows.payments.bulk_request import REQUEST_FILE


async def attachment(ctx: Context, instruction: Instruction, what: str) -> Attachment | None:
    """The file as things stand now; None when no item belongs in it."""
    kind = what.partition(":")[0]
    statuses = [OperationStatus.FAILED.value] if kind == FAILED_FILE else []
    rows = await ctx.store.read(lambda tx: tx.bulk_items.rows(instruction.id, statuses=statuses))
    if not rows:
        return None
    content = await asyncio.to_thread(_csv, instruction, kind, rows)
    told = bulk_files.about(instruction, kind=kind, count=len(rows))
    return Attachment(
        name=f"{instruction.reference}-{what.replace(':', '-')}.csv",
        content=content,
        title=told.title,
        alt=told.alt,
        comment=told.comment,
        own_title=False,
    )


def _csv(instruction: Instruction, kind: str, rows: Sequence[BulkRow]) -> bytes:
    if instruction.kind is Kind.BULK_CANCEL:
        return write_csv(bulk_files.CANCEL_HEADER, bulk_files.cancel_lines(rows))
    match kind:
        case _ if kind == FAILED_FILE:
            return write_csv(bulk_files.FAILED_HEADER, bulk_files.failed_lines(rows))
        case _ if kind == ITEMS_FILE:
            return write_csv(bulk_files.ITEMS_HEADER, bulk_files.item_lines(rows))
        case _:
            return write_csv(bulk_files.REQUEST_HEADER, bulk_files.request_lines(rows))


KINDS = (REQUEST_FILE, FAILED_FILE, ITEMS_FILE, RESULT_FILE)
"""What can be asked for."""
