"""The rows of a file as payments. The whole file is read; one bad row means that nothing is requested."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bot.domain.addresses import AddressError, address
from bot.domain.bulk import BulkItem
from bot.domain.money import AmountError, parse_amount
from bot.domain.tables import Row

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "email": (
            "e-mail",
            "mail",
            "email address",
            "recipient",
            "recipient email",
            "receiver",
            "receiver email",
            "payee",
            "payee email",
            "correo",
            "correo electrónico",
        ),
        "amount": (
            "amount usd",
            "amount in usd",
            "usd",
            "sum",
            "total",
            "value",
            "importe",
            "monto",
            "betrag",
            "montant",
        ),
        "note": (
            "notes",
            "description",
            "memo",
            "purpose",
            "concept",
            "comment",
            "comments",
            "nota",
            "concepto",
            "zweck",
            "notiz",
            "verwendungszweck",
        ),
    }
)
"""Our columns, and what people call them."""
REQUIRED: Final = ("email", "amount")
NOTE_LIMIT: Final = 200
"""Characters of a note."""
_GIVEN = 80


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be paid. ``rule`` is ours, ``given`` is what stands in the file."""

    row: int
    column: str
    rule: str
    given: str


def read_rows(
    rows: Iterable[Row], places: Mapping[str, int], *, plain: Callable[[str], str], first: int = 0
) -> tuple[list[BulkItem], list[BadRow]]:
    """Every row as a payment, or why it is none; of a row with several mistakes each is named.

    Args:
        rows: of the file.
        places: our column -> its place.
        plain: a cell as it was before it was made safe for spreadsheets.
        first: what is added to each row's number.
    """
    items: list[BulkItem] = []
    bad: list[BadRow] = []
    for row in rows:
        number = row.number + first
        cells = {name: plain(row.cells[place]).strip() for name, place in places.items()}
        found, wrong = _read(number, cells)
        bad += wrong
        if found is not None:
            items.append(found)
    return items, bad


def _read(number: int, cells: Mapping[str, str]) -> tuple[BulkItem | None, list[BadRow]]:
    wrong: list[BadRow] = []
    email, cents = "", None
    try:
        email = address(cells["email"])
    except AddressError as broken:
        rule = broken.rule if cells["email"] else "it is missing; give an e-mail address such as ana@example.com"
        wrong.append(BadRow(number, "email", rule, cells["email"][:_GIVEN]))
    try:
        cents = parse_amount(cells["amount"])
    except AmountError as broken:
        rule = broken.rule if cells["amount"] else "it is missing; give an amount in USD such as 25.00"
        wrong.append(BadRow(number, "amount", rule, cells["amount"][:_GIVEN]))
    note = _one_line(cells.get("note", ""))
    if len(note) > NOTE_LIMIT:
        rule = f"it must have at most {NOTE_LIMIT} characters; this has {len(note)}"
        wrong.append(BadRow(number, "note", rule, note[:_GIVEN]))
    if wrong or cents is None:
        return None, wrong
    return BulkItem(row=number, email=email, cents=cents, note=note), []


def _one_line(text: str) -> str:
    """Without control characters and the invisible ones that reorder what is read."""
    kept = (" " if letter in "\r\n\t" else letter for letter in text)
    return "".join(letter for letter in kept if unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Co")).strip()
