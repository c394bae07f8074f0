"""Streaming reader of an XLSX workbook's first visible sheet. ``docs/decisions/0006`` explains why it is our own."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from bot.domain.currencies import other_currency_in
from bot.domain.files.columns import names_at
from bot.domain.files.tables import Flaw, Limits, SampleRead, Table, TableProblem
from bot.tables.formats import BUILT_IN, GENERAL, OF_ANY_COUNTRY, UNKNOWN_CURRENCY, shown
from bot.tables.package import Dialect, Package, parse
from bot.tables.sheet import APART, PLACES, RAISED, SharedParts, Sheet, sets_apart

_OUTLINE = Dialect(root="workbook", places={"workbookPr": ("workbook",), "sheets": ("workbook",), "sheet": ("sheets",)})
_STRINGS = Dialect(root="sst", places={"si": ("sst",), "r": ("si",), "rPh": ("si",), "t": ("si", "r", "rPh"), **RAISED})
_STYLES = Dialect(
    root="styleSheet",
    places={
        **dict.fromkeys(("numFmts", "fonts", "dxfs", "cellStyleXfs", "cellXfs"), ("styleSheet",)),
        "font": ("fonts", "dxf"),
        "strike": ("font",),
        "dxf": ("dxfs",),
        "numFmt": ("numFmts", "dxf"),
        "xf": ("cellXfs", "cellStyleXfs"),
    },
)
_SHEET = Dialect(root="worksheet", places=PLACES)
_IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
"""The attribute with the relationship id of a sheet, in both dialects."""


def read_workbook(file: BinaryIO, *, limits: Limits) -> Table:
    """Read the table on the first visible sheet. Raises TableProblem."""
    package = Package(file, limits.unpacked)
    package.check()
    outline, main = _Outline(), package.main
    parse(package.blocks(main), _OUTLINE, outline.start)
    relations = package.relations(main)
    shown = [(name, *relations.by_id.get(relation, ("", ""))) for name, relation, visible in outline.sheets if visible]
    first = next(((name, part) for name, kind, part in shown if kind == "worksheet" and package.has(part)), None)
    if first is None:
        raise TableProblem(Flaw.NO_SHEET)
    name, part = first
    book = SharedParts(
        strings=_strings(package, relations.part("sharedStrings", "xl/sharedStrings.xml")),
        formats=_formats(package, relations.part("styles", "xl/styles.xml")),
        since_1904=outline.since_1904,
    )
    ahead: list[tuple[int, list[str]]] = []
    sheet = Sheet(book=book, limits=limits, ahead=ahead)
    with suppress(SampleRead):
        parse(package.blocks(part), _SHEET, sheet.start, sheet.end, sheet.text)
    at = names_at([cells for _, cells in ahead])
    above, titles = ahead[at][0] if at else 0, " ".join(cell for _, cells in ahead[:at] for cell in cells)
    sheet = Sheet(book=book, limits=limits, names_row=above)
    with suppress(SampleRead):
        parse(package.blocks(part), _SHEET, sheet.start, sheet.end, sheet.text)
    header, rows, hidden = sheet.table()
    return Table(header=header, rows=rows, sheet=name, names_row=above, titles=titles, hidden=hidden)


@dataclass(slots=True)
class _Outline:
    sheets: list[tuple[str, str, bool]] = field(default_factory=list)
    """Name, relationship id and visibility of each sheet, in order."""
    since_1904: bool = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            named = [attributes[key] for key in _IDS if key in attributes]
            if len(named) > 1:
                raise TableProblem(Flaw.DAMAGED)  # programs disagree about which part is the sheet
            visible = attributes.get("state", "visible") == "visible"
            self.sheets.append((attributes.get("name", ""), "".join(named), visible))
        elif name == "workbookPr":
            self.since_1904 = attributes.get("date1904", "0") in ("1", "true")


def _strings(package: Package, part: str) -> list[str]:
    """Read the texts that cells refer to by number, without phonetic guides (ruby)."""
    found: list[str] = []
    inside: list[str] = []
    within = {"t": False, "rPh": False}

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if name == "si":
            inside.clear()
        elif name in within:
            within[name] = True
        inside.extend([APART] * sets_apart(name, attributes))

    def end(name: str) -> None:
        if name == "si":
            found.append("".join(inside))
        elif name in within:
            within[name] = False

    def text(data: str) -> None:
        if within["t"] and not within["rPh"]:
            inside.append(data)

    if package.has(part):
        parse(package.blocks(part), _STRINGS, start, end, text)
    return found


def _formats(package: Package, part: str) -> list[str]:
    """Read each cell style's format code, by style number; for struck-out fonts it starts with ``APART``."""
    given_codes: dict[int, str] = {}
    styles: list[tuple[int, str]] = []
    fonts: list[str] = []
    inside = {"numFmts": False, "cellXfs": False, "fonts": False}

    def start(name: str, attributes: Mapping[str, str]) -> None:
        given = attributes.get("numFmtId", "")
        number = int(given) if given.isascii() and given.isdigit() else 0
        if name == "numFmt" and inside["numFmts"]:
            given_codes[number] = attributes.get("formatCode", GENERAL)
        elif name in inside:
            inside[name] = True
        elif name == "xf" and inside["cellXfs"]:
            styles.append((number, attributes.get("fontId", "")))
        elif name == "font" and inside["fonts"]:
            fonts.append("")
        fonts[-1:] = [one + APART * (inside["fonts"] and sets_apart(name, attributes)) for one in fonts[-1:]]

    def end(name: str) -> None:
        if name in inside:
            inside[name] = False

    if package.has(part):
        parse(package.blocks(part), _STYLES, start, end)
    codes = {**BUILT_IN, **given_codes}
    if any(other_currency_in(shown("1", code)) for code in given_codes.values()):
        codes |= {number: f'"{UNKNOWN_CURRENCY}"{BUILT_IN[number]}' for number in OF_ANY_COUNTRY - given_codes.keys()}
    struck = {str(at) for at, sign in enumerate(fonts) if sign}
    return [f'"{APART}"' * (font in struck) + codes.get(number, GENERAL) for number, font in styles]
