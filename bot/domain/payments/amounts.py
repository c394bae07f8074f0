"""The amounts of a file as a whole: which sign stands before the cents, and in which currency they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.domain.currencies import holds_currencies, is_currency, is_ours, names_other_currency, other_currency_in
from bot.domain.files.tables import Row, Table, rows_of
from bot.domain.money import OTHER_CURRENCY, Decimals, in_plain_style, readings
from bot.domain.payments.bulk_file import GIVEN_LIMIT, REQUIRED, BadRow, Unread

_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """The rows with amounts that have one reading, or why there are none. ``foreign``: rows in another currency.

    ``asks``: amounts as written, of which a person says how they are read.
    """

    rows: Sequence[Row]
    asks: tuple[str, ...] = ()
    unread: Unread | None = None
    foreign: Sequence[BadRow] = field(default_factory=list)


def amounts_in(table: Table, places: Mapping[str, int], decimals: str, *, first: int = 0) -> Amounts:
    """The amounts of a table; ``decimals``: the style that a person has chosen, or empty. ``first``: as for rows."""
    place = places["amount"]
    if currency := other_currency_in(table.header[place]):
        return Amounts(rows=(), unread=Unread(column=table.header[place], currency=currency))
    numbers = frozenset(rows_of(table.hidden.numbers.get(place, ())))
    fits: dict[frozenset[Decimals], list[tuple[int, str]]] = {}
    for row in table.rows:
        if row.number not in numbers:
            fits.setdefault(frozenset(readings(row.cells[place])), []).append((row.number + first, row.cells[place]))
    points, commas = fits.get(frozenset({Decimals.POINT}), ()), fits.get(frozenset({Decimals.COMMA}), ())
    if points and commas:
        return Amounts(rows=(), unread=Unread(points=points, commas=commas))
    both = fits.get(frozenset(Decimals), ())
    asks = tuple(text.strip() for _, text in (*both, *commas))[:_EXAMPLES]
    if asks and decimals not in set(Decimals):
        return Amounts(rows=(), asks=asks, unread=Unread())
    style = Decimals(decimals) if asks else Decimals.POINT
    if points and style is Decimals.COMMA:
        return Amounts(rows=(), asks=asks, unread=Unread(points=points, commas=both))
    rows: Sequence[Row] = table.rows
    if asks or numbers:  # a number of a workbook has a point, whatever the texts have
        rows = [_in_style(row, place, Decimals.POINT if row.number in numbers else style) for row in rows]
    return Amounts(rows=rows, asks=asks, foreign=_foreign(table, places, first))


def _in_style(row: Row, place: int, style: Decimals) -> Row:
    cells = row.cells
    return Row(row.number, (*cells[:place], in_plain_style(cells[place], style), *cells[place + 1 :]))


def _foreign(table: Table, places: Mapping[str, int], first: int) -> list[BadRow]:
    """Rows with another currency in a column of currencies, or none where others have another; or in their note."""
    paid = {places[name] for name in REQUIRED}
    columns = [
        at
        for at, name in enumerate(table.header)
        if at not in paid
        and (
            (holds_currencies(name) and not _holds_only(table.rows, at, _has_digits))  # amounts in a local currency
            or (at not in places.values() and _holds_only(table.rows, at, is_currency))
        )
    ]
    foreign: list[BadRow] = []
    for at in columns:
        cells = [(row.number + first, row.cells[at].strip()) for row in table.rows]
        if not all(is_ours(cell) for _, cell in cells if cell):
            others = [(number, cell[:GIVEN_LIMIT]) for number, cell in cells if not is_ours(cell)]
            foreign += [BadRow(number, "currency", OTHER_CURRENCY, cell) for number, cell in others]
    if "note" in places:
        noted = [(row, row.cells[places["note"]].strip()) for row in table.rows]
        foreign += [
            BadRow(row.number + first, "amount", OTHER_CURRENCY, f"{row.cells[places['amount']].strip()} {note}")
            for row, note in noted
            if names_other_currency(note) and places["note"] not in columns
        ]
    return foreign


def _holds_only(rows: Iterable[Row], at: int, fits: Callable[[str], bool]) -> bool:
    """Whether all cells of a column fit, and one at least isn't empty."""
    filled = False
    for cell in (row.cells[at].strip() for row in rows):
        if cell and not fits(cell):
            return False
        filled = filled or bool(cell)
    return filled


def _has_digits(cell: str) -> bool:
    return any(letter.isdecimal() for letter in cell)
