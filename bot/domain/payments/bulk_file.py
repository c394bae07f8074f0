"""Read the rows of a file as payments. Bad rows are fixed or left out before anything is requested."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Self

from bot.domain.addresses import address
from bot.domain.errors import RuleError
from bot.domain.files.columns import ColumnSummary, likely_column
from bot.domain.files.tables import NO_MARKS, Marks, Row, Spans, rows_of
from bot.domain.money import cents_of, parse_amount, readings
from bot.domain.payments.bulk import BulkItem, BulkProgress
from bot.domain.payments.deliverability import OF_ADDRESSES, OF_STATUS, Choice, DoubtfulRow
from bot.domain.payments.instruction import Instruction
from bot.domain.text import bare, clean

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "email": (
            *("e-mail", "mail", "email address", "recipient", "recipient email", "receiver", "receiver email"),
            *("payee", "payee email", "correo", "correo electrónico"),
        ),
        "amount": (
            *("amount usd", "amount in usd", "usd", "sum", "total", "value"),
            *("importe", "monto", "betrag", "montant", "valor"),
        ),
        "note": (
            *("notes", "description", "memo", "purpose", "concept", "comment", "comments"),
            *("nota", "concepto", "zweck", "notiz", "verwendungszweck"),
        ),
        "name": (
            *("full name", "recipient name", "recipient's name", "payee name", "receiver name", "account holder"),
            *("registered name", "beneficiary", "beneficiary name", "contact name", "person"),
            *("nombre", "nombre completo", "beneficiario", "empfänger", "nom", "nome"),
        ),
    }
)
REQUIRED: Final = ("email", "amount")
TYPED: Final = ("email", "amount", "note")
"""Columns of a typed row without a header, in this order."""
LEAST_COLUMNS: Final = len(REQUIRED)
"""Fewest columns of a table that can be paid, whatever their names."""
NOTE_LIMIT: Final = 200
_NAME_LIMIT: Final = 200
DISGUISED: Final = (
    "its number format shows something else than the cell holds; give the cell a plain number format such as 0.00"
)
"""The rule broken by a cell that shows people another value than would be paid."""
GIVEN_LIMIT: Final = 80
"""Characters of a cell quoted in an error."""
_GUESSED_FROM = 200


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be paid. ``rule`` is our text, ``given`` the text in the file, or empty."""

    row: int
    column: str
    rule: str
    given: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why no amount is read: a foreign ``currency`` in ``column`` or in every row, or rows in two styles, as written.

    If all fields are empty, a person has to choose the decimal sign.
    """

    column: str = ""
    currency: str = ""
    points: Sequence[tuple[int, str]] = ()
    commas: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that was read, with its payments or its bad rows. ``read_as``: encoding and columns, in words."""

    name: str
    items: Sequence[BulkItem]
    bad: Sequence[BadRow]
    rows: int
    read_as: str
    marks: Marks = NO_MARKS
    doubtful: Sequence[DoubtfulRow] = ()
    """Rows with a doubt from the e-mail service or about their accounts, whether in ``items`` or left out."""
    unchecked: int = 0
    """Number of rows of a checked list without an answer from the service."""
    accounts: BulkProgress | None = None
    """Accounts looked up before the request; None if none were."""
    skipped: Sequence[BadRow] = ()
    """Errors of the rows that a person left out; ``bad`` is empty then."""
    encoding: str = ""
    delimiter: str = ""
    """How the file was written; empty for a workbook or typed rows."""
    header: Sequence[str] = ()
    cells: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Original cells of the rows that cannot be paid."""
    asks: Sequence[str] = ()
    """Amounts as written, for which a person has to choose the reading."""
    unread: Unread | None = None
    """Why there are neither payments nor bad rows."""

    @property
    def left_out(self) -> tuple[int, ...]:
        doubtful = {one.row for one in self.doubtful if one.is_left_out}
        return tuple(sorted(doubtful | {one.row for one in self.skipped}))

    @property
    def anyway(self) -> tuple[int, ...]:
        return tuple(one.row for one in self.doubtful if not one.is_left_out and one.kind in OF_ADDRESSES)

    @property
    def done_anyway(self) -> dict[int, str]:
        """Statuses of rows that are paid although they may be paid already."""
        return {one.row: one.said for one in self.doubtful if not one.is_left_out and one.kind in OF_STATUS}


@dataclass(frozen=True, slots=True)
class EarlierRequest:
    """An earlier request for the same payments. ``rows`` is the number of repeated rows, or 0 for all."""

    first: Instruction
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A file as shown before a request. ``checked`` is None until the columns are chosen.

    ``places`` maps our column names to indexes, as chosen, taken from the header, or guessed.
    """

    name: str
    fingerprint: str
    how: str
    looks: Sequence[ColumnSummary]
    places: Mapping[str, int]
    checked: Checked | None
    repeats: Sequence[EarlierRequest] = ()

    @property
    def repeated(self) -> str:
        """References of the earlier requests, or an empty string."""
        return references_of(self.repeats)


def references_of(repeats: Iterable[EarlierRequest]) -> str:
    return " ".join(one.first.reference for one in repeats)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormMetadata:
    """Metadata of the form, untrusted and checked again. ``key`` deduplicates the request.

    ``seen`` and ``places`` are the fingerprint and columns of the file as shown; ``counted`` is set if a sum was shown.
    """

    file: str
    channel: str
    key: str
    thread_ts: str = ""
    seen: str = ""
    places: Mapping[str, int] = field(default_factory=dict)
    counted: bool = False
    anyway: tuple[int, ...] = ()
    """Doubtful rows to pay anyway."""
    without_account: bool = True
    """Whether to pay rows without an active account."""
    check: str = ""
    """Id of the job that checked the file."""
    checks: bool = False
    """Whether the form starts a check of the file instead of a request."""
    good: bool = False
    """Whether to leave out rows that cannot be paid."""
    decimals: str = ""
    """Decimal sign that a person chose."""
    words: tuple[str, ...] = ()
    """Digests of statuses whose rows are all paid."""
    repeats: str = ""
    """References of the earlier requests for the same payments that were shown."""

    @property
    def choice(self) -> Choice:
        return Choice(
            anyway=frozenset(self.anyway),
            without_account=self.without_account,
            good=self.good,
            decimals=self.decimals,
            words=frozenset(self.words),
        )

    def choosing(self, choice: Choice) -> Self:
        """Return the metadata with a person's current choices."""
        anyway, words = tuple(sorted(choice.anyway)), tuple(sorted(choice.words))
        has, decimals = choice.without_account, choice.decimals
        return replace(self, anyway=anyway, without_account=has, decimals=decimals, words=words)

    def dump(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def load(cls, metadata: str) -> "FormMetadata":
        held = json.loads(metadata)
        return cls(**{**held, **{name: tuple(held.get(name, ())) for name in ("anyway", "words")}})


def payees_in(looks: Sequence[ColumnSummary]) -> list[int]:
    """Return columns with addresses and a recipient's name; if there are several, a person has to choose."""
    names = {"email", *COLUMNS["email"]}
    return [at for at, look in enumerate(looks) if look.is_usable and bare(look.name).casefold() in names]


def guess_places(looks: Sequence[ColumnSummary], rows: Sequence[Row], known: Mapping[str, int]) -> dict[str, int]:
    """Add likely indexes for missing required columns to the known ones, as a suggestion in a form."""
    places = dict(known)
    email = likely_column(looks)
    if "email" not in places and email is not None and email not in places.values():
        places["email"] = email
    if "amount" not in places:
        amounts = {at: _amounts(at, rows) for at in range(len(looks)) if at not in places.values()}
        likely = max(amounts, key=lambda at: (amounts[at], -at), default=-1)
        if likely >= 0 and amounts[likely] > (0, 0):
            places["amount"] = likely
    return places


def _amounts(at: int, rows: Sequence[Row]) -> tuple[int, int]:
    """Count the amounts in a column, those with cents first because row numbers are whole."""
    amounts = []
    for row in rows[:_GUESSED_FROM]:
        cell = row.cells[at].strip()
        with suppress(RuleError):
            if not any(map(cents_of, readings(cell).values())):
                parse_amount(cell)
            amounts.append(cell)
    return sum("." in cell or "," in cell for cell in amounts), len(amounts)


_READERS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (("email", address), ("amount", parse_amount))


def read_rows(
    rows: Iterable[Row], places: Mapping[str, int], *, plain: Callable[[str], str], first: int = 0
) -> tuple[list[BulkItem], list[BadRow]]:
    """Return the rows as payments, and every mistake in the rows that cannot be paid.

    ``plain`` restores a cell that was made safe for spreadsheets; ``first`` is added to each row number.
    """
    items: list[BulkItem] = []
    bad: list[BadRow] = []
    for row in rows:
        number = row.number + first
        cells = {name: plain(row.cells[place]).strip() for name, place in places.items()}
        wrong: list[BadRow] = []
        values: dict[str, Any] = {}
        for name, read in _READERS:
            try:
                values[name] = read(cells[name])
            except RuleError as broken:
                wrong.append(BadRow(number, name, broken.rule, cells[name][:GIVEN_LIMIT]))
        note = clean(cells.get("note", ""))
        if len(note) > NOTE_LIMIT:
            rule = f"it must have at most {NOTE_LIMIT} characters; this has {len(note)}"
            wrong.append(BadRow(number, "note", rule, note[:GIVEN_LIMIT]))
        if not wrong:
            name = clean(cells.get("name", ""))[:_NAME_LIMIT]
            items.append(BulkItem(row=number, email=values["email"], cents=values["amount"], note=note, name=name))
        bad += wrong
    return items, bad


_TOTAL: Final = re.compile(r"(?:(?:sub|grand)[- ]?)?total[es]?\b|sum(?:a|me)?\b|somme?\b|soma\b|gesamt|zwischensumme")
_LOST: Final = re.compile(r"\ufffd|[^\W\d_]\?[^\W\d_]")
_LOST_IN_NAME: Final = re.compile(r"\ufffd|[^\W\d_]\?|\?[^\W\d_]")


def total_rows(rows: Sequence[Row], places: Mapping[str, int]) -> list[int]:
    """Return the numbers of the last rows that have no address and begin with a word such as *Total*."""
    found: list[int] = []
    for row in reversed(rows):
        first = next((bare(cell).casefold() for cell in row.cells if bare(cell)), "")
        if "@" in row.cells[places["email"]] or _TOTAL.match(first) is None:
            break
        found.append(row.number)
    return found


def lost_letters(items: Iterable[BulkItem]) -> list[int]:
    """Return the rows in which a question mark probably replaced a letter, as in ``?ukasz@example.com``."""
    return [
        item.row for item in items if "?" in item.email or _LOST.search(item.note) or _LOST_IN_NAME.search(item.name)
    ]


def disguised_rows(rows: Iterable[Row], places: Mapping[str, int], disguised: Mapping[int, Spans]) -> list[BadRow]:
    found = {name: frozenset(rows_of(disguised[place])) for name, place in places.items() if place in disguised}
    return [
        BadRow(row.number, name, DISGUISED, row.cells[places[name]][:GIVEN_LIMIT])
        for row in rows
        for name, numbers in found.items()
        if row.number in numbers
    ]
