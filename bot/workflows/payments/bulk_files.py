"""Files of a bulk payment and of its cancellation, built from the stored items when they are posted."""

import asyncio

from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import OperationStatus
from bot.presentation.payments.kinds import KINDS
from bot.tables import write_csv
from bot.workflows.context import Attachment, Context
from bot.workflows.payments.bulk import FAILED_FILE


async def attachment(ctx: Context, instruction: Instruction, what: str) -> Attachment | None:
    """The file as things stand now; None when no item belongs in it."""
    kind = what.partition(":")[0]
    statuses = [OperationStatus.FAILED.value] if kind == FAILED_FILE else []
    rows = await ctx.read(lambda uow: uow.bulk_items.rows(instruction.id, statuses=statuses))
    if not rows:
        return None
    file = KINDS[instruction.kind].files[kind]
    content = await asyncio.to_thread(lambda: write_csv(file.header, [file.row(row) for row in rows]))
    title, alt, comment = file.about(instruction, count=len(rows))
    return Attachment(
        name=f"{instruction.reference}-{what.replace(':', '-')}.csv",
        content=content,
        title=title,
        alt=alt,
        comment=comment,
        own_title=False,
    )
