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
from bot.workflows.context import Context, Unit
from bot.workflows.payments.polls import Again, polling
from bot.workflows.requests.announce import alert, asked_in, news_of, places, show_file, show_progress, tell
from storage.rows import Tracked

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


def begin_following(uow: Unit, instruction: Instruction) -> None:
    """The service has it: poll it from now on."""
    first = uow.now + min(timedelta(seconds=uow.poll_seconds), timedelta(seconds=2))
    uow.tracked.follow(
        kind=BULK, remote_id=instruction.remote_id or "", instruction_id=instruction.id, due_at=first, now=uow.now
    )


async def _read(ctx: Context, payments: PaymentsClient, tracked: Tracked) -> Read | None:
    instruction = await ctx.read(lambda uow: uow.instructions.get(tracked.instruction_id or ""))
    if instruction is None or instruction.state in FINAL:
        return None
    job = await payments.get_bulk(tracked.remote_id)
    never = instruction.progress is None or instruction.progress.read_at is None
    if job.picture == tracked.last_status and tracked.polls % _FULL_EVERY and not never:
        return Read(job)
    rows = await ctx.read(lambda uow: uow.bulk_items.rows(instruction.id))
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


def _polled(uow: Unit, tracked: Tracked, instruction: Instruction, read: Read | None) -> Again | None:
    if instruction.state in FINAL:
        return None
    if read is None:
        return _again(uow.ctx, tracked, instruction, tracked.last_status, uow.now)
    uow.bulk_items.change(instruction.id, read.changes)
    moved = _apply(uow, instruction, read)
    if moved is None:  # somebody else was faster: what was read is stored, the rest at the next look
        return _again(uow.ctx, tracked, instruction, "", uow.now)
    if (
        read.unread is not None
        and (read.job.state is None or read.job.state.is_over)
        and tracked.polls >= LOOKS_BEFORE_MISSING
    ):
        alert(uow, moved, "unread", reason=read.unread)
    if read.trouble is not None:
        alert(uow, moved, "differs", reason=read.trouble)
    if moved.state in FINAL:
        return None
    happened = bool(read.changes) or (read.job.picture != tracked.last_status and read.unread is None)
    if not happened:
        _tell_what_stands(uow, moved, tracked)
    # A list that was not read to the end is read again at the next look, whatever the figures say.
    read_through = read.complete or read.job.picture == tracked.last_status
    return _again(uow.ctx, tracked, moved, read.job.picture if read_through else "", uow.now, afresh=happened)


def _apply(uow: Unit, instruction: Instruction, read: Read) -> Instruction | None:
    """Move the request as its items say; unchanged when nothing is new, None when somebody else changed it."""
    before = instruction.progress or BulkProgress()
    over = read.job.state is not None and read.job.state.is_over
    tally = uow.bulk_items.tally(instruction.id)
    progress = before.model_copy(
        update={
            "tally": tally,
            "over": over,
            "read_at": uow.now if read.complete else before.read_at,
            "changed_at": uow.now if read.changes or before.changed_at is None else before.changed_at,
        }
    )
    state = state_of(tally, over=over)
    if state is instruction.state or (state is State.COMMITTED and instruction.state is State.PENDING_ESCROW):
        return _show_progress(uow, instruction, progress, read)
    moved = uow.instructions.move(
        instruction,
        state,
        now=uow.now,
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
        tell(uow, moved)
        hand_over(uow, moved, tally)
    return moved


def _show_progress(uow: Unit, instruction: Instruction, progress: BulkProgress, read: Read) -> Instruction | None:
    before = instruction.progress or BulkProgress()
    if progress == before.model_copy(update={"read_at": progress.read_at}) and before.read_at is not None:
        return instruction
    after = uow.instructions.touch(
        instruction, now=uow.now, progress=progress, remote_status=read.job.status, due_at=instruction.due_at
    )
    if after is not None and progress.tally != before.tally:
        show_progress(uow, after, asked_in(uow.ctx, after))
    return after


def hand_over(uow: Unit, instruction: Instruction, tally: Tally) -> None:
    """Queue the files that go with the news: failed items, and at the end every item."""
    if tally.failed:  # the approvers have to know, too
        for place in places(uow.ctx, instruction):
            show_file(uow, instruction, place, f"{FAILED_FILE}:{tally.failed}")
    if instruction.state in FINAL:
        show_file(uow, instruction, asked_in(uow.ctx, instruction), ITEMS_FILE)


def _tell_what_stands(uow: Unit, instruction: Instruction, tracked: Tracked) -> None:
    """Alert when items are left and nothing has changed for a while."""
    progress = instruction.progress or BulkProgress()
    left = progress.tally.under_way + progress.tally.unaccounted
    if not left or progress.read_at is None:
        return
    if progress.over and tracked.polls >= LOOKS_BEFORE_MISSING:
        alert(uow, instruction, "unaccounted", reason=_left(OfRequest.UNACCOUNTED, progress.tally))
        for place in places(uow.ctx, instruction):
            news_of(uow, instruction, place, "unaccounted")
        hand_over(uow, instruction, progress.tally)
    since = progress.changed_at or tracked.created_at
    if not progress.over and uow.now - since >= timedelta(seconds=uow.poll_seconds * _STILL_AFTER):
        alert(uow, instruction, "stands_still", reason=_left(OfRequest.STANDS_STILL, progress.tally))


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
