"""Workbooks made by hand, so that each can be broken in its own way."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_TYPES = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"

Cell = str | int | float | tuple[str, str] | None
"""Text, a number, raw XML attributes and content, or nothing."""


def letters(column: int) -> str:
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def cell(place: str, value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f'<c r="{place}" {value[0]}>{value[1]}</c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def sheet(rows: Sequence[Sequence[Cell]], *, after: str = "") -> str:
    body = "".join(
        f'<row r="{number}">{"".join(cell(f"{letters(at)}{number}", value) for at, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    return f'<?xml version="1.0"?><worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData>{after}</worksheet>'


def parts(
    rows: Sequence[Sequence[Cell]],
    *,
    formats: Sequence[str] = (),
    strings: Sequence[str] = (),
    after: str = "",
    state: str = "visible",
    since_1904: bool = False,
) -> dict[str, str]:
    """The parts of a workbook; style ``n + 1`` has the format ``formats[n]``."""
    codes = "".join(f'<numFmt numFmtId="{164 + at}" formatCode={quoteattr(code)}/>' for at, code in enumerate(formats))
    styles = "".join(f'<xf numFmtId="{164 + at}"/>' for at in range(len(formats)))
    shared = "".join(f"<si>{text}</si>" for text in strings)
    return {
        "[Content_Types].xml": _TYPES,
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATION}">'
        f'<workbookPr date1904="{int(since_1904)}"/>'
        f'<sheets><sheet name="People" sheetId="1" state="{state}" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">'
        f'<Relationship Id="rId1" Type="{_RELATION}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_RELATION}/styles" Target="styles.xml"/>'
        f'<Relationship Id="rId3" Type="{_RELATION}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts>{codes}</numFmts>'
        f'<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>{styles}</cellXfs></styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{shared}</sst>',
        "xl/worksheets/sheet1.xml": sheet(rows, after=after),
    }


def packed(files: Mapping[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def workbook(rows: Sequence[Sequence[Cell]], **more: object) -> bytes:
    return packed(parts(rows, **more))  # type: ignore[arg-type]  # the keywords of ``parts``, handed on


def number(value: str, *, style: int) -> tuple[str, str]:
    return f's="{style}"', f"<v>{value}</v>"
