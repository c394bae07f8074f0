"""What is read, from files as spreadsheets write them."""

import io

import pytest

from bot.domain.files.tables import Flaw, Limits, Row, Table, TableProblem
from bot.presentation.table_problems import table_problem
from bot.tables.reading import find_columns, read_table
from tests.tables.workbooks import Cell, number, packed, parts, workbook


def read(content: bytes, name: str = "people.csv") -> Table:
    return read_table(io.BytesIO(content), name=name)


def cells(table: Table) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows]


PEOPLE = 'email,name\r\nana@example.com,José Peña\r\nbo@example.com,"Ω, 李"\r\n'


@pytest.mark.parametrize(("content", "encoding"), [
    (PEOPLE.encode(), "UTF-8"), (PEOPLE.encode("utf-8-sig"), "UTF-8"), (PEOPLE.encode("utf-16"), "UTF-16"),
    (b"\xfe\xff" + PEOPLE.encode("utf-16-be"), "UTF-16"),
    (PEOPLE.encode("utf-16-le"), "UTF-16"), (PEOPLE.encode("utf-16-be"), "UTF-16"),
    (PEOPLE.encode("utf-32"), "UTF-32"),
])  # fmt: skip
def test_all_encodings_give_the_same_table(content: bytes, encoding: str) -> None:
    table = read(content)
    assert table.encoding == encoding
    assert table.header == ("email", "name")
    assert list(table.rows) == [Row(2, ("ana@example.com", "José Peña")), Row(3, ("bo@example.com", "Ω, 李"))]


@pytest.mark.parametrize(
    ("codec", "encoding", "name"),
    [
        ("cp1252", "Windows-1252", "José Peña"),
        ("cp1252", "Windows-1252", "Ana’s – “rent” 5 €"),
        ("cp1250", "Windows-1250", "Łukasz Wiśniewski, Ján Kováč, Jiří"),
        ("mac_roman", "Mac Roman", "José Nuñez, François"),
    ],
)
def test_legacy_encoding_is_detected_by_letters(codec: str, encoding: str, name: str) -> None:
    table = read(f"email;name\na@b.co;{name}\n".encode(codec))
    assert (table.encoding, table.rows[0].cells[1]) == (encoding, name)


TITLED = [["Payroll March 2026"], [], ["email", "amount", "note"], ["ana@example.com", "25.00", "March"]]


@pytest.mark.parametrize(
    ("content", "delimiter", "header", "row", "names_row"),
    [
        (b"email,amount,note\na@b.co,1.00\n", ",", ("email", "amount", "note"), ("a@b.co", "1.00", ""), 0),
        (b"Payroll March 2026,,\n,,\nemail,amount\na@b.co,1\n", ",", ("email", "amount"), ("a@b.co", "1"), 3),
        (b"Payroll, March\nBy: Ana\nemail;amount;note\na@b.co;1,50;x\n", ";",
         ("email", "amount", "note"), ("a@b.co", "1,50", "x"), 3),
        (b"email;amount, net;note, max 100, in USD\na@b.co;25,00;x\nb@b.co;1,50;y\n", ";",
         ("email", "amount, net", "note, max 100, in USD"), ("a@b.co", "25,00", "x"), 0),
        (b"email;amount, net\na@b.co;25,00\nb@b.co;1,50\n", ";", ("email", "amount, net"), ("a@b.co", "25,00"), 0),
        (b"Statement;\nName;Ana\nNumber;370\n;\nemail;amount;note\na@b.co;1;x\n", ";",
         ("email", "amount", "note"), ("a@b.co", "1", "x"), 5),
        (b"email\tamount, net\na@b.co\t1\n", "\t", ("email", "amount, net"), ("a@b.co", "1"), 0),
        (b'email,"a,b, and; more"\na@b.co,1\n', ",", ("email", "a,b, and; more"), ("a@b.co", "1"), 0),
        (b"email|name, title|x;y\na@b.co|Ana|1\n", "|", ("email", "name, title", "x;y"), ("a@b.co", "Ana", "1"), 0),
        (b"\r\n\r\nsep=;\r\nemail;amount\r\n\r\na@b.co;1\r\n", ";", ("email", "amount"), ("a@b.co", "1"), 0),
        (b'\xff\xfe' + 'sep=\t\nemail\tname\na@b.co\tJosé\n'.encode("utf-16-le"), "\t",
         ("email", "name"), ("a@b.co", "José"), 0),
        ("\u200bemail\ufe0f,ａｍｏｕｎｔ\na@b.co,1\n".encode(), ",", ("email", "amount"), ("a@b.co", "1"), 0),
    ],
    ids=["short row", "title", "titles", "commas in names", "a comma each", "statement", "tabs", "quoted", "bars",
         "sep", "sep of UTF-16", "invisible"],
)  # fmt: skip
def test_separator_and_header_are_found(
    content: bytes, delimiter: str, header: tuple[str, ...], row: tuple[str, ...], names_row: int
) -> None:
    table = read(content)
    assert (table.delimiter, table.header, table.names_row) == (delimiter, header, names_row)
    assert table.rows[0].cells == row


def test_header_is_found_below_a_merged_title() -> None:
    table = read(workbook(TITLED, after='<mergeCells><mergeCell ref="A1:C1"/></mergeCells>'), "people.xlsx")
    assert (table.header, table.names_row) == (("email", "amount", "note"), 3)
    assert list(table.rows) == [Row(4, ("ana@example.com", "25.00", "March"))]


def test_rows_of_empty_cells_are_not_a_title() -> None:
    with pytest.raises(TableProblem) as refusal:
        read(b"name\nAna, Quito\nLuis, Lima\n")
    assert refusal.value.flaw is Flaw.RAGGED


def test_control_characters_are_not_utf8_text() -> None:
    assert read(b"email,name\na@b.co,\x7f\x7f\xe9\n").encoding == "Windows-1252"


@pytest.mark.parametrize(("content", "flaw"), [(b"a\0b", Flaw.NUL), (b"a\0b\0", Flaw.NO_ROWS)])
def test_utf16_is_detected_from_two_letters(content: bytes, flaw: Flaw) -> None:
    with pytest.raises(TableProblem) as refusal:
        read(content)
    assert refusal.value.flaw is flaw


@pytest.mark.parametrize("name", ["ID", "PK", "BM", "GIF8", "OggS", ".snd", "PAR1", "Rar!", "7z"])
def test_a_first_name_that_is_the_mark_of_another_format(name: str) -> None:
    assert read(f"{name};Price\n1;25\n".encode()).header == (name, "Price")


TEXTS: list[tuple[str, bytes, tuple[str, ...], list[Row]]] = [
    ("one column is a table", b"email\nana@example.com\n\nbo@example.com\n", ("email",),
     [Row(2, ("ana@example.com",)), Row(4, ("bo@example.com",))]),
    ("rows are numbered as a spreadsheet does", b'email,note\n\n"a@b.co","two\nlines"\n,\nb@b.co,x\n',
     ("email", "note"), [Row(3, ("a@b.co", "two\nlines")), Row(5, ("b@b.co", "x"))]),
    ("blank lines before the header count as rows", b"\n\n , \n\nemail,n\n\n\na@b.co,1\n", ("email", "n"),
     [Row(8, ("a@b.co", "1"))]),
    ("the first cell of a row may be empty", b"n,email\n,a@b.co\n  ,b@b.co\n", ("n", "email"),
     [Row(2, ("", "a@b.co")), Row(3, ("  ", "b@b.co"))]),
    ("empty cells beyond the header do not count", b"email,amount,,\na@b.co,1,,\nb@b.co,2\n", ("email", "amount"),
     [Row(2, ("a@b.co", "1")), Row(3, ("b@b.co", "2"))]),
    ("a formula in text is only text", b"email,amount\na@b.co,=1+1\n", ("email", "amount"),
     [Row(2, ("a@b.co", "=1+1"))]),
    ("the signs that Windows adds to Latin-1 are read", b"email,price\na@b.co,\x80 5\n", ("email", "price"),
     [Row(2, ("a@b.co", "€ 5"))]),
    *[(f"line ends of every system: {end!r}", end.join(["email,n", "a@b.co,1", "b@b.co,2"]).encode(), ("email", "n"),
       [Row(2, ("a@b.co", "1")), Row(3, ("b@b.co", "2"))]) for end in ("\n", "\r\n", "\r")],
]  # fmt: skip


@pytest.mark.parametrize(("content", "header", "rows"), [pytest.param(*row, id=name) for name, *row in TEXTS])
def test_texts_as_people_have_them(content: bytes, header: tuple[str, ...], rows: list[Row]) -> None:
    table = read(content)
    assert (table.header, list(table.rows)) == (header, rows)


@pytest.mark.parametrize(("stored", "code", "seen"), [
    ("25", "General", "25"), ("25.5", "General", "25.5"), ("0.1", "General", "0.1"),
    ("0.30000000000000004", "General", "0.3"), ("593991234567", "General", "593991234567"),
    ("1E+20", "General", "1E+20"),
    ("1.0000000000000001E-17", "General", "1E-17"),
    ("-3", "General", "-3"), ("25", "0.00", "25.00"), ("1234.5", "#,##0.00", "1234.50"),
    ("1234.5", '"$"#,##0.00', "1234.50"), ("1234.5", "#,##0.00 [$€-407]", "1234.50 €"),
    ("-1234.5", "#,##0.00;[Red](#,##0.00)", "-1234.50"),
    ("2.5", "0", "3"), ("2.50", "0.##", "2.5"), ("2", "0.##", "2"), ("25000", "0,", "25000"), ("0.25", "0%", "25%"),
    ("0.255", "0.0%", "25.5%"), ("2500", "0.00E+00", "2.50E+03"), ("0.5", "# ?/?", "0.5"),
    ("46082", "yyyy-mm-dd", "2026-03-01"), ("46082", "dd/mm/yyyy", "2026-03-01"), ("46082", "m/d/yy", "2026-03-01"),
    ("46082.5", "yyyy-mm-dd hh:mm", "2026-03-01 12:00"),
    ("46082.5", "d.m.yyyy", "2026-03-01"), ("0.5208333333", "h:mm", "12:30"),
    ("0.5208333333", "h:mm:ss AM/PM", "12:30:00"),
    ("1.5", "[h]:mm:ss", "36:00:00"), ("25", "@", "25"), ("25", '0 "days"', "25 days"),
    ("9e999", "yyyy-mm-dd", "9e999"),
])  # fmt: skip
def test_workbook_numbers_are_read_as_displayed(stored: str, code: str, seen: str) -> None:
    table = read(workbook([["email", "value"], ["a@b.co", number(stored, style=1)]], formats=[code]), "a.xlsx")
    assert cells(table) == [("a@b.co", seen)]


_SHOWN = {
    "46082.7504": (0, 12, 13, 49), "46083": (1, 3, 5, 6, 37, 38, 41, 42), "46082.75": (2, 4, 7, 8, 39, 40, 43, 44),
    "4608275%": (9,),
    "4608275.04%": (10,), "4.61E+04": (11,), "4.6E+04": (48,),
    "2026-03-01": (*range(14, 18), *range(27, 37), *range(50, 59)),
    "2026-03-01 18:00": (22,), "18:00": (18, 20), "18:00:35": (19, 21, 45, 47), "1105986:00:35": (46,),
}  # fmt: skip
"""What stands in a cell, by the numbers of ECMA-376, 18.8.30."""


def test_every_format_that_has_only_a_number_is_known() -> None:
    seen = {one: shown for shown, numbers in _SHOWN.items() for one in numbers}
    rows: list[list[Cell]] = [[f"{one}@b.co", number("46082.7504", style=one)] for one in range(60)]
    files = parts([["email", "n"], *rows])
    styles = "".join(f'<xf numFmtId="{one}"/>' for one in range(60))
    files["xl/styles.xml"] = f"<styleSheet><cellXfs>{styles}</cellXfs></styleSheet>"
    assert [one[1] for one in cells(read(packed(files), "a.xlsx"))] == [
        seen.get(one, "46082.7504") for one in range(60)
    ]


@pytest.mark.parametrize("style", ["", "x", "-1", "9", "\u0662"])
def test_a_cell_of_no_known_style_shows_its_number(style: str) -> None:
    made = workbook([["email", "n"], ["a@b.co", (f's="{style}"', "<v>25.126</v>")]], formats=["0.00"])
    assert cells(read(made, "a.xlsx")) == [("a@b.co", "25.126")]


def test_cells_hold_texts_booleans_errors_and_formula_results() -> None:
    beside = "no<r><t>two </t></r><r>no<t>parts</t>no</r><rPh sb='0' eb='1'><t>sound</t></rPh>no"
    row = [
        ('t="s"', "<v>0</v>"), ('t="s"', "<v>1</v>"), ('t="b"', "<v>1</v>"), ('t="e"', "<f>1/0</f><v>#DIV/0!</v>"),
        ("", "<f>A1*2</f><v>50</v>"), ('t="str"', "<f>A1</f><v>text</v>"),
    ]  # fmt: skip
    named_csv = workbook([[f"c{n}" for n in range(6)], row], strings=["no<t>plain</t>no", beside])
    table = read(named_csv, "people.csv")
    assert cells(table) == [("plain", "two parts", "TRUE", "#DIV/0!", "50", "text")]
    assert (table.sheet, table.encoding) == ("People", "")


def test_blank_workbook_rows_are_skipped_but_numbered() -> None:
    table = read(workbook([["email", "note"], [None, None], ["a@b.co", None], [" ", ""], [None, "x"]]), "a.xlsx")
    assert list(table.rows) == [Row(3, ("a@b.co", "")), Row(5, ("", "x"))]


def test_cells_without_references_follow_each_other() -> None:
    files = parts([])
    cell = "<c t='inlineStr'><is><t>{}</t></is></c>"
    rows = "".join(f"<row>{cell.format(a)}{cell.format(b)}</row>" for a, b in [("email", "n"), ("a@b.co", "1")])
    files["xl/worksheets/sheet1.xml"] = f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
    assert list(read(packed(files), "a.xlsx").rows) == [Row(2, ("a@b.co", "1"))]


WANTED = {"email": ("e-mail address", "mail", "correo", "correo electrónico"), "amount": ("sum", "importe"), "note": ()}


@pytest.mark.parametrize("name", ["email", "E-Mail", " E_MAIL ", "e mail address", "Correo Electronico", "CORREO"])
def test_columns_are_found_by_common_names(name: str) -> None:
    assert find_columns(["Importe", name, "other"], WANTED, required=["email", "amount"]) == {"amount": 0, "email": 1}
    assert find_columns(["Mail", "E-mail"], WANTED) == {"email": 1}, "our own name goes first"


@pytest.mark.parametrize(("header", "said"), [
    (["email", "money"], "The first row has no column amount. Example: email,amount,note"),
    (["Mail", "Correo", "amount"], "Two columns could be email: “Mail” and “Correo”. Rename one of them."),
])  # fmt: skip
def test_missing_or_ambiguous_column_is_named(header: list[str], said: str) -> None:
    with pytest.raises(TableProblem) as refusal:
        find_columns(header, WANTED, required=["email", "amount"])
    assert table_problem(refusal.value) == said


@pytest.mark.parametrize("content", [
    b"email,name\nana@example.com,Ana\nbo@example.com,Bo\none cell,too,many\n",
    workbook([["email", "name"], ["ana@example.com", "Ana"], ["bo@example.com", "Bo"], ["one cell", "too", "many"]]),
], ids=["text", "workbook"])  # fmt: skip
def test_sample_stops_before_broken_rows(content: bytes) -> None:
    with pytest.raises(TableProblem):
        read(content)
    table = read_table(io.BytesIO(content), name="people", limits=Limits(sample=1))
    assert (table.header, cells(table)) == (("email", "name"), [("ana@example.com", "Ana")])


_PACKAGE = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="{}"/></Relationships>'
)
_TYPES = (
    '<Types><Override PartName="/{}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.'
    'main+xml"/></Types>'
)
_NO_FOLDER = {"xl/workbook.xml": "book.xml", "xl/_rels/workbook": "_rels/book", "xl/worksheets": "worksheets"}


@pytest.mark.parametrize(("target", "names"), [
    ("xl/workbook.xml", {name: name.replace("/", "\\") for name in parts([])}),
    ("xl/workbook2.xml", {"workbook.xml": "workbook2.xml"}), ("/XL/Book.xml", {"workbook.xml": "book.xml"}),
    ("xl\\workbook.xml", {}), ("/book.xml", _NO_FOLDER),
], ids=["backslashes", "another name", "case, absolute", "backslash in a target", "no folder"])  # fmt: skip
def test_workbook_is_found_by_its_relationships(target: str, names: dict[str, str]) -> None:
    files = parts([["email", "amount"], ["ana@example.com", 25]])
    files |= {"[Content_Types].xml": _TYPES.format(target.strip("/").lower()), "_rels/.rels": _PACKAGE.format(target)}
    for old, new in names.items():
        files = {name.replace(old, new): content for name, content in files.items()}
    assert cells(read(packed(files), "people.xlsx")) == [("ana@example.com", "25")]
