"""Parts of an Office file and their XML, located by relationships rather than by name.

A small file can't unpack to gigabytes: the sizes in the archive's directory are checked first, and each part is
measured while it is unpacked, because the directory may be forged. Like a spreadsheet, the parser ignores elements in
unknown namespaces, but refuses the part if such an element is in a place where it would otherwise be read.
"""

import copy
import posixpath
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from lzma import LZMAError
from struct import error as StructError  # noqa: N812 - a class with a lower-case name
from typing import BinaryIO, Final
from xml.parsers import expat
from zlib import error as ZlibError  # noqa: N812 - a class with a lower-case name

from bot.domain.files.tables import Flaw, TableProblem

Start = Callable[[str, Mapping[str, str]], None]
Text = Callable[[str], None]

_MAIN: Final = frozenset(
    {"", "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main"}
)
"""Namespaces of a workbook in the transitional and strict dialects; some programs write none."""
_PACKAGE: Final = frozenset({"", "http://schemas.openxmlformats.org/package/2006/relationships"})
"""Namespace of relationships between parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    root: str
    places: Mapping[str, Collection[str]]
    """Each element that is read -> its allowed parents."""
    namespaces: Collection[str] = _MAIN
    """Allowed for the root. All other elements must have the root's namespace."""


_RELATED = Dialect(namespaces=_PACKAGE, root="Relationships", places={"Relationship": ("Relationships",)})
_TYPES = Dialect(
    namespaces=frozenset({"", "http://schemas.openxmlformats.org/package/2006/content-types"}),
    root="Types",
    places={"Override": ("Types",), "Default": ("Types",)},
)
_CONTENT_TYPES = "[content_types].xml"
_KINDS = (
    ("ms-excel.sheet.binary", "xlsb"),
    ("spreadsheetml", "xlsx"),
    ("ms-excel.", "xlsx"),
    ("word", "docx"),
    ("presentation", "pptx"),
    ("ms-powerpoint.", "pptx"),
)
"""Substrings of the main part's content type, which decides how programs read the file."""
_USUAL = {
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsb",
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
}
"""Main parts of files without relationships or content types."""

_NO_MEMORY = 1
"""Expat's XML_ERROR_NO_MEMORY."""
_EXTENSIONS = "extLst"
"""Contains extensions of later versions, none of which belong to a table."""
_TEXTS = frozenset({"t", "v"})
"""Elements that contain only text."""

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


class Package:
    """An Office file. Part names are compared in lower case, with ``/`` between folders."""

    def __init__(self, file: BinaryIO, unpacked: int) -> None:
        """Open an archive. ``unpacked``: limit for all parts in bytes. Raises TableProblem if it is damaged."""
        file.seek(0)
        try:
            self._archive = zipfile.ZipFile(file)
        except DAMAGE:
            raise TableProblem(Flaw.DAMAGED) from None
        self._left = self._allowed = unpacked
        self._by_name = {_part_name("/", info.filename): info for info in self._archive.infolist()}

    def check(self) -> None:
        """Raise TableProblem for zip bombs, passwords and duplicate part names."""
        parts = self._archive.infolist()
        whole = sum(info.file_size for info in parts)
        steep = any(info.file_size > max(_SMALL, _RATIO * info.compress_size) for info in parts)
        if len(parts) > _PARTS or whole > self._allowed or steep:
            raise TableProblem(Flaw.BOMB, allowed=self._allowed)
        if any(info.flag_bits & 1 for info in parts):
            raise TableProblem(Flaw.LOCKED)
        seen: set[str] = set()
        for info in parts:
            key = _part_name("/", info.filename)
            if key in seen:  # programs disagree about which one to open
                raise TableProblem(Flaw.TWICE, names=[f"Part {info.filename}"])
            seen.add(key)

    @property
    def main(self) -> str:
        """Part with the document: the target of the package's relationship, else the usual name; may be empty."""
        usual = next((part for part in _USUAL if self.has(part)), "")
        return self.relations().part("officeDocument", usual)

    @property
    def kind(self) -> str:
        """Format of the document by its main part's content type, else by the part's usual name; empty if unknown."""
        main, types = self.main, _ContentTypes()
        if self.has(_CONTENT_TYPES):
            parse(self.blocks(_CONTENT_TYPES), _TYPES, types.start)
        given = types.by_name.get(main) or types.by_name.get(f".{main.rpartition('.')[2]}", "")
        found = next((kind for piece, kind in _KINDS if piece in given), "")
        return (found or _USUAL.get(main, "")) if self.has(main) else ""

    def relations(self, of: str = "") -> "Relations":
        """Read the relationships of a part, or of the package itself."""
        folder, _, name = of.rpartition("/")
        part = posixpath.join(folder, "_rels", f"{name}.rels")
        relations = Relations(folder)
        if self.has(part):
            parse(self.blocks(part), _RELATED, relations.start)
        return relations

    def has(self, part: str) -> bool:
        return part.lower() in self._by_name

    def blocks(self, part: str) -> Iterator[bytes]:
        """Yield the unpacked content of a part; nothing if it is missing. TableProblem if damaged or too large."""
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


def _part_name(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, name.replace("\\", "/"))).lower().lstrip("/")


@dataclass(slots=True)
class _ContentTypes:
    by_name: dict[str, str] = field(default_factory=dict)
    """Content types by part name, or by extension with a leading point."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in ("Override", "Default"):
            of = _part_name("/", attributes.get("PartName", "")) or f".{attributes.get('Extension', '').lower()}"
            self.by_name[of] = attributes.get("ContentType", "").lower()


@dataclass(slots=True)
class Relations:
    folder: str
    """Base folder of targets without a leading ``/``."""
    by_id: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Relationship id -> last segment of its type, and target part."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship":
            if attributes.get("Id", "") in self.by_id:
                raise TableProblem(Flaw.DAMAGED)  # duplicate id: programs disagree about which one counts
            target = _part_name(self.folder, attributes.get("Target", ""))
            self.by_id[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], target)

    def part(self, kind: str, usual: str) -> str:
        return next((target for found, target in self.by_id.values() if found == kind), usual)


def parse(
    blocks: Iterator[bytes], dialect: Dialect, start: Start, end: Text | None = None, text: Text | None = None
) -> None:
    """Feed the elements of one part to handlers. Raises TableProblem for bad XML and misplaced or foreign elements.

    A prefixed attribute is named by its namespace, a blank and its name. ``end`` gets an ignored element's local name,
    or an empty one.
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

    def no_doctype(*_: object) -> None:  # workbooks have none, and its entities could expand to gigabytes
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
    """An element; maps namespace, blank and name to each child element that is read."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name


_FOREIGN: Final = _Element()
"""An element of another namespace and its content."""
_EXTENSION: Final = _Element()
"""An extension and its content."""


class _Part:
    """Known elements of one part, in the namespace of its root."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._namespace: str  # the root's, set before any other element is looked up
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
            raise TableProblem(Flaw.DAMAGED)  # programs disagree about whether to read it
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
