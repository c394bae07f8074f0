"""Retry the rows of a bulk payment that certainly failed, as a new request that is approved like any other.

The rows keep their numbers, so the items of the new request show which rows it pays. Its source key contains the
first request and the number of earlier retries. It is unique, so only one request pays a row, even with two processes.
Right before, the service's lists are read again, and only rows listed as failed now are taken: never one of unknown
outcome.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.clients.payments import PaymentsClient
from bot.domain.payments.bulk import AGAIN, BulkPayload
from bot.domain.payments.bulk_file import Checked, FormMetadata
from bot.domain.payments.bulk_records import NOT_AGAIN, RELEASED, BulkRow, PaidAgain, may_have_failures
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import OperationStatus
from bot.workflows.context import Context, Unit
from bot.workflows.payments.bulk import read_items
from bot.workflows.payments.bulk_request import request_bulk
from storage.errors import RowUnreadable
from storage.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Rows to pay again. ``before``: the latest request that pays failed rows of this bulk payment, if any.

    ``doubtful``: number of failed rows that the service does not list as failed now, or that could not be read.
    """

    rows: Sequence[BulkRow] = ()
    before: Instruction | None = None
    doubtful: int = 0


def _paying(tx: Tx, first: Instruction) -> list[Instruction]:
    """Return the retries whose rows may not be requested again."""
    return [one for one in _made(tx, first)[0] if one.state not in RELEASED]


def _made(tx: Tx, first: Instruction) -> tuple[list[Instruction], str]:
    """Return the requests that pay failed rows again, oldest first, and the source key of the next one."""
    found: list[Instruction] = []
    key = free = f"{AGAIN}{first.id}"
    while (one := tx.instructions.by_source(free)) is not None:
        found.append(one)
        free = f"{key}#{len(found) + 1}"
    return found, free


def paid_again(tx: Tx, first: Instruction) -> PaidAgain:
    """Return the retries for the card; empty if a request that pays rows again is unreadable, which is noted."""
    if not may_have_failures(first) or first.progress is None:
        return NOT_AGAIN
    tally = first.progress.tally
    try:
        made, paying = _made(tx, first)[0], _paying(tx, first)
    except RowUnreadable:
        return NOT_AGAIN
    return PaidAgain(
        requests=tuple(made),
        count=tally.failed - sum(one.payload.count for one in paying if isinstance(one.payload, BulkPayload)),
        cents=tally.cents_of(OperationStatus.FAILED) - sum(one.cents for one in paying),
    )


def _taken(tx: Tx, first: Instruction) -> set[int]:
    """Return the numbers of rows that a request already pays again."""
    return {row.row for one in _paying(tx, first) for row in tx.bulk_items.rows(one.id)}


def _left(tx: Tx, first: Instruction) -> list[BulkRow]:
    """Return the failed rows that no request pays again."""
    if not may_have_failures(first):
        return []
    taken = _taken(tx, first)
    rows = tx.bulk_items.rows(first.id, statuses=[OperationStatus.FAILED.value])
    return [row for row in rows if row.row not in taken]


async def failed_now(ctx: Context, payments: PaymentsClient, first: Instruction) -> Failed:
    """Read the service's lists again and return the failed rows that may be paid. Raises: as reading from a service."""
    left, paying = await ctx.read(lambda uow: (_left(uow, first), _paying(uow, first)))
    before = paying[-1] if paying else None
    if not left or first.remote_id is None:
        return Failed(before=before)
    read = await read_items(ctx, payments, first, await payments.get_bulk(first.remote_id))
    rows = [row for row in left if row.row in read.failing]
    return Failed(rows=rows, before=before, doubtful=len(left) - len(rows))


async def request_again(
    ctx: Context, first: Instruction, checked: Checked, *, requester: str, channel: str
) -> tuple[Instruction, bool]:
    """Store the request and return it with True, or the one that already pays these rows with False.

    Raises: as :func:`request_bulk`.
    """
    wanted = {item.row for item in checked.items}
    is_new = False

    def before(uow: Unit, _: str) -> tuple[Instruction | None, str]:
        nonlocal is_new
        is_new = wanted.isdisjoint(_taken(uow, first))
        return (None if is_new else _paying(uow, first)[-1]), _made(uow, first)[1]

    thread = first.payload.thread_ts if channel == first.origin_channel else ""
    carried = FormMetadata(file="", channel=channel, key=f"{AGAIN}{first.id}", thread_ts=thread)
    found = await request_bulk(ctx, checked, carried, requester=requester, again_of=first, before=before)
    return found, is_new
