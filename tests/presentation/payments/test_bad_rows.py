"""What is said of rows that cannot be paid, and the file in which they are handed back."""

from inline_snapshot import snapshot

from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.bulk_file import BadRow, Checked
from bot.presentation.payments.bad_rows import bad_rows, bad_table, good_label


def bad(count: int) -> list[BadRow]:
    return [BadRow(row=row, column="amount", rule="it must be more than 0", given="0") for row in range(2, count + 2)]


GOOD = BulkItem(row=60, email="ana@example.com", cents=Cents(100))
MANY = (
    BadRow(58, "amount", "it must be more than 0", "-5"),
    BadRow(60, "email", "it isn't an e-mail address", ""),
    BadRow(61, "email", "it isn't an e-mail address", "no*body*"),
    BadRow(61, "amount", "it must be more than 0", ""),
    BadRow(62, "email", "it can have no quotation marks", '"a"@x.yz'),
    BadRow(63, "note", "it must have at most 200 characters; this has 201", "n" * 80),
)


def checked(rows: list[BadRow], *, good: int = 0, total: int = 60) -> Checked:
    return Checked(name="march.csv", items=[GOOD] * good, bad=rows, rows=total, read_as="")


def test_each_bad_row_is_named_with_its_error() -> None:
    assert bad_rows(checked(list(MANY), good=55), sent="").text == snapshot("""\
:pencil2: *5 of 60 rows need fixing.* Fix them and upload the file again, or request the 55 good rows.
• Row 58: amount is -5; it must be more than 0
• Row 60: no e-mail address
• Row 61: no*body∗ isn't an e-mail address
• Row 61: no amount
• Row 62: e-mail address is "a"@x.yz; it can have no quotation marks
• Row 63: note: it must have at most 200 characters; this has 201
Example: `ana@example.com,25.00,March translation`
I sent you these rows as a file, with a column *problem*.\
""")
    assert bad_rows(checked(bad(1), total=1)).text == snapshot("""\
:pencil2: *The only row needs fixing.* Fix it and upload the file again.
• Row 2: amount is 0; it must be more than 0
Example: `ana@example.com,25.00,March translation`\
""")
    assert bad_rows(checked(bad(1), good=1, total=2), typed=True).text.splitlines()[0] == snapshot(
        ":pencil2: *1 of 2 rows needs fixing.* Fix it here and send the form again, or request the 1 good row."
    )
    assert [bad_rows(checked(bad(count))).text.count("… and 1 more") for count in (25, 26)] == [0, 1]
    assert (good_label(1), good_label(1200)) == ("Request the 1 good row", "Request the 1,200 good rows")


def test_file_has_columns_of_rows_and_problem_in_place_of_an_earlier_one() -> None:
    cells = {58: ("ana@x.yz", "-5", "Row 3: amount is -6"), 61: ("no*body*", "", "")}
    rows = [one for one in MANY if one.row in cells]
    problems = ["Row 58: amount is -5; it must be more than 0", "Row 61: no*body* isn't an e-mail address; no amount"]
    for last, kept in (("problem", False), ("Why", True)):
        found = Checked(
            name="m.csv", items=[], bad=rows, rows=60, read_as="", header=("email", "amount", last), cells=cells
        )
        first = [
            [*row, problem] if kept else [*row[:2], problem]
            for row, problem in zip(cells.values(), problems, strict=True)
        ]
        assert bad_table(found) == (["email", "amount", *([last] if kept else []), "problem"], first)
