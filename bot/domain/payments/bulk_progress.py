"""Counts and sums of a bulk payment's items by status. Sums are in cents."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from pydantic import Field

from bot.domain.payments.operation import OperationStatus
from bot.domain.values import Value


class Tally(Value):
    """Counts and sums of the items by status; they always add up to what was approved."""

    counts: Mapping[str, int] = Field(default_factory=dict)
    """Status in our spelling -> items. ``""``: the service has not reported them."""
    sums: Mapping[str, int] = Field(default_factory=dict)
    """The same in cents."""

    @property
    def total(self) -> int:
        """All items."""
        return sum(self.counts.values())

    def of(self, *statuses: str) -> int:
        """Items with any of these statuses."""
        return sum(self.counts.get(status, 0) for status in statuses)

    def cents_of(self, *statuses: str) -> int:
        """Their sum."""
        return sum(self.sums.get(status, 0) for status in statuses)

    @property
    def completed(self) -> int:
        """Credited."""
        return self.of(OperationStatus.COMPLETED)

    @property
    def failed(self) -> int:
        """Failed for good."""
        return self.of(OperationStatus.FAILED)

    @property
    def canceled(self) -> int:
        """Canceled, the money came back."""
        return self.of(OperationStatus.CANCELED)

    @property
    def pending(self) -> int:
        """In escrow."""
        return self.of(OperationStatus.PENDING)

    @property
    def unaccounted(self) -> int:
        """Never reported by the service."""
        return self.of("")

    @property
    def final(self) -> int:
        """Items in a final state."""
        return self.completed + self.failed + self.canceled

    @property
    def under_way(self) -> int:
        """Reported, and neither final nor in escrow."""
        return self.total - self.final - self.pending - self.unaccounted

    @property
    def is_settled(self) -> bool:
        """Whether every item is final."""
        return self.total > 0 and self.final == self.total


def tally(lines: Iterable[tuple[str, int, int]]) -> Tally:
    """From (status, count, cents); statuses in any spelling of the service."""
    counts: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for status, count, cents in lines:
        counts[status] += count
        sums[status] += cents
    return Tally(counts=dict(counts), sums=dict(sums))


class BulkProgress(Value):
    """What is known of a bulk payment, or of a cancellation, besides its state; what its card shows."""

    looked_up: int = 0
    """Accounts read before the approval."""
    to_look_up: int = 0
    inactive: int = 0
    """Of those: the money would wait in escrow."""
    inactive_emails: tuple[str, ...] = ()
    """The first few of them."""
    not_read: int = 0
    """Accounts that could not be read."""
    tally: Tally = Tally()
    over: bool = False
    """The service says that it has created every single payment."""
    read_at: datetime | None = None
    """When the items were last read to the end."""
    changed_at: datetime | None = None
    """When an item was last seen to change."""
