"""Files of a bulk payment and of its cancellation, built from the stored items when they are posted."""

import asyncio
from collections.abc import Sequence

from bot.domain.payments.bulk_account import BulkRow
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import OperationStatus
from bot.presentation.payments import bulk_files
from bot.slack.messenger import Posted
from bot.tables import write_csv
from bot.workflows.context import Attachment, Context
from bot.workflows.payments.bulk_cancel import RESULT_FILE
from bot.workflows.payments.bulk_follow import FAILED_FILE, ITEMS_FILE
from bot.workflows.payments.bulk_request import REQUEST_FILE
from storage.rows import OutboxRow


async def post_file(
    ctx: Context, row: OutboxRow, instruction: Instruction, *, channel: str, thread_ts: str | None
) -> Posted | None:
    """Post what the row asks for; None when there is nothing in it. Whether it stands there was looked up before.

    Raises:
        ServiceNow, ServiceNever, OutcomeUnknown: see :meth:`bot.slack.files.Files.share`.
    """
    found = await attachment(ctx, instruction, str(row.payload["what"]))
    if found is None:
        return None
    return await ctx.files.share(
        name=found.name,
        content=found.content,
        title=found.title,
        alt=found.alt,
        comment=found.comment,
        channel=channel,
        thread_ts=thread_ts,
    )


def file_name(instruction: Instruction, what: str) -> str:
    """One name a file, by which it is found again: ``L-4F7K2M-failed-3.csv``."""
    return f"{instruction.reference}-{what.replace(':', '-')}.csv"


async def attachment(ctx: Context, instruction: Instruction, what: str) -> Attachment | None:
    """The file as things stand now; None when no item belongs into it."""
    kind = what.partition(":")[0]
    statuses = [OperationStatus.FAILED.value] if kind == FAILED_FILE else []
    rows = await ctx.store.read(lambda tx: tx.bulk_items.rows(instruction.id, statuses=statuses))
    if not rows:
        return None
    content = await asyncio.to_thread(_csv, instruction, kind, rows)
    told = bulk_files.about(instruction, kind=kind, count=len(rows))
    return Attachment(
        name=file_name(instruction, what), content=content, title=told.title, alt=told.alt, comment=told.comment
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
