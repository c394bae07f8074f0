"""The files of bulk payments: columns, rows, and the words that go with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.domain.money import plain
from bot.domain.payments.bulk_account import BulkRow
from bot.domain.payments.instruction import Instruction, Kind
from bot.presentation.blocks.text import counted, escape

REQUEST_HEADER = ("email", "amount", "note")
FAILED_HEADER = ("email", "amount", "note", "error")
"""The first three are what a new request reads, so that it can be dropped again after mending."""
ITEMS_HEADER = ("row", "email", "amount", "note", "status", "hash", "error")
CANCEL_HEADER = ("email", "amount", "status", "hash")
TEMPLATE_TITLE = "Template for a bulk payment"
BAD_ROWS_TITLE = "Rows to mend"
TEMPLATE = (("ana@example.com", "25.00", "March translation"), ("ben@example.com", "10.50", "Proofreading"))

_NOT_REPORTED = "not reported"


@dataclass(frozen=True, slots=True)
class Told:
    """Title, alternative text and comment of a file."""

    title: str
    alt: str
    comment: str


def request_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """What is to be paid."""
    return [(row.email, plain(row.cents), row.note) for row in rows]


def failed_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """What failed, with the service's words."""
    return [(row.email, plain(row.cents), row.note, row.error) for row in rows]


def item_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """Every item, with its hash."""
    return [
        (str(row.row), row.email, plain(row.cents), row.note, row.status or _NOT_REPORTED, row.hash, row.error)
        for row in rows
    ]


def cancel_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """The items to cancel, or their outcomes."""
    return [(row.email, plain(row.cents), row.status, row.hash) for row in rows]


def about(instruction: Instruction, *, kind: str, count: int) -> Told:
    """Title, the same in words, and the message."""
    reference = instruction.reference
    payments = counted(count, "payment")
    if instruction.kind is Kind.BULK_CANCEL:
        title = f"{reference}: the payments to cancel" if kind == "request" else f"{reference}: outcome of each payment"
        return Told(title, f"A table of {payments} with their hashes", f":page_facing_up: {escape(title)} ({payments})")
    match kind:
        case "failed":
            title = f"{reference}: failed payments"
            comment = (
                f":page_facing_up: The {payments} that failed, with the reasons. Mend the rows, drop the file here "
                "again and choose *Pay in bulk*."
            )
        case "items":
            title = f"{reference}: every payment"
            what = "The payment with its" if count == 1 else f"All {payments} with their"
            comment = f":page_facing_up: {what} final state and hash."
        case _:
            title = f"{reference}: what is to be paid"
            comment = f":page_facing_up: The file behind {reference}: {payments}, exactly as they would be sent."
    return Told(title, f"A table of {payments}", comment)
