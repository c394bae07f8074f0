"""People see how their file was understood, and what it hides, computes or disguises."""

from io import BytesIO

import pytest

from bot.domain.files.tables import MEBIBYTE, NO_MARKS, Hidden, Limits, Table, marks_of
from bot.presentation.files.columns import columns_read, mark_lines, read_as, unusual
from bot.tables.reading import read_table

LIMITS = Limits(size=MEBIBYTE, rows=100, columns=10, unpacked=MEBIBYTE)


def table(text: str) -> Table:
    return read_table(BytesIO(text.encode()), name="march.csv", limits=LIMITS)


def test_columns_that_are_not_used_are_named() -> None:
    read = table("E-Mail;Betrag;Kostenstelle\nana@example.com;25.00;7\n")
    said = columns_read(read, {"email": 0, "amount": 1})
    assert said == "email from “E-Mail”, amount from “Betrag”; not used: “Kostenstelle”"
    assert read_as(read) == "UTF-8 with semicolons"
    assert columns_read(table("Email,AMOUNT,more\na@x.yz,1,2\n"), {"email": 0, "amount": 1}) == ""


def test_guessed_table_settings_are_shown() -> None:
    assert unusual(table("email,amount\na@x.yz,1\n")) == ""
    guessed = read_table(BytesIO("email,amount\na@x.yz,1\nß,2\n".encode("cp1252")), name="m.csv", limits=LIMITS)
    assert unusual(guessed) == "read as Windows-1252"
    assert columns_read(guessed, {"email": 0, "amount": 1}) == "read as Windows-1252"


def test_single_column_has_no_separator() -> None:
    assert read_as(table("mail\nana@example.com\n")) == "UTF-8"


HEADER = ("email", "amount", "", "note")


def said(hidden: Hidden, used: tuple[int, ...] | None = None) -> list[str]:
    return mark_lines(marks_of(hidden, HEADER, used))


def test_empty_list_has_no_words() -> None:
    assert said(Hidden()) == mark_lines(NO_MARKS) == []


def test_single_row_and_column_are_worded_in_singular() -> None:
    assert said(Hidden(rows=((3, 3),), columns=(1,), formulas={1: ((4, 4),)}, disguised={0: ((5, 5),)})) == [
        ":warning: Row 3 is hidden in the spreadsheet but will be paid.",
        ":warning: Column “amount” is hidden in the spreadsheet.",
        ":warning: Row 4 contains a formula; its last saved value is used.",
        ":warning: Row 5 contains another value than the spreadsheet shows.",
    ]


def test_several() -> None:
    hidden = Hidden(
        rows=((3, 5), (9, 9)), columns=(1, 2), formulas={1: ((2, 9),)}, disguised={0: ((2, 2), (4, 4), (6, 7))}
    )
    assert said(hidden) == [
        ":warning: Rows 3 to 5 and 9 are hidden in the spreadsheet but will be paid.",
        ":warning: Columns “amount” and “column 3” are hidden in the spreadsheet.",
        ":warning: Rows 2 to 9 contain formulas; their last saved values are used.",
        ":warning: Rows 2, 4, 6 and 7 contain another value than the spreadsheet shows.",
    ]


def test_long_names_list_shows_the_first_and_a_count() -> None:
    rows = tuple((n, n) for n in range(2, 100, 2))
    assert said(Hidden(rows=rows)) == [
        ":warning: Rows 2, 4, 6, 8, 10 and 44 more are hidden in the spreadsheet but will be paid."
    ]
    kept = marks_of(Hidden(rows=rows), HEADER).hidden_rows
    assert (len(kept.spans), kept.count) == (20, 49)
    assert mark_lines(marks_of(Hidden(columns=tuple(range(8))), tuple(f"c{n}" for n in range(30)))) == [
        ":warning: Columns “c0”, “c1”, “c2”, “c3”, “c4” and 3 more are hidden in the spreadsheet."
    ]


@pytest.mark.parametrize(("used", "count"), [((0, 1), 1), ((3,), 1), ((0,), 0), (None, 2)])
def test_formulas_count_only_in_columns_that_are_used(used: tuple[int, ...] | None, count: int) -> None:
    assert marks_of(Hidden(formulas={1: ((2, 2),), 3: ((4, 4),)}), HEADER, used).formulas.count == count


def test_rows_of_several_columns_are_counted_once() -> None:
    marks = marks_of(Hidden(formulas={0: ((2, 4), (8, 8)), 1: ((3, 6),)}), HEADER)
    assert (marks.formulas.spans, marks.formulas.count) == (((2, 6), (8, 8)), 6)


def test_names_of_columns_are_foreign() -> None:
    marks = marks_of(Hidden(columns=(0,)), ("<!channel>",))
    assert mark_lines(marks) == [":warning: Column “&lt;!channel&gt;” is hidden in the spreadsheet."]
