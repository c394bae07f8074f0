"""Submit an approved bulk payment, once, and find out what became of a submission whose answer was lost.

A bulk payment has no code of ours to be found by. So before the first submission the ids of the whole history are
stored; afterwards a new id whose items carry our references is ours. One submission is in flight at a time, which
keeps that difference plain, and nothing is ever submitted again by itself.
"""

from datetime import datetime

from bot.clients.payments import NewBulk, PaymentsClient
from bot.clients.service_errors import told
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown, doubted
from bot.domain.payments.bulk import BulkPayload, items_digest, row_of
from bot.domain.payments.bulk_account import is_ours
from bot.domain.payments.bulk_records import BulkJob, ReportedItem
from bot.domain.payments.instruction import Attempt, AttemptOutcome, Instruction, State
from bot.workflows.context import SYSTEM, Context
from bot.workflows.keeping import keep
from bot.workflows.payments import commit, reconcile
from bot.workflows.payments.bulk_follow import begin_following
from bot.workflows.payments.create import ask_people, close, end, end_refused, held_claim
from bot.workflows.payments.refused import next_watch
from bot.workflows.payments.sought import Look, hold_back, taken_note_of
from bot.workflows.requests.announce import alert, alert_paid
from bot.workflows.requests.ballot import Standings
from storage.transaction import Tx

_BUSY = "another bulk payment is being submitted"


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, note the history, claim the one attempt, submit, store what came of it."""
    if await commit.not_now(ctx, instruction):
        return
    payments.require_bulk()
    new = await ctx.store.read(lambda tx: _as_approved(tx, instruction))
    if new is None:
        await ctx.store.write(lambda tx: _was_changed(ctx, tx, instruction), name="reread")
        ctx.wake()
        return
    if instruction.commits and not await _is_absent(ctx, payments, instruction):
        return
    known = await _history(payments)

    def hindrance(tx: Tx) -> str:
        free = tx.bulk_flights.take(instruction.id, known=known, now=ctx.clock.now())
        return "" if free else _BUSY

    def work(tx: Tx, standings: Standings) -> tuple[Attempt, Instruction] | None:
        return commit.claim(ctx, tx, instruction, standings, hindrance=hindrance)

    with payments.circuit.seat() as seat:
        claimed = await commit.claimed_by(
            ctx, seat, instruction, work, name="claim_bulk", read_back=lambda tx: held_claim(ctx, tx, instruction)
        )
        if claimed is not None:
            attempt, sending = claimed
            guard = seat.guard(commit.still_fresh(ctx, attempt))
            outcome = await payments.submit_bulk(new, earlier_unknown=instruction.commits > 0, guard=guard)
            await keep(ctx, lambda tx: _record(ctx, tx, sending, attempt, doubted(outcome)), name="submitted")
    ctx.wake()


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: look what the history holds that it did not hold before."""
    look = await in_history(ctx, payments, instruction)
    await ctx.store.write(lambda tx: _found(ctx, tx, instruction, look), name="read_outcome")
    ctx.wake()


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: one that shows up after all is an alert, the state stays."""
    look = await in_history(ctx, payments, instruction)

    def work(tx: Tx) -> None:
        now = ctx.clock.now()
        if look.hits:
            reason = f"the service holds it as {look.hits[0].id}, {look.hits[0].status}"
            alert_paid(tx, instruction, reason, policy=ctx.policy, now=now)
        due = None if look.hits else next_watch(ctx, instruction, now)
        tx.instructions.touch(instruction, now=now, due_at=due)

    await ctx.store.write(work, name="watch_closed")


def _as_approved(tx: Tx, instruction: Instruction) -> NewBulk | None:
    """What is submitted: exactly the items whose digest was approved; None when they are not those."""
    payload = instruction.payload
    if not isinstance(payload, BulkPayload):
        raise TypeError(instruction.kind)
    items = [row.item for row in tx.bulk_items.rows(instruction.id)]
    same = (
        instruction.intact()
        and items_digest(items) == payload.items_digest
        and len(items) == payload.count
        and sum(item.cents for item in items) == payload.cents
    )
    return NewBulk(reference=instruction.reference, items=items) if same else None


def _was_changed(ctx: Context, tx: Tx, instruction: Instruction) -> None:
    reason, now = "our own record was changed after it was approved", ctx.clock.now()
    if instruction.commits:
        ask_people(ctx, tx, instruction, reason, now)
    else:
        end(ctx, tx, instruction, State.MISMATCH, reason, now)


async def _history(payments: PaymentsClient) -> frozenset[str]:
    """Ids of every bulk payment of the account; raises when that is not all of them."""
    return frozenset([job.id async for page in payments.bulk_history() for job in page.jobs])


async def _is_absent(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> bool:
    """Before a new attempt: the service holds no such bulk payment. What it holds is taken in instead."""
    look = await in_history(ctx, payments, instruction)

    def work(tx: Tx) -> bool:
        now = ctx.clock.now()
        changes, absent = taken_note_of(ctx, instruction, look, now)
        if absent:
            return True
        if len(look.hits) == 1:
            _adopt(ctx, tx, instruction, look.hits[0], now)
        elif look.hits:
            _several(ctx, tx, instruction, look, now)
        elif look.suspect is not None:
            ask_people(ctx, tx, instruction, look.doubt, now, suspect=look.suspect)
        else:
            hold_back(ctx, tx, instruction, look.doubt, changes)
        return False

    absent = await ctx.store.write(work, name="reread")
    ctx.wake()
    return absent


async def in_history(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Look[BulkJob]:
    """Read the whole history once: which of its ids are new since the submission, and list our payments."""
    known = await ctx.store.read(lambda tx: tx.bulk_flights.known(instruction.id))
    jobs: dict[str, BulkJob] = {}
    try:
        async for page in payments.bulk_history():
            jobs |= {job.id: job for job in page.jobs}
    except (ServiceNow, ServiceNever) as silent:
        return Look(doubt=f"the history cannot be used: {told(silent)}")
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
    doubt = f"the service holds {doubtful}, which is new and may be this one: look there which payments it makes"
    return Look(doubt=doubt, suspect=doubtful)


async def _belongs_to_another(ctx: Context, remote_id: str, instruction: Instruction) -> bool:
    found = await ctx.store.read(lambda tx: tx.instructions.by_remote(remote_id))
    return found is not None and found.id != instruction.id


async def _verdict(ctx: Context, payments: PaymentsClient, job: BulkJob, instruction: Instruction) -> bool | None:
    """Whether this bulk payment is the one that was submitted; None: it does not tell yet."""
    listed: list[ReportedItem] = []
    try:
        async for page in payments.bulk_items(job.id):
            listed += page.items
            if page.items and all(row_of(item.internal_note, instruction.reference) for item in page.items):
                break  # our notes on one page tell
    except (ServiceNow, ServiceNever, OperatorError):
        return None
    wanted = await ctx.store.read(lambda tx: [row.item for row in tx.bulk_items.rows(instruction.id)])
    return is_ours(listed, reference=instruction.reference, wanted=wanted)


def _found(ctx: Context, tx: Tx, instruction: Instruction, look: Look[BulkJob]) -> None:
    now = ctx.clock.now()
    changes, absent = taken_note_of(ctx, instruction, look, now)
    if len(look.hits) > 1:
        _several(ctx, tx, instruction, look, now)
    elif look.hits:
        _adopt(ctx, tx, instruction, look.hits[0], now)
    elif not look.shows_nothing:
        reconcile.not_read(ctx, tx, instruction, look.doubt, suspect=look.suspect)
    elif not absent or reconcile.asks_people_already(instruction):
        reconcile.later(ctx, tx, instruction, now, changes)
    elif instruction.refusal is not None:
        end_refused(ctx, tx, instruction, now)
    else:
        ask_people(ctx, tx, instruction, "the service's history does not show it", now)


def _several(ctx: Context, tx: Tx, instruction: Instruction, look: Look[BulkJob], now: datetime) -> None:
    reason = f"the service holds {len(look.hits)} bulk payments with our items: " + ", ".join(
        job.id for job in look.hits[:5]
    )
    alert(tx, instruction, topic="differs", facts={"reason": reason}, policy=ctx.policy, now=now)
    if reconcile.asks_people_already(instruction):
        reconcile.later(ctx, tx, instruction, now)
    else:
        ask_people(ctx, tx, instruction, reason, now)


def _adopt(ctx: Context, tx: Tx, instruction: Instruction, job: BulkJob, now: datetime) -> None:
    """The service has it: follow it from here on, and let the next one fly."""
    payload = instruction.payload
    moved = tx.instructions.move(
        instruction,
        State.COMMITTED,
        now=now,
        actor=SYSTEM,
        action="observed",
        detail={"status": job.status, "remote_id": job.id},
        remote_id=job.id,
        remote_status=job.status,
        refusal=None,
        suspect=None,
        reason="",
        unknown_since=None,
        puts_off=0,
        due_at=None,
    )
    if moved is None:
        return
    tx.bulk_flights.land(instruction.id)
    begin_following(ctx, tx, moved, now)
    if job.count is not None and isinstance(payload, BulkPayload) and job.count != payload.count:
        reason = f"the service counts {job.count} payments instead of {payload.count}"
        alert(tx, moved, topic="differs", facts={"reason": reason}, policy=ctx.policy, now=now)


def _record(
    ctx: Context, tx: Tx, sending: Instruction, attempt: Attempt, outcome: Done[BulkJob] | NotExecuted | Unknown
) -> None:
    now = ctx.clock.now()
    match outcome:
        case Done(value=job):
            sending = close(tx, sending, attempt, AttemptOutcome.DONE, job.status, now)
            _adopt(ctx, tx, sending, job, now)
        case NotExecuted(again=True, reason=reason, failure=failure):
            kind = AttemptOutcome.ABANDONED if failure is not None else AttemptOutcome.NOT_EXECUTED
            sending = close(tx, sending, attempt, kind, reason, now)
            if sending.commits == 1:  # an earlier attempt of unknown outcome would still be in flight
                tx.bulk_flights.land(sending.id)
            commit.take_back(tx, sending, attempt, outcome, now)
        case NotExecuted():
            raise TypeError("a refusal is unknown until the history agrees with it")
        case Unknown():
            commit.lose(ctx, tx, sending, attempt, outcome, now)
