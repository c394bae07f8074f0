"""Follow a bulk payment until every item is final. Polling is the guarantee; there are no callbacks about items.

One look costs one request. The items are paged through only when the figures have changed, and once in a while
anyway, because it is not documented what the figures count.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.bulk import row_of
from bot.domain.payments.bulk_account import UNEXPLAINED, Accounting, BulkRow, RowChange
from bot.domain.payments.bulk_progress import BulkProgress, Tally
from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.bulk_state import LOOKS_BEFORE_MISSING, state_of
from bot.domain.payments.instruction import FINAL, Instruction, State
from bot.domain.payments.operation import OperationStatus
from bot.domain.reasons import OfRequest, Reason
from bot.domain.tracking import jittered, next_poll
from bot.domain.troubles import failed
from bot.workflows.context import Context
from bot.workflows.payments.polls import Again, polling
from bot.workflows.requests.announce import alert, asked_in, news_of, places, show_file, show_progress, tell
from storage.rows import Tracked
from storage.transaction import Tx

log = structlog.get_logger(__name__)

BULK = "bulk"
"""Kind of a tracked bulk payment."""
FAILED_FILE, ITEMS_FILE = "failed", "items"

_FULL_EVERY = 8
"""Looks after which the items are read although no figure has changed."""
_STILL_AFTER = 120
"""Base intervals without any change after which a bulk payment that is not done is reported as stuck."""


@dataclass(frozen=True, slots=True)
class Read:
    """Result of one look. ``complete``: every page of the items was read; ``unread``: why they were not."""

    job: BulkJob
    changes: tuple[RowChange, ...] = ()
    complete: bool = False
    trouble: Reason | None = None
    unread: Reason | None = None


def begin_following(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """The service has it: poll it from now on."""
    first = now + min(timedelta(seconds=ctx.poll_seconds), timedelta(seconds=2))
    tx.tracked.follow(
        kind=BULK, remote_id=instruction.remote_id or "", instruction_id=instruction.id, due_at=first, now=now
    )


async def _read(ctx: Context, payments: PaymentsClient, tracked: Tracked) -> Read | None:
    instruction = await ctx.store.read(lambda tx: tx.instructions.get(tracked.instruction_id or ""))
    if instruction is None or instruction.state in FINAL:
        return None
    job = await payments.get_bulk(tracked.remote_id)
    never = instruction.progress is None or instruction.progress.read_at is None
    if job.picture == tracked.last_status and tracked.polls % _FULL_EVERY and not never:
        return Read(job)
    rows = await ctx.store.read(lambda tx: tx.bulk_items.rows(instruction.id))
    accounting = Accounting(reference=instruction.reference, rows=rows)
    changes: list[RowChange] = []
    unread: Reason | None = None
    try:
        async for page in payments.bulk_items(job.id):
            changes += accounting.take(page.items)
        changes += accounting.finish()
    except (ServiceNow, ServiceNever, OperatorError) as broken:
        unread = failed(broken, advice=False)  # what was read is still valid
        log.warning("the items of a bulk payment could not be read to the end", bulk=job.id, reason=str(broken))
    changes += await _reasons(payments, job, accounting)
    return Read(job, tuple(changes), unread is None, accounting.trouble if unread is None else None, unread)


async def _reasons(payments: PaymentsClient, job: BulkJob, accounting: Accounting) -> list[RowChange]:
    """Reasons of failed items: a separate list, read only while an item has no reason yet."""
    failed = OperationStatus.FAILED
    wanting = {number: row for number, row in accounting.rows.items() if row.state is failed and not row.error}
    if not wanting:
        return []
    changes: list[RowChange] = []
    try:
        async for page in payments.bulk_failures(job.id):
            for item in page.items:
                number = row_of(item.internal_note, accounting.reference)
                row = wanting.pop(number, None) if number is not None else _by_person(wanting, item.email, item.cents)
                if row is not None:
                    changes.append(RowChange(row.row, row.status, row.hash, item.error or UNEXPLAINED))
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        log.warning("the failures of a bulk payment could not be read", bulk=job.id, reason=str(silent))
    return changes


def _by_person(wanting: dict[int, BulkRow], email: str, cents: int | None) -> BulkRow | None:
    for number, row in wanting.items():
        if row.email.casefold() == email.casefold() and row.cents == cents:
            return wanting.pop(number)
    return None


def _polled(
    ctx: Context, tx: Tx, tracked: Tracked, instruction: Instruction, read: Read | None, now: datetime
) -> Again | None:
    if instruction.state in FINAL:
        return None
    if read is None:
        return _again(ctx, tracked, instruction, tracked.last_status, now)
    tx.bulk_items.change(instruction.id, read.changes)
    moved = _apply(ctx, tx, instruction, read, now)
    if moved is None:  # somebody else was faster: what was read is stored, the rest at the next look
        return _again(ctx, tracked, instruction, "", now)
    if (
        read.unread is not None
        and (read.job.state is None or read.job.state.is_over)
        and tracked.polls >= LOOKS_BEFORE_MISSING
    ):
        alert(ctx, tx, moved, "unread", now, reason=read.unread)
    if read.trouble is not None:
        alert(ctx, tx, moved, "differs", now, reason=read.trouble)
    if moved.state in FINAL:
        return None
    happened = bool(read.changes) or (read.job.picture != tracked.last_status and read.unread is None)
    if not happened:
        _tell_what_stands(ctx, tx, moved, tracked, now)
    # A list that was not read to the end is read again at the next look, whatever the figures say.
    read_through = read.complete or read.job.picture == tracked.last_status
    return _again(ctx, tracked, moved, read.job.picture if read_through else "", now, afresh=happened)


def _apply(ctx: Context, tx: Tx, instruction: Instruction, read: Read, now: datetime) -> Instruction | None:
    """Move the request as its items say; unchanged when nothing is new, None when somebody else changed it."""
    before = instruction.progress or BulkProgress()
    over = read.job.state is not None and read.job.state.is_over
    tally = tx.bulk_items.tally(instruction.id)
    progress = before.model_copy(
        update={
            "tally": tally,
            "over": over,
            "read_at": now if read.complete else before.read_at,
            "changed_at": now if read.changes or before.changed_at is None else before.changed_at,
        }
    )
    state = state_of(tally, over=over)
    if state is instruction.state or (state is State.COMMITTED and instruction.state is State.PENDING_ESCROW):
        return _show_progress(ctx, tx, instruction, progress, read, now)
    moved = tx.instructions.move(
        instruction,
        state,
        now=now,
        action="observed",
        detail={"status": read.job.status, "counts": dict(tally.counts)},
        remote_status=read.job.status,
        progress=progress,
        reason=None,
        unknown_since=None,
        puts_off=0,
        due_at=None,
    )
    if moved is not None:
        tell(ctx, tx, moved, now)
        hand_over(ctx, tx, moved, tally, now)
    return moved


def _show_progress(
    ctx: Context, tx: Tx, instruction: Instruction, progress: BulkProgress, read: Read, now: datetime
) -> Instruction | None:
    before = instruction.progress or BulkProgress()
    if progress == before.model_copy(update={"read_at": progress.read_at}) and before.read_at is not None:
        return instruction
    after = tx.instructions.touch(
        instruction, now=now, progress=progress, remote_status=read.job.status, due_at=instruction.due_at
    )
    if after is not None and progress.tally != before.tally:
        show_progress(tx, after, asked_in(ctx, after), now)
    return after


def hand_over(ctx: Context, tx: Tx, instruction: Instruction, tally: Tally, now: datetime) -> None:
    """Queue the files that go with the news: failed items, and at the end every item."""
    if tally.failed:  # the approvers have to know, too
        for place in places(ctx, instruction):
            show_file(ctx, tx, instruction, place, f"{FAILED_FILE}:{tally.failed}", now)
    if instruction.state in FINAL:
        show_file(ctx, tx, instruction, asked_in(ctx, instruction), ITEMS_FILE, now)


def _tell_what_stands(ctx: Context, tx: Tx, instruction: Instruction, tracked: Tracked, now: datetime) -> None:
    """Alert when items are left and nothing has changed for a while."""
    progress = instruction.progress or BulkProgress()
    left = progress.tally.under_way + progress.tally.unaccounted
    if not left or progress.read_at is None:
        return
    if progress.over and tracked.polls >= LOOKS_BEFORE_MISSING:
        alert(ctx, tx, instruction, "unaccounted", now, reason=_left(OfRequest.UNACCOUNTED, progress.tally))
        for place in places(ctx, instruction):
            news_of(ctx, tx, instruction, place, "unaccounted", now)
        hand_over(ctx, tx, instruction, progress.tally, now)
    since = progress.changed_at or tracked.created_at
    if not progress.over and now - since >= timedelta(seconds=ctx.poll_seconds * _STILL_AFTER):
        alert(ctx, tx, instruction, "stands_still", now, reason=_left(OfRequest.STANDS_STILL, progress.tally))


def _again(
    ctx: Context, tracked: Tracked, instruction: Instruction, picture: str, now: datetime, *, afresh: bool = False
) -> Again:
    polls = 0 if afresh else tracked.polls
    waits = instruction.state is State.PENDING_ESCROW
    pause = next_poll(base=ctx.poll_seconds, polls=polls, age=now - tracked.created_at, waiting_for_people=waits)
    return Again(pause=jittered(pause, seed=f"{tracked.remote_id}:{polls}"), status=picture, afresh=afresh)


POLLS = polling("bulk polls", kind=BULK, slots=8, read=_read, take_in=_polled, stored_as="bulk_polled")
"""Look at every bulk payment that is due."""


def _left(code: OfRequest, tally: Tally) -> Reason:
    return Reason(code, under_way=tally.under_way, missing=tally.unaccounted)
