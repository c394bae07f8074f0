"""A list of addresses before it runs: read, checked, prepared, requested; and a few addresses asked at once."""

import asyncio
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Final, TypeVar

from bot.clients.emails import EmailsClient
from bot.domain.approvals import Role, listed
from bot.domain.emails.lists import CONCURRENCY, OVER, RUN, WHOLE, Answer, Busy, Lost, Outcome, RunState, same_address
from bot.domain.errors import PersonError
from bot.domain.files.columns import ColumnSummary, looks_like_address, summarize
from bot.domain.files.dropped import FileInfo
from bot.domain.files.tables import Limits, Table
from bot.domain.reasons import OfList, Reason, stored
from bot.domain.references import ulid
from bot.workflows.context import Context, Unit
from bot.workflows.slack.boards import post_job, post_line
from bot.workflows.slack.table_files import read_table_file
from storage.rows import EmailRun, Job
from storage.transaction import Tx

T = TypeVar("T")

EXAMPLE = "email,name"
"""A right first row of a list."""

LIMITS = Limits()


async def read_list(ctx: Context, file_id: str, use: Callable[[Table], T]) -> tuple[FileInfo, T]:
    """Download a file, read it as a table and apply a function to the table, outside the event loop.

    Raises:
        TableProblem, PersonError, ServiceTrouble, OperatorError: see
            :func:`bot.domain.troubles.unusable`.
    """
    found = await read_table_file(ctx, file_id, limits=LIMITS)
    return found.info, await asyncio.to_thread(use, found.table)


async def look_at_list(ctx: Context, file_id: str) -> tuple[FileInfo, Table, tuple[ColumnSummary, ...]]:
    """Describe the columns of a file."""
    info, (table, looks) = await read_list(
        ctx, file_id, lambda table: (table, summarize(table.header, (row.cells for row in table.rows)))
    )
    return info, table, looks


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
    look = summarize([table.header[column]], ((row.cells[column],) for row in table.rows))[0]
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


SUBJECT = "email"
"""Kind of board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedList:
    """A checked request.

    Attributes:
        thread_ts: thread of the board: the file's, or None.
        file_id: the file in Slack.
        column: zero-based place of the addresses.
        whole: the whole file at once instead of row by row.
        concurrency: requests at a time.
        source_key: the click that made it, so that it is done once.
    """

    requester: str
    channel: str
    thread_ts: str | None
    file_id: str = field(repr=False)
    file_name: str
    column: int
    column_name: str
    whole: bool
    concurrency: int = CONCURRENCY
    source_key: str


def subject_of(job_id: str) -> str:
    """The board of a job."""
    return f"{SUBJECT}:{job_id}"


async def request_list(ctx: Context, requested: RequestedList) -> bool:
    """Store the job and queue its board; False when the same click made it before."""
    now = ctx.clock.now()
    job = Job(
        id=ulid(now),
        kind=WHOLE if requested.whole else RUN,
        state=RunState.PREPARING,
        payload={
            "file": requested.file_id,
            "name": requested.file_name,
            "column": requested.column,
            "column_name": requested.column_name,
            "concurrency": requested.concurrency,
        },
        detail={},
        requester=requested.requester,
        channel=requested.channel,
        thread_ts=requested.thread_ts,
        source_key=requested.source_key,
        created_at=now,
        due_at=now,
    )

    added = await ctx.write(lambda uow: post_job(uow, job, subject_of(job.id)), name="ask_emails", wakes=False)
    ctx.wake()
    return added


def tell(
    uow: Unit,
    job_id: str,
    *,
    key: str,
    state: RunState,
    reason: Reason | None,
) -> None:
    """Queue a line for the requester: an end without a file, or a pause that nobody requested."""
    payload = {"state": state.value, "reason": stored(reason)}
    post_line(uow, subject=subject_of(job_id), key=key, payload=payload, last=True)


class Press(StrEnum):
    """Actions on a run under way."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


class Pressed(StrEnum):
    """Result of a press."""

    DONE = "done"
    NOT_YOURS = "not yours"
    """Only the requester, or an admin."""
    TOO_LATE = "too late"


_FROM = {
    Press.PAUSE: frozenset({RunState.RUNNING}),
    Press.RESUME: frozenset({RunState.PAUSED}),
    Press.STOP: frozenset({RunState.PREPARING, RunState.RUNNING, RunState.PAUSED}),
}
_TO = {Press.PAUSE: RunState.PAUSED, Press.RESUME: RunState.RUNNING, Press.STOP: RunState.STOPPING}


async def press(ctx: Context, job_id: str, what: Press, *, person: str) -> tuple[Pressed, RunState | None]:
    """Pause, resume or stop; also where it stands now, None when there is no such run."""
    standing = await ctx.people.standing(person)
    admin = listed(Role.ADMIN, standing, ctx.policy.people)

    def change(uow: Unit) -> tuple[Pressed, RunState | None]:
        job = uow.jobs.get(job_id)
        if job is None or job.kind != RUN:
            return Pressed.TOO_LATE, None
        state = RunState(job.state)
        if job.requester != person and not admin:
            return Pressed.NOT_YOURS, state
        if state in OVER or state not in _FROM[what]:
            return Pressed.TOO_LATE, state
        detail: dict[str, Any] = {key: value for key, value in job.detail.items() if key != "reason"}
        due = None if what is Press.PAUSE and not uow.emails.is_complete(job_id) else uow.now
        # Its worker keeps the lease: it still stores the answers to requests in flight.
        uow.jobs.move(job, _TO[what], detail=detail, due_at=due, keep_lease=True)
        return Pressed.DONE, _TO[what]

    pressed = await ctx.write(change, name="press_emails", wakes=False)
    if what is Press.RESUME:
        ctx.emails.pressure.forget()  # a person resumes, so the wait that the service asked for is over
    ctx.wake()
    return pressed


_TRIES: Final = 2
_PAUSE_SECONDS: Final = 1.0


async def check_addresses(client: EmailsClient, addresses: Sequence[str]) -> list[tuple[str, Answer]]:
    """The service's answer for each.

    Raises:
        OperatorError: the service does not take our requests.
    """
    found = await asyncio.gather(*(_check(client, address) for address in addresses))
    return list(zip(addresses, found, strict=True))


async def _check(client: EmailsClient, address: str) -> Answer:
    said = await client.check(address)
    for _ in range(_TRIES - 1):
        if isinstance(said, Answer):
            break
        await asyncio.sleep(_PAUSE_SECONDS)
        said = await client.check(address)
    match said:
        case Answer():
            return said
        case Busy():
            return Answer(outcome=Outcome.FAILED, why=Reason(OfList.BUSY))
        case Lost(reason=reason):
            return Answer(outcome=Outcome.FAILED, why=Reason(OfList.TRY_AGAIN, why=reason))
