"""Only what stands in the workbook's own namespace, where it belongs, is read; otherwise it is refused."""

import io
from collections.abc import Callable

import pytest

from bot.domain.files.tables import Flaw, Table, TableProblem
from bot.tables.reading import read_table
from tests.tables.workbooks import packed, parts

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
IDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_IDS = "http://purl.oclc.org/ooxml/officeDocument/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
OTHERS = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x x14ac" xmlns:x="urn:x" '
    f'xmlns:x14ac="urn:ac" xmlns:x14="urn:14" xmlns:xm="urn:m" xmlns:xdr="urn:dr" xmlns:p="{PACKAGE}" '
    f'xmlns:s="{STRICT}" xmlns:r="{IDS}"'
)
NAMES = '<row r="1"><c r="A1" t="str"><v>email</v></c><c r="B1" t="str"><v>amount</v></c></row>'
ANA = '<row r="2"><c r="A2" t="str"><v>ana@example.com</v></c><c r="B2"><v>5</v></c></row>'
THIEF = '<row r="3"><c r="A3" t="str"><v>thief@example.com</v></c><c r="B3"><v>900</v></c></row>'


def foreign(xml: str, prefix: str) -> str:
    """The same elements in another namespace."""
    return xml.replace("</", f"<!{prefix}:").replace("<", f"<{prefix}:").replace(f"<{prefix}:!", "</")


def sheet(rows: str, *, before: str = "", after: str = "", namespace: str = MAIN) -> dict[str, str]:
    xml = f'<worksheet xmlns="{namespace}" {OTHERS}>{before}<sheetData>{NAMES}{rows}</sheetData>{after}</worksheet>'
    return {**parts([]), "xl/worksheets/sheet1.xml": xml}


def read(files: dict[str, str]) -> Table:
    return read_table(io.BytesIO(packed(files)), name="people.xlsx")


def refused(files: dict[str, str]) -> TableProblem:
    with pytest.raises(TableProblem) as refusal:
        read(files)
    return refusal.value


def paid(files: dict[str, str]) -> list[tuple[str, ...]]:
    return [row.cells for row in read(files).rows]


@pytest.mark.parametrize("rows", [
    pytest.param(ANA + foreign(THIEF, "x"), id="a row that a spreadsheet ignores"),
    pytest.param(ANA + foreign(THIEF, "p"), id="a row in the namespace of another part"),
    pytest.param(ANA + foreign(THIEF, "s"), id="a row of the other dialect"),
    pytest.param(ANA + THIEF.replace("<row", '<row xmlns=""'), id="a row without a namespace"),
    pytest.param('<row r="2"><c r="A2"/><x:c r="B2"><v>900</v></x:c></row>', id="a cell"),
    pytest.param('<row r="2"><c r="B2"><x:v>900</x:v></c></row>', id="a value"),
    pytest.param('<row r="2"><c r="B2" t="inlineStr"><x:is><t>900</t></x:is></c></row>', id="a text"),
    pytest.param('<row r="2"><c r="B2" t="inlineStr"><is><x:t>900</x:t></is></c></row>', id="words of a text"),
    pytest.param('<row r="2"><c r="B2"><x:f>1</x:f><v>5</v></c></row>', id="a formula"),
    pytest.param(f"<x:more>{THIEF}</x:more>", id="a row inside of what is ignored"),
    pytest.param(f"<x:more><x:most>{THIEF}</x:most></x:more>", id="a row deep inside of what is ignored"),
    pytest.param('<row r="2"><x:more><c r="B2"><v>5</v></c></x:more></row>', id="a cell inside of what is ignored"),
    pytest.param(f'<mc:AlternateContent><mc:Choice Requires="x">{ANA}</mc:Choice><mc:Fallback>{THIEF}</mc:Fallback>'
     "</mc:AlternateContent>", id="rows to choose from"),
    pytest.param('<row r="2"><c r="B2"><v>5<x:more>00</x:more></v></c></row>', id="digits that are ignored"),
    pytest.param('<row r="2"><c r="B2"><v>5<more>00</more></v></c></row>', id="digits in an element of their own"),
    pytest.param(f"<more>{THIEF}</more>", id="a row elsewhere"),
    pytest.param('<row r="2"><more><c r="B2"><v>5</v></c></more></row>', id="a cell elsewhere"),
    pytest.param('<row r="2"><c r="B2"><is><v>5</v></is></c></row>', id="a value in a text"),
])  # fmt: skip
def test_invisible_cells_are_refused(rows: str) -> None:
    assert refused(sheet(rows)).flaw is Flaw.DAMAGED


WHOLE = "xl/worksheets/sheet1.xml"
SHEET = sheet(ANA)[WHOLE]


def in_workbook(sheets: str) -> dict[str, str]:
    book = f'<workbook xmlns="{MAIN}" {OTHERS} xmlns:q="{STRICT_IDS}"><sheets>{sheets}</sheets></workbook>'
    return {"xl/workbook.xml": book}


def part(name: str, root: str, inside: str, namespace: str = MAIN) -> dict[str, str]:
    return {name: f'<{root} xmlns="{namespace}" {OTHERS}>{inside}</{root}>'}


STRINGS, STYLES, RELATIONS = "xl/sharedStrings.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"
PEOPLE = '<sheet name="People" sheetId="1" r:id="rId1"/>'
DAMAGED: dict[str, dict[str, str]] = {
    "a table that breaks off": {WHOLE: SHEET.removesuffix("</sheetData></worksheet>")},
    "rows before the table": sheet(ANA, before=THIEF),
    "rows behind the table": sheet(ANA, after=THIEF),
    "another table in a foreign namespace": sheet(ANA, after=f"<x:sheetData>{ANA}</x:sheetData>"),
    **{
        root: {WHOLE: SHEET.replace("<worksheet", f"<{root}").replace("</worksheet", f"</{root}")}
        for root in ("x:worksheet", "p:worksheet", "chartsheet")
    },
    "an unknown namespace": sheet(ANA, namespace="urn:x"),
    "a foreign sheet": in_workbook(f'<x:sheet name="Other" sheetId="2" r:id="rId1"/>{PEOPLE}'),
    "a sheet in a foreign element": in_workbook('<x:more><sheet name="Other" sheetId="2" r:id="rId1"/></x:more>'),
    "a sheet with two ids": in_workbook(PEOPLE.replace("/>", ' q:id="rId2"/>')),
    "a foreign text": part(STRINGS, "sst", "<x:si><t>ana</t></x:si>"),
    "foreign words": part(STRINGS, "sst", "<si><t>ana</t><x:t>bo</x:t></si>"),
    "a foreign style": part(STYLES, "styleSheet", '<cellXfs><x:xf numFmtId="9"/></cellXfs>'),
    "foreign styles": part(STYLES, "styleSheet", "<x:a><cellXfs/></x:a>"),
    "a foreign relation": part(RELATIONS, "Relationships", "<x:Relationship/>", PACKAGE),
    "relations of a workbook": part(RELATIONS, "Relationships", ""),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_nonstandard_workbooks_are_refused(name: str) -> None:
    assert refused({**sheet(ANA), **DAMAGED[name]}).flaw is Flaw.DAMAGED


def test_relationship_id_of_another_namespace_is_ignored() -> None:
    files = {**sheet(ANA), **in_workbook('<sheet name="People" x:id="rId9" r:id="rId1"/>')}
    assert paid(files) == [("ana@example.com", "5")]


def test_conditional_format_applies_to_no_cell() -> None:
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="0.00"/></numFmts>'
        '<dxfs><dxf><numFmt numFmtId="164" formatCode="0%"/></dxf></dxfs><cellXfs><xf numFmtId="164"/></cellXfs>'
    )
    files = {**sheet(ANA), "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'}
    assert paid(files) == [("ana@example.com", "5.00")]


def test_other_workbook_parts_are_ignored() -> None:
    """A button with its place, a condition with a formula, the heights that Excel notes, and the like."""
    row = ANA.replace("<row", '<row x14ac:dyDescent="0.25"').replace("</row>", "<extLst><ext/></extLst></row>")
    controls = (
        '<mc:AlternateContent><mc:Choice Requires="x14"><controls><control r:id="rId3"><controlPr><anchor><from>'
        "<xdr:col>1</xdr:col><xdr:row>5</xdr:row></from></anchor></controlPr></control></controls></mc:Choice>"
        "</mc:AlternateContent>"
    )
    objects = "<oleObjects><oleObject><objectPr><from><xdr:col>1</xdr:col><xdr:row>5</xdr:row></from></objectPr>"
    extension = (
        '<extLst><ext uri="{1}"><x14:cfRule><xm:f>A1</xm:f><x14:dxf><numFmt numFmtId="164"/></x14:dxf></x14:cfRule>'
        "</ext></extLst>"
    )
    after = f"<x:more><x:row/></x:more>{controls}{objects}</oleObject></oleObjects>{extension}"
    files = sheet(
        row + "<x:more/>", before='<sheetPr><x:col/></sheetPr><sheetFormatPr x14ac:dyDescent="1"/>', after=after
    )
    files["xl/workbook.xml"] = (
        f'<workbook xmlns="{MAIN}" {OTHERS}><mc:AlternateContent><mc:Choice Requires="x15"><x:absPath/></mc:Choice>'
        '</mc:AlternateContent><sheets><sheet name="People" r:id="rId1"/></sheets>'
        "<extLst><ext><x:workbookPr/></ext></extLst></workbook>"
    )
    assert paid(files) == [("ana@example.com", "5")]
    assert read(files).hidden.formulas == {}


def test_workbook_epoch_ignores_later_extensions() -> None:
    files = parts([["day"], [('s="1"', "<v>44620</v>")]], formats=["yyyy-mm-dd"], since_1904=True)
    later = '<extLst><ext><x:workbookPr xmlns:x="urn:x"/></ext></extLst></workbook>'
    files["xl/workbook.xml"] = files["xl/workbook.xml"].replace("</workbook>", later)
    assert paid(files) == [("2026-03-01",)]


def strict(files: dict[str, str]) -> dict[str, str]:
    return {part: xml.replace(MAIN, STRICT).replace(IDS, STRICT_IDS) for part, xml in files.items()}


def prefixed(files: dict[str, str]) -> dict[str, str]:
    """As some programs write: each element of the workbook with a prefix."""
    return {
        part: foreign(xml, "m").replace(f'xmlns="{MAIN}"', f'xmlns:m="{MAIN}"') if f'xmlns="{MAIN}"' in xml else xml
        for part, xml in files.items()
    }


def renamed_ids(files: dict[str, str]) -> dict[str, str]:
    book = files["xl/workbook.xml"].replace("xmlns:r=", "xmlns:ns7=").replace("r:id=", "ns7:id=")
    return {**files, "xl/workbook.xml": book}


@pytest.mark.parametrize("written", [dict, strict, prefixed, renamed_ids])
def test_records_are_read_with_any_prefix(written: Callable[[dict[str, str]], dict[str, str]]) -> None:
    cells = [('t="s"', "<v>0</v>"), ('s="1"', "<f>2*2.5</f><v>5</v>")]
    files = parts([["email", "amount"], cells], strings=["<r><t>ana@</t></r><r><t>b.co</t></r>"], formats=["0.00"])
    files["xl/worksheets/sheet1.xml"] = files["xl/worksheets/sheet1.xml"].replace('<?xml version="1.0"?>', "")
    table = read(written(files))
    assert (table.header, [row.cells for row in table.rows]) == (("email", "amount"), [("ana@b.co", "5.00")])
    assert table.hidden.formulas == {1: ((2, 2),)}
