"""Payloads of bulk payments and of cancellations of their pending items.

The service has no key per item, so each row's ``internal_note`` holds our reference: ``L-4F7K2M/17``.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Final, Self

from pydantic import Field

from bot.domain.files.tables import NO_MARKS, Marks
from bot.domain.money import Cents, plain
from bot.domain.payments.operation import OperationStatus
from bot.domain.values import Value

MOST_ITEMS: Final = 10_000
"""Rows per file. The service states no limit; with this one a person can still check the card."""
LARGEST: Final = 5
CHUNK: Final = 100
AGAIN: Final = "again:"
"""Prefix of the source key of a list that retries failed payments, followed by the id of the first list."""
Payment = tuple[str, int]
"""Recipient's address in lower case, and cents. Two payments with equal values are the same payment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """One payment of a file. ``row`` is its number in the spreadsheet: the header is row 1."""

    row: int
    email: str
    cents: Cents
    note: str = ""
    name: str = ""
    """The recipient's name in the file, which is compared with the registered one and never sent."""


class Large(Value):
    row: int
    email: str
    cents: int


class _Many(Value):
    """A payload about many payments, whose items are in a separate table and bound by their digest."""

    has_items: ClassVar[bool] = True
    email: ClassVar[str] = ""
    code: ClassVar[str] = ""
    taken: ClassVar[str] = ""

    count: Annotated[int, Field(gt=0)]
    cents: Annotated[int, Field(gt=0)]
    items_digest: str


class BulkPayload(_Many):
    """Payload of a bulk payment."""

    name: str
    """Name of the file, shown to people; foreign text."""
    twin_digest: str
    """Digest shared by files that pay the same people the same amounts, in any order."""
    largest: tuple[Large, ...]
    duplicates: tuple[int, ...] = ()
    """Rows that repeat the amount and address of an earlier row; at most a hundred are kept."""
    duplicate_count: int = 0
    people: int = 0
    """Number of different addresses."""
    new_count: int = 0
    new_cents: int = 0
    """The largest item for a new recipient."""
    again_of: str = ""
    """Reference of the bulk payment whose failed rows this one pays again, under their row numbers; or empty."""
    read_as: str = ""
    """How the file was read (encoding, columns), in words. Empty for typed rows."""
    left_out: tuple[int, ...] = ()
    """Rows that are not paid because of doubts; a hundred are kept."""
    left_out_count: int = 0
    anyway: tuple[int, ...] = ()
    """Rows that are paid although the e-mail service calls them undeliverable; a hundred are kept."""
    done_anyway: Mapping[int, str] = Field(default_factory=dict)
    """Statuses of rows that are paid although they may be paid already; a hundred are kept. Foreign texts."""
    done_anyway_count: int = 0
    check: str = ""
    """Id of the job that checked the file, or empty."""
    marks: Marks = NO_MARKS
    """Hidden, computed or disguised content of the file, including rows that aren't paid."""
    thread_ts: str = ""
    """Thread of the dropped file, where its outcome is posted. Empty if the file came from a form."""

    @property
    def description(self) -> str:
        return self.name

    @property
    def payee(self) -> str:
        return self.twin_digest

    def payments(self, items: Iterable[BulkItem]) -> Mapping[Payment, Sequence[int]]:
        """Map each payment to the rows that make it."""
        found: dict[Payment, list[int]] = {}
        for item in items:
            found.setdefault((item.email.casefold(), int(item.cents)), []).append(item.row)
        return found

    def canonical(self) -> dict[str, object]:
        return {"count": self.count, "amount": plain(self.cents), "items": self.items_digest}


class CancelPayload(_Many):
    """Payload of a cancellation of items of a bulk payment, always named by their hashes in the item table.

    Or of a payout in escrow, whose id replaces the hash in the item table.
    """

    thread_ts: ClassVar[str] = ""
    twin_digest: ClassVar[str] = ""
    again_of: ClassVar[str] = ""

    bulk: str
    """Reference of the bulk payment or payout, or the service's id of a bulk payment requested elsewhere."""
    bulk_remote_id: str
    all_pending: bool = False
    payout_to: str = ""
    """Address of the payout's recipient; empty for a bulk payment."""

    @property
    def description(self) -> str:
        return f"Cancel {self.bulk}" if self.payout_to else f"Cancel pending payments of {self.bulk}"

    @property
    def payee(self) -> str:
        return self.items_digest

    def payments(self, _: object = ()) -> Mapping[Payment, Sequence[int]]:
        """Return an empty mapping: a cancellation pays nobody."""
        return {}

    def canonical(self) -> dict[str, object]:
        whose = "payout" if self.payout_to else "bulk"
        return {whose: self.bulk_remote_id, "amount": plain(self.cents), "items": self.items_digest}


def items_digest(items: Iterable[BulkItem]) -> str:
    """Return SHA-256 (hex) over row, address, amount and note of every item, in order."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps([item.row, item.email, plain(item.cents), item.note]).encode() + b"\n")
    return digest.hexdigest()


def twin_digest(items: Iterable[BulkItem]) -> str:
    """Return SHA-256 (hex) over recipients and amounts, ignoring order, notes and letter case."""
    lines = sorted(json.dumps([item.email.casefold(), plain(item.cents)]) for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def hashes_digest(amounts: Mapping[str, int]) -> str:
    return hashlib.sha256(json.dumps(sorted(amounts.items())).encode()).hexdigest()


def known_digest(ids: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(sorted(ids)).encode()).hexdigest()


def duplicates_in(items: Sequence[BulkItem]) -> tuple[int, ...]:
    seen: set[tuple[str, int]] = set()
    found = []
    for item in items:
        key = (item.email.casefold(), item.cents)
        if key in seen:
            found.append(item.row)
        seen.add(key)
    return tuple(found)


def people_in(items: Iterable[BulkItem]) -> int:
    return len({item.email.casefold() for item in items})


def largest_of(items: Iterable[BulkItem], most: int = LARGEST) -> tuple[Large, ...]:
    ordered = sorted(items, key=lambda item: (-item.cents, item.row))[:most]
    return tuple(Large(row=item.row, email=item.email, cents=item.cents) for item in ordered)


def row_of(note: str, reference: str) -> int | None:
    """Return the row named by an ``internal_note``, or None if it names no row of this request."""
    found = re.fullmatch(rf"{re.escape(reference)}/([0-9]{{1,7}})", "".join(note.split()), re.IGNORECASE)
    return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class HashList:
    """Hashes to cancel, at least one: a request without hashes cancels everything that is pending."""

    all: tuple[str, ...]

    def __init__(self, first: str, *rest: str) -> None:
        everything = (first, *rest)
        if not all(one.strip() for one in everything) or len(set(everything)) != len(everything):
            raise ValueError("a hash is blank or given twice")
        if len(everything) > CHUNK:
            raise ValueError(f"at most {CHUNK} hashes at once")
        object.__setattr__(self, "all", everything)

    @classmethod
    def of(cls, hashes: Sequence[str]) -> Self:
        """Build a list from a sequence; raises ValueError if it is empty or breaks another rule."""
        if not hashes:
            raise ValueError("an empty list would cancel everything that is pending")
        return cls(*hashes)


class Tally(Value):
    """Counts and sums of the items by status, which always add up to the approved ones."""

    counts: Mapping[str, int] = Field(default_factory=dict)
    """Status in our spelling -> number of items. ``""``: not reported by the service."""
    sums: Mapping[str, int] = Field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def of(self, *statuses: str) -> int:
        return sum(self.counts.get(status, 0) for status in statuses)

    def cents_of(self, *statuses: str) -> int:
        return sum(self.sums.get(status, 0) for status in statuses)

    @property
    def completed(self) -> int:
        return self.of(OperationStatus.COMPLETED)

    @property
    def failed(self) -> int:
        return self.of(OperationStatus.FAILED)

    @property
    def canceled(self) -> int:
        return self.of(OperationStatus.CANCELED)

    @property
    def pending(self) -> int:
        return self.of(OperationStatus.PENDING)

    @property
    def queued(self) -> int:
        """Received but not started; included in ``under_way``."""
        return self.of(OperationStatus.CREATED)

    @property
    def unaccounted(self) -> int:
        return self.of("")

    @property
    def final(self) -> int:
        return self.completed + self.failed + self.canceled

    @property
    def under_way(self) -> int:
        return self.total - self.final - self.pending - self.unaccounted

    @property
    def is_settled(self) -> bool:
        return self.total > 0 and self.final == self.total


def tally(lines: Iterable[tuple[str, int, int]]) -> Tally:
    """Sum up (status, count, cents) by status."""
    counts: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for status, count, cents in lines:
        counts[status] += count
        sums[status] += cents
    return Tally(counts=dict(counts), sums=dict(sums))


class BulkProgress(Value):
    """Details of a bulk payment or a cancellation besides its state, for its card."""

    looked_up: int = 0
    to_look_up: int = 0
    """Number of different addresses. The following fields count those with a concern and list the first ones."""
    inactive: int = 0
    """Accounts for which the money would be held in escrow."""
    inactive_emails: tuple[str, ...] = ()
    unverified: int = 0
    unverified_emails: tuple[str, ...] = ()
    other_names: int = 0
    """Recipients whose registered name matches neither the file's name nor, if it has none, the address."""
    other_name_emails: tuple[str, ...] = ()
    not_read: int = 0
    """Accounts that couldn't be read, or that the service reports neither as active nor as inactive."""
    tally: Tally = Tally()
    over: bool = False
    """Whether the service has created every single payment or has given up."""
    failed: bool = False
    """Whether the service's record of the bulk payment is failed, which is final; single payments may still change."""
    why: str = ""
    """Reason on that record; foreign text."""
    read_at: datetime | None = None
    changed_at: datetime | None = None
