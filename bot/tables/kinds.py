"""What a file is, by its first bytes. Everything but text and XLSX is refused by its name for people."""

import zipfile
from enum import StrEnum
from typing import BinaryIO

from bot.domain.files.tables import Flaw, TableProblem
from bot.tables.archive import DAMAGE

_HEAD = 4_096
_CONTROLS = bytes(set(range(32)) - set(b"\x00\t\r\n\x0b\x0c\x1a\x1b"))
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_STARTS = (
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"{\\rtf", "an RTF document"),
    (b"ID;P", "an SYLK file"),
    (b"SQLite format 3", "a database"),
    (b"PAR1", "a Parquet file"),
)
_MARKUP = (
    ("<!doctype html", "a web page"),
    ("<html", "a web page"),
    ("<table", "a web page"),
    ("<meta", "a web page"),
    ("<head", "a web page"),
    ("<body", "a web page"),
    ("<?xml", "an XML file"),
    ("<workbook", "an XML file"),
    ("mime-version:", "a web page"),
)
_INSIDE = (
    ("xl/workbook.bin", "an XLSB workbook"),
    ("word/document.xml", "a Word document"),
    ("ppt/presentation.xml", "a presentation"),
    ("Index/Document.iwa", "a Numbers document"),
)


class Kind(StrEnum):
    """What can be read."""

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
    if head.startswith(b"PK"):
        return _archive(file)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise _compound(file)
    found = next((kind for start, kind in _STARTS if head.startswith(start)), None) or _markup(head)
    if found is None and not head.startswith(_BOMS) and _is_binary(head):
        found = "an old workbook (.xls)" if name.casefold().endswith(".xls") else "no text"
    if found is not None:
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
        raise TableProblem(Flaw.OTHER_KIND, names=["an OpenDocument spreadsheet (.ods)"])
    found = next((kind for part, kind in _INSIDE if part in inside), "a ZIP archive")
    raise TableProblem(Flaw.OTHER_KIND, names=[found])


def _is_small(archive: zipfile.ZipFile, part: str) -> bool:
    return part in archive.namelist() and archive.getinfo(part).file_size < _HEAD


def _compound(file: BinaryIO) -> TableProblem:
    """The container of old Office files; a workbook with a password lies in one too."""
    file.seek(0)
    if "EncryptedPackage".encode("utf-16-le") in file.read():
        return TableProblem(Flaw.LOCKED)
    return TableProblem(Flaw.OTHER_KIND, names=["an old workbook (.xls)"])


def _markup(head: bytes) -> str | None:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if wide else "utf-8", "ignore").lstrip("\ufeff \r\n\t").casefold()
    if text.startswith(("{", "[")) and text.rstrip().endswith(("}", "]")):
        return "a JSON file"
    return next((kind for start, kind in _MARKUP if text.startswith(start)), None)


def _is_binary(head: bytes) -> bool:
    """Many control characters that no text has; NUL alone is told apart later, with its row."""
    odd = sum(byte in _CONTROLS for byte in head)
    return odd * 20 > len(head)
