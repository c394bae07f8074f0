"""From a file, or from rows that were typed, to checked payments; and looks at bulk payments that change nothing."""

import asyncio
import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final, cast

from bot.clients.payments import PaymentsClient
from bot.domain.bulk import MOST_ITEMS, BulkItem
from bot.domain.bulk_account import BulkRow
from bot.domain.bulk_file import COLUMNS, REQUIRED, BadRow, read_rows
from bot.domain.bulk_records import BulkJob, JobPage, ReportedItem
from bot.domain.errors import ServiceNever
from bot.domain.instruction import Instruction, Kind
from bot.domain.money import Cents
from bot.domain.operation import OperationStatus
from bot.domain.tables import MEBIBYTE, Limits, Table
from bot.presentation.table_words import columns_read
from bot.tables import find_columns, plain
from bot.workflows.context import Context
from bot.workflows.tables import read_apart
from storage.transaction import Tx

LARGEST_FILE: Final = 10 * MEBIBYTE
PER_PAGE: Final = 20
"""Items of one page."""

_LIMITS = Limits(size=LARGEST_FILE, rows=MOST_ITEMS, columns=60, unpacked=80 * MEBIBYTE)
_IN_MEMORY = 1 * MEBIBYTE
_TYPED = "typed rows"
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that was read: its payments, or every row that is none. ``read_as`` says how, in words."""

    name: str
    items: Sequence[BulkItem]
    bad: Sequence[BadRow]
    rows: int
    read_as: str


async def read_file(ctx: Context, file_id: str) -> Checked:
    """Download a file and read it as a whole.

    Raises:
        UnusableFile, TableProblem: the person has to mend the file.
        ServiceNow, ServiceNever, OperatorError: see :class:`bot.slack.downloads.Downloads`.
    """
    info = await ctx.downloads.info(file_id)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        async with ctx.downloads.open(info, limit=LARGEST_FILE) as body:
            async for chunk in body:
                spool.write(chunk)
        return await _check(cast(BinaryIO, spool), info.name)


async def read_typed(text: str) -> Checked:
    """Rows that were typed or pasted, with or without a first row of names.

    Raises:
        TableProblem: they cannot be read.
    """
    lines = text.strip("\r\n")
    head = lines.partition("\n")[0]
    if "@" not in head:
        return await _check(io.BytesIO(lines.encode()), "")
    mark = next((one for one in ("\t", ";") if one in head), ",")
    names = mark.join(COLUMNS)
    rows = "\n".join(_padded(line, mark) for line in lines.splitlines())
    return await _check(io.BytesIO(f"{names}\n{rows}".encode()), "", -1)


def _padded(line: str, mark: str) -> str:
    """A typed row with a cell for the note, which people leave out."""
    missing = len(COLUMNS) - 1 - line.count(mark)
    return line + mark * missing if line.strip() and missing > 0 and '"' not in line else line


async def _check(file: BinaryIO, name: str, first: int = 0) -> Checked:
    table = await read_apart(file, name=name or "rows.csv", limits=_LIMITS)
    return await asyncio.to_thread(_checked, table, name, first)


def _checked(table: Table, name: str, first: int) -> Checked:
    places = find_columns(table.header, COLUMNS, required=REQUIRED)
    items, bad = read_rows(table.rows, places, plain=plain, first=first)
    return Checked(
        name=name or _TYPED,
        items=items,
        bad=bad,
        rows=len(table.rows),
        read_as=columns_read(table, places) if name else "",
    )


# Looking


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """A bulk payment that somebody means. ``job`` is the service's own record, read only for one that is not ours."""

    name: str
    remote_id: str
    instruction: Instruction | None = None
    job: BulkJob | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsPage:
    """One page of items, of all or of those that failed."""

    rows: Sequence[BulkRow]
    page: int
    pages: int
    total: int
    read_at: datetime | None = None


async def find_bulk(ctx: Context, payments: PaymentsClient, text: str) -> Bulk | None:
    """What somebody calls a bulk payment: our reference, or the service's id.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the service could not be asked.
    """
    found = await ctx.store.read(lambda tx: tx.instructions.find(text))
    if found is not None:
        if found.kind is not Kind.BULK:
            return None
        return Bulk(name=found.reference, remote_id=found.remote_id or "", instruction=found)
    try:
        job = await payments.get_bulk(text)
    except ServiceNever as refused:
        if refused.status == _NOT_FOUND:
            return None
        raise
    return Bulk(name=job.id, remote_id=job.id, job=job)


async def items_page(
    ctx: Context, payments: PaymentsClient, bulk: Bulk, *, page: int, failed: bool = False
) -> ItemsPage:
    """One page: of ours as last read, of others as the service tells it now.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the service could not be asked.
    """
    instruction = bulk.instruction
    if instruction is not None:
        statuses = [OperationStatus.FAILED.value] if failed else []

        def work(tx: Tx) -> tuple[list[BulkRow], int]:
            tally = tx.bulk_items.tally(instruction.id)
            offset = (page - 1) * PER_PAGE
            rows = tx.bulk_items.rows(instruction.id, statuses=statuses, offset=offset, limit=PER_PAGE)
            return rows, tally.failed if failed else tally.total

        rows, total = await ctx.store.read(work)
        read_at = instruction.progress.read_at if instruction.progress is not None else None
        return ItemsPage(rows=rows, page=page, pages=max(1, -(-total // PER_PAGE)), total=total, read_at=read_at)
    read = payments.bulk_failure_page if failed else payments.bulk_item_page
    found = await read(bulk.remote_id, page)
    return ItemsPage(
        rows=[_row(number, item) for number, item in enumerate(found.items, 1)],
        page=page,
        pages=max(1, found.pages),
        total=found.count if found.count is not None else found.size,
    )


def _row(number: int, item: ReportedItem) -> BulkRow:
    return BulkRow(
        row=number,
        email=item.email,
        cents=item.cents or Cents(0),
        note=item.note,
        status=item.status,
        hash=item.hash,
        error=item.error,
    )


async def history_page(
    ctx: Context, payments: PaymentsClient, *, page: int
) -> tuple[JobPage, Mapping[str, Instruction]]:
    """One page of all bulk payments of the account, and by their ids those that were asked for here.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the service could not be asked.
    """
    found = await payments.bulk_history_page(page)

    def work(tx: Tx) -> dict[str, Instruction]:
        ours = {job.id: tx.instructions.by_remote(job.id) for job in found.jobs}
        return {remote: one for remote, one in ours.items() if one is not None}

    return found, await ctx.store.read(work)
