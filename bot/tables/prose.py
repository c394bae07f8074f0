"""The text of a file: plain text in Unicode, and DOCX, whose archive and XML are read within limits; DOCX written."""

import codecs
import io
import json
import sys
import zipfile
from collections.abc import Mapping
from typing import Final
from xml.parsers import expat
from xml.sax.saxutils import escape

from bot.domain.files.dropped import FileTrouble, UnusableFile
from bot.domain.localization.pieces import MOST_CHARACTERS
from bot.tables.package import DAMAGE
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
"""How many times its size a large document may unpack to; Word's own stay below 30."""
_ALWAYS: Final = 4 * 1024 * 1024
_DEEPEST: Final = 256
"""Open elements; a table in a table in a text box has about forty."""
_BLOCK: Final = 64 * 1024
_ENDS: Final = {"p": "\n", "tab": "\t", "br": "\n", "cr": "\n"}
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
    """Its text, with line feeds at the ends of lines. ``form``: ``docx``, or plain text. Raises UnusableFile."""
    text = _document(content, name) if form == "docx" else _decoded(content, name)
    if len(text) > MOST_CHARACTERS:
        raise UnusableFile(FileTrouble.TOO_LONG, name=name)
    if not any(map(str.isalnum, text)):
        raise UnusableFile(FileTrouble.NO_TEXT, name=name)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes, name: str) -> str:
    codec = next((codec for mark, codec in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        raise UnusableFile(FileTrouble.NO_UNICODE, name=name) from None
    if not _CONTROLS.isdisjoint(text):
        raise UnusableFile(FileTrouble.BINARY, name=name)
    return text


class _Words:
    """The paragraphs of a document, without headers, footnotes and deleted text, as its XML is parsed."""

    def __init__(self, name: str) -> None:
        self.found: list[str] = []
        self._name = name
        self._depth = self._texts = self._length = 0
        parser = self.parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._text, self._doctype

    def _start(self, element: str, _attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:  # expat keeps every open element, in memory that grows faster than the file
            raise UnusableFile(FileTrouble.TOO_COMPLEX, name=self._name)
        self._texts += element.endswith(" t")

    def _end(self, element: str) -> None:
        kind = element.rpartition(" ")[2]
        self._depth -= 1
        self._texts -= kind == "t"
        self.found.append(_ENDS.get(kind, ""))

    def _text(self, said: str) -> None:
        if self._texts:
            self.found.append(said)
            self._length += len(said)
            if self._length > MOST_CHARACTERS:
                raise UnusableFile(FileTrouble.TOO_LONG, name=self._name)

    def _doctype(self, *_: object) -> None:  # no document has one, and it may define entities that expand to gigabytes
        raise UnusableFile(FileTrouble.DAMAGED, name=self._name)


def _document(content: bytes, name: str) -> str:
    """Its text. Sizes are measured while it is unpacked, because the archive's directory may be forged."""
    words = _Words(name)
    left = min(_UNPACKED, max(_ALWAYS, _RATIO * len(content)))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(_BODY) as body:
            while block := body.read(_BLOCK):
                left -= len(block)
                if left < 0:
                    raise UnusableFile(FileTrouble.TOO_COMPLEX, name=name)
                words.parser.Parse(block, False)
            words.parser.Parse(b"", True)
    except (*DAMAGE, KeyError, expat.ExpatError):
        raise UnusableFile(FileTrouble.DAMAGED, name=name) from None
    return "".join(words.found)


def write_document(text: str) -> bytes:
    """A DOCX with a paragraph for each line."""
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
    """The process that reads one document: its output is one line of JSON, the text or the trouble."""
    asked = bounded(arguments)
    try:
        found = {"text": read_prose(sys.stdin.buffer.read(), name=asked["name"], form=asked["form"])}
    except UnusableFile as unusable:
        found = {"trouble": unusable.trouble.value}
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    return 0
