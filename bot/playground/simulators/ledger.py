"""Independent record of money: one line for each amount that moved.

No decision depends on it. It is written where money moves and read by tests and the panel only, so
it stays correct even if an operation's record is wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class EntryKind(StrEnum):
    """Direction of money, seen from the partner."""

    PAYOUT = "payout"
    """Left the partner's balance: one entry for each execution of a commit."""
    REFUND = "refund"
    """Came back, because a payout was canceled or failed."""
    PURCHASE = "purchase"
    """Came in: a buyer paid."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One movement. ``at`` is in seconds since the epoch, ``cents`` is always positive."""

    at: float
    operation_id: str
    code: str | None
    email: str
    cents: int
    kind: EntryKind


class Ledger:
    """Append-only list of movements, with the sums that checkers ask for."""

    def __init__(self, *, clock: Callable[[], float], opening_cents: int = 0) -> None:
        self._clock = clock
        self.opening_cents = opening_cents
        self.entries: list[Entry] = []
        self._balance = opening_cents

    @property
    def balance_cents(self) -> int:
        """The partner's current balance: the opening balance and all movements."""
        return self._balance

    def append(self, kind: EntryKind, *, operation_id: str, code: str | None, email: str, cents: int) -> Entry:
        """Write one movement of ``cents`` (must be positive) and return it."""
        if cents <= 0:
            raise ValueError(f"A ledger entry needs a positive amount, not {cents}")
        entry = Entry(at=self._clock(), operation_id=operation_id, code=code, email=email, cents=cents, kind=kind)
        self.entries.append(entry)
        self._balance += -cents if kind is EntryKind.PAYOUT else cents
        return entry

    def of_operation(self, operation_id: str) -> list[Entry]:
        """The movements of one operation, in the order in which they happened."""
        return [entry for entry in self.entries if entry.operation_id == operation_id]

    def of_code(self, code: str) -> list[Entry]:
        """The movements of all operations that carry the partner's code."""
        return [entry for entry in self.entries if entry.code == code]

    def executions(self, code: str) -> int:
        """Number of times that money left for this code. More than one is a double payment."""
        return sum(1 for entry in self.of_code(code) if entry.kind is EntryKind.PAYOUT)

    def paid_cents(self, code: str | None = None) -> int:
        """Return cents paid out less cents refunded, for one code or all payouts."""
        return -sum(
            -entry.cents if entry.kind is EntryKind.PAYOUT else entry.cents
            for entry in self.entries
            if entry.kind is not EntryKind.PURCHASE and code in (None, entry.code)
        )

    def held_cents(self, operation_id: str) -> int:
        """Cents that left for one operation and have not come back."""
        return -sum(
            -entry.cents if entry.kind is EntryKind.PAYOUT else entry.cents
            for entry in self.of_operation(operation_id)
            if entry.kind is not EntryKind.PURCHASE
        )
