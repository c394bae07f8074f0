"""Prepare a file: each address once, every row kept."""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bot.domain.emails.lists import look_at, looks_like_address, same_address
from bot.domain.errors import PersonError
from bot.domain.files.tables import Table
from bot.domain.reasons import OfList, Reason
from bot.workflows.context import Context, Unit
from bot.workflows.emails.reading import read_list
from storage.rows import EmailRun, Job
from storage.transaction import Tx

ROWS = "rows"
_BLOCK = 1_000
_AT_ONCE = 2_000
NOBODY = -1
"""In place of an address's number: the row has none."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    header: tuple[str, ...]
    addresses: Sequence[str]
    blocks: Sequence[bytes]
    rows: int
    skipped: int


async def prepare(ctx: Context, job: Job) -> None:
    """Read the file and store what a run needs. Idempotent: a repeat starts over.

    Raises:
        TableProblem, PersonError, ServiceTrouble, OperatorError: the file cannot be used.
    """
    column = int(job.payload["column"])
    _, found = await read_list(ctx, str(job.payload["file"]), lambda table: _prepared(table, column))
    begun = EmailRun(job_id=job.id, header=found.header, rows=0, skipped=0, total=0, taken=0, repeated=0, outcomes={})
    await ctx.write(lambda uow: uow.emails.begin(begun), name="email_begin", wakes=False)
    for first, piece in _pieces(found.addresses):
        numbered = list(enumerate(piece, first))
        await ctx.write(partial(_add_addresses, job_id=job.id, few=numbered), name="email_addresses", wakes=False)
    for n, content in enumerate(found.blocks):
        await ctx.write(partial(_add_block, job_id=job.id, n=n, content=content), name="email_rows", wakes=False)

    def sized(uow: Unit) -> None:
        uow.emails.sized(job.id, rows=found.rows, skipped=found.skipped, total=len(found.addresses))

    await ctx.write(sized, name="email_sized", wakes=False)


def _add_addresses(tx: Tx, *, job_id: str, few: Sequence[tuple[int, str]]) -> None:
    tx.emails.add_addresses(job_id, few)


def _add_block(tx: Tx, *, job_id: str, n: int, content: bytes) -> None:
    tx.emails.add_block(job_id, part=ROWS, n=n, content=content)


def check_column(table: Table, column: int) -> None:
    """Refuse a column that hardly holds addresses.

    Raises:
        PersonError: with the share of addresses in it.
    """
    if not 0 <= column < len(table.header):
        raise PersonError(argument="column", rule=Reason(OfList.NO_COLUMN), example="email")
    look = look_at([table.header[column]], ((row.cells[column],) for row in table.rows))[0]
    if not look.is_usable:
        rule = Reason(OfList.HARDLY_ADDRESSES, name=look.name, addresses=look.addresses, filled=look.filled)
        raise PersonError(argument="column", rule=rule, example="email")


def _prepared(table: Table, column: int) -> _Prepared:
    check_column(table, column)
    numbers: dict[str, int] = {}
    addresses: list[str] = []
    blocks: list[bytes] = []
    block: list[tuple[int, tuple[str, ...]]] = []
    skipped = 0
    for row in table.rows:
        cell = row.cells[column].strip()
        number = NOBODY
        if looks_like_address(cell):
            number = numbers.setdefault(same_address(cell), len(addresses))
            if number == len(addresses):
                addresses.append(cell)
        else:
            skipped += 1
        block.append((number, row.cells))
        if len(block) == _BLOCK:
            blocks.append(packed(block))
            block = []
    if block:
        blocks.append(packed(block))
    return _Prepared(table.header, addresses, blocks, len(table.rows), skipped)


def packed(block: Sequence[tuple[int, tuple[str, ...]]]) -> bytes:
    """Rows as they are stored: small, and quick to read again."""
    return zlib.compress(json.dumps(block, separators=(",", ":")).encode("utf-8", "replace"), 1)


def unpacked(content: bytes) -> list[tuple[int, tuple[str, ...]]]:
    """What ``packed`` made."""
    return [(number, tuple(cells)) for number, cells in json.loads(zlib.decompress(content))]


def _pieces(addresses: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    for first in range(0, len(addresses), _AT_ONCE):
        yield first, addresses[first : first + _AT_ONCE]
