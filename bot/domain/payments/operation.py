"""Operations as the payments service reports them (interface document 2, sections 2 and 3).

An unknown status is kept unchanged and treated as non-final. An operation's callback addresses contain our secret
tokens, so only the part before the token is kept.
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
"""Final statuses: completed, canceled, failed (payouts) and confirmed (purchases)."""

_RANK: Final = {OperationStatus.CREATED: 0, OperationStatus.COMMITTED: 1, OperationStatus.PENDING: 2}


def rank(status: OperationStatus | None) -> int:
    """Return an operation's progress: created 0, committed 1, pending 2, final 3. A stored rank never decreases."""
    if status is None:
        return 0
    return _RANK.get(status, 3)


def read_status(raw: str) -> OperationStatus | None:
    """Parse a status in any case or spelling (``cancelled``); None if unknown."""
    folded = raw.strip().casefold()
    if folded == "cancelled":
        folded = "canceled"
    try:
        return OperationStatus(folded)
    except ValueError:
        return None


class Operation(Reported):
    """A payout or purchase as last reported by the service; its texts are foreign.

    ``code`` is ours. ``cents`` is None if the reported amount isn't an exact number of cents. ``operation_id`` and
    ``user_id`` are the platform's. ``internal_note`` is a bulk payment's item's. ``reports_to`` is the callback address
    without its last part.
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
    """A purchase: an operation with items, whose ``cents`` are the total and whose ``email`` is the buyer's."""

    items: tuple[PurchaseItem, ...] = ()


class PayoutEvent(Reported):
    """A call of the service to one of our callback addresses, from its log; foreign texts, without addresses.

    Only the address's host is kept, because the address contains a secret token. ``status`` is our response as text;
    ``rest`` has the other fields under the service's names, with secrets masked.
    """

    at: datetime | None = None
    kind: str = ""
    host: str = ""
    status: str = ""
    rest: tuple[tuple[str, str], ...] = ()


class Partner(Reported):
    """Our own account at the payments service. ``balance_text`` is shown if the balance isn't a number of cents.

    ``rest`` is like that of `PayoutEvent`.
    """

    id: str = ""
    name: str = ""
    email: str = ""
    currency: str = ""
    balance: Cents | None = None
    balance_text: str = ""
    rest: tuple[tuple[str, str], ...] = ()


class OperationPage(Reported):
    """A page of the list of operations. ``first`` and ``last`` count from 1 and are None on an empty page."""

    operations: tuple[Operation, ...]
    page: int
    last_page: int
    per_page: int
    total: int
    first: int | None = None
    last: int | None = None


class AccountStatus(Reported):
    """The account of an e-mail address; None means not reported. ``country`` is ISO alpha-3, from the holder's ID.

    ``primary`` is set if the address is the account's primary one. ``status`` is raw, and shown if ``active`` is None.
    """

    full_name: str = ""
    active: bool | None = None
    verified: bool | None = None
    primary: bool | None = None
    country: str = ""
    status: str = ""


class Search(Reported):
    """Result of scanning the whole list of operations. An incomplete scan proves nothing; ``reason`` is its error.

    Only ``complete`` scans with equal ``total`` prove that an operation is absent.
    """

    hits: tuple[Operation, ...] = ()
    complete: bool = False
    total: int | None = None
    reason: Reason | None = None
