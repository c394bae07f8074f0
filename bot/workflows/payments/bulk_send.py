"""Submit an approved bulk payment, once, and find the outcome of a submission whose answer was lost.

A bulk payment has no code of ours to search for. So before the first submission the ids of the whole history are
stored; afterwards a new id whose items carry our references is ours. Only one submission is in flight at a time, which
keeps that comparison unambiguous: the others wait, and go on when its outcome is known. Nothing is submitted again
automatically.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.clients.payments import NewBulk, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.bulk import BulkPayload, known_digest, row_of
from bot.domain.payments.bulk_account import is_ours
from bot.domain.payments.bulk_records import BulkJob, ReportedItem
from bot.domain.payments.instruction import Attempt, Instruction, Kind, State
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import Finding
from bot.domain.references import Letter
from bot.workflows.context import Context, Queue, RequestKind, Unit
from bot.workflows.holding import hold
from bot.workflows.payments.bulk_follow import begin_following
from bot.workflows.payments.bulk_request import prepare
from bot.workflows.requests.announce import alert, alert_paid
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.authority import has_its_items, hold_changed
from bot.workflows.requests.claim import Claimed
from bot.workflows.requests.look_again import Look, asks_people_already, found_after_send, is_absent, later, next_watch
from bot.workflows.requests.send import not_now, sending
from bot.workflows.requests.settle import ask_people, on_record
from storage.transaction import Tx

KNOWN = "known"
"""In the audit row of a submission: what the history held before the first one."""
FEW = 10
"""Steps at a time of those that read long lists."""
_APART: Final = timedelta(seconds=1)
"""Between those that waited: the next one has left by then, or has ended, and does not hold up the one after it."""


_ANOTHER: Final = Reason(OfRequest.ANOTHER_IS_SENT)


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, note the history, claim the one attempt, submit, store the outcome."""
    if await not_now(ctx, instruction):
        return
    payments.require_bulk()
    new = await ctx.read(lambda uow: _as_approved(uow, instruction))
    if new is None:
        await hold_changed(ctx, instruction)
        return
    if await ctx.write(lambda uow: _waits(uow, instruction), name="bulk_waits", wakes=False):
        return
    if instruction.commits:
        look = await in_history(ctx, payments, instruction)
        if not await is_absent(ctx, instruction, look, take_in=_take_in):
            return
    known = await _history(payments)

    def hindrance(uow: Unit) -> Reason | None:
        free = uow.bulk_flights.take(instruction.id, known=known, now=ctx.clock.now())
        return None if free else _ANOTHER

    async def submit(_: Claimed, guard: Guard) -> Outcome[BulkJob]:
        return await payments.submit_bulk(new, earlier_unknown=instruction.commits > 0, guard=guard)

    sealed = {KNOWN: known_digest(known)}
    claim = sending(ctx, instruction, name="claim_bulk", hindrance=hindrance, sealed=sealed)
    await attempt_once(ctx, payments.circuit, claim, submit, SUBMITTED, name="submitted")


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: search the history for ids that it did not hold before."""
    look, absent = await in_history(ctx, payments, instruction), Reason(OfRequest.NOT_IN_HISTORY)
    await ctx.write(
        lambda uow: found_after_send(uow, instruction, look, take_in=_take_in, absent_because=absent),
        name="read_outcome",
    )


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: one that appears after all is an alert; the state stays."""
    look = await in_history(ctx, payments, instruction)

    def work(uow: Unit) -> None:
        now = ctx.clock.now()
        if look.hits:
            alert_paid(uow, instruction, _paid_as(look.hits[0]))
        due = None if look.hits else next_watch(ctx, instruction, now)
        uow.instructions.touch(instruction, now=now, due_at=due)

    await ctx.write(work, name="watch_closed", wakes=False)


def _paid_as(job: BulkJob) -> Reason:
    """The bulk payment at the service that was closed here as not paid."""
    figures = {name: getattr(job, name) for name in ("count", "completed", "pending", "failed")}
    return Reason(OfRequest.PAID_AS, id=job.id, status=job.status, **figures)


def _waits(uow: Unit, instruction: Instruction) -> bool:
    """Whether the submission of another one is in flight; then this one is held until that has landed."""
    if uow.bulk_flights.flying() in (None, instruction.id):
        return False
    hold(uow, instruction, _ANOTHER)
    return True


def _land(uow: Unit, instruction_id: str) -> None:
    """The outcome of a submission is known: the next one may go.

    Several become due, one after the other: whichever comes first takes the flight, and the rest are held again.
    """
    if uow.bulk_flights.land(instruction_id):
        uow.instructions.go_on(
            kind=Kind.BULK, state=State.APPROVED, reason=_ANOTHER, now=uow.now, apart=_APART, limit=FEW
        )


def _as_approved(tx: Tx, instruction: Instruction) -> NewBulk | None:
    """The items to submit, exactly as approved; None when their digest differs from the approved one."""
    if not instruction.intact() or not has_its_items(tx, instruction):
        return None
    items = [row.item for row in tx.bulk_items.rows(instruction.id)]
    return NewBulk(reference=instruction.reference, items=items)


async def _history(payments: PaymentsClient) -> frozenset[str]:
    """Ids of every bulk payment of the account; raises when that is not all of them."""
    return frozenset([job.id async for page in payments.bulk_history() for job in page.jobs])


async def in_history(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Look[BulkJob]:
    """Read the whole history once: ids that are new since the submission and list our payments."""
    known = await ctx.read(lambda uow: _known(uow, instruction))
    if known is None:
        return Look(doubt=Reason(OfRequest.NOTE_CHANGED))
    jobs: dict[str, BulkJob] = {}
    try:
        async for page in payments.bulk_history():
            jobs |= {job.id: job for job in page.jobs}
    except (ServiceNow, ServiceNever) as silent:
        return Look(doubt=Reason(OfRequest.HISTORY_UNUSABLE, why=silent.told))
    hits, doubtful = [], None
    for job in jobs.values():
        if job.id in known or await _belongs_to_another(ctx, job.id, instruction):
            continue
        verdict = await _verdict(ctx, payments, job, instruction)
        if verdict:
            hits.append(job)
        elif verdict is None:
            doubtful = job.id
    if hits or doubtful is None:
        return Look(tuple(hits))
    return Look(doubt=Reason(OfRequest.MAY_BE_THIS_BULK, id=doubtful), suspect=doubtful)


def _known(tx: Tx, instruction: Instruction) -> frozenset[str] | None:
    """Ids that the history held before the first submission; None: they are not those that were noted then."""
    known = tx.bulk_flights.known(instruction.id)
    rows = tx.audit.told(tx.audit.about(instruction.id))
    sealed = [row.entry.detail[KNOWN] for row in rows if row.is_intact and row.entry and KNOWN in row.entry.detail]
    return known if not sealed or sealed[0] == known_digest(known) else None


async def _belongs_to_another(ctx: Context, remote_id: str, instruction: Instruction) -> bool:
    return await ctx.read(lambda uow: uow.instructions.belongs_to_another(remote_id, None, than=instruction.id))


async def _verdict(ctx: Context, payments: PaymentsClient, job: BulkJob, instruction: Instruction) -> bool | None:
    """Whether this bulk payment is the one that was submitted; None: not known yet."""
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


def _take_in(uow: Unit, instruction: Instruction, hits: Sequence[BulkJob]) -> None:
    if len(hits) == 1:
        _adopt(uow, instruction, hits[0])
        return
    reason = Reason(OfRequest.SEVERAL_BULK, ids=[job.id for job in hits])
    alert(uow, instruction, "differs", reason=reason)
    if asks_people_already(instruction):
        later(uow, instruction)
    else:
        ask_people(uow, instruction, reason)


def _adopt(uow: Unit, instruction: Instruction, job: BulkJob) -> None:
    """The service has it: follow it from here on, and allow the next submission."""
    payload = instruction.payload
    moved = uow.instructions.move(
        instruction,
        State.COMMITTED,
        now=uow.now,
        action="observed",
        detail={"status": job.status, "remote_id": job.id},
        **on_record(job.id, job.status),
    )
    if moved is None:
        return
    _land(uow, instruction.id)
    begin_following(uow, moved)
    if job.count is not None and isinstance(payload, BulkPayload) and job.count != payload.count:
        reason = Reason(OfRequest.MISCOUNTED, theirs=job.count, ours=payload.count)
        alert(uow, moved, "differs", reason=reason)


def _unsent(uow: Unit, under_way: Instruction, _: Attempt) -> None:
    if under_way.commits == 1:  # an earlier attempt of unknown outcome would still be in flight
        _land(uow, under_way.id)


def _landed(uow: Unit, ended: Instruction) -> None:
    """Allow the next submission."""
    _land(uow, ended.id)


async def _find(ctx: Context, payments: PaymentsClient, instruction: Instruction, _sent: bool) -> Finding:
    history = await in_history(ctx, payments, instruction)
    holds, lacks = Reason(OfRequest.HISTORY_HOLDS), Reason(OfRequest.HISTORY_LACKS)
    return Finding.of(hit=bool(history.hits), doubt=history.doubt, holds=holds, lacks=lacks)


SUBMITTED: Answers[Claimed, BulkJob] = Answers(done=_adopt, says=lambda _, job: job.status, unsent=_unsent)
"""A refusal is an unknown outcome until the history agrees with it."""
KIND = RequestKind(
    kind=Kind.BULK,
    letter=Letter.BULK,
    queue=Queue("bulk", FEW),
    steps={
        State.NEW: prepare,
        State.APPROVED: send,
        State.COMMIT_UNKNOWN: read_outcome,
        State.NEEDS_HUMAN: read_outcome,
        State.CLOSED: watch_closed,
        State.REFUSED: watch_closed,
    },
    ready=PaymentsClient.require_bulk,
    find=_find,
    ended=_landed,
)
