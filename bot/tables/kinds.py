"""The kind of a file, by its first bytes. Everything but text and XLSX is refused, with the kind's common name."""

import zipfile
from enum import StrEnum
from typing import BinaryIO

from bot.domain.files.sniffing import FileKind, markup_of, sniff
from bot.domain.files.tables import Flaw, TableProblem
from bot.tables.archive import DAMAGE

_HEAD = 4_096
_CONTROLS = bytes(set(range(32)) - set(b"\x00\t\r\n\x0b\x0c\x1a\x1b"))
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_CALLED = {
    "pdf": "a PDF",
    "rtf": "an RTF document",
    "html": "a web page",
    "mhtml": "a web page",
    "xml": "an XML file",
    "json": "a JSON file",
    "gz": "a gzip archive",
    "7z": "a 7z archive",
    "rar": "a RAR archive",
    "sqlite": "a database",
    "parquet": "a Parquet file",
}
_CALLED_AS = {FileKind.AUDIO: "an audio file", FileKind.VIDEO: "a video", FileKind.DOCUMENT: "a picture"}
_INSIDE = (
    ("xl/workbook.bin", "an XLSB workbook"),
    ("word/document.xml", "a Word document"),
    ("ppt/presentation.xml", "a presentation"),
    ("Index/Document.iwa", "a Numbers document"),
)


class Kind(StrEnum):
    """The kinds that can be read."""

    TEXT = "text"
    XLSX = "xlsx"


def kind_of(file: BinaryIO, *, name: str) -> Kind:
    """Text or workbook.

    Raises:
        TableProblem: it is something else, locked, or empty.
    """
    file.seek(0)
    head = file.read(_HEAD)
    if not head.strip(b"\xef\xbb\xbf\xff\xfe\r\n\t \x00"):
        raise TableProblem(Flaw.EMPTY)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(file)
    kind, found = sniff(head)
    if found == "ole":
        raise _compound(file)
    called = _CALLED.get(found) or _CALLED.get(markup_of(head)) or _CALLED_AS.get(kind)
    if called is None and not head.startswith(_BOMS) and _is_binary(head):
        called = "an old workbook (.xls)" if name.casefold().endswith(".xls") else "no text"
    if called is not None:
        raise TableProblem(Flaw.OTHER_KIND, names=[called])
    return Kind.TEXT


def _archive(file: BinaryIO) -> Kind:
    try:
        with zipfile.ZipFile(file) as archive:
            inside = set(archive.namelist())
            mimetype = archive.read("mimetype")[:80] if _is_small(archive, "mimetype") else b""
    except DAMAGE:
        raise TableProblem(Flaw.DAMAGED) from None
    if "xl/workbook.xml" in inside:
        return Kind.XLSX
    if b"opendocument.spreadsheet" in mimetype:
        raise TableProblem(Flaw.OTHER_KIND, names=["an OpenDocument spreadsheet (.ods)"])
    found = next((kind for part, kind in _INSIDE if part in inside), "a ZIP archive")
    raise TableProblem(Flaw.OTHER_KIND, names=[found])


def _is_small(archive: zipfile.ZipFile, part: str) -> bool:
    return part in archive.namelist() and archive.getinfo(part).file_size < _HEAD


def _compound(file: BinaryIO) -> TableProblem:
    """The container of old Office files; a workbook with a password is stored in one too."""
    file.seek(0)
    if "EncryptedPackage".encode("utf-16-le") in file.read():
        return TableProblem(Flaw.LOCKED)
    return TableProblem(Flaw.OTHER_KIND, names=["an old workbook (.xls)"])


def _is_binary(head: bytes) -> bool:
    """Whether there are many control characters that no text has; a NUL alone is reported later, with its row."""
    odd = sum(byte in _CONTROLS for byte in head)
    return odd * 20 > len(head)
