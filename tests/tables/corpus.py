"""Files as people break them, each with the one sentence it is answered with."""

import gzip
import io
import json
import struct
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.domain.files.tables import Limits
from tests.tables.workbooks import Cell, cell, letters, packed, parts, sheet, workbook

GOOD: list[Cell] = ["email", "amount", "note"]
ROW: list[Cell] = ["ana@example.com", 25, "March"]

SAVE = "Save the sheet as CSV (UTF-8) or as an Excel workbook (.xlsx) and upload it again."
EMPTY = (
    "The file is empty. It needs a first row with column names and at least one row below. Example: email,amount,note"
)
NO_HEADER = "The first row already holds data. Add a row with column names above it. Example: email,amount,note"
NO_ROWS = "The file has column names but no rows. Add at least one row below email,amount,note."
DAMAGED = (
    "The workbook is damaged and can't be opened. Open it in the spreadsheet, save it as .xlsx or CSV (UTF-8), "
    "then upload it again."
)
BOMB = (
    "The workbook unpacks to more than 200 MB. Copy the rows into a new workbook, or save the sheet as CSV (UTF-8), "
    "then upload it again."
)
LOCKED = (
    "The workbook is locked with a password. Remove it (File, Info, Protect Workbook) or save the sheet as "
    "CSV (UTF-8), then upload it again."
)


def other(kind: str) -> str:
    return f"This is {kind}, not a table. {SAVE}"


def nul(row: int) -> str:
    return f"The file is damaged at row {row}, or isn't a CSV file. {SAVE}"


def opened(row: int) -> str:
    return (
        f"A quotation mark in row {row} is never closed. Close it, or write it twice inside a quoted cell, "
        'for example "the ""big"" one".'
    )


def inside(row: int) -> str:
    return (
        f"There's a quotation mark inside a quoted cell in row {row}. Write it twice there, for example "
        '"the ""big"" one".'
    )


def long(row: int) -> str:
    return (
        f"A cell in row {row} is longer than 131,072 characters. Shorten it; if it should be short, look for an "
        'open quotation mark, for example "Ana.'
    )


def ragged(width: int, places: str) -> str:
    return (
        f"No row may have more cells than the row with the names, which has {width}: {places}. "
        'Put a cell that contains the separator in quotation marks, for example "Ana, Quito".'
    )


def mixed(where: str) -> str:
    return f"Some letters{where} can't be read. Save the file as CSV (UTF-8) from the spreadsheet and upload it again."


def again(what: str) -> str:
    return (
        f"{what} is in the workbook twice or out of order, so it isn't clear what counts. Open it in the "
        "spreadsheet, check the values, save it and upload it again."
    )


def rows_of(text: str) -> Callable[[], bytes]:
    """A workbook whose sheet has these rows, as XML, below a good first row."""
    head = "".join(cell(f"{letters(at)}1", name) for at, name in enumerate(GOOD))
    return changed(
        "xl/worksheets/sheet1.xml", f'<worksheet><sheetData><row r="1">{head}</row>{text}</sheetData></worksheet>'
    )


def part_again(name: str) -> Callable[[], bytes]:
    """A workbook with a second part of this name, in which the amount is another."""

    def build() -> bytes:
        data = io.BytesIO(workbook([GOOD, ROW]))
        with warnings.catch_warnings(), zipfile.ZipFile(data, "a") as archive:
            warnings.simplefilter("ignore")
            archive.writestr(name, parts([GOOD, ["ana@example.com", 900, "March"]])["xl/worksheets/sheet1.xml"])
        return data.getvalue()

    return build


@dataclass(frozen=True, kw_only=True)
class Broken:
    name: str
    file: str
    content: Callable[[], bytes]
    sentence: str
    limits: Limits = field(default_factory=Limits)


def text(name: str, content: bytes, sentence: str, *, file: str = "people.csv") -> Broken:
    return Broken(name=name, file=file, content=lambda: content, sentence=sentence)


def book(name: str, content: Callable[[], bytes], sentence: str) -> Broken:
    return Broken(name=name, file="people.xlsx", content=content, sentence=sentence)


def compound(*directory: str) -> bytes:
    """The beginning and the directory of an old Office file."""
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + b"\0" * 504
        + b"".join(entry.encode("utf-16-le").ljust(64, b"\0") for entry in directory)
    )


def zeros(size: int) -> bytes:
    files: dict[str, str | bytes] = {**parts([GOOD, ROW])}
    files["xl/worksheets/sheet1.xml"] = b"\0" * size
    return packed(files)


def lying_bomb() -> bytes:
    """Its directory says that the sheet has 100 bytes."""
    files: dict[str, str | bytes] = {**parts([GOOD, ROW])}
    name = "xl/worksheets/sheet1.xml"
    files[name] = b"<worksheet><sheetData>" + b" " * (210 * 1024 * 1024)
    data = bytearray(packed(files))
    for signature, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        place = data.find(signature)
        while place >= 0:
            length = struct.unpack_from("<H", data, place + (28 if at == 24 else 26))[0]
            start = place + (46 if at == 24 else 30)
            if data[start : start + length] == name.encode():
                struct.pack_into("<I", data, place + at, 100)
            place = data.find(signature, place + 4)
    return bytes(data)


def laughs() -> bytes:
    files = parts([GOOD, ROW])
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    files["xl/sharedStrings.xml"] = (
        f'<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY l0 "ha">{entities}]><sst><si><t>&l8;</t></si></sst>'
    )
    return packed(files)


def changed(part: str, content: str | bytes) -> Callable[[], bytes]:
    return lambda: packed({**parts([GOOD, ROW]), part: content})


def without(part: str) -> Callable[[], bytes]:
    return lambda: packed({name: content for name, content in parts([GOOD, ROW]).items() if name != part})


def locked_parts() -> bytes:
    data = bytearray(workbook([GOOD, ROW]))
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(signature)
        while place >= 0:
            data[place + at] |= 1
            place = data.find(signature, place + 4)
    return bytes(data)


def zipped(files: dict[str, str | bytes], *, first: str = "") -> Callable[[], bytes]:
    def build() -> bytes:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            if first:
                archive.writestr("mimetype", first)
            for name, content in files.items():
                archive.writestr(name, content)
        return data.getvalue()

    return build


TEXTS = [
    text("no byte", b"", EMPTY),
    text("a mark alone", b"\xef\xbb\xbf", EMPTY),
    text("blank lines", b"\r\n\r\n  \r\n", EMPTY),
    text("separators alone", b",,,\r\n,,,\r\n", EMPTY),
    text("header alone", b"email,amount,note\r\n", NO_ROWS),
    text("header and blank rows", b"email,amount,note\r\n,,\r\n\r\n , ,\r\n", NO_ROWS),
    text("no header", b"ana@example.com,25.00,March\nbo@example.com,3.00,April\n", NO_HEADER),
    text("numbers for a header", b"1,2,3\n4,5,6\n", NO_HEADER),
    text("a row too long", b"email,amount\na@b.co,1\nb@b.co,1,000.00\n", ragged(2, "row 3 has 3")),
    text("ragged after a blank line", b"email,amount\n\na@b.co,1\nb@b.co\nc@b.co,1,2\n",
     ragged(2, "row 5 has 3")),
    text("all rows ragged", b"email,amount\n" + b"a@b.co,1,2\n" * 12,
     ragged(2, "row 2 has 3, row 3 has 3, row 4 has 3, row 5 has 3, row 6 has 3, and 7 more rows differ")),
    text("a quote that stays open", b'email,note\na@b.co,"March\nb@b.co,April\n', opened(2)),
    text("a quote that opens at the end", b'email,note\na@b.co,x\nb@b.co,"', opened(3)),
    text("a quote in the header", b'"email,note\na@b.co,x\n', opened(1)),
    text("a quote inside", b'email,note\na@b.co,x\nb@b.co,"the "big" one"\n', inside(3)),
    text("a quote with blanks behind", b'email,note\na@b.co,"x" \n', inside(2)),
    text("NUL in a cell", b"email,note\na@b.co,x\nb@b.co,y\x00z\n", nul(3)),
    text("NUL in the header", b"email,no\x00te\na@b.co,x\n", nul(1)),
    text("NULs at the end", b"email,note\na@b.co,x\n" + b"\x00" * 512, nul(3)),
    text("a cell of 200 KB", b"email,note\na@b.co," + b"x" * 200 * 1024 + b"\n", long(2)),
    text("one line of 200 KB", b"e" * 200 * 1024, long(1)),
    text("an open quote before much text",
     b'email,note\na@b.co,"x\n' + b"b@b.co,some words of a note\n" * 8_000, long(2)),
    text("UTF-8 with a foreign byte",
     "email,note\na@b.co,José Peña\n".encode() + b"b@b.co,Jos\xe9\n", mixed(" in row 3")),
    text("a marked UTF-8 with Latin-1", b"\xef\xbb\xbfemail,note\na@b.co,Jos\xe9\n", mixed("")),
    text("half a letter of UTF-16", "email,note\na@b.co,x\n".encode("utf-16") + b"\x00", mixed("")),
    text("a surrogate alone in UTF-16", b"\xff\xfe" + "email\n".encode("utf-16-le") + b"\x00\xd8a\x00",
     mixed("")),
    text("a PDF called CSV", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", other("a PDF")),
    text("a web page called XLS", b"<html><body><table><tr><td>email</td></tr></table></body></html>",
     other("a web page"), file="report.xls"),
    text("a table of a web page with a mark", b"\xef\xbb\xbf\r\n<TABLE><TR><TD>email", other("a web page"),
     file="report.xls"),
    text("a web page in UTF-16", "<!DOCTYPE html><html>".encode("utf-16"), other("a web page"), file="report.xls"),
    text("XML of a spreadsheet",
     b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>', other("an XML file"),
     file="report.xls"),
    text("JSON", json.dumps([{"email": "a@b.co"}]).encode(), other("a JSON file")),
    text("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", other("a picture")),
    text("a sound", b"OggS\0\x02" + bytes(22) + b"\x01vorbis", other("an audio file")),
    text("a video", b"\0\0\0\x20ftypisom\0\0\x02\0", other("a video")),
    text("a database", b"SQLite format 3\0\x10\0", other("a database")),
    text("a Parquet file", b"PAR1\x15\x04\x15\x10", other("a Parquet file")),
    text("a web archive", b"MIME-Version: 1.0\r\nX-Document-Type: Workbook\r\n", other("a web page"), file="a.xls"),
    text("gzip", gzip.compress(b"email,amount\na@b.co,1\n"), other("a gzip archive")),
    text("RTF", b"{\\rtf1\\ansi email}", other("an RTF document")),
    text("bytes", bytes(range(1, 256)) * 8, other("no text")),
    text("an old workbook", compound("Root Entry", "Workbook"), other("an old workbook (.xls)"), file="old.xls"),
    text("an old workbook called CSV", compound("Root Entry", "Book"), other("an old workbook (.xls)")),
    text("a workbook with a password", compound("Root Entry", "EncryptionInfo", "EncryptedPackage"), LOCKED,
     file="a.xlsx"),
]  # fmt: skip

BOOKS = [
    book("cut off", lambda: workbook([GOOD, ROW])[:-200], DAMAGED),
    book("the beginning of a ZIP", lambda: b"PK\x03\x04", DAMAGED),
    book("a sheet that is no XML", changed("xl/worksheets/sheet1.xml", "email,amount"), DAMAGED),
    book("a sheet that stops", changed("xl/worksheets/sheet1.xml", "<worksheet><sheetData><row r='1'>"), DAMAGED),
    book("a text that is missing", lambda: workbook([GOOD, [('t="s"', "<v>7</v>")]]), DAMAGED),
    book("entities that grow", laughs, DAMAGED),
    book("no sheet", without("xl/worksheets/sheet1.xml"), "The workbook has no visible sheet with cells. "
     "Put the table on the first sheet and upload the file again."),
    book("a hidden sheet", lambda: workbook([GOOD, ROW], state="hidden"),
     "The workbook has no visible sheet with cells. "
     "Put the table on the first sheet and upload the file again."),
    book("an empty sheet", lambda: workbook([]), EMPTY),
    book("blank cells", lambda: workbook([["", " "], [None, ""]]), EMPTY),
    book("header alone", lambda: workbook([GOOD]), NO_ROWS),
    book("no header", lambda: workbook([ROW, ROW]), NO_HEADER),
    book("a cell beyond the header", lambda: workbook([GOOD, [*ROW, "more"]]), ragged(3, "row 2 has 4")),
    book("a cell at the far corner", lambda: packed({**parts([]), "xl/worksheets/sheet1.xml": (
     '<worksheet><sheetData><row r="1"><c r="A1"><v>email</v></c></row>'
     '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
     ).replace('<c r="A1">', '<c r="A1" t="str">')}), ragged(1, "row 1048576 has 16384")),
    book("merged cells",
     lambda: workbook([GOOD, ROW, ROW], after='<mergeCells><mergeCell ref="B2:B3"/></mergeCells>'),
     "Cells B2:B3 are merged, so it isn't clear which row they belong to. "
     "Unmerge them and give each row its own value, for example 25.00."),
    book("a formula without a result", lambda: workbook([GOOD, ["a@b.co", ("", "<f>SUM(A1:A9)</f>"), "x"]]),
     "Cell B2 has a formula without a result. Open the workbook in the spreadsheet and save it, or replace the "
     "formula with its value, for example 25.00."),
    book("a cell given twice",
     rows_of('<row r="2"><c r="A2" t="str"><v>a@b.co</v></c><c r="B2"><v>5</v></c><c r="B2"><v>900</v></c></row>'),
     again("Cell B2")),
    book("a cell given again behind the next",
     rows_of('<row r="2"><c r="B2"><v>5</v></c><c r="C2"><v>1</v></c><c r="B2"><v>900</v></c></row>'),
     again("Cell B2")),
    book(
     "an empty cell given again", rows_of('<row r="2"><c r="B2"/><c r="B2"><v>900</v></c></row>'), again("Cell B2")),
    book("two values in a cell", rows_of('<row r="2"><c r="B2"><v>5</v><v>900</v></c></row>'), again("Cell B2")),
    book("a value and a text in a cell", rows_of('<row r="2"><c r="B2"><v>5</v><is><t>900</t></is></c></row>'),
     again("Cell B2")),
    book("a row given twice", rows_of('<row r="2"><c r="B2"><v>5</v></c></row>' * 2), again("Row 2")),
    book("a row given again behind the next",
     rows_of("".join(f'<row r="{n}"><c r="B{n}"><v>5</v></c></row>' for n in (2, 3, 2))), again("Row 2")),
    book("a table given twice on a sheet", changed("xl/worksheets/sheet1.xml",
     sheet([GOOD, ROW], after='<sheetData><row r="3"><c r="B3"><v>900</v></c></row></sheetData>')),
     again("The table of the sheet")),
    book("a row that a spreadsheet ignores",
     rows_of('<x:row xmlns:x="urn:x" r="2"><x:c r="B2"><x:v>900</x:v></x:c></x:row>'), DAMAGED),
    book("a cell of another row", rows_of('<row r="2"><c r="B3"><v>5</v></c></row>'), DAMAGED),
    book("a cell without a place that can be read", rows_of('<row r="2"><c r="b2"><v>5</v></c></row>'), DAMAGED),
    book("a part given twice", part_again("xl/worksheets/sheet1.xml"), again("Part xl/worksheets/sheet1.xml")),
    book("a part given twice in capitals",
     part_again("xl/worksheets/Sheet1.xml"), again("Part xl/worksheets/Sheet1.xml")),
    book("a part given twice by another path", part_again("xl\\worksheets/./sheet1.xml"),
     again("Part xl\\worksheets/./sheet1.xml")),
    book("a relation given twice", changed("xl/_rels/workbook.xml.rels",
     '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
     '<Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>'), DAMAGED),
    book("a name under a format that shows another",
     lambda: workbook([["email", ('s="1" t="str"', "<v>bonus</v>"), "note"], ROW], formats=['0;0;0;"amount"']),
     "Cell B1 shows something else than it holds. Give it the number format General and upload the "
     "file again."),
    book("NUL in a cell", lambda: workbook([GOOD, ["a@b.co", 1, "x_x0000_y"]]), nul(2)),
    book("half a letter in a cell", lambda: workbook([GOOD, ["a@b.co", 1, "x_xD83D_y"]]), DAMAGED),
    book("a cell of 200 KB", lambda: workbook([GOOD, ["a@b.co", 1, "x" * 200 * 1024]]), long(2)),
    book("a bomb", lambda: zeros(300 * 1024 * 1024), BOMB),
    book("a small bomb", lambda: zeros(20 * 1024 * 1024), BOMB),
    book("a bomb that lies", lying_bomb, BOMB),
    book("thousands of parts", lambda: packed({**parts([GOOD, ROW]), **{f"p{n}": "" for n in range(2_500)}}), BOMB),
    book("parts with a password", locked_parts, LOCKED),
    book("an OpenDocument spreadsheet",
     zipped({"content.xml": "<x/>"}, first="application/vnd.oasis.opendocument.spreadsheet"),
     other("an OpenDocument spreadsheet (.ods)")),
    book("a binary workbook", zipped({"xl/workbook.bin": b"\x83"}), other("an XLSB workbook")),
    book("a Word document", zipped({"word/document.xml": "<x/>"}), other("a Word document")),
    book("a Numbers document", zipped({"Index/Document.iwa": b"x"}), other("a Numbers document")),
    book("a zipped CSV", zipped({"people.csv": "email\na@b.co\n"}), other("a ZIP archive")),
]  # fmt: skip

LIMITS = [
    Broken(name="a million rows", file="people.csv", limits=Limits(size=10**9),
     content=lambda: b"email,amount\n" + b"ana@example.com,25.00\n" * 1_000_000,
     sentence="The file has more than 100,000 rows. Split it into files of at most 100,000 rows each."),
    Broken(name="many bytes", file="people.csv", limits=Limits(size=2 * 1024 * 1024),
     content=lambda: b"email,amount\n" + b"ana@example.com,25.00\n" * 200_000,
     sentence="The file is larger than 2 MB. Split it into smaller files."),
    Broken(name="many columns", file="people.csv",
     content=lambda: ",".join(f"c{n}" for n in range(101)).encode() + b"\n1\n",
     sentence="The first row has more than 100 columns. Remove the ones you don't need."),
    Broken(name="many rows of a workbook", file="people.xlsx", limits=Limits(rows=50),
     content=lambda: workbook([GOOD, *[ROW] * 60]),
     sentence="The file has more than 50 rows. Split it into files of at most 50 rows each."),
    Broken(name="many columns of a workbook", file="people.xlsx",
     content=lambda: workbook([[f"column {letters(n)}" for n in range(101)], ["x"]]),
     sentence="The first row has more than 100 columns. Remove the ones you don't need."),
]  # fmt: skip

CORPUS = [*TEXTS, *BOOKS, *LIMITS]
