"""The first visible sheet of an XLSX workbook, read as a stream. Why no library is used: see README.md here.

A small file cannot become gigabytes: the sizes in the archive's directory are checked first, and each part is measured
while it is unpacked, because the directory may be forged. A spreadsheet ignores elements in a namespace that it does
not know. So does this, and refuses the part where such an element would otherwise have been read.
"""

import copy
import posixpath
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from lzma import LZMAError
from struct import error as StructError  # noqa: N812 - a class with a lower-case name
from typing import BinaryIO, Final
from xml.parsers import expat
from zlib import error as ZlibError  # noqa: N812 - a class with a lower-case name

from bot.domain.currencies import other_currency_in
from bot.domain.files.tables import Flaw, Limits, SampleRead, Table, TableProblem
from bot.tables.formats import BUILT_IN, GENERAL, OF_ANY_COUNTRY, UNKNOWN_CURRENCY, shown
from bot.tables.sheet import PLACES, SharedParts, Sheet

Start = Callable[[str, Mapping[str, str]], None]
Text = Callable[[str], None]

_MAIN: Final = frozenset(
    {"", "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main"}
)
"""Namespaces of a workbook in its two dialects, transitional and strict; or none at all."""
_PACKAGE: Final = frozenset({"", "http://schemas.openxmlformats.org/package/2006/relationships"})
"""Namespace of the relations between parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    root: str
    places: Mapping[str, Collection[str]]
    """Each element that is read, with those in which it may stand."""
    namespaces: Collection[str] = _MAIN
    """That its root may have. Every other element needs the same one."""


_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"

_OUTLINE = _Dialect(
    root="workbook", places={"workbookPr": ("workbook",), "sheets": ("workbook",), "sheet": ("sheets",)}
)
_RELATED = _Dialect(namespaces=_PACKAGE, root="Relationships", places={"Relationship": ("Relationships",)})
_STRINGS = _Dialect(root="sst", places={"si": ("sst",), "r": ("si",), "rPh": ("si",), "t": ("si", "r", "rPh")})
_STYLES = _Dialect(
    root="styleSheet",
    places={
        **dict.fromkeys(("numFmts", "dxfs", "cellStyleXfs", "cellXfs"), ("styleSheet",)),
        "dxf": ("dxfs",),
        "numFmt": ("numFmts", "dxf"),
        "xf": ("cellXfs", "cellStyleXfs"),
    },
)
_SHEET = _Dialect(root="worksheet", places=PLACES)
_IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
"""The attribute that names the part of a sheet, in both dialects."""

_NO_MEMORY = 1
"""Expat's code for a lack of memory: XML_ERROR_NO_MEMORY."""
_EXTENSIONS = "extLst"
"""In it stands what later versions added; nothing of it is part of a table."""
_TEXTS = frozenset({"t", "v"})
"""They hold text and no element."""

_PARTS = 2_000
_RATIO = 300
_SMALL = 1024 * 1024
"""Bytes up to which a part may have any compression ratio."""
_BLOCK = 64 * 1024
DAMAGE = (
    zipfile.BadZipFile, ZlibError, LZMAError, StructError, EOFError, OSError, ValueError, OverflowError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
"""Errors that zipfile raises for a damaged archive."""


def read_workbook(file: BinaryIO, *, limits: Limits) -> Table:
    """The table on the first sheet that is not hidden."""
    archive = _Archive(file, limits.unpacked)
    outline = _Outline()
    _parse(archive.blocks(_WORKBOOK), _OUTLINE, outline.start)
    relations = _Relations()
    _parse(archive.blocks(_RELATIONS), _RELATED, relations.start)
    shown = [(name, *relations.by_id.get(relation, ("", ""))) for name, relation, visible in outline.sheets if visible]
    first = next(((name, part) for name, kind, part in shown if kind == "worksheet" and archive.has(part)), None)
    if first is None:
        raise TableProblem(Flaw.NO_SHEET)
    name, part = first
    book = SharedParts(
        strings=_strings(archive, relations.part("sharedStrings", "xl/sharedStrings.xml")),
        formats=_formats(archive, relations.part("styles", "xl/styles.xml")),
        since_1904=outline.since_1904,
    )
    sheet = Sheet(book=book, limits=limits)
    with suppress(SampleRead):
        _parse(archive.blocks(part), _SHEET, sheet.start, sheet.end, sheet.text)
    header, rows, hidden = sheet.table()
    return Table(header=header, rows=rows, sheet=name, hidden=hidden)


class _Archive:
    def __init__(self, file: BinaryIO, unpacked: int) -> None:
        file.seek(0)
        try:
            self._archive = zipfile.ZipFile(file)
        except DAMAGE:
            raise TableProblem(Flaw.DAMAGED) from None
        self._left = self._allowed = unpacked
        parts = self._archive.infolist()
        whole = sum(info.file_size for info in parts)
        steep = any(info.file_size > max(_SMALL, _RATIO * info.compress_size) for info in parts)
        if len(parts) > _PARTS or whole > unpacked or steep:
            raise TableProblem(Flaw.BOMB, allowed=unpacked)
        if any(info.flag_bits & 1 for info in parts):
            raise TableProblem(Flaw.LOCKED)
        seen: set[str] = set()
        for info in parts:
            key = posixpath.normpath(f"/{info.filename}".replace("\\", "/")).lower().lstrip("/")
            if key in seen:  # programs disagree about which of the two is opened
                raise TableProblem(Flaw.TWICE, names=[f"Part {info.filename}"])
            seen.add(key)
        self._by_name = {info.filename.lower(): info for info in parts}

    def has(self, part: str) -> bool:
        return part.lower() in self._by_name

    def blocks(self, part: str) -> Iterator[bytes]:
        info = self._by_name.get(part.lower())
        if info is None:
            return
        honest = copy.copy(info)
        honest.file_size = self._left + 2 * _BLOCK  # zipfile stops at the size given in the directory
        try:
            with self._archive.open(honest) as file:
                while block := file.read(_BLOCK):
                    self._left -= len(block)
                    if self._left < 0:
                        raise TableProblem(Flaw.BOMB, allowed=self._allowed)
                    yield block
        except DAMAGE:
            raise TableProblem(Flaw.DAMAGED) from None


@dataclass(slots=True)
class _Outline:
    sheets: list[tuple[str, str, bool]] = field(default_factory=list)
    """In order: name, relation, whether it is visible."""
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
    by_id: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship":
            if attributes.get("Id", "") in self.by_id:
                raise TableProblem(Flaw.DAMAGED)  # the same relation twice: programs disagree about which one counts
            target = posixpath.normpath(posixpath.join("/xl", attributes.get("Target", ""))).lstrip("/")
            self.by_id[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], target)

    def part(self, kind: str, usual: str) -> str:
        return next((target for found, target in self.by_id.values() if found == kind), usual)


def _strings(archive: _Archive, part: str) -> list[str]:
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

    if archive.has(part):
        _parse(archive.blocks(part), _STRINGS, start, end, text)
    return found


def _formats(archive: _Archive, part: str) -> list[str]:
    """The format code of each cell style, by its number."""
    given_codes: dict[int, str] = {}
    styles: list[int] = []
    inside = {"numFmts": False, "cellXfs": False}

    def start(name: str, attributes: Mapping[str, str]) -> None:
        given = attributes.get("numFmtId", "")
        number = int(given) if given.isascii() and given.isdigit() else 0
        if name == "numFmt" and inside["numFmts"]:
            given_codes[number] = attributes.get("formatCode", GENERAL)
        elif name in inside:
            inside[name] = True
        elif name == "xf" and inside["cellXfs"]:
            styles.append(number)

    def end(name: str) -> None:
        if name in inside:
            inside[name] = False

    if archive.has(part):
        _parse(archive.blocks(part), _STYLES, start, end)
    codes = {**BUILT_IN, **given_codes}
    if any(other_currency_in(shown("1", code)) for code in given_codes.values()):
        codes |= {number: f'"{UNKNOWN_CURRENCY}"{BUILT_IN[number]}' for number in OF_ANY_COUNTRY - given_codes.keys()}
    return [codes.get(number, GENERAL) for number in styles]


def _parse(
    blocks: Iterator[bytes], dialect: _Dialect, start: Start, end: Text | None = None, text: Text | None = None
) -> None:
    """Feed one part to handlers, unless what would be read stands in another namespace or place, or it is no XML.

    A prefixed attribute is called by its namespace, a blank and its name. ``end`` gets no name for what is ignored.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    part = _Part(dialect)
    path = [part.top]
    push, pop = path.append, path.pop

    def begin(name: str, attributes: Mapping[str, str]) -> None:
        found = path[-1].get(name)
        if found is None:
            push(part.other(path[-1], name))
        else:
            push(found)
            start(found.name, attributes)

    def no_doctype(*_: object) -> None:  # no workbook has one, and it may define entities that expand to gigabytes
        raise TableProblem(Flaw.DAMAGED)

    parser.StartElementHandler = begin
    parser.EndElementHandler = (lambda _: pop()) if end is None else (lambda _: end(pop().name))
    if text is not None:
        parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = no_doctype
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as broken:
        if broken.code == _NO_MEMORY:
            raise MemoryError from None
        raise TableProblem(Flaw.DAMAGED) from None


class _Element(dict[str, "_Element"]):
    """An element; holds the elements that are read inside of it, by namespace, blank and name."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name


_FOREIGN: Final = _Element()
"""An element of another namespace, and all inside of it."""
_EXTENSION: Final = _Element()
"""An extension, and all inside of it."""


class _Part:
    """The elements of one part, once its root has said in which namespace they are."""

    def __init__(self, dialect: _Dialect) -> None:
        self._dialect = dialect
        self._namespace: str  # the root's, which comes before all that asks for it
        self._read: dict[str, _Element] = {}
        self.top = _Element()

    def other(self, within: _Element, name: str) -> _Element:
        namespace, _, local = name.rpartition(" ")
        if within is _EXTENSION:
            return _EXTENSION
        if within is self.top:
            return self._root(namespace, local)
        if name in self._read or within.name in _TEXTS:
            raise TableProblem(Flaw.DAMAGED)
        if within is _FOREIGN:
            return _FOREIGN
        if namespace == self._namespace:
            return _EXTENSION if local == _EXTENSIONS else _Element(local)
        if within.name in self._dialect.places.get(local, ()):
            raise TableProblem(Flaw.DAMAGED)  # programs disagree about whether it is read
        return _FOREIGN

    def _root(self, namespace: str, name: str) -> _Element:
        if namespace not in self._dialect.namespaces or name != self._dialect.root:
            raise TableProblem(Flaw.DAMAGED)
        self._namespace = namespace
        found = {one: _Element(one) for one in (name, *self._dialect.places)}
        for one, places in self._dialect.places.items():
            whole = f"{namespace} {one}".lstrip()
            self._read[whole] = found[one]
            for place in places:
                found[place][whole] = found[one]
        return found[name]
