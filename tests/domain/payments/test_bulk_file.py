"""Rows as payments: every mistake with its row, its column and its rule."""

import pytest

from bot.domain.files.columns import ColumnSummary
from bot.domain.files.tables import Row
from bot.domain.payments.bulk_file import COLUMNS, guess_places, read_rows
from bot.tables.delimited import neutral, plain
from bot.tables.reading import find_columns

NOTE_LIMIT = 200

PLACES = {"email": 0, "amount": 1, "note": 2}


def read(*cells: str) -> tuple[list[object], list[str]]:
    items, bad = read_rows([Row(7, cells)], PLACES, plain=plain)
    return list(items), [f"{one.row} {one.column}: {one.rule}" for one in bad]


@pytest.mark.parametrize(("cells", "wrong"), [
    (("", "1", ""), "7 email: it isn't"), (("nobody", "1", ""), "7 email: it isn't an e-mail address"),
    ((f"{'a' * 60}@{'b' * 60}.example.com", "1", ""), "7 email: it can have at most 120 characters"),
    (("ana@example.com", "", ""), "7 amount: it "),
    (("ana@example.com", "25,00", ""), "7 amount: use a point for cents: 25.00"),
    (("ana@example.com", "1,500", ""), "7 amount: write 1500.00 for $1,500.00"),
    (("ana@example.com", "-1", ""), "7 amount: it must be more than 0"),
    (("ana@example.com", "1", "n" * (NOTE_LIMIT + 1)), "7 note: it must have at most"),
])  # fmt: skip
def test_a_wrong_row(cells: tuple[str, ...], wrong: str) -> None:
    items, bad = read(*cells)
    assert items == []
    assert [one.startswith(wrong) for one in bad] == [True]
    assert len(read("nobody", "-1", "")[1]) == 2, "every mistake of a row is named"


@pytest.mark.parametrize(("column", "names"), [
    ("email", "e-mail, mail, email address, recipient, recipient email, receiver, receiver email, payee"),
    ("email", "payee email, correo, correo electrónico"),
    ("amount", "amount usd, amount in usd, usd, sum, total, value, importe, monto, betrag, montant"),
    ("note", "notes, description, memo, purpose, concept, comment, comments"),
    ("note", "nota, concepto, zweck, notiz, verwendungszweck"),
])  # fmt: skip
def test_column_is_found_under_each_name(column: str, names: str) -> None:
    for name in names.split(", "):
        assert find_columns(["other", name], COLUMNS) == {column: 1}, name


@pytest.mark.parametrize("email", ["=ana@example.com", "+ana@example.com", "-ana@example.com", "ana@example.com"])
def test_address_survives_export_and_import(email: str) -> None:
    items, bad = read_rows([Row(2, (neutral(email), "1.00", neutral("=1+1")))], PLACES, plain=plain)
    assert bad == []
    assert (items[0].email, items[0].note) == (email, "=1+1")


@pytest.mark.parametrize(
    ("columns", "place"),
    [
        ((["1", "2", "3"], ["5.00", "x", "y"]), 1),  # row numbers are whole: one amount with cents says more
        ((["5.00", "x", "y"], ["1", "2", "3"]), 0),
        ((["1", "2", "x"], ["1", "2", "3"]), 1),  # without cents, the column with more amounts
        ((["1", "2", "3"], ["4", "5", "6"]), 0),  # of equal ones the first
        ((["0", "0.00", "-1.00"], ["x", "", "y"]), None),
    ],
)
def test_amount_column_is_the_one_with_cents(columns: tuple[list[str], list[str]], place: int | None) -> None:
    emails = [f"p{n}@example.com" for n in range(3)]
    rows = [Row(number=n + 2, cells=(emails[n], columns[0][n], columns[1][n])) for n in range(3)]
    looks = [ColumnSummary(name="", filled=3, addresses=0 if at else 3, samples=()) for at in range(3)]
    found = guess_places(looks, rows, {"email": 0}).get("amount")
    assert found == (None if place is None else place + 1)


@pytest.mark.parametrize(("typed", "note"), [("May\u200b\nrent\u202e", "May rent"), ("\u3164\u2800", "")])
def test_note_keeps_visible_characters_only(typed: str, note: str) -> None:
    items, bad = read_rows([Row(7, ("ana@example.com", "25.00", typed))], PLACES, plain=plain)
    assert bad == []
    assert items[0].note == note
