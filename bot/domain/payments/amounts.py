"""Amounts of a whole file: which decimal sign they use, their currency, and amounts split across columns."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.domain.currencies import (
    currency_said_in,
    holds_currencies,
    is_currency,
    is_number_of_currency,
    is_ours,
    names_other_currency,
    other_currency_in,
    other_unit_in,
)
from bot.domain.files.tables import Row, Table, rows_of
from bot.domain.money import OTHER_CURRENCY, Decimals, cents_of, in_plain_style, plain, readings
from bot.domain.payments.bulk_file import GIVEN_LIMIT, REQUIRED, BadRow, Unread

_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Rows whose amounts have one reading, or why there are none. ``bad`` lists rows whose amount isn't paid.

    ``asks`` lists amounts as written for which a person has to choose the reading.
    """

    rows: Sequence[Row]
    asks: tuple[str, ...] = ()
    unread: Unread | None = None
    bad: Sequence[BadRow] = field(default_factory=list)


def amounts_in(table: Table, places: Mapping[str, int], decimals: str, *, first: int = 0) -> Amounts:
    """Read the amounts of a table in the style that a person chose, if any. ``first`` is added to row numbers."""
    place = places["amount"]
    if (named := _named_currency(table, places)) is not None:
        return Amounts(rows=(), unread=named)
    foreign = _foreign(table, places, first)
    if currency := _currency_of_all(table.rows, place, {one.row - first: one.given for one in foreign}):
        return Amounts(rows=(), unread=Unread(currency=currency))
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
    if asks or numbers:  # a workbook's numbers always use a point, even if its texts use a comma
        rows = [_in_style(row, place, Decimals.POINT if row.number in numbers else style) for row in rows]
    return Amounts(rows=rows, asks=asks, bad=[*foreign, *_torn(table, places, first)])


def _named_currency(table: Table, places: Mapping[str, int]) -> Unread | None:
    """Find another unit in the name of the column, else another currency in titles and remarks."""
    place, column = places["amount"], table.header[places["amount"]]
    alone = not any(holds_currencies(name) for at, name in enumerate(table.header) if at != place)
    if currency := other_unit_in(column, alone=alone):
        return Unread(column=column, currency=currency)
    if not alone or any(map(is_ours, re.split(r"[\s_]+", column))):
        return None
    remarks = [
        row.cells for row in table.rows if not ("@" in row.cells[places["email"]] or _is_amount(row.cells[place]))
    ]
    currency = currency_said_in(" ".join([table.titles, *(cell for cells in remarks for cell in cells)]))
    return Unread(currency=currency) if currency else None


def _in_style(row: Row, place: int, style: Decimals) -> Row:
    return row._replace(cells=(*row.cells[:place], in_plain_style(row.cells[place], style), *row.cells[place + 1 :]))


def _torn(table: Table, places: Mapping[str, int], first: int) -> Iterator[BadRow]:
    """Yield rows in which the next cell may continue the amount: ``ana@example.com,1,500`` isn't $1.00.

    A named column that holds only numbers continues no amount.
    """
    place = places["amount"]
    behind = place + 1
    if table.delimiter != "," or behind >= len(table.header):
        return
    is_note = behind == places.get("note")
    if table.header[behind] and not is_note and all(_is_amount(row.cells[behind]) for row in table.rows):
        return
    quoted = frozenset(rows_of(table.hidden.quoted))
    for row in table.rows:
        amount, number = row.cells[place].strip(), row.cells[behind]
        together = f"{amount},{number}".rstrip()
        whole = max((cents for value in readings(together).values() if (cents := cents_of(value))), default=0)
        if whole and number[:1].isdecimal() and row.number not in quoted:
            apart = f"{''.join(filter(str.isdigit, amount))}.00"
            rule = f"write {plain(whole)}, or {apart} if {number.rstrip()} isn't part of it"
            yield BadRow(row.number + first, "amount", rule, together[:GIVEN_LIMIT])


def _currency_of_all(rows: Sequence[Row], place: int, given: Mapping[int, str]) -> str:
    """Return the foreign currency shared by all rows, in the amount or in ``given``; else an empty string."""
    currency = ""
    for row in rows:
        found = other_currency_in(given.get(row.number, row.cells[place])).upper()
        if not found or currency not in ("", found):
            return ""
        currency = found
    return currency if len(rows) > 1 else ""


def _foreign(table: Table, places: Mapping[str, int], first: int) -> list[BadRow]:
    """Return rows with a foreign or missing currency in a column that isn't all ours, or a foreign one in the note."""
    paid = {places[name] for name in REQUIRED}
    columns = [
        at
        for at, name in enumerate(table.header)
        if at not in paid
        and (
            (holds_currencies(name) and not _holds_only(table.rows, at, _is_amount))  # amounts in a local currency
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
    """Whether every cell of a column fits and at least one isn't empty."""
    filled = False
    for cell in (row.cells[at].strip() for row in rows):
        if cell and not fits(cell):
            return False
        filled = filled or bool(cell)
    return filled


def _is_amount(cell: str) -> bool:
    return any(letter.isdecimal() for letter in cell) and not is_number_of_currency(cell)
