"""What we hand back runs in no spreadsheet and reads back as it was."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tables.delimited import neutral, plain, rewritten, write_csv
from bot.tables.reading import read_table

FORMULAS = [
    "=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\ufeff=1", "＝1+1",
    "＋1", "－1", "＠SUM(A1)", '=HYPERLINK("http://example.com","x")', "+1-800-555", "-1-1", "--5", "-", "=",
]  # fmt: skip


@pytest.mark.parametrize("cell", FORMULAS)
def test_formula_like_cells_become_text(cell: str) -> None:
    assert neutral(cell) == f"'{cell}"
    assert plain(neutral(cell)) == cell


@pytest.mark.parametrize(
    "cell", ["-25.00", "+593991234567", "-3", "-12,5", "-4%", "25", "ana@example.com", "a=b", "'", ""]
)
def test_plain_cells_are_written_unchanged(cell: str) -> None:
    assert neutral(cell) == cell


@given(st.text(alphabet=st.sampled_from("'=+-@ \t\r\n\u00a0\u200b＝x1")))
def test_escaping_a_cell_is_reversible(cell: str) -> None:
    assert plain(neutral(cell)) == cell


CELLS = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_rows_that_were_written_read_back_the_same(rows: list[tuple[str, str]]) -> None:
    numbered = [(str(at), *row) for at, row in enumerate(rows)]
    content = write_csv(["row", "one", "two"], numbered)
    assert [row.cells for row in read_table(io.BytesIO(content), name="a.csv").rows] == numbered


def test_csv_for_people_differs_from_csv_for_services() -> None:
    assert write_csv(["email", "=x"], [["a@b.co", "José"]]) == "\ufeffemail,'=x\r\na@b.co,José\r\n".encode()
    assert write_csv(["email"], [["+a@b.co"]], for_people=False) == b"email\r\n+a@b.co\r\n"


@pytest.mark.parametrize("content", [
    b"email,note\n=1+1\nx,y,=2+2,z\n", b"email;note\n=1+1;a,b\n", b"\xef\xbb\xbfemail\t=1+1\n", b"caf\xe9,=1+1\n",
    b"a\x00,=1+1\n", b"=" + b"x" * 200_000 + b"\n=1+1",
])  # fmt: skip
def test_improper_tables_never_contain_formulas(content: bytes) -> None:
    made = rewritten(content).decode("utf-8-sig")
    rows = [cell for line in made.replace("\r\n", "\n").split("\n") for cell in re.split(r"[,;\t]", line)]
    assert not [cell for cell in rows if cell.strip('"').startswith("=")]


@pytest.mark.parametrize("cell", FORMULAS)
def test_no_formula_gets_into_a_file_for_people(cell: str) -> None:
    text = io.StringIO(write_csv([cell, "note"], [["x", cell]]).decode("utf-8-sig"), newline="")
    assert list(csv.reader(text)) == [[f"'{cell}", "note"], ["x", f"'{cell}"]]


def test_incomplete_character_does_not_stop_an_export() -> None:
    assert write_csv(["a"], [["x\ud800y"]]).endswith(b"x?y\r\n")


def test_cells_are_escaped_only_when_a_spreadsheet_would_misread_them() -> None:
    assert write_csv(["email", "n"], [["ana@example.com", "1"]]) == b"email,n\r\nana@example.com,1\r\n"
    assert write_csv(["email", "n"], [["ana@example.com", "ü"]]).startswith(b"\xef\xbb\xbfemail")
    assert rewritten(b"a,b\n=1,2\n") == b"a,b\r\n'=1,2\r\n"
    assert rewritten("O’Brien,5 €\n".encode("cp1252")).decode("utf-8-sig") == "O’Brien,5 €\r\n"
