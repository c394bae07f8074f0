"""What a workbook hides, computes or disguises is noted with its rows, and the values are read all the same."""

import io

import pytest

from bot.domain.files.tables import Flaw, Hidden, Table, TableProblem
from bot.tables.apart import read_apart
from bot.tables.reading import read_table
from tests.tables.workbooks import packed, parts

_NAMES = '<row r="1"><c r="A1" t="str"><v>email</v></c><c r="B1" t="str"><v>amount</v></c></row>'


def content(rows: str, *, before: str = "", formats: tuple[str, ...] = ()) -> bytes:
    """A workbook with these rows, as XML, below email and amount."""
    sheet = f"<worksheet>{before}<sheetData>{_NAMES}{rows}</sheetData></worksheet>"
    return packed({**parts([], formats=formats), "xl/worksheets/sheet1.xml": sheet})


def row(number: int, *, about: str = "", cell: str = "", formula: str = "") -> str:
    amount = f'<c r="B{number}" {cell}>{formula}<v>{number}</v></c>'
    return f'<row r="{number}" {about}><c r="A{number}" t="str"><v>a@b.co</v></c>{amount}</row>'


def read(made: bytes) -> Table:
    return read_table(io.BytesIO(made), name="people.xlsx")


@pytest.mark.parametrize("about", ['hidden="1"', 'hidden="true"', 'ht="0" customHeight="1"', 'ht="2.9"'])
def test_hidden_rows_are_read_and_reported(about: str) -> None:
    rows = [row(2), row(3, about=about), row(4, about=about), row(5), row(6, about=about)]
    table = read(content("".join(rows)))
    assert [one.number for one in table.rows] == [2, 3, 4, 5, 6]
    assert table.hidden == Hidden(rows=((3, 4), (6, 6)))


HIDES: list[tuple[str, str, str, tuple[str, ...], Hidden]] = [
    *[("a row that is seen", "", row(2, about=about), (), Hidden())
      for about in ('hidden="0"', 'ht="3"', 'ht="15.75" customHeight="1"', 'ht="tall"')],
    *[("rows have the height of the sheet", f"<sheetFormatPr {default}/>", row(2) + row(3, about='ht="15"'), (),
       Hidden(rows=((1, 2),)))
      for default in ('defaultRowHeight="0"', 'defaultRowHeight="15" zeroHeight="1"')],
    *[("rows that are not hidden", f'<sheetFormatPr defaultRowHeight="15" zeroHeight="{zero}"/>', row(2), (), Hidden())
      for zero in ("0", "false")],
    *[("columns", columns, row(2), (), Hidden(columns=hidden)) for columns, hidden in (
        ('<cols><col min="2" max="2" width="9" hidden="1"/></cols>', (1,)),
        ('<cols><col min="1" max="16384" width="9" hidden="true"/></cols>', (0, 1)),
        ('<cols><col min="2" max="2" width="0" customWidth="1"/></cols>', (1,)),
        ('<cols><col min="2" max="2" width="0.9"/></cols>', (1,)),
        ('<cols><col min="2" max="2" width="1"/></cols>', ()),
        ('<cols><col min="3" max="9" width="9" hidden="1"/></cols>', ()),
        ('<sheetFormatPr defaultColWidth="0"/><cols><col min="1" max="1" width="9"/></cols>', (1,)))],
    ("results of formulas", "",
     row(2) + row(3, formula="<f>SUM(C1:C9)</f>") + row(4, formula='<f t="shared" si="0"/>'), (),
     Hidden(formulas={1: ((3, 4),)})),
    *[("cells that one formula fills", "",
       row(2, formula=f'<f t="{kind}" ref="B2:B4">C1:C9</f>') + row(3) + row(4) + row(5), (),
       Hidden(formulas={1: ((2, 4),)})) for kind in ("array", "dataTable")],
    ("an array may fill one cell", "", row(2, formula='<f t="array" ref="B2">C1:C9</f>') + row(3), (),
     Hidden(formulas={1: ((2, 2),)})),
    # No spreadsheet writes this; the amount there counts nevertheless.
    ("the one cell may be another than its own", "",
     row(2, formula='<f t="array" ref="B4">C1:C9</f>') + row(3) + row(4) + row(5), (), Hidden(formulas={1: ((2, 4),)})),
    ("a format that shows something else", "",
     row(2) + row(3, cell='s="1"') + row(4, cell='s="2"') + row(5, cell='s="2" t="str"'), (";;;", "0.00"),
     Hidden(disguised={1: ((3, 3),)}, numbers={1: ((4, 4),)})),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "rows", "formats", "hidden"), [pytest.param(*case, id=name) for name, *case in HIDES]
)
def test_hidden_cells_are_read_and_reported(before: str, rows: str, formats: tuple[str, ...], hidden: Hidden) -> None:
    table = read(content(rows, before=before, formats=formats))
    assert table.hidden == hidden
    numbers = [one.number for one in table.rows]
    assert numbers == list(range(2, 2 + len(numbers)))
    assert [one.cells[1].removesuffix(".00") for one in table.rows] == [str(number) for number in numbers]


async def test_hidden_cells_are_reported_by_the_reader_process() -> None:
    rows = row(2, about='hidden="1"') + row(3, formula="<f>1</f>") + row(4, cell='s="1"')
    made = content(rows, before='<cols><col min="1" max="1" hidden="1"/></cols>', formats=(";;;",))
    apart = await read_apart(io.BytesIO(made), name="people.xlsx")
    assert apart.hidden == Hidden(rows=((2, 2),), columns=(0,), formulas={1: ((3, 3),)}, disguised={1: ((4, 4),)})


def test_more_than_100_000_places_are_refused() -> None:
    """Formulas in every second row of many columns: no person looks at those."""
    letters = [chr(65 + at) for at in range(25)]
    names = "".join(f'<c r="{one}1" t="str"><v>n{one}</v></c>' for one in letters)
    rows = "".join(
        f'<row r="{n}">' + "".join(f'<c r="{one}{n}"><f>1</f><v>1</v></c>' for one in letters) + "</row>"
        for n in range(2, 8_002, 2)
    )

    def made(more: str = "") -> bytes:
        sheet = f'<worksheet><sheetData><row r="1">{names}</row>{rows}{more}</sheetData></worksheet>'
        return packed({**parts([]), "xl/worksheets/sheet1.xml": sheet})

    assert [len(runs) for runs in read(made()).hidden.formulas.values()] == [4_000] * 25
    with pytest.raises(TableProblem) as refusal:
        read(made(row(8_002, formula="<f>1</f>")))
    assert refusal.value.flaw is Flaw.TOO_COMPLEX
