"""Records of the payments service: operations, accounts, and its switches."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

CREATED, COMMITTED, PENDING, COMPLETED = "created", "committed", "pending", "completed"
CONFIRMED, CANCELED, FAILED = "confirmed", "canceled", "failed"

PAYOUT_STATUSES = (CREATED, COMMITTED, PENDING, COMPLETED, CANCELED, FAILED)
PURCHASE_STATUSES = (CREATED, CONFIRMED, CANCELED, FAILED)
FINAL = frozenset({COMPLETED, CONFIRMED, CANCELED, FAILED})

OperationType = Literal["payout", "purchase"]


@dataclass(frozen=True, kw_only=True)
class Item:
    """One line of a purchase; ``cents`` is per unit or per line, which the service does not document."""

    description: str
    cents: int
    quantity: int


@dataclass(kw_only=True)
class Record:
    """One operation. Times are seconds since the epoch, statuses are lower case here, whatever their case in replies.

    ``due`` is when it moves by itself; ``before`` is the status before the last move, for stale reads.
    """

    id: str
    operation_type: OperationType
    email: str
    description: str
    cents: int
    created_at: float
    updated_at: float
    status: str = CREATED
    code: str | None = None
    confirmation_uri: str | None = None
    cancel_uri: str | None = None
    failure_uri: str | None = None
    callback_uri: str | None = None
    failure_reason: str | None = None
    svc_operation_id: str
    svc_operation_hash: str | None = None
    svc_user_id: str | None = None
    items: tuple[Item, ...] = ()
    internal_note: str | None = None
    """The partner's note on a payment of a bulk payment."""
    executions: int = 0
    due: float | None = None
    before: str | None = None

    @property
    def final(self) -> bool:
        """Whether its status is final."""
        return self.status in FINAL


@dataclass(kw_only=True)
class Account:
    """A person or firm that can be paid. ``country`` is a three-letter code."""

    email: str
    full_name: str
    country: str = "ECU"
    status: Literal["active", "inactive"] = "active"
    is_primary: bool = True
    is_verified: bool = True
    user_id: str = ""


@dataclass
class Switches:
    """The service's switches; each may be changed at any time.

    Attributes:
        worst_case: every commit that arrives executes the payout once more, committed or not.
        repeat_commit_status: the answer to a repeated commit when ``worst_case`` is off.
        accept_duplicate_codes: a second operation with a used code is created.
        ignore_get_body: a proxy drops the body of a GET; only the query is read.
        refuse_get_body: a proxy answers 403 with an HTML page to a GET that has a body.
        ignore_query: the list's parameters are read from the body alone.
        mixed_case: replies spell statuses in upper and lower case in turn.
        unset: how optional fields without a value come back; ``mixed`` takes both in turn.
        numeric_amounts: amounts in replies are JSON numbers, not strings.
        stale_reads: number of reads of single operations that still show the status before the last move.
        forbidden: the partner is locked out; every call is answered 403.
        fail_reason: committed payouts fail for this reason instead of completing.
        escrow_above_cents: payouts above stay pending until settled; None means no limit.
        item_amount: whether a purchase item's amount is per unit or for the line.
        bulk_items_a_step: how many items of a bulk payment are paid in one step.
        bulk_page_size: records on a page of a bulk list.
        bulk_fail_every: every n-th item of a bulk payment fails; 0 for no failures.
        bulk_stuck: bulk payments do not move.
        bulk_ends_failed: bulk payments end as failed, whatever the status of their items.
        bulk_breaks_after: a bulk payment fails after this number of items, and the rest never begin; 0 turns it off.
        bulk_hides_failed: the list of items leaves out unprocessed ones.
        bulk_failure_shape: form of the reasons in the list of failures; ``other`` uses an undocumented field name.
        bulk_operations: fields of a bulk payment's items in the list of operations: the hash once they are completed
            (``hashed``), also the partner's internal note (``noted``), neither (``bare``); ``unlisted`` omits them.
        bulk_item_ids: the list of a bulk payment's items includes the ids of these operations.
        bulk_drops_page: a proxy drops the page parameter of bulk lists.
        bulk_drops_notes: the partner's internal notes do not come back.
        bulk_rewrites_notes: text that replaces the partner's internal notes in replies; None leaves them unchanged.
        lists_lag_seconds: age from which lists show a record.
        bulk_loses_every: every n-th item is missing from the list of items; 0 turns it off.
    """

    worst_case: bool = True
    repeat_commit_status: int = 409
    accept_duplicate_codes: bool = False
    ignore_get_body: bool = False
    refuse_get_body: bool = False
    ignore_query: bool = False
    mixed_case: bool = True
    unset: Literal["null", "empty", "mixed"] = "mixed"
    numeric_amounts: bool = False
    stale_reads: int = 0
    forbidden: bool = False
    fail_reason: str | None = None
    escrow_above_cents: int | None = None
    item_amount: Literal["unit", "line"] = "unit"
    bulk_items_a_step: int = 250
    bulk_page_size: int = 100
    bulk_fail_every: int = 0
    bulk_stuck: bool = False
    bulk_ends_failed: bool = False
    bulk_breaks_after: int = 0
    bulk_hides_failed: bool = False
    bulk_failure_shape: Literal["text", "object", "reason", "failure_reason", "list", "other"] = "text"
    bulk_operations: Literal["hashed", "noted", "bare", "unlisted"] = "hashed"
    bulk_item_ids: bool = False
    bulk_drops_page: bool = False
    bulk_drops_notes: bool = False
    bulk_rewrites_notes: str | None = None
    lists_lag_seconds: float = 0.0
    bulk_loses_every: int = 0


@dataclass(frozen=True, kw_only=True)
class PayoutOrder:
    """A validated request to pay a person."""

    email: str
    description: str
    cents: int
    confirmation_uri: str
    failure_uri: str
    cancel_uri: str | None = None
    code: str | None = None


@dataclass(frozen=True, kw_only=True)
class PurchaseOrder:
    """A validated request to be paid."""

    code: str
    description: str
    cents: int
    items: tuple[Item, ...]
    email: str = ""
    confirmation_uri: str | None = None
    cancel_uri: str | None = None
    failure_uri: str | None = None
    callback_uri: str | None = None


@dataclass(kw_only=True)
class Shelf:
    """The operations by id, in order of creation, and by code."""

    by_id: dict[str, Record] = field(default_factory=dict)
    ordered: list[Record] = field(default_factory=list)
    by_code: dict[str, list[Record]] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Add a new operation."""
        self.by_id[record.id] = record
        self.ordered.append(record)
        if record.code is not None:
            self.by_code.setdefault(record.code, []).append(record)

    def newest_first(
        self, operation_type: str | None, *, also: Iterable[Record], skip: int, count: int, until: float
    ) -> tuple[int, list[Record]]:
        """Return the number of operations (of a type) until then, and ``count`` of them after the newest ``skip``."""
        rows = sorted((*self.ordered, *also), key=lambda record: record.created_at)
        rows = [record for record in rows if record.created_at <= until]
        if operation_type is not None:
            rows = [record for record in rows if record.operation_type == operation_type]
        end = max(len(rows) - skip, 0)
        return len(rows), rows[max(end - count, 0) : end][::-1]
