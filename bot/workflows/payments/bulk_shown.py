"""Bulk payments for display: ours as last read, external ones as the service lists them now.

Payments of external ones are numbered in the order of the service's list, over all its pages: the number shown is the
one that a cancellation accepts.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from http import HTTPStatus
from typing import Final

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.bulk import Tally, tally
from bot.domain.payments.bulk_records import (
    Accounting,
    BulkJob,
    BulkRow,
    ItemPage,
    JobPage,
    JobStatus,
    our_word,
    row_elsewhere,
)
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.lookups import Lookup
from bot.domain.payments.operation import OperationStatus
from bot.workflows.context import Context, Unit

PER_PAGE: Final = 20
"""Items per page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """A bulk payment. ``job`` is the service's own record, read only for an external one."""

    name: str
    remote_id: str
    instruction: Instruction | None = None
    job: BulkJob | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsPage:
    """One page of all or only failed items. Row 0: an item missing from the list of items."""

    rows: Sequence[BulkRow]
    page: int
    pages: int
    total: int
    read_at: datetime | None = None
    known: Mapping[str, Lookup] = field(default_factory=dict)
    """Look-ups of the recipients from before it was sent, by address in lower case."""


async def find_bulk(ctx: Context, payments: PaymentsClient, text: str, *, canceled: bool = False) -> Bulk | None:
    """Find a bulk payment, or also a cancellation if ``canceled``, by our reference or the service's id."""
    found = await ctx.read(lambda uow: uow.instructions.find(text))
    if found is not None:
        ours = Bulk(name=found.reference, remote_id=found.remote_id or "", instruction=found)
        return ours if found.kind is Kind.BULK or (canceled and found.kind is Kind.BULK_CANCEL) else None
    try:
        job = await payments.get_bulk(text)
    except ServiceNever as refused:
        if refused.status == HTTPStatus.NOT_FOUND:
            return None
        raise
    return Bulk(name=job.id, remote_id=job.id, job=job)


async def items_page(
    ctx: Context, payments: PaymentsClient, bulk: Bulk, *, page: int, failed: bool = False
) -> ItemsPage:
    """Return one page of items: ours as last read, others as the service lists them now."""
    instruction = bulk.instruction
    if instruction is not None:
        statuses = [OperationStatus.FAILED.value] if failed else []

        def work(uow: Unit) -> tuple[list[BulkRow], int, Mapping[str, Lookup]]:
            tally, offset = uow.bulk_items.tally(instruction.id), (page - 1) * PER_PAGE
            rows = uow.bulk_items.rows(instruction.id, statuses=statuses, offset=offset, limit=PER_PAGE)
            return rows, tally.failed if failed else tally.total, uow.lookups.of(instruction.id)

        stored, total, known = await ctx.read(work)
        rows = [replace(one, internal_note=f"{bulk.name}/{one.row}") for one in stored]
        read_at = instruction.progress.read_at if instruction.progress is not None else None
        pages = max(1, -(-total // PER_PAGE))
        return ItemsPage(rows=rows, page=page, pages=pages, total=total, read_at=read_at, known=known)
    if failed:
        rows = [row for row in await _elsewhere(payments, bulk.remote_id) if row.state is OperationStatus.FAILED]
        total, shown = len(rows), rows[(page - 1) * PER_PAGE : page * PER_PAGE]
        return ItemsPage(rows=shown, page=page, pages=max(1, -(-total // PER_PAGE)), total=total)
    found = await payments.bulk_item_page(bulk.remote_id, page)
    first = await _first_row(payments, bulk.remote_id, found)
    return ItemsPage(
        rows=[row_elsewhere(number, item) for number, item in enumerate(found.items, first)],
        page=page,
        pages=max(1, found.pages),
        total=found.count if found.count is not None else found.size,
    )


async def _first_row(payments: PaymentsClient, job_id: str, found: ItemPage) -> int:
    """Return the number of a page's first row. All pages except the last have the same size."""
    size, before = found.size, max(found.page - 1, 0)
    if before and found.page >= found.pages:
        if found.count is not None:
            return found.count - size + 1
        size = (await payments.bulk_item_page(job_id)).size
    return before * size + 1


async def _elsewhere(payments: PaymentsClient, job_id: str) -> list[BulkRow]:
    """Return every payment of an external one; those that only the list of failures contains come last, as row 0."""
    items = [item async for page in payments.bulk_items(job_id) for item in page.items]
    accounting = Accounting.elsewhere(items)
    async for page in payments.bulk_items(job_id, failed=True):
        accounting.take_failures(page.items, complete=True)
    failed = OperationStatus.FAILED.value
    alone = [row_elsewhere(0, one.model_copy(update={"status": failed})) for one in accounting.unplaced]
    return [*accounting.rows.values(), *alone]


async def figures(payments: PaymentsClient, job: BulkJob) -> tuple[BulkJob, Tally | None]:
    """Return an external bulk payment with figures from its payments, and their tally; None if unreadable now."""
    try:
        rows = await _elsewhere(payments, job.id)
    except (ServiceNow, ServiceNever, OperatorError):
        return job, None
    counted = tally((our_word(row.status), 1, row.cents) for row in rows)
    pending = counted.pending if job.pending is None else job.pending
    known = {"completed": counted.completed, "failed": counted.failed, "pending": pending}
    return job.model_copy(update={**known, "count": job.count or len(rows)}), counted


async def history_page(
    ctx: Context, payments: PaymentsClient, *, page: int
) -> tuple[JobPage, Mapping[str, Instruction]]:
    """Return one page of all bulk payments of the account, and our requests among them, by the service's id.

    The record of an external bulk payment is read if it is done but its figures don't add up: only the record contains
    payments in escrow.
    """
    found = await payments.bulk_history_page(page)

    def work(uow: Unit) -> dict[str, Instruction]:
        ours = {job.id: uow.instructions.by_remote(job.id) for job in found.jobs}
        return {remote: one for remote, one in ours.items() if one is not None}

    ours = await ctx.read(work)

    async def whole(job: BulkJob) -> BulkJob:
        ended = (job.completed or 0) + (job.failed or 0)
        if job.id in ours or job.state is not JobStatus.DONE or ended == job.count:
            return job
        try:
            known = await payments.get_bulk(job.id)
        except (ServiceNow, ServiceNever, OperatorError):
            return job
        return job.model_copy(update={"pending": known.pending})

    return found.model_copy(update={"jobs": tuple(await asyncio.gather(*map(whole, found.jobs)))}), ours
