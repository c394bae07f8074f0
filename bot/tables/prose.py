"""Reader of text files in Unicode and of DOCX, whose archive and XML are read within limits; writer of DOCX."""

import codecs
import io
import json
import re
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat
from xml.sax.saxutils import escape

from bot.domain.files.dropped import FileTrouble, UnusableFile
from bot.domain.files.tables import Flaw, TableProblem
from bot.domain.localization.pieces import MOST_CHARACTERS
from bot.tables.package import Package
from bot.tables.reading import bounded

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS: Final = frozenset(map(chr, range(32))) - frozenset("\t\n\r\f\x0b\x1b")
_BODY: Final = "word/document.xml"
_UNPACKED: Final = 40 * 1024 * 1024
_RATIO: Final = 100
"""Maximum compression ratio of a large document; those of Word stay below 30."""
_ALWAYS: Final = 4 * 1024 * 1024
_DEEPEST: Final = 256
"""Maximum nesting of elements; a table in a table in a text box has about forty."""
_SIGNS: Final = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}
"""Elements of a run that represent a character."""
_GONE: Final = frozenset({"del", "moveFrom", "rt"})
"""Deleted text, text moved elsewhere, and phonetic guides (ruby)."""
_ELSEWHERE: Final = frozenset({"altChunk", "subDoc"})
"""References to text in other parts or files, which we don't read."""
_TYPES: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Override PartName="/word/document.xml" \
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELATIONS: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" \
Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" \
Target="word/document.xml"/></Relationships>"""
_NAMESPACE: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def read_prose(content: bytes, *, name: str, form: str) -> str:
    """Return a file's text with line feeds. ``form``: ``docx``, anything else is plain text. Raises UnusableFile."""
    text = _document(content, name) if form == "docx" else _decoded(content, name)
    if len(text) > MOST_CHARACTERS:
        raise UnusableFile(FileTrouble.TOO_LONG, name=name)
    if not any(map(str.isalnum, text)):
        raise UnusableFile(FileTrouble.NO_TEXT, name=name)
    return re.sub("\r+\n|\r", "\n", text)  # converting CRLF twice yields two carriage returns


def _decoded(content: bytes, name: str) -> str:
    codec = next((codec for mark, codec in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        raise UnusableFile(FileTrouble.NO_UNICODE, name=name) from None
    if not _CONTROLS.isdisjoint(text):
        raise UnusableFile(FileTrouble.BINARY, name=name)
    return text


@dataclass(slots=True)
class _Story:
    """Text of a document or a text box. ``boxes``: text of the boxes anchored in the current paragraph."""

    found: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    joins: bool = False
    """True if the paragraph mark was deleted, so the next paragraph continues this one."""

    def end_paragraph(self) -> None:
        if not self.joins:
            self.found += ["\n", *self.boxes]
            self.boxes.clear()
        self.joins = False


class _Words:
    """Parser that collects a document's paragraphs, without headers, footnotes and deleted text.

    A text box follows its paragraph. Word writes it twice, the second time for old programs; only the first counts.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._stories = [_Story()]
        self._path: list[str] = []
        self._alternatives: list[int] = []  # length of the text before each
        self._left_out = self._length = 0
        parser = self.parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._text, self._doctype

    @property
    def text(self) -> str:
        return "".join([*self._stories[0].found, *self._stories[0].boxes])

    def _start(self, element: str, attributes: Mapping[str, str]) -> None:
        kind = element.rpartition(" ")[2]
        within = self._path[-1] if self._path else ""
        self._path.append(kind)
        if len(self._path) > _DEEPEST:  # expat keeps all open elements in memory
            raise UnusableFile(FileTrouble.TOO_COMPLEX, name=self._name)
        if self._left_out:
            return
        if kind in _ELSEWHERE:
            raise UnusableFile(FileTrouble.TOO_COMPLEX, name=self._name)
        told = kind in ("Choice", "Fallback") and self._length > (self._alternatives or [self._length])[-1]
        if told or kind in _GONE:
            self._left_out = len(self._path)
            self._stories[-1].joins |= self._path[-3:-1] == ["pPr", "rPr"]
        elif kind == "AlternateContent":
            self._alternatives.append(self._length)
        elif kind == "txbxContent":
            self._stories.append(_Story())
        elif within == "r":
            self._add(_sign(kind, attributes))

    def _end(self, _element: str) -> None:
        kind = self._path.pop()
        if self._left_out:
            if len(self._path) < self._left_out:
                self._left_out = 0
        elif kind == "AlternateContent":
            self._alternatives.pop()
        elif kind == "txbxContent":
            box = self._stories.pop()
            self._stories[-1].boxes += box.found + box.boxes
        elif kind == "p":
            self._stories[-1].end_paragraph()

    def _text(self, said: str) -> None:
        if self._path[-1] == "t" and not self._left_out:
            self._add(said)

    def _add(self, said: str) -> None:
        self._stories[-1].found.append(said)
        self._length += len(said)
        if self._length > MOST_CHARACTERS:
            raise UnusableFile(FileTrouble.TOO_LONG, name=self._name)

    def _doctype(self, *_: object) -> None:  # documents have none, and its entities could expand to gigabytes
        raise UnusableFile(FileTrouble.DAMAGED, name=self._name)


def _sign(kind: str, attributes: Mapping[str, str]) -> str:
    """Return the character that an element of a run represents; empty for those of symbol fonts."""
    code = next((value for name, value in attributes.items() if kind == "sym" and name.endswith(" char")), "")
    found = chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else _SIGNS.get(kind, "")
    return found if found.isprintable() or kind in _SIGNS else ""


def _document(content: bytes, name: str) -> str:
    """Return a DOCX's text. Sizes are measured while unpacking, because the archive's directory may be forged."""
    words = _Words(name)
    try:
        package = Package(io.BytesIO(content), min(_UNPACKED, max(_ALWAYS, _RATIO * len(content))))
        if package.kind != "docx":
            raise UnusableFile(FileTrouble.DAMAGED, name=name)
        for block in package.blocks(package.main):
            words.parser.Parse(block, False)
        words.parser.Parse(b"", True)
    except TableProblem as problem:
        trouble = FileTrouble.TOO_COMPLEX if problem.flaw is Flaw.BOMB else FileTrouble.DAMAGED
        raise UnusableFile(trouble, name=name) from None
    except expat.ExpatError:
        raise UnusableFile(FileTrouble.DAMAGED, name=name) from None
    return words.text


def write_document(text: str) -> bytes:
    """Return a DOCX with one paragraph per line."""
    printable = "".join(one for one in text if one not in _CONTROLS and one not in "\f\x0b\x1b")
    lines = (f'<w:p><w:r><w:t xml:space="preserve">{escape(line)}</w:t></w:r></w:p>' for line in printable.split("\n"))
    body = f'<w:document xmlns:w="{_NAMESPACE}"><w:body>{"".join(lines)}</w:body></w:document>'
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr(_BODY, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{body}')
    return kept.getvalue()


def main(arguments: list[str]) -> int:
    """Read the document on stdin and print one line of JSON with its text or trouble; runs as a process."""
    asked = bounded(arguments)
    try:
        found = {"text": read_prose(sys.stdin.buffer.read(), name=asked["name"], form=asked["form"])}
    except UnusableFile as unusable:
        found = {"trouble": unusable.trouble.value}
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    return 0
