"""Requests to cancel pending payments of a bulk payment. "All" becomes a fixed list of hashes here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.clients.payments import PaymentsClient
from bot.domain.money import Cents
from bot.domain.payments.bulk import CancelPayload, hashes_digest, row_of
from bot.domain.payments.bulk_records import PENDING_WORD, BulkRow, ReportedItem, our_word
from bot.domain.payments.instruction import FINAL, Instruction, Kind
from bot.domain.payments.operation import Operation, OperationStatus
from bot.workflows.context import Context, Unit
from bot.workflows.payments.bulk_reading import Bulk
from bot.workflows.requests.request import Requested, request, request_of

_BEGINNING = 8
"""Shortest prefix of a hash that is accepted, where it is unique."""


class Why(StrEnum):
    """Why nothing was requested."""

    NOTHING_PENDING = "nothing pending"
    UNKNOWN_HASH = "unknown hash"
    NOT_PENDING = "not pending"
    NO_AMOUNT = "no amount"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class NotRequested:
    """Nothing was requested. ``hashes``: those concerned; ``statuses``: theirs, where that is the reason."""

    why: Why
    hashes: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()


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
    """Read the items, find those that are named, store the request with their hashes, durably.

    ``hashes`` None: everything that is pending now. A hash may be given by its beginning, or by the row of the file
    that it pays.

    Raises:
        ServiceNow, ServiceNever, OperatorError: the items could not be read to the end.
    """
    known = await ctx.read(lambda uow: uow.instructions.by_source(source_key))
    if known is not None:
        return known
    reported = {item.hash: item async for page in payments.bulk_items(bulk.remote_id) for item in page.items}
    reported.pop("", None)
    meant = _meant(reported, hashes, bulk.name)
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
    return await request(
        ctx,
        Requested(
            requester=requester,
            channel=channel,
            kind=Kind.BULK_CANCEL,
            payload=payload,
            source_key=source_key,
            items=meant,
        ),
    )


def _meant(
    reported: Mapping[str, ReportedItem], hashes: Sequence[str] | None, bulk: str
) -> list[BulkRow] | NotRequested:
    pending = OperationStatus.PENDING
    if hashes is None:
        wanted = [name for name, item in reported.items() if item.state is pending]
        if not wanted:
            return NotRequested(Why.NOTHING_PENDING)
    else:
        named = {one: _named(reported, one, bulk) for one in hashes}
        unknown = tuple(one for one, found in named.items() if not found)
        if unknown:
            return NotRequested(Why.UNKNOWN_HASH, unknown)
        ambiguous = tuple(one for one, found in named.items() if len(found) > 1)
        if ambiguous:
            return NotRequested(Why.AMBIGUOUS, ambiguous)
        wanted = list(dict.fromkeys(found[0] for found in named.values()))
        settled = tuple(one for one in wanted if reported[one].state is not pending)
        if settled:
            return NotRequested(Why.NOT_PENDING, settled, tuple(our_word(reported[one].status) for one in settled))
    silent = tuple(one for one in wanted if not reported[one].cents)
    if silent:
        return NotRequested(Why.NO_AMOUNT, silent)
    return [
        BulkRow(
            row=number,
            email=reported[one].email,
            cents=Cents(reported[one].cents or 0),
            note=reported[one].internal_note or reported[one].note,
            status=PENDING_WORD,
            hash=one,
        )
        for number, one in enumerate(wanted, 1)
    ]


def _named(reported: Mapping[str, ReportedItem], given: str, bulk: str) -> list[str]:
    """Hashes that match what was typed: a hash, its beginning, or a row of the file."""
    if given in reported:
        return [given]
    if given.isascii() and given.isdigit() and len(given) < _BEGINNING:
        return [name for name, item in reported.items() if row_of(item.internal_note, bulk) == int(given)]
    if len(given) < _BEGINNING:
        return []
    return [name for name in reported if name.casefold().startswith(given.casefold())]


async def request_return(
    ctx: Context, payments: PaymentsClient, payout: Instruction, *, requester: str, channel: str, source_key: str
) -> Instruction | Operation:
    """Read the payout at the service and store the request, durably; the one that is open already, if there is one.

    Returns:
        The request, or the record of a payout that is not pending any more.

    Raises:
        OperatorError: it could not be canceled; see ``PaymentsClient.require``.
        ServiceNow, ServiceNever: the payout could not be read.
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
        requester=requester,
        channel=channel,
        kind=Kind.BULK_CANCEL,
        payload=payload,
        source_key=source_key,
        items=[row],
    )

    def known(uow: Unit, key: str) -> Instruction | None:
        same = uow.instructions.last_same(
            kind=Kind.BULK_CANCEL, payee=payload.payee, since=payout.created_at, ignoring=FINAL
        )
        return same or uow.instructions.by_source(key)

    def make(_uow: Unit) -> Requested:
        return requested

    return await request_of(ctx, source_key, make, known=known)
