"""Follow a bulk payment until every item is final. Polling is the guarantee; there are no callbacks about items.

One look costs one request. The items are paged through only when the figures have changed, and once in a while
anyway, because it is not documented what the figures count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import methodcaller
from typing import Final

import structlog

from bot.clients.payments import PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.bulk import BulkItem, BulkPayload, BulkProgress, Tally, known_digest, row_of
from bot.domain.payments.bulk_records import (
    LOOKS_BEFORE_MISSING,
    Accounting,
    BulkJob,
    JobStatus,
    ReportedItem,
    RowChange,
    is_ours,
    state_of,
)
from bot.domain.payments.earlier import Finding
from bot.domain.payments.instruction import FINAL, Attempt, Instruction, Kind, State
from bot.domain.payments.operation import OperationStatus
from bot.domain.reasons import OfRequest, Reason
from bot.domain.references import Letter
from bot.domain.tracking import jittered, next_poll
from bot.domain.troubles import failed
from bot.workflows.context import Context, RequestKind, Unit, WorkQueue
from bot.workflows.effect import hold
from bot.workflows.payments.accounts import prepare
from bot.workflows.payments.follow import Again, polling
from bot.workflows.requests.announce import (
    alert,
    alert_paid,
    ask_people,
    asked_in,
    news_of,
    on_record,
    show_file,
    show_progress,
    tell,
)
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.authority import has_its_items, hold_changed
from bot.workflows.requests.claim import Claimed
from bot.workflows.requests.earlier import hindrance, read_earlier
from bot.workflows.requests.look_again import Look, asks_people_already, found_after_send, is_absent, later, watch_ended
from bot.workflows.requests.send import not_now, sending
from storage.rows import Tracked

log = structlog.get_logger(__name__)

BULK = "bulk"
"""Kind of a tracked bulk payment."""
FAILED_FILE = "failed"

_FULL_EVERY = 8
"""Looks after which the items are read even if no figure has changed."""
_STILL_AFTER = 120
"""Base intervals without any change after which an unfinished bulk payment is reported as stuck."""


@dataclass(frozen=True, slots=True)
class Read:
    """Result of one look. ``complete``: every page of the items was read; ``unread``: why some were not.

    ``unexplained``: why the failures could not be read, although rows still lack an outcome or a reason. ``failing``:
    rows that a list shows as failed now, and no list shows otherwise. ``otherwise``: rows for which the lists show a
    different outcome than stored, or contradict each other.
    """

    job: BulkJob
    changes: tuple[RowChange, ...] = ()
    complete: bool = False
    trouble: Reason | None = None
    contradiction: Reason | None = None
    unread: Reason | None = None
    unexplained: Reason | None = None
    failing: frozenset[int] = frozenset()
    otherwise: frozenset[int] = frozenset()


async def _read(ctx: Context, payments: PaymentsClient, tracked: Tracked) -> Read | None:
    instruction = await ctx.read(lambda uow: uow.instructions.get(tracked.instruction_id or ""))
    if instruction is None or instruction.state in FINAL:
        return None
    job = await payments.get_bulk(tracked.remote_id)
    never = instruction.progress is None or instruction.progress.read_at is None
    if job.picture == tracked.last_status and tracked.polls % _FULL_EVERY and not never:
        return Read(job)
    return await read_items(ctx, payments, instruction, job)


async def read_items(ctx: Context, payments: PaymentsClient, instruction: Instruction, job: BulkJob) -> Read:
    """Read the items, and the failures once the service may be through, and match them with the rows."""
    rows = await ctx.read(lambda uow: uow.bulk_items.rows(instruction.id))
    accounting = Accounting(reference=instruction.reference, rows=rows)
    changes: list[RowChange] = []
    unread = unexplained = None
    try:
        async for page in payments.bulk_items(job.id):
            changes += accounting.take(page.items)
        changes += accounting.finish()
    except (ServiceNow, ServiceNever, OperatorError) as broken:
        unread = failed(broken, advice=False)  # what was read is still valid
        log.warning("the items of a bulk payment could not be read to the end", bulk=job.id, reason=str(broken))
    wanting = any(row.state is OperationStatus.FAILED and not row.error for row in accounting.rows.values())
    if wanting or may_be_over(job):  # the items may leave out what could not be processed
        try:
            async for page in payments.bulk_items(job.id, failed=True):
                changes += accounting.take_failures(page.items, complete=unread is None)
        except (ServiceNow, ServiceNever, OperatorError) as silent:
            unexplained = None if accounting.is_explained else failed(silent, advice=False)
            log.warning("the failures of a bulk payment could not be read", bulk=job.id, reason=str(silent))
    trouble = accounting.trouble if unread is None else None
    failing = frozenset(accounting.failing - accounting.contradicted) if trouble is None else frozenset()
    contradiction, otherwise = accounting.contradiction, frozenset(accounting.contradicted)
    return Read(job, tuple(changes), unread is None, trouble, contradiction, unread, unexplained, failing, otherwise)


def may_be_over(job: BulkJob) -> bool:
    return job.state is None or job.state.is_over


def _polled(uow: Unit, tracked: Tracked, instruction: Instruction, read: Read | None) -> Again | None:
    if instruction.state in FINAL:
        return None
    if read is None:
        return _again(uow, tracked, instruction, tracked.last_status)
    uow.bulk_items.change(instruction.id, read.changes)
    moved = _apply(uow, instruction, read, patient=tracked.polls < LOOKS_BEFORE_MISSING)
    if moved is None:  # changed concurrently: what was read is stored, the rest follows at the next look
        return _again(uow, tracked, instruction, "")
    late = tracked.polls >= LOOKS_BEFORE_MISSING and may_be_over(read.job)
    found = {"differs": read.trouble, "contradiction": read.contradiction}
    found |= {"unread": read.unread, "unexplained": read.unexplained} if late else {}
    for topic, why in found.items():
        if why is not None:
            alert(uow, moved, topic, reason=why)
    if moved.state in FINAL:
        return None
    whole = read.unread is None and read.unexplained is None
    happened = bool(read.changes) or (read.job.picture != tracked.last_status and whole)
    if not happened:
        _alert_stuck(uow, moved, tracked)
    # A list that was not read to the end is read again at the next look, even if the figures are unchanged.
    read_through = (read.complete and whole) or read.job.picture == tracked.last_status
    return _again(uow, tracked, moved, read.job.picture if read_through else "", afresh=happened)


def _apply(uow: Unit, instruction: Instruction, read: Read, *, patient: bool = False) -> Instruction | None:
    """Move the request to the state of its items; return it unchanged if nothing is new, None if overtaken.

    ``patient``: unreadable failure reasons delay the end.
    """
    before = instruction.progress or BulkProgress()
    over = read.job.state is not None and read.job.state.is_over
    tally = uow.bulk_items.tally(instruction.id)
    fails = read.job.state is JobStatus.FAILED and not before.failed
    progress = before.model_copy(
        update={
            "tally": tally,
            "over": over,
            "failed": before.failed or fails,
            "why": read.job.why or before.why,
            "read_at": uow.now if read.complete else before.read_at,
            "changed_at": uow.now if read.changes or before.changed_at is None else before.changed_at,
        }
    )
    state = state_of(tally, over=over)
    if state in FINAL and patient and read.unexplained is not None:
        state = instruction.state
    if state is instruction.state or (state is State.COMMITTED and instruction.state is State.PENDING_ESCROW):
        if progress == before.model_copy(update={"read_at": progress.read_at}) and before.read_at is not None:
            return instruction
        after = uow.instructions.touch(
            instruction, show=fails, progress=progress, remote_status=read.job.status, due_at=instruction.due_at
        )
        if after is not None and fails:
            news_of(uow, after, asked_in(uow.ctx, after), "failed there")
            hand_over(uow, after, tally)
        elif after is not None and tally != before.tally:
            show_progress(uow, after, asked_in(uow.ctx, after))
        return after
    moved = uow.instructions.move(
        instruction,
        state,
        action="observed",
        facts={"status": read.job.status, "counts": dict(tally.counts)},
        remote_status=read.job.status,
        progress=progress,
        reason=None,
        unknown_since=None,
        puts_off=0,
        due_at=None,
    )
    # If some only wait for a sign-up, the card alone shows that.
    if moved is not None and (moved.state in FINAL or tally.failed or progress.failed):
        tell(uow, moved)
        hand_over(uow, moved, tally)
    return moved


def hand_over(uow: Unit, instruction: Instruction, tally: Tally) -> None:
    """Queue the file with the failed payments, if there are any; it accompanies the news."""
    if tally.failed:
        show_file(uow, instruction, asked_in(uow.ctx, instruction), f"{FAILED_FILE}:{tally.failed}")


def _alert_stuck(uow: Unit, instruction: Instruction, tracked: Tracked) -> None:
    """Alert when items are left and nothing has changed for a while."""
    progress = instruction.progress or BulkProgress()
    figures = {"under_way": progress.tally.under_way, "missing": progress.tally.unaccounted}
    if not any(figures.values()) or progress.read_at is None:
        return
    if progress.over and tracked.polls >= LOOKS_BEFORE_MISSING:
        alert(uow, instruction, "unaccounted", reason=Reason(OfRequest.UNACCOUNTED, **figures))
        if not progress.failed:  # the news of its failure already included these
            news_of(uow, instruction, asked_in(uow.ctx, instruction), "unaccounted")
        hand_over(uow, instruction, progress.tally)
    since = progress.changed_at or tracked.created_at
    if not progress.over and uow.now - since >= timedelta(seconds=uow.poll_seconds * _STILL_AFTER):
        alert(uow, instruction, "stands_still", reason=Reason(OfRequest.STANDS_STILL, **figures))


def _again(uow: Unit, tracked: Tracked, instruction: Instruction, picture: str, *, afresh: bool = False) -> Again:
    polls, age = 0 if afresh else tracked.polls, uow.now - tracked.created_at
    waits = instruction.state is State.PENDING_ESCROW
    pause = next_poll(base=uow.poll_seconds, polls=polls, age=age, waiting_for_people=waits)
    return Again(pause=jittered(pause, seed=f"{tracked.remote_id}:{polls}"), status=picture, afresh=afresh)


POLLS = polling("bulk polls", kind=BULK, slots=8, read=_read, apply=_polled, stored_as="bulk_polled")
KNOWN = "known"
"""Key in a submission's audit row: digest of the ids in the history before the first submission."""
FEW = 10
"""Concurrent steps of kinds that read long lists."""
_APART: Final = timedelta(seconds=1)
"""Spacing of held requests that become due: each has left or ended before the next, and so does not hold it up."""
_ANOTHER: Final = Reason(OfRequest.ANOTHER_IS_SENT)


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, note the history, claim the one attempt, submit, store the outcome."""
    if await not_now(ctx, instruction):
        return
    payments.require("create_bulk_payment")

    def as_approved(uow: Unit) -> list[BulkItem] | None:
        if not instruction.intact() or not has_its_items(uow, instruction):
            return None
        return [row.item for row in uow.bulk_items.rows(instruction.id)]

    items = await ctx.read(as_approved)
    if items is None:
        await hold_changed(ctx, instruction)
        return
    if await ctx.write(lambda uow: _waits(uow, instruction), name="bulk_waits", wakes=False):
        return
    if instruction.commits:
        look = await in_history(ctx, payments, instruction)
        if not await is_absent(ctx, instruction, look, found=_found):
            return
    earlier = await read_earlier(ctx, payments, instruction)
    known = frozenset([job.id async for page in payments.bulk_history() for job in page.jobs])

    def hindered(uow: Unit) -> Reason | None:
        return hindrance(uow, instruction, earlier) or _take_off(uow, instruction, known)

    async def submit(_: Claimed, guard: Guard) -> Outcome[BulkJob]:
        unknown = instruction.commits > 0
        return await payments.submit_bulk(instruction.reference, items, earlier_unknown=unknown, guard=guard)

    sealed = {KNOWN: known_digest(known)}
    claim = sending(ctx, instruction, name="claim_bulk", hindrance=hindered, sealed=sealed)
    await attempt_once(ctx, payments.circuit, claim, submit, SUBMITTED, name="submitted")


def _take_off(uow: Unit, instruction: Instruction, known: frozenset[str]) -> Reason | None:
    """Take the flight; return why not while another bulk payment has it."""
    return None if uow.bulk_flights.take(instruction.id, known=known, now=uow.now) else _ANOTHER


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: search the history for ids that were not in it before."""
    look, absent = await in_history(ctx, payments, instruction), Reason(OfRequest.NOT_IN_HISTORY)
    await ctx.write(
        lambda uow: found_after_send(uow, instruction, look, found=_found, absent_because=absent), name="read_outcome"
    )


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: alert if it appears after all; the state stays."""

    def found(uow: Unit, _: Instruction, hits: Sequence[BulkJob]) -> None:
        figures = {name: getattr(hits[0], name) for name in ("count", "completed", "pending", "failed")}
        reason = Reason(OfRequest.PAID_AS, id=hits[0].id, status=hits[0].status, **figures)
        alert_paid(uow, instruction, _several(hits) if len(hits) > 1 else reason)
        uow.instructions.touch(instruction, due_at=None)

    await watch_ended(ctx, instruction, await in_history(ctx, payments, instruction), found)


def _waits(uow: Unit, instruction: Instruction) -> bool:
    """Whether another submission is in flight; if so, hold this one until its outcome is known."""
    if uow.bulk_flights.flying() in (None, instruction.id):
        return False
    hold(uow, instruction, _ANOTHER)
    return True


def _land(uow: Unit, instruction_id: str) -> None:
    """Release the flight once the outcome of a submission is known.

    Several requests become due, spaced apart: the first one takes the flight, and the rest are held again.
    """
    if uow.bulk_flights.land(instruction_id):
        uow.instructions.go_on(
            kind=Kind.BULK, state=State.APPROVED, reason=_ANOTHER, now=uow.now, apart=_APART, limit=FEW
        )


async def in_history(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Look[BulkJob]:
    """Read the whole history once and return jobs that are new since the submission and contain our payments."""

    def known_before(uow: Unit) -> frozenset[str] | None:  # None: they differ from those noted at the submission
        known = uow.bulk_flights.known(instruction.id)
        rows = uow.audit.verified(uow.audit.about(instruction.id))
        sealed = [row.entry.detail[KNOWN] for row in rows if row.is_intact and row.entry and KNOWN in row.entry.detail]
        return known if not sealed or sealed[0] == known_digest(known) else None

    known = await ctx.read(known_before)
    if known is None:
        return Look(doubt=Reason(OfRequest.NOTE_CHANGED))
    jobs: dict[str, BulkJob] = {}
    try:
        async for page in payments.bulk_history():
            jobs |= {job.id: job for job in page.jobs}
    except (ServiceNow, ServiceNever) as silent:
        return Look(doubt=Reason(OfRequest.HISTORY_UNUSABLE, why=silent.full_reason))
    hits, doubtful = [], None
    for job in jobs.values():
        if job.id in known or await ctx.read(
            lambda uow: uow.instructions.belongs_to_another(job.id, None, than=instruction.id)  # noqa: B023
        ):
            continue
        verdict = await _verdict(ctx, payments, job, instruction)
        if verdict:
            hits.append(job)
        elif verdict is None:
            doubtful = job.id
    if hits or doubtful is None:
        return Look(tuple(hits))
    return Look(doubt=Reason(OfRequest.MAY_BE_THIS_BULK, id=doubtful), suspect=doubtful)


async def _verdict(ctx: Context, payments: PaymentsClient, job: BulkJob, instruction: Instruction) -> bool | None:
    """Whether this bulk payment is the one that was submitted; None if that is not known yet."""
    listed: list[ReportedItem] = []
    try:
        async for page in payments.bulk_items(job.id):
            listed += page.items
            if page.items and all(row_of(item.internal_note, instruction.reference) for item in page.items):
                break  # our notes on one page are enough
    except (ServiceNow, ServiceNever, OperatorError):
        return None
    wanted = await ctx.read(lambda uow: [row.item for row in uow.bulk_items.rows(instruction.id)])
    return is_ours(listed, reference=instruction.reference, wanted=wanted)


def _found(uow: Unit, instruction: Instruction, hits: Sequence[BulkJob]) -> None:
    if len(hits) == 1:
        submitted(uow, instruction, hits[0])
        return
    reason = _several(hits)
    alert(uow, instruction, "differs", reason=reason)
    if asks_people_already(instruction):
        later(uow, instruction)
    else:
        ask_people(uow, instruction, reason)


def _several(hits: Sequence[BulkJob]) -> Reason:
    return Reason(OfRequest.SEVERAL_BULK, ids=[job.id for job in hits])


def submitted(uow: Unit, instruction: Instruction, job: BulkJob) -> None:
    """Store that the service has the bulk payment, follow it from here on, and allow the next submission."""
    payload = instruction.payload
    moved = uow.instructions.move(
        instruction,
        State.COMMITTED,
        action="observed",
        facts={"status": job.status, "remote_id": job.id},
        **on_record(job.id, job.status),
    )
    if moved is None:
        return
    _land(uow, instruction.id)
    first = uow.now + min(timedelta(seconds=uow.poll_seconds), timedelta(seconds=2))
    uow.tracked.follow(kind=BULK, remote_id=job.id, instruction_id=moved.id, due_at=first, now=uow.now)
    if job.count is not None and isinstance(payload, BulkPayload) and job.count != payload.count:
        alert(uow, moved, "differs", reason=Reason(OfRequest.MISCOUNTED, theirs=job.count, ours=payload.count))


def _unsent(uow: Unit, under_way: Instruction, _: Attempt) -> None:
    if under_way.commits == 1:  # otherwise an earlier attempt of unknown outcome may still be in flight
        _land(uow, under_way.id)


async def _still_unpaid(
    ctx: Context, payments: PaymentsClient, ended: Instruction, rows: Sequence[int]
) -> Sequence[Finding]:
    """Re-read failed rows: in the item lists, or as a whole in the history if the payment was refused."""
    if ended.remote_id is None:
        look = await in_history(ctx, payments, ended)
        if look.hits:
            return [Finding(ended.reference, moved=True, status=look.hits[0].status, rows=tuple(rows))]
        return [Finding(ended.reference, moved=False, rows=tuple(rows))] if look.doubt is not None else []
    read = await read_items(ctx, payments, ended, await payments.get_bulk(ended.remote_id))
    moved = tuple(row for row in rows if row in read.otherwise)
    unclear = tuple(row for row in rows if row not in read.failing | read.otherwise)
    found = ((True, moved), (False, unclear))
    return [Finding(ended.reference, moved=is_moved, rows=some) for is_moved, some in found if some]


SUBMITTED: Answers[Claimed, BulkJob] = Answers(done=submitted, unsent=_unsent)
"""A refusal is an unknown outcome until the history agrees with it."""
KIND = RequestKind(
    kind=Kind.BULK,
    letter=Letter.BULK,
    queue=WorkQueue("bulk", FEW),
    steps={
        State.NEW: prepare,
        State.APPROVED: send,
        State.COMMIT_UNKNOWN: read_outcome,
        State.NEEDS_HUMAN: read_outcome,
        State.CLOSED: watch_closed,
        State.REFUSED: watch_closed,
    },
    ready=methodcaller("require", "create_bulk_payment"),
    ended=lambda uow, ended: _land(uow, ended.id),
    still_unpaid=_still_unpaid,
)
