"""Cancel payments that are still pending: named by hash, approved, read again, sent in chunks.

They belong to a bulk payment, or are one payout in escrow. A call without hashes would cancel everything. So "all" is
resolved to hashes at the request, the digest covers exactly those, and the client cannot send an empty list. Items are
read again right before each chunk, and those no longer pending are left out. The displayed result is what the
service's own list contains afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import methodcaller

from bot.clients.payments import PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk import CHUNK, BulkProgress, CancelPayload, HashList, hashes_digest, known_digest, row_of
from bot.domain.payments.bulk_records import (
    PENDING_WORD,
    BulkRow,
    ReportedItem,
    RowChange,
    ended_cancel,
    moves_on,
    our_word,
)
from bot.domain.payments.instruction import FINAL, AttemptOutcome, Instruction, Kind, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.sealed import NAMED
from bot.domain.proof import READS_NEEDED
from bot.domain.reasons import OfRequest, Reason, stored
from bot.domain.references import Letter
from bot.workflows.context import Context, RequestKind, Unit, WorkQueue
from bot.workflows.payments.bulk import BULK, FEW
from bot.workflows.payments.bulk_shown import Bulk
from bot.workflows.payments.payout import PAYOUT
from bot.workflows.requests.announce import asked_in, prepared, show_file, tell
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.authority import Standings, has_its_items, hold_changed, may_send
from bot.workflows.requests.claim import (
    Claimed,
    fingerprint,
    held_claim,
    lease,
    not_what_it_said,
    open_attempt,
    with_people,
)
from bot.workflows.requests.look_again import asks_people_already, later, still
from bot.workflows.requests.request import Requested, request, request_of
from bot.workflows.requests.send import still_approved
from storage.transaction import Tx

REQUEST_FILE, RESULT_FILE = "request", "result"
_BEGINNING = 8
"""Minimum length of a hash prefix, which must also be unique."""


class CannotCancel(StrEnum):
    """Why nothing was requested."""

    NOTHING_PENDING = "nothing pending"
    UNKNOWN_HASH = "unknown hash"
    NOT_PENDING = "not pending"
    NO_AMOUNT = "no amount"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class NotRequested:
    """Nothing was requested. ``typed``: names of the payments concerned; ``items``: those that are not pending.

    ``rows``: the first and the last row number.
    """

    why: CannotCancel
    typed: tuple[str, ...] = ()
    items: tuple[BulkRow, ...] = ()
    rows: tuple[int, int] = (0, 0)


async def request_cancel(
    ctx: Context,
    payments: PaymentsClient,
    bulk: Bulk,
    *,
    hashes: Sequence[str] | None,
    requester: str,
    channel: str,
    source_key: str,
) -> Instruction | NotRequested:
    """Read the items, find the named ones, and store the request with their hashes, durably.

    ``hashes`` None: everything that is pending now. An item may be named by its hash, a unique prefix of it, or a row
    number: of the file, or of the service's list for a bulk payment that was not requested here.
    """
    known = await ctx.read(lambda uow: uow.instructions.by_source(source_key))
    if known is not None:
        return known
    listed = await _listed(payments, bulk.remote_id)
    rows = await ctx.read(lambda uow: _rows(uow, bulk, listed))
    meant = _meant(_by_hash(listed), hashes, rows)
    if isinstance(meant, NotRequested):
        return meant
    payload = CancelPayload(
        bulk=bulk.name,
        bulk_remote_id=bulk.remote_id,
        count=len(meant),
        cents=sum(row.cents for row in meant),
        items_digest=hashes_digest({row.hash: int(row.cents) for row in meant}),
        all_pending=hashes is None,
    )
    requested = Requested(
        requester=requester, channel=channel, kind=Kind.BULK_CANCEL, payload=payload, source_key=source_key, items=meant
    )
    return await request(ctx, requested)


def _rows(tx: Tx, bulk: Bulk, listed: Sequence[ReportedItem]) -> dict[int, str]:
    """Return the hash of each row number as displayed; empty if the service has reported none."""
    if bulk.instruction is None:
        return {number: item.hash for number, item in enumerate(listed, 1)}
    noted = {row_of(item.internal_note, bulk.name): item.hash for item in listed}
    return {row.row: row.hash or noted.get(row.row, "") for row in tx.bulk_items.rows(bulk.instruction.id)}


def _meant(
    reported: Mapping[str, ReportedItem], hashes: Sequence[str] | None, rows: Mapping[int, str]
) -> list[BulkRow] | NotRequested:
    pending = OperationStatus.PENDING
    if hashes is None:
        wanted = [name for name, item in reported.items() if item.state is pending]
        if not wanted:
            return NotRequested(CannotCancel.NOTHING_PENDING)
    else:
        named = {one: _named(reported, one, rows) for one in hashes}
        unknown = tuple(one for one, found in named.items() if not found)
        if unknown:
            return _unknown(unknown, rows)
        ambiguous = tuple(one for one, found in named.items() if len(found) > 1)
        if ambiguous:
            return NotRequested(CannotCancel.AMBIGUOUS, ambiguous)
        wanted = list(dict.fromkeys(found[0] for found in named.values()))
        settled = tuple(one for one in wanted if reported[one].state is not pending)
        if settled:
            numbers = {name: number for number, name in rows.items()}
            items = tuple(_row(numbers.get(one, 0), one, reported[one]) for one in settled)
            return NotRequested(CannotCancel.NOT_PENDING, settled, items)
    silent = tuple(one for one in wanted if not reported[one].cents)
    if silent:
        return NotRequested(CannotCancel.NO_AMOUNT, silent)
    return [_row(number, one, reported[one]) for number, one in enumerate(wanted, 1)]


def _unknown(typed: tuple[str, ...], rows: Mapping[int, str]) -> NotRequested:
    """Return the refusal for names missing from the service's list, where our own rows may not have appeared yet."""
    early = tuple(BulkRow(row=int(one), email="", cents=Cents(0)) for one in typed if _number(one) in rows)
    if early:
        return NotRequested(CannotCancel.NOT_PENDING, typed, early)
    return NotRequested(CannotCancel.UNKNOWN_HASH, typed, rows=(min(rows, default=0), max(rows, default=0)))


def _row(number: int, name: str, item: ReportedItem) -> BulkRow:
    note, status = item.internal_note or item.note, our_word(item.status)
    return BulkRow(row=number, email=item.email, cents=Cents(item.cents or 0), note=note, status=status, hash=name)


def _named(reported: Mapping[str, ReportedItem], given: str, rows: Mapping[int, str]) -> list[str]:
    """Return the reported hashes that match the typed hash, prefix of a hash, or row number."""
    if given in reported:
        return [given]
    if (number := _number(given)) is not None:
        return [name for name in [rows.get(number, "")] if name in reported]
    if len(given) < _BEGINNING:
        return []
    return [name for name in reported if name.casefold().startswith(given.casefold())]


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < _BEGINNING else None


async def request_return(
    ctx: Context, payments: PaymentsClient, payout: Instruction, *, requester: str, channel: str, source_key: str
) -> Instruction | Operation:
    """Read the payout at the service and store the request, durably, unless an open one exists already.

    Returns:
        The new or open request, or the record of a payout that is no longer pending.
    """
    payments.require("cancel_payout")
    operation = await payments.get_operation(payout.remote_id or "")
    if operation.state is not OperationStatus.PENDING:
        return operation
    row = BulkRow(
        row=1, email=payout.payload.email, cents=Cents(payout.cents), status=PENDING_WORD, hash=operation.id, note=""
    )
    payload = CancelPayload(
        bulk=payout.reference,
        bulk_remote_id=operation.id,
        count=1,
        cents=payout.cents,
        items_digest=hashes_digest({operation.id: int(payout.cents)}),
        payout_to=payout.payload.email,
    )
    requested = Requested(
        requester=requester, channel=channel, kind=Kind.BULK_CANCEL, payload=payload, source_key=source_key, items=[row]
    )

    def known(uow: Unit, key: str) -> Instruction | None:
        same = uow.instructions.last_same(
            kind=Kind.BULK_CANCEL, payee=payload.payee, since=payout.created_at, ignoring=FINAL
        )
        return same or uow.instructions.by_source(key)

    return await request_of(ctx, source_key, lambda _: requested, known=known)


@dataclass(frozen=True, slots=True)
class _Chunk(Claimed):
    """One attempt, and the hashes in its chunk."""

    hashes: HashList


def _payload(instruction: Instruction) -> CancelPayload:
    if not isinstance(instruction.payload, CancelPayload):
        raise TypeError(instruction.kind)
    return instruction.payload


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: ask the approvers; the items were already read for the request."""
    is_payout = bool(_payload(instruction).payout_to)
    payments.require("cancel_payout" if is_payout else "cancel_bulk_items")
    await prepared(ctx, instruction, files=() if is_payout else (REQUEST_FILE,))


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: read the items again, then send the next chunk of those still pending, once."""
    payload = _payload(instruction)
    payments.require("cancel_payout" if payload.payout_to else "cancel_bulk_items")
    if not await ctx.read(lambda uow: as_approved(uow, instruction)):
        await hold_changed(ctx, instruction)
        return
    reported = await _reported(payments, instruction)

    async def cancel(chunk: _Chunk, guard: Guard) -> Outcome[frozenset[str]]:
        job, unknown = payload.bulk_remote_id, chunk.earlier_unknown
        if payload.payout_to:
            return await payments.cancel_payout(chunk.hashes.all[0], earlier_unknown=unknown, guard=guard)
        return await payments.cancel_bulk_items(job, chunk.hashes, earlier_unknown=unknown, guard=guard)

    claim = with_people(
        ctx,
        instruction,
        lambda uow, standings: _claim(uow, instruction, standings, reported),
        name="claim_cancel",
        read_back=lambda uow: _chunk(uow, held_claim(uow, instruction)),
    )
    await attempt_once(ctx, payments.circuit, claim, cancel, CANCELED, name="canceled")


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: read the outcome of the chunk from the items."""
    reported = await _reported(payments, instruction)
    await ctx.write(lambda uow: read_again(uow, instruction, reported), name="read_outcome")


async def verify(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMITTED: verify the sent chunks by reading the items, a few times if one still reads as pending."""
    reported = await _reported(payments, instruction)
    await ctx.write(lambda uow: _verified(uow, instruction, reported), name="verified")


async def _reported(payments: PaymentsClient, instruction: Instruction) -> Mapping[str, ReportedItem]:
    """Return all reported items by hash."""
    payload = _payload(instruction)
    if payload.payout_to:
        operation = await payments.get_operation(payload.bulk_remote_id)
        return {operation.id: ReportedItem(hash=operation.id, status=operation.status)}
    found = _by_hash(await _listed(payments, payload.bulk_remote_id))
    if not found:
        raise ServiceNow("payments", Reason(OfRequest.NO_ITEMS))
    return found


async def _listed(payments: PaymentsClient, job: str) -> list[ReportedItem]:
    return [item async for page in payments.bulk_items(job) for item in page.items]


def _by_hash(listed: Sequence[ReportedItem]) -> dict[str, ReportedItem]:
    return {item.hash: item for item in listed if item.hash}


def as_approved(tx: Tx, instruction: Instruction) -> bool:
    """Whether the stored items are the approved ones."""
    return instruction.intact() and has_its_items(tx, instruction)


def _apply(tx: Tx, instruction: Instruction, reported: Mapping[str, ReportedItem]) -> BulkProgress:
    """Store the reported statuses and return the progress with the new tally."""
    now = {name: our_word(item.status) for name, item in reported.items()}
    listed = [row for row in tx.bulk_items.rows(instruction.id) if row.hash in now]
    moved = [row for row in listed if moves_on(row.status, now[row.hash])]
    tx.bulk_items.change(
        instruction.id, [RowChange(row.row, now[row.hash], row.hash, row.error, row.operation) for row in moved]
    )
    before = instruction.progress or BulkProgress()
    return before.model_copy(update={"tally": tx.bulk_items.tally(instruction.id)})


def _claim(
    uow: Unit, instruction: Instruction, standings: Standings, reported: Mapping[str, ReportedItem]
) -> _Chunk | None:
    if not may_send(uow, instruction) or not as_approved(uow, instruction):
        return None  # the next step holds what was changed since this one read it
    progress = _apply(uow, instruction, reported)
    earlier = uow.attempts.of(instruction.id)
    lost = [one.n for one in earlier if one.outcome is AttemptOutcome.UNKNOWN]
    for n in lost:  # people have approved another attempt: items that still read as pending may be named again
        again = [row.row for row in uow.bulk_items.named_by(instruction.id, n) if row.status == PENDING_WORD]
        uow.bulk_items.name(instruction.id, again, 0)
    rows = uow.bulk_items.not_sent(instruction.id, status=PENDING_WORD, limit=CHUNK)
    late = instruction.exec_deadline is not None and uow.now >= instruction.exec_deadline
    if not rows or (late and instruction.commits):
        _all_sent(uow, instruction, progress)
        return None
    if (allowed := still_approved(uow, instruction, standings)) is None:
        return None
    held, counted = allowed
    n, named = len(earlier) + 1, known_digest(row.hash for row in rows)
    under_way = uow.instructions.move(
        held,
        State.SENDING,
        action="send",
        facts={
            "attempt": n,
            "counted": sorted(counted),
            "digest": instruction.digest,
            "payments": len(rows),
            NAMED: named,
        },
        sent_at=uow.now,
        commits=held.commits + 1,
        progress=progress,
        reason=None,
        **lease(uow.ctx),
    )
    if under_way is None:
        return None
    uow.bulk_items.name(instruction.id, [row.row for row in rows], n)
    return _chunk(uow, open_attempt(uow, under_way, request_hash=fingerprint(sorted(row.hash for row in rows))))


def _chunk(tx: Tx, claimed: Claimed | None) -> _Chunk | None:
    """Return the claim together with the hashes of its chunk."""
    if claimed is None:
        return None
    named = tx.bulk_items.named_by(claimed.instruction.id, claimed.attempt.n)
    hashes = HashList.of([row.hash for row in named])
    return _Chunk(claimed.attempt, claimed.instruction, claimed.earlier_unknown, hashes)


def _next_chunk(uow: Unit, instruction: Instruction) -> None:
    """Move the request back to APPROVED for its next chunk, or its end."""
    uow.instructions.move(
        instruction,
        State.APPROVED,
        action="chunk_sent",
        show=False,
        unknown_since=None,
        reads=0,
        last_read_at=None,
        puts_off=0,
        due_at=uow.now,
    )


def _all_sent(
    uow: Unit, instruction: Instruction, progress: BulkProgress, *, reason: Reason | None = None, said: str = ""
) -> None:
    """Stop sending and start verification. If nothing was ever sent, end: no item was pending any more."""
    if not instruction.commits and instruction.state is State.APPROVED:
        _finish(uow, instruction, progress)
        return
    uow.instructions.move(
        instruction,
        State.COMMITTED,
        action="all_sent",
        facts={"reason": stored(reason), **({"said": said} if said else {})},
        progress=progress,
        reason=reason,
        unknown_since=None,
        reads=0,
        last_read_at=None,
        due_at=uow.now,
    )


def read_again(uow: Unit, instruction: Instruction, reported: Mapping[str, ReportedItem]) -> None:
    """Update the request from its items while the outcome of a chunk is unknown."""
    progress = _apply(uow, instruction, reported)
    lost = [one.n for one in uow.attempts.of(instruction.id) if one.outcome is AttemptOutcome.UNKNOWN]
    named = [row for n in lost for row in uow.bulk_items.named_by(instruction.id, n)]
    if not [row for row in named if row.status == PENDING_WORD]:
        left = uow.bulk_items.not_sent(instruction.id, status=PENDING_WORD, limit=1)
        if instruction.state is State.NEEDS_HUMAN and not lost and left:
            later(uow, instruction)  # the rest waits for the approvals it lost
        elif instruction.state is State.NEEDS_HUMAN:
            _all_sent(uow, instruction, progress)
        else:
            _next_chunk(uow, instruction)
        return
    if asks_people_already(instruction):
        later(uow, instruction)
    else:
        still(uow, instruction, Reason(OfRequest.STILL_PENDING), {"progress": progress})


def _verified(uow: Unit, instruction: Instruction, reported: Mapping[str, ReportedItem]) -> None:
    progress = _apply(uow, instruction, reported)
    waiting = [row for row in uow.bulk_items.rows(instruction.id) if row.attempt and row.status == PENDING_WORD]
    if waiting and instruction.reads + 1 < READS_NEEDED:
        uow.instructions.touch(
            instruction, progress=progress, reads=instruction.reads + 1, due_at=uow.now + uow.quiet.spacing
        )
        return
    _finish(uow, instruction, progress)


def _finish(uow: Unit, instruction: Instruction, progress: BulkProgress) -> None:
    counts = dict(progress.tally.counts)
    moved = uow.instructions.move(
        instruction,
        ended_cancel(progress.tally),
        action="observed",
        facts={"status": ", ".join(f"{count} {status}" for status, count in sorted(counts.items())), "counts": counts},
        progress=progress,
        reason=not_what_it_said(instruction.reason),
        unknown_since=None,
    )
    if moved is None:
        return
    tell(uow, moved)
    payload = _payload(instruction)
    if not payload.payout_to and progress.tally.canceled < progress.tally.total:
        show_file(uow, moved, asked_in(uow.ctx, moved), RESULT_FILE)
    uow.tracked.hasten(PAYOUT if payload.payout_to else BULK, payload.bulk_remote_id, uow.now)


CANCELED: Answers[_Chunk, frozenset[str]] = Answers(
    done=lambda uow, under_way, _: _next_chunk(uow, under_way),
    says=lambda chunk, successful: f"{len(successful)} of {len(chunk.hashes.all)}",
    refused=lambda uow, under_way, outcome: _all_sent(
        uow, under_way, under_way.progress or BulkProgress(), reason=outcome.full_reason, said=outcome.detail
    ),  # the items show whether it was executed nevertheless
    unsent=lambda uow, sending, attempt: uow.bulk_items.name(
        sending.id, [row.row for row in uow.bulk_items.named_by(sending.id, attempt.n)], 0
    ),
)
KIND = RequestKind(
    kind=Kind.BULK_CANCEL,
    letter=Letter.CANCELLATION,
    queue=WorkQueue("cancellations", FEW),
    ready=methodcaller("require", "cancel_bulk_items"),
    steps={
        State.NEW: prepare,
        State.APPROVED: send,
        State.COMMIT_UNKNOWN: read_outcome,
        State.NEEDS_HUMAN: read_outcome,
        State.COMMITTED: verify,
    },
)
