"""Bulk payments, and cancellations of what is pending in them: what is asked for.

The service has no key per item, so our reference travels in each row's ``internal_note``: ``L-4F7K2M/17``.
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
"""Rows of one file. The service shows no limit; this one keeps a card something that a person can check."""
LARGEST: Final = 5
CHUNK: Final = 100
AGAIN: Final = "again:"
"""Prefix of the source key of a list that retries failed payments; the id of the first list follows."""
Payment = tuple[str, int]
"""Recipient's address in lower case, and cents: two payments with both the same are the same payment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """One payment of a file. ``row`` is its number as a spreadsheet counts, the header being 1."""

    row: int
    email: str
    cents: Cents
    note: str = ""
    name: str = ""
    """Of the recipient, as the file has it: compared with the registered one, and never sent."""


class Large(Value):
    row: int
    email: str
    cents: int


class _Many(Value):
    """About many payments, without their items: those stand in a table of their own, bound by their digest."""

    has_items: ClassVar[bool] = True
    email: ClassVar[str] = ""
    code: ClassVar[str] = ""
    taken: ClassVar[str] = ""

    count: Annotated[int, Field(gt=0)]
    cents: Annotated[int, Field(gt=0)]
    items_digest: str


class BulkPayload(_Many):
    """What a bulk payment pays."""

    name: str
    """Of the file, for people; foreign text."""
    twin_digest: str
    """The same for files that pay the same people the same amounts in whatever order."""
    largest: tuple[Large, ...]
    duplicates: tuple[int, ...] = ()
    """Rows that pay the same amount to the same address as an earlier row; at most a hundred of them are kept."""
    duplicate_count: int = 0
    people: int = 0
    """Different addresses."""
    new_count: int = 0
    new_cents: int = 0
    """The largest item of those."""
    again_of: str = ""
    """Reference of the bulk payment whose failed payments it pays again, with their row numbers; empty: none."""
    read_as: str = ""
    """How the file was read, in words: encoding, columns. Empty for rows that were typed."""
    left_out: tuple[int, ...] = ()
    """Rows of the file that are not paid, because something speaks against their addresses; a hundred are kept."""
    left_out_count: int = 0
    anyway: tuple[int, ...] = ()
    """Rows that the e-mail service calls undeliverable, and that are paid; a hundred are kept."""
    done_anyway: Mapping[int, str] = Field(default_factory=dict)
    """The statuses of rows that are paid although they may be paid already; a hundred are kept. Foreign texts."""
    done_anyway_count: int = 0
    check: str = ""
    """Id of the job that checked the file before; empty: none did."""
    marks: Marks = NO_MARKS
    """What people do not see in their spreadsheet although it is paid."""
    thread_ts: str = ""
    """Thread of the dropped file it was read from: its outcome is told there. Empty: given in a form."""

    @property
    def description(self) -> str:
        return self.name

    @property
    def payee(self) -> str:
        return self.twin_digest

    def payments(self, items: Iterable[BulkItem]) -> Mapping[Payment, Sequence[int]]:
        """Its payments with the rows that make them."""
        found: dict[Payment, list[int]] = {}
        for item in items:
            found.setdefault((item.email.casefold(), int(item.cents)), []).append(item.row)
        return found

    def canonical(self) -> dict[str, object]:
        return {"count": self.count, "amount": plain(self.cents), "items": self.items_digest}


class CancelPayload(_Many):
    """Which items of a bulk payment are to be canceled: always by their hashes, which are in the item table.

    Or a payout in escrow: its own id is in the item table in place of a hash.
    """

    thread_ts: ClassVar[str] = ""
    twin_digest: ClassVar[str] = ""
    again_of: ClassVar[str] = ""

    bulk: str
    """Reference of the bulk payment or payout, or the service's id of a bulk payment that was not asked for here."""
    bulk_remote_id: str
    all_pending: bool = False
    payout_to: str = ""
    """Address of the payout's recipient; empty: it is about a bulk payment."""

    @property
    def description(self) -> str:
        return f"Cancel {self.bulk}" if self.payout_to else f"Cancel pending payments of {self.bulk}"

    @property
    def payee(self) -> str:
        return self.items_digest

    def payments(self, _: object = ()) -> Mapping[Payment, Sequence[int]]:
        """None: what it takes back pays nobody."""
        return {}

    def canonical(self) -> dict[str, object]:
        whose = "payout" if self.payout_to else "bulk"
        return {whose: self.bulk_remote_id, "amount": plain(self.cents), "items": self.items_digest}


def items_digest(items: Iterable[BulkItem]) -> str:
    """SHA-256 (hex) over row, address, amount and note of every item, in order."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps([item.row, item.email, plain(item.cents), item.note]).encode() + b"\n")
    return digest.hexdigest()


def twin_digest(items: Iterable[BulkItem]) -> str:
    """The same over who gets how much, whatever the order, notes and letter case."""
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
    """The row that an ``internal_note`` names; None when it is none of this request's."""
    found = re.fullmatch(rf"{re.escape(reference)}/([0-9]{{1,7}})", "".join(note.split()), re.IGNORECASE)
    return int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class HashList:
    """Hashes to cancel: one at least, because a request without any cancels everything that is pending."""

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
        """From a sequence that is known not to be empty; raises ValueError where it is, or breaks another rule."""
        if not hashes:
            raise ValueError("an empty list would cancel everything that is pending")
        return cls(*hashes)


class Tally(Value):
    """Counts and sums of the items by status; they always add up to what was approved."""

    counts: Mapping[str, int] = Field(default_factory=dict)
    """Status in our spelling -> items. ``""``: the service has not reported them."""
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
        """Received, and not begun: part of what is under way."""
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
    to_look_up: int = 0
    """Different addresses; what follows counts some of those looked up, and names the first ones."""
    inactive: int = 0
    """The money would wait in escrow."""
    inactive_emails: tuple[str, ...] = ()
    unverified: int = 0
    unverified_emails: tuple[str, ...] = ()
    other_names: int = 0
    """Whose registered name fits neither the file's nor, where the file has none, the address."""
    other_name_emails: tuple[str, ...] = ()
    not_read: int = 0
    """The account could not be read, or the service does not say whether it is active."""
    tally: Tally = Tally()
    over: bool = False
    """The service says that it has created every single payment, or that it will not."""
    failed: bool = False
    """The service's own record of the bulk payment is failed, which is final; single payments may still move."""
    why: str = ""
    """What that record gives as its reason; foreign text."""
    read_at: datetime | None = None
    changed_at: datetime | None = None
