"""Operations as the payments service reports them (interface document 2, sections 2 and 3).

Nothing here trusts the wire: a status nobody has heard of is kept as it came and treated as non-final,
an amount that is no exact number of cents is None. The callback addresses of an operation carry our own
secret tokens, so this record only keeps what stands before the token.
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
    """How far an operation has come: created 0 < committed 1 < pending 2 < every final status 3.

    What is recorded about an operation never goes down in rank. A status we do not know ranks 0, so it
    can never move anything forward.
    """
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
    """One payout or purchase as the service last told it.

    Attributes:
        id: the service's identifier; the path of every later call.
        code: our own unique code; None when the service reported none.
        status: as it came, for showing; ``state`` is what decisions use.
        cents: None when the reported amount is no exact number of cents.
        operation_type: ``payout`` or ``purchase``; empty when not reported.
        failure_reason: the service's own words; foreign text, escape it before showing.
        reports_to: the address at which the service reports, without its last part; None when it did not say.
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
    reports_to: str | None = Field(default=None, repr=False)
    created_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def state(self) -> OperationStatus | None:
        """The status to decide by; None for one we do not know, which is never final."""
        return read_status(self.status)

    @property
    def is_final(self) -> bool:
        state = self.state
        return state is not None and state.is_final


class PurchaseItem(Reported):
    """One line of a purchase; None is "it did not say, or nothing exact".

    Attributes:
        unit_cents: what one costs.
        line_cents: what all of them cost together.
    """

    description: str = ""
    quantity: int | None = None
    unit_cents: Cents | None = None
    line_cents: Cents | None = None


class Purchase(Operation):
    """A purchase: an operation whose ``cents`` are the total, whose ``email`` is the buyer, and that has items."""

    items: tuple[PurchaseItem, ...] = ()


class PayoutEvent(Reported):
    """One call the service made to an address of ours, as its own log tells it.

    The address carries a secret token, so only its host is kept, and ``details`` were cleaned of addresses.

    Attributes:
        at: when; None when it did not say.
        kind: what it was about, in the service's words; empty when it did not say.
        host: where the call went, without path and query.
        status: what we answered, as the service tells it (``200``).
        details: every key and value of the record, in its order; foreign text, escape it before showing.
    """

    at: datetime | None = None
    kind: str = ""
    host: str = ""
    status: str = ""
    details: tuple[tuple[str, str], ...] = ()


class Partner(Reported):
    """Who we are to the payments service. Texts are empty when it did not say.

    Attributes:
        balance: cents, below zero too; None when it is no exact number of cents.
        balance_text: the balance as it came, for showing when ``balance`` is None.
    """

    id: str = ""
    name: str = ""
    email: str = ""
    currency: str = ""
    balance: Cents | None = None
    balance_text: str = ""


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
    """What the service knows about the account behind an e-mail address; None is "it did not say".

    Attributes:
        full_name: the registered name; empty when there is no account.
        primary: whether the address asked about is the account's primary one.
        country: ISO alpha-3 code of the country that issued the holder's ID; empty when unknown.
        status: the raw status, for showing when ``active`` is None.
    """

    full_name: str = ""
    active: bool | None = None
    verified: bool | None = None
    primary: bool | None = None
    country: str = ""
    status: str = ""


class Search(Reported):
    """What a scan of the whole list found.

    "Present" needs one hit. "Absent" may be concluded only from ``complete`` scans with equal ``total``;
    an incomplete one proves nothing, and ``reason`` says what went wrong.
    """

    hits: tuple[Operation, ...] = ()
    complete: bool = False
    total: int | None = None
    reason: Reason | None = None
