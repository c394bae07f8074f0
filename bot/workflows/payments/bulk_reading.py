"""Read a file or typed rows into checked payments; and show bulk payments without changing anything."""

import asyncio
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.clients.payments import PaymentsClient
from bot.domain.errors import ServiceNever
from bot.domain.files.columns import summarize
from bot.domain.files.tables import MEBIBYTE, Flaw, Limits, Table, TableProblem, marks_of
from bot.domain.money import Cents
from bot.domain.payments.bulk import MOST_ITEMS
from bot.domain.payments.bulk_file import (
    COLUMNS,
    LEAST_COLUMNS,
    REQUIRED,
    Checked,
    Preview,
    disguised_rows,
    guess_places,
    read_rows,
)
from bot.domain.payments.bulk_records import BulkJob, BulkRow, JobPage, ReportedItem
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import OperationStatus
from bot.presentation.files.columns import columns_read, read_as
from bot.tables import clear_columns, find_columns, plain, same_names
from bot.tables.apart import read_apart
from bot.workflows.context import Context, Unit
from bot.workflows.slack.dropped_files import TableFile, read_table_file

LARGEST_FILE: Final = 10 * MEBIBYTE
PER_PAGE: Final = 20
"""Items of one page."""

_LIMITS = Limits(size=LARGEST_FILE, rows=MOST_ITEMS, columns=60, unpacked=80 * MEBIBYTE)
_TYPED = "typed rows"
_NOT_FOUND = 404


async def read_file(ctx: Context, file_id: str) -> Checked:
    """Read a file whose columns have our names.

    Raises:
        UnusableFile, TableProblem: the person has to mend the file.
        ServiceNow, ServiceNever, OperatorError: see :class:`bot.slack.files.Downloads`.
    """
    found = await read_table_file(ctx, file_id, limits=_LIMITS)
    return await asyncio.to_thread(_checked, found.table, found.info.name, 0)


def can_be_paid(header: Sequence[str]) -> bool:
    """Whether the names in the first row say which columns hold the recipient and the amount.

    Two columns of the same name do: a person says which one is meant.
    """
    known = {*clear_columns(header, COLUMNS), *same_names(header, COLUMNS)}
    return all(name in known for name in REQUIRED)


async def preview(ctx: Context, file_id: str, chosen: Mapping[str, int]) -> Preview:
    """Read a file to show it. ``chosen``: our column -> its place, where a person has chosen.

    Raises: as :func:`read_file`.
    """
    found = await read_table_file(ctx, file_id, limits=_LIMITS)
    return await asyncio.to_thread(_preview, found, chosen)


def _preview(found: TableFile, chosen: Mapping[str, int]) -> Preview:
    table, name = found.table, found.info.name
    if len(table.header) < LEAST_COLUMNS:
        raise TableProblem(Flaw.MISSING_COLUMNS, names=[one for one in REQUIRED if one not in _clear(table)])
    fits = all(place < len(table.header) for place in chosen.values())
    chosen = chosen if fits else {}
    known = dict(chosen) or _clear(table)
    looks = summarize(table.header, (row.cells for row in table.rows))
    asked = not chosen and same_names(table.header, COLUMNS)
    complete = all(one in known for one in REQUIRED) and not asked
    return Preview(
        name=name,
        fingerprint=found.fingerprint,
        how=read_as(table),
        looks=looks,
        places=known if complete else guess_places(looks, table.rows, known),
        checked=_checked_at(table, known, name) if complete else None,
    )


def _clear(table: Table) -> dict[str, int]:
    return clear_columns(table.header, COLUMNS)


async def read_typed(text: str) -> Checked:
    """Rows that were typed or pasted, with or without a first row of names.

    Raises:
        TableProblem: they cannot be read.
    """
    lines = text.strip("\r\n")
    head = lines.partition("\n")[0]
    if "@" not in head:
        return await _check(lines)
    mark = next((one for one in ("\t", ";") if one in head), ",")
    names = mark.join(COLUMNS)
    rows = "\n".join(_padded(line, mark) for line in lines.splitlines())
    return await _check(f"{names}\n{rows}", -1)


def _padded(line: str, mark: str) -> str:
    """A typed row with a cell for the note, which people leave out."""
    missing = len(COLUMNS) - 1 - line.count(mark)
    return line + mark * missing if line.strip() and '"' not in line else line


async def _check(text: str, first: int = 0) -> Checked:
    table = await read_apart(io.BytesIO(text.encode()), name="rows.csv", limits=_LIMITS)
    return await asyncio.to_thread(_checked, table, "", first)


def _checked(table: Table, name: str, first: int) -> Checked:
    return _checked_at(table, find_columns(table.header, COLUMNS, required=REQUIRED), name, first)


def _checked_at(table: Table, places: Mapping[str, int], name: str, first: int = 0) -> Checked:
    items, bad = read_rows(table.rows, places, plain=plain, first=first)
    disguised = disguised_rows(table.rows, places, table.hidden.disguised)
    return Checked(
        name=name or _TYPED,
        items=items,
        bad=sorted([*bad, *disguised], key=lambda one: one.row),
        rows=len(table.rows),
        marks=marks_of(table.hidden, table.header, places.values()),
        read_as=columns_read(table, places) if name else "",
    )


# Looking


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """A bulk payment that was found. ``job`` is the service's own record, read only for one that is not ours."""

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
    """Find a bulk payment by our reference or the service's id.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the service could not be asked.
    """
    found = await ctx.read(lambda uow: uow.instructions.find(text))
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
    """One page of items: ours as last read, others as the service lists them now.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the service could not be asked.
    """
    instruction = bulk.instruction
    if instruction is not None:
        statuses = [OperationStatus.FAILED.value] if failed else []

        def work(uow: Unit) -> tuple[list[BulkRow], int]:
            tally = uow.bulk_items.tally(instruction.id)
            offset = (page - 1) * PER_PAGE
            rows = uow.bulk_items.rows(instruction.id, statuses=statuses, offset=offset, limit=PER_PAGE)
            return rows, tally.failed if failed else tally.total

        rows, total = await ctx.read(work)
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
    """One page of all bulk payments of the account, and those that were requested here, by id.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the service could not be asked.
    """
    found = await payments.bulk_history_page(page)

    def work(uow: Unit) -> dict[str, Instruction]:
        ours = {job.id: uow.instructions.by_remote(job.id) for job in found.jobs}
        return {remote: one for remote, one in ours.items() if one is not None}

    return found, await ctx.read(work)
