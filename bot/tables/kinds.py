"""The kind of a file, by its first bytes. Everything but text and XLSX is refused, with the name of its format."""

import zipfile
from enum import StrEnum
from typing import BinaryIO

from bot.domain.files.sniffing import markup_of, sniff
from bot.domain.files.tables import Flaw, TableProblem
from bot.tables.archive import DAMAGE

_HEAD = 4_096
_CONTROLS = bytes(set(range(32)) - set(b"\x00\t\r\n\x0b\x0c\x1a\x1b"))
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_TEXTS = ("", "csv", "txt")
_INSIDE = (
    ("xl/workbook.bin", "xlsb"),
    ("word/document.xml", "docx"),
    ("ppt/presentation.xml", "pptx"),
    ("Index/Document.iwa", "numbers"),
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
    found = sniff(head).format
    if found == "ole":
        raise _compound(file)
    if found in _TEXTS:
        found = markup_of(head)
        if not found and not head.startswith(_BOMS) and _is_binary(head):
            found = "xls" if name.casefold().endswith(".xls") else "binary"
    if found:
        raise TableProblem(Flaw.OTHER_KIND, names=[found])
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
        raise TableProblem(Flaw.OTHER_KIND, names=["ods"])
    found = next((kind for part, kind in _INSIDE if part in inside), "zip")
    raise TableProblem(Flaw.OTHER_KIND, names=[found])


def _is_small(archive: zipfile.ZipFile, part: str) -> bool:
    return part in archive.namelist() and archive.getinfo(part).file_size < _HEAD


def _compound(file: BinaryIO) -> TableProblem:
    """The container of old Office files; a workbook with a password is stored in one too."""
    file.seek(0)
    if "EncryptedPackage".encode("utf-16-le") in file.read():
        return TableProblem(Flaw.LOCKED)
    return TableProblem(Flaw.OTHER_KIND, names=["xls"])


def _is_binary(head: bytes) -> bool:
    """Whether there are many control characters that no text has; a NUL alone is reported later, with its row."""
    odd = sum(byte in _CONTROLS for byte in head)
    return odd * 20 > len(head)
