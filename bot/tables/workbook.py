"""The first visible sheet of an XLSX workbook, read as a stream.

Only the needed rows are kept, and the limits apply while reading. Why no library is used: see README.md here.
"""

import posixpath
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from bot.domain.files.tables import Flaw, Limits, SampleRead, Table, TableProblem
from bot.tables.archive import Archive, open_archive
from bot.tables.formats import BUILT_IN, GENERAL
from bot.tables.markup import MAIN, PACKAGE, Dialect, End, Start, Text, parse
from bot.tables.sheet import PLACES, Book, Sheet

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"

_OUTLINE = Dialect(
    namespaces=MAIN,
    root="workbook",
    places={"workbookPr": ("workbook",), "sheets": ("workbook",), "sheet": ("sheets",)},
)
_RELATED = Dialect(namespaces=PACKAGE, root="Relationships", places={"Relationship": ("Relationships",)})
_TEXTS = Dialect(
    namespaces=MAIN,
    root="sst",
    places={"si": ("sst",), "r": ("si",), "rPh": ("si",), "t": ("si", "r", "rPh")},
)
_STYLES = Dialect(
    namespaces=MAIN,
    root="styleSheet",
    places={
        "numFmts": ("styleSheet",),
        "dxfs": ("styleSheet",),
        "dxf": ("dxfs",),
        "numFmt": ("numFmts", "dxf"),
        "cellStyleXfs": ("styleSheet",),
        "cellXfs": ("styleSheet",),
        "xf": ("cellXfs", "cellStyleXfs"),
    },
)
_SHEET = Dialect(namespaces=MAIN, root="worksheet", places=PLACES)
_IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
"""The attribute that names the part of a sheet, in both dialects."""


def read_workbook(file: BinaryIO, *, limits: Limits) -> Table:
    """The table on the first sheet that is not hidden.

    Raises:
        TableProblem: it cannot be read as one.
    """
    with open_archive(file, limits=limits) as archive:
        outline = _Outline()
        parse(archive.blocks(_WORKBOOK), _OUTLINE, outline.start)
        relations = _Relations()
        parse(archive.blocks(_RELATIONS), _RELATED, relations.start)
        name, part = _first(outline, relations, archive)
        book = Book(
            strings=_strings(archive, relations.part("sharedStrings", "xl/sharedStrings.xml")),
            formats=_formats(archive, relations.part("styles", "xl/styles.xml")),
            since_1904=outline.since_1904,
        )
        sheet = Sheet(book=book, limits=limits)
        with suppress(SampleRead):
            parse(archive.blocks(part), _SHEET, sheet.start, sheet.end, sheet.text)
        header, rows, hidden = sheet.table()
        return Table(header=header, rows=rows, sheet=name, hidden=hidden)


@dataclass(slots=True)
class _Outline:
    """The sheets in order, as (name, relation, visible)."""

    sheets: list[tuple[str, str, bool]] = field(default_factory=list)
    since_1904: bool = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            named = [attributes[key] for key in _IDS if key in attributes]
            if len(named) > 1:
                raise TableProblem(Flaw.DAMAGED)  # programs disagree about which of its parts is the sheet
            visible = attributes.get("state", "visible") == "visible"
            self.sheets.append((attributes.get("name", ""), "".join(named), visible))
        elif name == "workbookPr":
            self.since_1904 = attributes.get("date1904", "0") in ("1", "true")


@dataclass(slots=True)
class _Relations:
    """Paths of the parts, by id and by kind."""

    by_id: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship":
            if attributes.get("Id", "") in self.by_id:
                raise TableProblem(Flaw.DAMAGED)  # the same relation twice: programs disagree about which one counts
            target = posixpath.normpath(posixpath.join("/xl", attributes.get("Target", ""))).lstrip("/")
            self.by_id[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], target)

    def part(self, kind: str, usual: str) -> str:
        return next((target for found, target in self.by_id.values() if found == kind), usual)


def _first(outline: _Outline, relations: _Relations, archive: Archive) -> tuple[str, str]:
    for name, relation, visible in outline.sheets:
        kind, part = relations.by_id.get(relation, ("", ""))
        if visible and kind == "worksheet" and archive.has(part):
            return name, part
    raise TableProblem(Flaw.NO_SHEET)


def _strings(archive: Archive, part: str) -> list[str]:
    """The texts that cells refer to by number, without phonetic guides (ruby)."""
    found: list[str] = []
    inside: list[str] = []
    within = {"t": False, "rPh": False}

    def start(name: str, _: Mapping[str, str]) -> None:
        if name == "si":
            inside.clear()
        elif name in within:
            within[name] = True

    def end(name: str) -> None:
        if name == "si":
            found.append("".join(inside))
        elif name in within:
            within[name] = False

    def text(data: str) -> None:
        if within["t"] and not within["rPh"]:
            inside.append(data)

    _parse_if_there(archive, part, _TEXTS, start, end, text)
    return found


def _formats(archive: Archive, part: str) -> list[str]:
    """The format code of each cell style, by its number."""
    codes: dict[int, str] = dict(BUILT_IN)
    styles: list[str] = []
    inside = {"numFmts": False, "cellXfs": False}

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt" and inside["numFmts"]:
            codes[_number(attributes.get("numFmtId"))] = attributes.get("formatCode", GENERAL)
        elif name in inside:
            inside[name] = True
        elif name == "xf" and inside["cellXfs"]:
            styles.append(codes.get(_number(attributes.get("numFmtId")), GENERAL))

    def end(name: str) -> None:
        if name in inside:
            inside[name] = False

    _parse_if_there(archive, part, _STYLES, start, end, None)
    return styles


def _parse_if_there(archive: Archive, part: str, dialect: Dialect, start: Start, end: End, text: Text | None) -> None:
    if archive.has(part):
        parse(archive.blocks(part), dialect, start, end, text)


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else 0
