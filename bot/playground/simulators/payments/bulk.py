"""Bulk payments in the simulator: jobs that pay their items individually, some per step."""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.playground.simulators.ledger import EntryKind, Ledger
from bot.playground.simulators.payments.records import (
    CANCELED,
    COMPLETED,
    CREATED,
    FAILED,
    PENDING,
    Account,
    Record,
    Switches,
)

DONE, RUNNING = "done", "running"
NOT_BEGUN = "The bulk payment failed before this payment"
FINISHED = frozenset({DONE, FAILED})


@dataclass(frozen=True, kw_only=True)
class BulkOrder:
    """A validated line of a request for a bulk payment."""

    email: str
    cents: int
    note: str = ""
    internal_note: str = ""


@dataclass(kw_only=True)
class BulkItem:
    """One payment of a job."""

    order: BulkOrder
    hash: str
    status: str = CREATED
    error: str = ""
    held_cents: int = 0
    """Amount taken from the partner's balance and not returned."""

    @property
    def operation_id(self) -> str:
        return hashlib.sha256(f"operation:{self.hash}".encode()).hexdigest()[:24]


@dataclass(kw_only=True)
class BulkJob:
    """A bulk payment. ``due`` is the time of its next step, ``worked`` the number of items processed."""

    id: str
    created_at: float
    items: list[BulkItem]
    status: str = PENDING
    worked: int = 0
    due: float | None = None
    failure_reason: str = ""
    cancellations: int = 0
    canceled_all: int = 0
    """Number of cancellation requests without a hash, which cancel everything."""
    by_hash: dict[str, BulkItem] = field(default_factory=dict)

    def count(self, *statuses: str) -> int:
        """Return the number of items with any of these statuses."""
        return sum(1 for item in self.items if item.status in statuses)

    def is_unprocessed(self, item: BulkItem) -> bool:
        """Return whether the item couldn't be processed."""
        return item.status == FAILED or (self.status == FAILED and item.status == CREATED)


class BulkBook:
    """Keeps bulk payments. Methods act at once; money moves only through the ledger.

    A processed item is credited (active account), held in escrow (no account), or fails; a job ends as ``done`` after
    all items, whatever their outcomes.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        ledger: Ledger,
        switches: Switches,
        step_seconds: float | None,
        account: Callable[[str], Account | None],
        changed: Callable[[str, object], None],
    ) -> None:
        self.jobs: dict[str, BulkJob] = {}
        self.step_seconds = step_seconds
        self._clock = clock
        self._ledger = ledger
        self._switches = switches
        self.account = account
        self._changed = changed

    def history(self) -> list[BulkJob]:
        """Return jobs, newest first, without those that the list doesn't show yet."""
        until = self._clock() - self._switches.lists_lag_seconds
        return [job for job in reversed(self.jobs.values()) if job.created_at <= until]

    def operations(self) -> Iterator[Record]:
        """Iterate over the payments as operations, oldest first, created from the items' current state."""
        if self._switches.bulk_operations != "unlisted":
            yield from (self._operation(job, item) for job in self.jobs.values() for item in job.items)

    def operation(self, operation_id: str) -> Record | None:
        return next((record for record in self.operations() if record.id == operation_id), None)

    def create(self, orders: Sequence[BulkOrder]) -> BulkJob:
        """Create a bulk payment; nothing is paid yet."""
        job_id = uuid.uuid4().hex[:24]
        items = [
            BulkItem(order=order, hash=hashlib.sha256(f"{job_id}:{n}".encode()).hexdigest())
            for n, order in enumerate(orders)
        ]
        job = BulkJob(id=job_id, created_at=self._clock(), items=items, by_hash={item.hash: item for item in items})
        self.jobs[job_id] = job
        self._schedule(job)
        self._changed("bulk", job)
        return job

    def cancel(self, job: BulkJob, hashes: Iterable[str] | None) -> list[BulkItem]:
        """Cancel these items, or all, if in escrow; refund their money and return the canceled items."""
        job.cancellations += 1
        if hashes is None:
            job.canceled_all += 1
        named = job.items if hashes is None else [job.by_hash[one] for one in hashes if one in job.by_hash]
        canceled = [item for item in named if item.status == PENDING]
        for item in canceled:
            self._refund(item)
            item.status = CANCELED
        self._changed("bulk", job)
        return canceled

    def settle(self, job: BulkJob, hashed: str, status: str, *, error: str = "") -> None:
        """Set the status of an item as the service would, and move its money."""
        item = job.by_hash[hashed]
        if status in (COMPLETED, PENDING) and not item.held_cents:
            self._pay(item)
        if status in (FAILED, CANCELED):
            self._refund(item)
        item.status, item.error = status, error
        self._changed("bulk", job)

    def signed_up(self, email: str) -> None:
        """Credit payments held for an address that now has an account."""
        for job in self.jobs.values():
            for item in job.items:
                if item.status == PENDING and item.order.email.casefold() == email.casefold():
                    item.status = COMPLETED

    def tick(self) -> None:
        """Move every job that is due."""
        now = self._clock()
        for job in list(self.jobs.values()):
            if job.due is not None and job.due <= now:
                self._step(job)

    def advance(self) -> None:
        """Move every unfinished job by one step, whatever the time."""
        for job in list(self.jobs.values()):
            if job.status not in FINISHED:
                self._step(job)

    def next_due(self) -> float | None:
        """Return when the next job is due; None if none is."""
        return min((job.due for job in self.jobs.values() if job.due is not None), default=None)

    def _operation(self, job: BulkJob, item: BulkItem) -> Record:
        account, shows = self.account(item.order.email), self._switches.bulk_operations
        has_hash = item.status == COMPLETED and shows != "bare"
        return Record(
            id=item.operation_id,
            operation_type="payout",
            email=item.order.email,
            description=item.order.note,
            cents=item.order.cents,
            created_at=job.created_at,
            updated_at=job.created_at,
            status=item.status,
            failure_reason=item.error or None,
            svc_operation_id=str(int(item.operation_id[:12], 16)),
            svc_operation_hash=item.hash if has_hash else None,
            svc_user_id=account.user_id if account else None,
            internal_note=item.order.internal_note if shows == "noted" else None,
        )

    def _step(self, job: BulkJob) -> None:
        job.due = None
        if self._switches.bulk_stuck:
            self._schedule(job)
            return
        if job.status == PENDING:
            job.status = RUNNING
        else:
            breaks = self._switches.bulk_breaks_after or len(job.items)
            end = min(job.worked + max(1, self._switches.bulk_items_a_step), max(breaks, job.worked))
            for number, item in enumerate(job.items[job.worked : end], job.worked + 1):
                self._process(number, item)
            job.worked = min(end, len(job.items))
            if job.worked == len(job.items):
                job.status = FAILED if self._switches.bulk_ends_failed else DONE
            elif job.worked >= breaks:
                job.status = FAILED
                for item in job.items[job.worked :]:
                    item.error = NOT_BEGUN
            if job.status == FAILED:
                job.failure_reason = "Something went wrong processing the payments"
        if job.status not in FINISHED:
            self._schedule(job)
        self._changed("bulk", job)

    def _process(self, number: int, item: BulkItem) -> None:
        every = self._switches.bulk_fail_every
        if item.status != CREATED:
            return
        if every and number % every == 0:
            item.status, item.error = FAILED, "The recipient's account refused the money"
        elif self._ledger.balance_cents < item.order.cents:
            item.status, item.error = FAILED, "The partner's balance is too low"
        else:
            self._pay(item)
            account = self.account(item.order.email)
            item.status = COMPLETED if account is not None and account.status == "active" else PENDING

    def _pay(self, item: BulkItem) -> None:
        self._append(EntryKind.PAYOUT, item, item.order.cents)
        item.held_cents = item.order.cents

    def _refund(self, item: BulkItem) -> None:
        if item.held_cents:
            self._append(EntryKind.REFUND, item, item.held_cents)
            item.held_cents = 0

    def _append(self, kind: EntryKind, item: BulkItem, cents: int) -> None:
        self._ledger.append(
            kind, operation_id=item.hash, code=item.order.internal_note or None, email=item.order.email, cents=cents
        )

    def _schedule(self, job: BulkJob) -> None:
        if self.step_seconds is not None:
            job.due = self._clock() + self.step_seconds


def of_hashes(body: Mapping[str, object], *, items: str, hashed: str) -> list[str] | None:
    """Return the hashes in a cancellation request; None if there are none, which means all items."""
    listed = body.get(items)
    if not isinstance(listed, list) or not listed:
        return None
    return [str(one.get(hashed, "")) for one in listed if isinstance(one, dict)]
