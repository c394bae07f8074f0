"""Which row of a bulk payment of ours an operation is: the service lists each payment of one as an operation, too.

An operation that names its row, or has the hash or the id that the bulk payment's own list gives, is that row. Where
the service gives neither, recipient, amount and time decide whether it may be one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.domain.payments.bulk_records import BulkRow, ReportedItem
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.references import CARRIED_ROW

SKEW: Final = timedelta(minutes=5)
"""By how much the service's clock may differ from ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRow:
    """A row that may be at the service. ``since``: the earliest at which it may have been sent."""

    bulk: Instruction
    row: BulkRow
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRow:
    """The row that an operation is; not ``is_certain``: that it may be."""

    reference: str
    row: int
    is_certain: bool


Known = Instruction | OwnRow | None
"""What an operation is here; None: what is stored of it cannot be read."""


def named_row(operation: Operation) -> tuple[str, int] | None:
    """Reference and row that a record names, wherever the service keeps what we noted beside the payment."""
    for text in (operation.internal_note or "", operation.code or "", operation.description):
        found = CARRIED_ROW.search(text) or CARRIED_ROW.search("".join(text.split()))
        if found is not None:
            return found[1].upper(), int(found[2])
    return None


def row_of(operation: Operation, rows: Iterable[SentRow]) -> OwnRow | None:
    named, ids = named_row(operation), {operation.svc_hash, operation.id, operation.operation_id}
    by_mark: OwnRow | None = None
    by_payment: OwnRow | None = None
    for sent in rows:
        reference, number = sent.bulk.reference, sent.row.row
        is_named, is_same = named == (reference, number), _pays_the_same(operation, sent.row)
        has_mark = is_named or not ids.isdisjoint({sent.row.hash, sent.row.operation} - {""})
        is_certain = is_same and has_mark
        found = OwnRow(reference=reference, row=number, is_certain=is_certain)
        if is_certain:
            return found
        if has_mark:
            by_mark = by_mark or found
        elif is_same and _fits(operation, sent):
            by_payment = by_payment or found
    return by_mark or by_payment


def may_be_item(operation: Operation, item: ReportedItem) -> bool:
    """Whether an operation may be this unpaid item of a bulk payment, whoever made that."""
    if item.hash and operation.svc_hash:
        return item.hash == operation.svc_hash
    is_open = item.state is None or not item.state.is_final
    return is_open and item.cents in (None, operation.cents) and _is_for(operation, item.email)


def _pays_the_same(operation: Operation, row: BulkRow) -> bool:
    is_payout = operation.operation_type in ("", "payout")
    return is_payout and operation.cents == row.cents and _is_for(operation, row.email)


def _is_for(operation: Operation, email: str) -> bool:
    return (operation.email or "").casefold() == email.casefold()


def _fits(operation: Operation, sent: SentRow) -> bool:
    """Whether nothing shows that it is another payment of this amount to this recipient."""
    row, at, bulk = sent.row, operation.created_at, sent.bulk
    if row.hash and operation.svc_hash:  # they differ
        return False
    # A payment that failed before it was begun may have left an operation that is only created.
    is_left = row.state is OperationStatus.FAILED and operation.state is OperationStatus.CREATED
    if row.state is not None and row.state.is_final and operation.state is not row.state and not is_left:
        return False
    if at is None:
        return True
    # The operation of a row that was reported as begun had been created by then.
    has_begun = row.status not in ("", OperationStatus.CREATED)
    until = bulk.progress.changed_at if has_begun and bulk.progress is not None else bulk.closed_at
    return sent.since - SKEW <= at and (until is None or at <= until + SKEW)
