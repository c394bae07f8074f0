"""Bulk payments as the payments service reports them. Nothing here trusts the wire."""

from datetime import datetime
from enum import StrEnum

from bot.domain.money import Cents
from bot.domain.payments.operation import OperationStatus, read_status
from bot.domain.values import Value


class JobStatus(StrEnum):
    """Every documented status of a bulk payment, in the spelling we use."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether the service has finished creating the single payments; they may still be failed or pending."""
        return self in (JobStatus.DONE, JobStatus.FAILED)


def read_job_status(raw: str) -> JobStatus | None:
    """The status behind a spelling of the service, in any case; None when unknown, which is never final."""
    try:
        return JobStatus(raw.strip().casefold())
    except ValueError:
        return None


class BulkJob(Value):
    """A bulk payment as the service tells it. None is "it did not say"."""

    id: str
    status: str = ""
    created_at: datetime | None = None
    count: int | None = None
    pending: int | None = None
    completed: int | None = None
    failed: int | None = None

    @property
    def state(self) -> JobStatus | None:
        """The status to decide by."""
        return read_job_status(self.status)

    @property
    def picture(self) -> str:
        """Figures that must change before the single payments are worth reading again."""
        told = (self.status.strip().casefold(), self.count, self.pending, self.completed, self.failed)
        return "|".join("" if one is None else str(one) for one in told)


class JobPage(Value):
    """One page of the history."""

    jobs: tuple[BulkJob, ...]
    page: int
    pages: int
    count: int | None = None

    @property
    def size(self) -> int:
        """Records on this page."""
        return len(self.jobs)


class ReportedItem(Value):
    """One payment of a bulk payment as the service tells it; texts are foreign.

    Attributes:
        error: why it failed; only in the list of failures.
        hash: its transaction hash; what a cancellation names.
    """

    email: str = ""
    cents: Cents | None = None
    note: str = ""
    internal_note: str = ""
    status: str = ""
    hash: str = ""
    error: str = ""
    user_id: str = ""

    @property
    def state(self) -> OperationStatus | None:
        """The status to decide by; None for one we do not know, which is never final."""
        return read_status(self.status)


class ItemPage(Value):
    """One page of items or of failures."""

    items: tuple[ReportedItem, ...]
    page: int
    pages: int
    count: int | None = None

    @property
    def size(self) -> int:
        """Records on this page."""
        return len(self.items)
