"""Bulk payments as the payments service reports them, and how they match the approved rows."""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem, Tally, row_of
from bot.domain.payments.instruction import SETTLED, Instruction, Kind, State
from bot.domain.payments.operation import OperationStatus, rank, read_status
from bot.domain.reasons import OfRequest, Reason
from bot.domain.values import Value


class JobStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether the service has finished creating the single payments, which may still be failed or pending."""
        return self in (JobStatus.DONE, JobStatus.FAILED)


class BulkJob(Value):
    """A bulk payment as the service reports it. None means not reported."""

    id: str
    status: str = ""
    created_at: datetime | None = None
    count: int | None = None
    pending: int | None = None
    completed: int | None = None
    failed: int | None = None
    why: str = ""
    """Reason of a failure; foreign text."""

    @property
    def state(self) -> JobStatus | None:
        try:
            return JobStatus(self.status.strip().casefold())
        except ValueError:
            return None

    @property
    def picture(self) -> str:
        """Return the figures that change when the single payments are worth reading again."""
        figures = (self.status.strip().casefold(), self.count, self.pending, self.completed, self.failed)
        return "|".join("" if one is None else str(one) for one in figures)


class JobPage(Value):
    jobs: tuple[BulkJob, ...]
    page: int
    pages: int
    count: int | None = None

    @property
    def size(self) -> int:
        return len(self.jobs)


class ReportedItem(Value):
    """An item of a bulk payment as reported; its texts are foreign. Cancellations name it by ``hash``.

    ``operation`` is its id in this list, which may be the id of its operation.
    """

    email: str = ""
    cents: Cents | None = None
    note: str = ""
    internal_note: str = ""
    status: str = ""
    hash: str = ""
    error: str = ""
    user_id: str = ""
    operation: str = ""

    @property
    def state(self) -> OperationStatus | None:
        return read_status(self.status)


class ItemPage(Value):
    items: tuple[ReportedItem, ...]
    page: int
    pages: int
    count: int | None = None

    @property
    def size(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRow(BulkItem):
    """A stored item: the request and the latest report of the service."""

    status: str = ""
    """Status in our spelling; empty until the service reports the item."""
    hash: str = ""
    error: str = ""
    operation: str = ""
    attempt: int = 0
    internal_note: str = ""
    """The service's private note; for our own rows, the reference and row. Not stored."""
    user_id: str = ""
    """The recipient's id at the platform, if the service lists it. Not stored."""

    @property
    def item(self) -> BulkItem:
        return BulkItem(row=self.row, email=self.email, cents=self.cents, note=self.note, name=self.name)

    @property
    def state(self) -> OperationStatus | None:
        return read_status(self.status)


def our_word(reported: str) -> str:
    """Return the status to store: our spelling if known, else the service's own word."""
    state = read_status(reported)
    return state.value if state is not None else reported.strip().casefold() or "unknown"


def moves_on(before: str, after: str) -> bool:
    """Whether a new status replaces the stored one. A final status stays, and a known one never moves back."""
    if before in ("", after):
        return before != after
    old, new = read_status(before), read_status(after)
    if old is not None and old.is_final:
        return False
    return old is None or (new is not None and rank(new) >= rank(old))


def contradicts(before: str, after: str) -> bool:
    """Whether two statuses exclude each other: two different final ones, or failed and then pending."""
    old, new = read_status(before), read_status(after)
    if old is None or new is None or old is new or not old.is_final:
        return False
    return new.is_final or (old is OperationStatus.FAILED and new is OperationStatus.PENDING)


@dataclass(frozen=True, slots=True)
class RowChange:
    row: int
    status: str
    hash: str
    error: str
    operation: str = ""


UNEXPLAINED: Final = "no reason given"
"""Stored if the service gives no reason for a failed item."""


def row_elsewhere(number: int, item: ReportedItem) -> BulkRow:
    """Return an item of a bulk payment that was requested elsewhere as a row."""
    names = ("email", "note", "internal_note", "user_id", "status", "hash", "error")
    told = {name: getattr(item, name) for name in names}
    return BulkRow(row=number, cents=item.cents or Cents(0), **told)


_NO_NOTE: Final = "\n"
"""A reference that matches no note."""
_ANY: Final = "\n"
"""A key that matches any status."""
_NOT_FAILED: Final = frozenset(
    {OperationStatus.COMMITTED, OperationStatus.PENDING, OperationStatus.COMPLETED, OperationStatus.CANCELED}
)
"""Statuses of items in the list of failures that didn't fail: the money is on its way, arrived or came back."""


class Accounting:
    """Match the items that the service lists with the approved rows, and update the rows, in one pass.

    Feed each page to ``take``, call ``finish``, then feed the pages of failures to ``take_failures``. ``strangers``
    aren't ours. ``doubles`` match a row matched before (maybe paid twice). ``different`` have another amount or address
    than their row. ``failing`` rows failed in either list. ``contradicted`` rows failed in one list but not in the
    other, or had another final status before. ``unplaced`` failures match no row.
    """

    def __init__(self, *, reference: str, rows: Iterable[BulkRow]) -> None:
        self.rows = {row.row: row for row in rows}
        self.strangers = self.doubles = self.different = 0
        self.contradicted: set[int] = set()
        self.unplaced: list[ReportedItem] = []
        self.failing: set[int] = set()
        self.reference = reference
        self._seen: set[int] = set()
        self._named: set[int] = set()
        self._nameless: list[ReportedItem] = []

    @classmethod
    def elsewhere(cls, items: Iterable[ReportedItem]) -> Self:
        """Treat the items of a bulk payment that was requested elsewhere as its rows, in the order of the list."""
        made = cls(reference=_NO_NOTE, rows=itertools.starmap(row_elsewhere, enumerate(items, 1)))
        made._seen |= made.rows.keys()
        return made

    def take(self, items: Iterable[ReportedItem]) -> list[RowChange]:
        """Match a page of items with their rows; return the changes."""
        changes = []
        for item in items:
            number = row_of(item.internal_note, self.reference)
            if number is None and not item.internal_note:
                self._nameless.append(item)
                continue
            if number is None or number not in self.rows:
                self.strangers += 1
                continue
            changes += self._claim(number, item)
        return changes

    def finish(self) -> list[RowChange]:
        """Match items without a note to unmatched rows with their address and amount, after the last page.

        Rows already in the item's status come first, so that the order of the list does not matter.
        """
        free: dict[tuple[str, int, str], list[int]] = {}
        for number, row in sorted(self.rows.items(), reverse=True):
            if number not in self._seen:
                for status in (row.status, _ANY):
                    free.setdefault((row.email.casefold(), row.cents, status), []).append(number)
        changes, left = list[RowChange](), self._nameless
        for exactly in (True, False):
            others = []
            for item in left:
                status = our_word(item.status) if exactly else _ANY
                waiting = free.get((item.email.casefold(), item.cents or 0, status), [])
                while waiting and waiting[-1] in self._seen:
                    waiting.pop()
                if waiting:
                    changes += self._claim(waiting.pop(), item)
                else:
                    others.append(item)
            left = others
        self.strangers += len(left)
        return changes

    def take_failures(self, items: Iterable[ReportedItem], *, complete: bool) -> list[RowChange]:
        """Match a page of failures with the rows and mark these as failed; return the changes.

        ``complete`` is set if all items were read; otherwise only failures with our note are matched. A row that ended
        otherwise, or is pending in the items, keeps its status.
        """
        changes = []
        for item in items:
            number = row_of(item.internal_note, self.reference)
            if number is None and complete:
                number = self._fitting(item)
            row = self.rows.get(number or 0)
            if row is None:
                self.unplaced += [item] if complete else []
                continue
            if row.row in self._named or item.state in _NOT_FAILED:
                continue
            self._named.add(row.row)
            if self._holds_out(row):
                self.contradicted.add(row.row)
                continue
            self.failing.add(row.row)
            known = row.error if row.error != UNEXPLAINED else ""
            why = known or item.error or UNEXPLAINED
            changes += self._change(row, OperationStatus.FAILED.value, item, why)
        return changes

    def _fitting(self, item: ReportedItem) -> int | None:
        """Return the row of a failure without our note, by address and amount; by a unique address if it has no amount.

        Failed rows come first, then unreported ones, then the rest.
        """
        rows = [row for row in self.rows.values() if row.email.casefold() == item.email.casefold()]
        if item.cents is None and len(rows) > 1:
            return None
        free = [row for row in rows if item.cents in (None, row.cents) and row.row not in self._named]
        may_be = [row for row in free if not self._holds_out(row)]
        ordered = sorted(may_be, key=lambda row: (row.state is not OperationStatus.FAILED, row.status != "", row.row))
        return ordered[0].row if ordered else None

    def _holds_out(self, row: BulkRow) -> bool:
        """Whether a failure cannot belong to this row: it ended otherwise, or the items show it as pending."""
        ended = row.state in (OperationStatus.COMPLETED, OperationStatus.CANCELED)
        return ended or (row.state is OperationStatus.PENDING and row.row in self._seen)

    def _claim(self, number: int, item: ReportedItem) -> list[RowChange]:
        row = self.rows[number]
        if number in self._seen:
            self.doubles += 1
            return []
        self._seen.add(number)
        if (item.cents is not None and item.cents != row.cents) or (
            item.email and item.email.casefold() != row.email.casefold()
        ):
            self.different += 1
        word = our_word(item.status)
        if contradicts(row.status, word):
            self.contradicted.add(number)
        if word == OperationStatus.FAILED:
            self.failing.add(number)
        status = word if moves_on(row.status, word) else row.status
        why = item.error if status == OperationStatus.FAILED else ""  # otherwise it may be the purpose of the payment
        return self._change(row, status, item, why or row.error)

    def _change(self, row: BulkRow, status: str, item: ReportedItem, error: str) -> list[RowChange]:
        hashed, operation = item.hash or row.hash, item.operation or row.operation
        after = replace(row, status=status, hash=hashed, error=error, operation=operation)
        if after == row:
            return []
        self.rows[row.row] = after
        return [RowChange(row=row.row, status=status, hash=hashed, error=error, operation=operation)]

    @property
    def trouble(self) -> Reason | None:
        if not (self.doubles or self.different or self.strangers):
            return None
        found = {"doubles": self.doubles, "different": self.different, "strangers": self.strangers}
        return Reason(OfRequest.MISMATCHED_ITEMS, **found)

    @property
    def contradiction(self) -> Reason | None:
        if not (self.contradicted or self.unplaced):
            return None
        return Reason(OfRequest.LISTS_DISAGREE, contradicted=len(self.contradicted), unplaced=len(self.unplaced))

    @property
    def is_explained(self) -> bool:
        """Whether every row is final and each failed one has a reason."""
        failed = OperationStatus.FAILED
        return all(
            row.state is not None and row.state.is_final and (row.state is not failed or row.error)
            for row in self.rows.values()
        )


_A_ROW: Final = re.compile(r"[A-Z]-[0-9A-Z]+/[0-9]{1,7}", re.IGNORECASE)
"""Form of our ``internal_note``, for any request."""


def is_ours(items: Collection[ReportedItem], *, reference: str, wanted: Collection[BulkItem]) -> bool | None:
    """Whether a bulk payment with these items is the requested one; None if it is unknown.

    Notes of ours decide it, as do notes that name another request of ours. Without notes, the same payments decide it.
    Notes rewritten by others prove nothing: with the same payments, it may be ours.
    """
    if not items:
        return None
    notes = [item.internal_note for item in items if item.internal_note.strip()]
    ours = [note for note in notes if row_of(note, reference) is not None]
    if ours:
        return True if len(ours) == len(notes) else None
    if any(_A_ROW.fullmatch("".join(note.split())) for note in notes):
        return False
    reported = Counter((item.email.casefold(), item.cents) for item in items)
    asked = Counter((item.email.casefold(), item.cents) for item in wanted)
    if reported == asked:
        return None if notes else True
    unreadable = any(not item.email or item.cents is None for item in items)
    return None if unreadable or reported <= asked or asked <= reported else False


LOOKS_BEFORE_MISSING = 3
"""Reads without a change after the service finished, before missing items are reported."""


def state_of(tally: Tally, *, over: bool) -> State:
    """Return the state of a bulk payment: completed if all items are final and any of them was credited.

    ``over`` is set once the service has created all payments.
    """
    if tally.is_settled:
        if tally.completed:
            return State.COMPLETED
        return State.CANCELED if tally.canceled and not tally.failed else State.FAILED
    if over and tally.pending and tally.final + tally.pending == tally.total:
        return State.PENDING_ESCROW
    return State.COMMITTED


def has_failed(instruction: Instruction) -> bool:
    """Whether the service's record of this bulk payment is failed, whatever the state of its single payments."""
    return instruction.kind is Kind.BULK and instruction.progress is not None and instruction.progress.failed


@dataclass(frozen=True, slots=True)
class PaidAgain:
    """Requests that pay failed rows of a bulk payment again, oldest first, and the failures without such a request."""

    requests: tuple[Instruction, ...] = ()
    count: int = 0
    cents: int = 0


NOT_AGAIN: Final = PaidAgain()
RELEASED: Final = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.REFUSED, State.MISMATCH})
"""Final states of a request that paid nothing, so its rows may be requested again."""


def may_have_failures(instruction: Instruction) -> bool:
    """Whether this is a bulk payment that the service has finished and in which some payments failed."""
    progress = instruction.progress
    if instruction.kind is not Kind.BULK or progress is None or not progress.tally.failed:
        return False
    return progress.over or instruction.state in SETTLED


def has_failures(instruction: Instruction) -> bool:
    """Whether this is a completed bulk payment in which some payments failed."""
    over = instruction.kind is Kind.BULK and instruction.state is State.COMPLETED
    return over and instruction.progress is not None and instruction.progress.tally.failed > 0


def ended_cancel(tally: Tally) -> State:
    return State.COMPLETED if tally.canceled else State.FAILED


PENDING_WORD = OperationStatus.PENDING.value
"""Stored status of an item that can be canceled."""
