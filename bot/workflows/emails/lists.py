"""Lists of addresses before a run: reading, checks, preparation, requests; and their pause, resume and stop buttons."""

import asyncio
import json
import zlib
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from bot.domain.approvals import Role, listed
from bot.domain.emails.lists import OVER, RUN, WHOLE, RunState, same_address
from bot.domain.errors import PersonError
from bot.domain.files.columns import address_in, summarize
from bot.domain.files.dropped import FileInfo
from bot.domain.files.tables import Limits, Table
from bot.domain.reasons import OfList, Reason, stored
from bot.domain.references import ulid
from bot.workflows.context import Context, Unit
from bot.workflows.presets import remember
from bot.workflows.slack.boards import post_job, post_line
from bot.workflows.slack.dropped_files import offer_of, read_table_file
from storage.rows import EmailRun, Job

T = TypeVar("T")

EXAMPLE = "email,name"
"""A valid first row of a list."""


async def read_list(ctx: Context, file_id: str, use: Callable[[Table], T]) -> tuple[FileInfo, T]:
    """Read a file as a table and apply ``use`` to it in a thread; raises errors that ``troubles.unusable`` words."""
    found = await read_table_file(ctx, file_id, limits=Limits(addresses=True))
    return found.info, await asyncio.to_thread(use, found.table)


ROWS = "rows"
_BLOCK = 1_000
_AT_ONCE = 2_000
_STEM_LIMIT = 60
NOBODY = -1
"""Address number of a row without an address."""


async def prepare(ctx: Context, job: Job) -> None:
    """Read the file and store the rows and addresses for a run. Idempotent: a repeat starts over.

    Raises like :func:`read_list`.
    """
    column = int(job.payload["column"])

    def numbered(table: Table) -> tuple[Table, list[str], list[bytes], int]:
        """Return the table, unique addresses, stored blocks of rows with address numbers, and rows without address."""
        check_column(table, column)
        numbers: dict[str, int] = {}
        addresses: list[str] = []
        rows: list[tuple[int, tuple[str, ...]]] = []
        for row in table.rows:
            cell, number = address_in(row.cells[column]), NOBODY
            if cell:
                number = numbers.setdefault(same_address(cell), len(addresses))
                if number == len(addresses):
                    addresses.append(cell)
            rows.append((number, row.cells))
        parts = (rows[first : first + _BLOCK] for first in range(0, len(rows), _BLOCK))
        texts = (json.dumps(part, separators=(",", ":")).encode("utf-8", "replace") for part in parts)
        return table, addresses, [zlib.compress(text, 1) for text in texts], sum(number == NOBODY for number, _ in rows)

    _, (table, addresses, blocks, skipped) = await read_list(ctx, str(job.payload["file"]), numbered)
    begun = EmailRun(job_id=job.id, header=table.header, rows=0, skipped=0, total=0, taken=0, repeated=0, outcomes={})
    await ctx.write(lambda uow: uow.emails.begin(begun), name="email_begin", wakes=False)

    def add_addresses(uow: Unit, *, first: int) -> None:
        uow.emails.add_addresses(job.id, list(enumerate(addresses[first : first + _AT_ONCE], first)))

    def add_block(uow: Unit, *, n: int) -> None:
        uow.emails.add_block(job.id, part=ROWS, n=n, content=blocks[n])

    for first in range(0, len(addresses), _AT_ONCE):
        await ctx.write(partial(add_addresses, first=first), name="email_addresses", wakes=False)
    for n in range(len(blocks)):
        await ctx.write(partial(add_block, n=n), name="email_rows", wakes=False)
    sizes = {"rows": len(table.rows), "skipped": skipped, "total": len(addresses)}
    await ctx.write(lambda uow: uow.emails.note(job.id, **sizes), name="email_sized", wakes=False)


def check_column(table: Table, column: int) -> None:
    """Raise PersonError, with the share of addresses, if a column contains hardly any addresses."""
    if not 0 <= column < len(table.header):
        raise PersonError(argument="column", rule=Reason(OfList.NO_COLUMN), example="email")
    look = summarize([table.header[column]], ((row.cells[column],) for row in table.rows))[0]
    if not look.is_usable:
        rule = Reason(OfList.HARDLY_ADDRESSES, name=look.name, addresses=look.addresses, filled=look.filled)
        raise PersonError(argument="column", rule=rule, example="email")


SUBJECT = "email"
"""Kind of the board's subject."""


def stem(name: str) -> str:
    """Return a file's name without its extension, valid on every file system."""
    letters = name.rpartition(".")[0] or name
    return "".join(one if one.isalnum() or one in "._-" else "-" for one in letters).strip("-.")[:_STEM_LIMIT]


async def request_list(
    ctx: Context,
    *,
    by: str,
    channel: str,
    thread_ts: str | None,
    file_id: str,
    file_name: str,
    column: int,
    column_name: str,
    whole: bool,
    concurrency: int,
    source_key: str,
) -> None:
    """Store the job, shown in its file's offer or else on a board; do nothing if the same click already created it.

    ``column`` is the zero-based index of the addresses; ``concurrency`` the requests in flight if not sent ``whole``.
    """
    now = ctx.clock.now()
    job = Job(
        id=ulid(now),
        kind=WHOLE if whole else RUN,
        state=RunState.PREPARING,
        payload={
            "file": file_id,
            "name": file_name,
            "column": column,
            "column_name": column_name,
            "concurrency": concurrency,
        },
        detail={},
        requester=by,
        channel=channel,
        thread_ts=thread_ts,
        source_key=source_key,
        created_at=now,
        due_at=now,
    )

    def ask(uow: Unit) -> None:
        if post_job(uow, job, shown_in=offer_of(uow, file_id, channel=channel)):
            remember(uow, channel, SUBJECT, {"how": job.kind, "column": column_name})

    await ctx.write(ask, name="ask_emails")


_OUT_OF_SIGHT = timedelta(minutes=1)
"""Time after which the requester may no longer watch a list's message, so its end is also posted in the thread."""


def tell(uow: Unit, job: Job, *, key: str, state: RunState, reason: Reason | None) -> None:
    """Queue a line for the requester: a late end without a file, or an automatic pause."""
    if state is not RunState.PAUSED and uow.now - job.created_at < _OUT_OF_SIGHT:
        return
    post_line(uow, subject=job.subject, key=key, payload={"state": state.value, "reason": stored(reason)}, last=True)


class Press(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


class Pressed(StrEnum):
    DONE = "done"
    NOT_YOURS = "not yours"
    """Only the requester or an admin may do this."""
    TOO_LATE = "too late"


_FROM = {
    Press.PAUSE: frozenset({RunState.RUNNING}),
    Press.RESUME: frozenset({RunState.PAUSED}),
    Press.STOP: frozenset({RunState.PREPARING, RunState.RUNNING, RunState.PAUSED}),
}
_TO = {Press.PAUSE: RunState.PAUSED, Press.RESUME: RunState.RUNNING, Press.STOP: RunState.STOPPING}


async def press(ctx: Context, job_id: str, what: Press, *, person: str) -> tuple[Pressed, RunState | None]:
    """Pause, resume or stop a run; also return its current state, None if the run doesn't exist."""
    admin = listed(Role.ADMIN, await ctx.people.standing(person), ctx.policy.people)

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

    pressed = await ctx.write(change, name="press_emails")
    if what is Press.RESUME:
        ctx.emails.pressure.forget()  # a person resumes, which ends the pause that the service requested
    return pressed
