"""Operations as the payments service reports them (interface document 2, sections 2 and 3).

A status nobody has heard of is kept as it came and treated as non-final. The callback addresses of an operation carry
our own secret tokens, so only what stands before the token is kept.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import Field

from bot.domain.money import Cents
from bot.domain.reasons import Reason
from bot.domain.values import Reported


class OperationStatus(StrEnum):
    CREATED = "created"
    COMMITTED = "committed"
    PENDING = "pending"
    COMPLETED = "completed"
    CANCELED = "canceled"
    FAILED = "failed"
    CONFIRMED = "confirmed"

    @property
    def is_final(self) -> bool:
        return self in FINAL


FINAL: Final = frozenset(
    {OperationStatus.COMPLETED, OperationStatus.CANCELED, OperationStatus.FAILED, OperationStatus.CONFIRMED}
)
"""Statuses that are the end: completed, canceled, failed (payouts) and confirmed (purchases)."""

_RANK: Final = {OperationStatus.CREATED: 0, OperationStatus.COMMITTED: 1, OperationStatus.PENDING: 2}


def rank(status: OperationStatus | None) -> int:
    """How far an operation has come: created 0, committed 1, pending 2, final 3. What is recorded never goes down."""
    if status is None:
        return 0
    return _RANK.get(status, 3)


def read_status(raw: str) -> OperationStatus | None:
    """The status behind a spelling of the service: any case, ``cancelled`` too; None when unknown."""
    folded = raw.strip().casefold()
    if folded == "cancelled":
        folded = "canceled"
    try:
        return OperationStatus(folded)
    except ValueError:
        return None


class Operation(Reported):
    """One payout or purchase as the service last reported it; texts are foreign.

    ``code`` is ours; ``cents`` None: the reported amount is no exact number of cents; ``operation_id`` and ``user_id``:
    the platform's own; ``internal_note``: as of a bulk payment's item; ``reports_to``: the address at which the service
    reports, without its last part.
    """

    id: str
    status: str
    code: str | None = None
    cents: Cents | None = None
    email: str | None = None
    description: str = ""
    operation_type: str = ""
    svc_hash: str | None = None
    failure_reason: str | None = None
    user_id: str | None = None
    partner_id: str | None = None
    operation_id: str | None = None
    internal_note: str | None = None
    reports_to: str | None = Field(default=None, repr=False)
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def state(self) -> OperationStatus | None:
        return read_status(self.status)

    @property
    def is_final(self) -> bool:
        return self.state in FINAL


class PurchaseItem(Reported):
    description: str = ""
    quantity: int | None = None
    unit_cents: Cents | None = None
    line_cents: Cents | None = None


class Purchase(Operation):
    """A purchase: an operation whose ``cents`` are the total, whose ``email`` is the buyer, and that has items."""

    items: tuple[PurchaseItem, ...] = ()


class PayoutEvent(Reported):
    """One call the service made to an address of ours, as its own log has it: cleaned of addresses, foreign text.

    The address carries a secret token, so only its host is kept. ``status``: what we answered, as text. ``rest``: what
    else it says, under the service's names, with secrets masked.
    """

    at: datetime | None = None
    kind: str = ""
    host: str = ""
    status: str = ""
    rest: tuple[tuple[str, str], ...] = ()


class Partner(Reported):
    """Who we are to the payments service; ``balance_text`` is shown when ``balance`` is no number of cents.

    ``rest``: as of an event.
    """

    id: str = ""
    name: str = ""
    email: str = ""
    currency: str = ""
    balance: Cents | None = None
    balance_text: str = ""
    rest: tuple[tuple[str, str], ...] = ()


class OperationPage(Reported):
    """One page of the list of operations. ``first`` and ``last`` count from 1; None on an empty page."""

    operations: tuple[Operation, ...]
    page: int
    last_page: int
    per_page: int
    total: int
    first: int | None = None
    last: int | None = None


class AccountStatus(Reported):
    """The account behind an e-mail address; None is "it did not say". ``country``: ISO alpha-3 of the holder's ID.

    ``primary``: the address asked about is the account's primary one; ``status``: raw, shown when ``active`` is None.
    """

    full_name: str = ""
    active: bool | None = None
    verified: bool | None = None
    primary: bool | None = None
    country: str = ""
    status: str = ""


class Search(Reported):
    """What a scan of the whole list found. An incomplete scan proves nothing; ``reason`` says what went wrong.

    "Absent" may be concluded only from ``complete`` scans with equal ``total``.
    """

    hits: tuple[Operation, ...] = ()
    complete: bool = False
    total: int | None = None
    reason: Reason | None = None
