"""The XML of one part of a workbook, read as a stream: only elements of its own namespace, each where it belongs.

A spreadsheet ignores what stands in a namespace that it does not know. So does this, and refuses the part where such
an element would otherwise have been read.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from bot.domain.files.tables import Flaw, TableProblem

MAIN: Final = frozenset(
    {
        "",
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://purl.oclc.org/ooxml/spreadsheetml/main",
    }
)
"""Namespaces of a workbook in its two dialects, transitional and strict; or none at all."""
PACKAGE: Final = frozenset({"", "http://schemas.openxmlformats.org/package/2006/relationships"})
"""Namespace of the relations between parts."""

_NO_MEMORY = 1
"""Expat's code for a lack of memory: XML_ERROR_NO_MEMORY."""
_EXTENSIONS = "extLst"
"""In it stands what later versions added; nothing of it is part of a table."""
_TEXTS = frozenset({"t", "v"})
"""They hold text and no element."""

Start = Callable[[str, Mapping[str, str]], None]
End = Callable[[str], None]
Text = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What is read of one kind of part.

    Attributes:
        namespaces: that its root may have. Every other element needs the same one.
        root: name of its root.
        places: each element that is read, with those in which it may stand.
    """

    namespaces: Collection[str]
    root: str
    places: Mapping[str, Collection[str]]


def parse(
    blocks: Iterator[bytes], dialect: Dialect, start: Start, end: End | None = None, text: Text | None = None
) -> None:
    """Feed one part of the workbook to handlers.

    Args:
        blocks: the part.
        dialect: what is read of it.
        start: gets each element of ``places``, without its namespace. An attribute with a prefix is called by its
            namespace, a blank and its name.
        end: gets the end of each element; the name is empty for what is ignored.
        text: gets the text.

    Raises:
        TableProblem: it is no XML, or an element that would be read stands in another namespace or place.
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

    parser.StartElementHandler = begin
    parser.EndElementHandler = (lambda _: pop()) if end is None else (lambda _: end(pop().name))
    if text is not None:
        parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _no_doctype
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as broken:
        if broken.code == _NO_MEMORY:
            raise MemoryError from None
        raise TableProblem(Flaw.DAMAGED) from None


def _no_doctype(*_: object) -> None:
    """Refuse a DOCTYPE: no workbook has one, and it may define entities that expand to gigabytes."""
    raise TableProblem(Flaw.DAMAGED)


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

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._namespace: str  # the root's, which comes before all that asks for it
        self._read: dict[str, _Element] = {}
        self.top = _Element()

    def other(self, within: _Element, name: str) -> _Element:
        """An element that is not among those that are read inside of ``within``.

        Raises:
            TableProblem: it may not stand there.
        """
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
