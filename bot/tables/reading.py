"""Entry point for reading a file that may contain a table, and lookup of columns by their usual names."""

import json
import re
import resource
import sys
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, BinaryIO

from bot.domain.files.columns import is_number
from bot.domain.files.sniffing import markup_of, sniff
from bot.domain.files.tables import Flaw, Limits, Table, TableProblem
from bot.tables.delimited import read_text
from bot.tables.package import Package
from bot.tables.workbook import read_workbook

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_HEAD = 4_096
_CONTROLS = bytes(set(range(32)) - set(b"\x00\t\r\n\x0b\x0c\x1a\x1b"))
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_TEXTS = ("", "csv", "txt")
_ROWS_A_LINE = 200
"""Rows per line of output: few, so that parsing one doesn't block the event loop for long."""


def read_table(file: BinaryIO, *, name: str, limits: Limits | None = None) -> Table:
    """Read a complete CSV or XLSX file. Raises TableProblem; ``name`` matters only if the content is ambiguous."""
    limits = limits or Limits()
    size = file.seek(0, 2)
    if size > limits.size:
        raise TableProblem(Flaw.TOO_LARGE, allowed=limits.size)
    read = read_workbook if _is_workbook(file, name, limits) else read_text
    table = read(file, limits=limits)
    named = [heading for heading in table.header if heading]
    if any(_ADDRESS.fullmatch(one) for one in named) or all(map(is_number, named)):
        raise TableProblem(Flaw.NO_HEADER, names=table.header)  # the first row is data
    if not table.rows:
        raise TableProblem(Flaw.NO_ROWS)
    return table


def _is_workbook(file: BinaryIO, name: str, limits: Limits) -> bool:
    file.seek(0)
    head = file.read(_HEAD)
    if not head.strip(b"\xef\xbb\xbf\xff\xfe\r\n\t \x00"):
        raise TableProblem(Flaw.EMPTY)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        package = Package(file, limits.unpacked)
        if any(map(package.has, ("[content_types].xml", "xl/workbook.xml"))):
            package.check()
        kind = package.kind or ("numbers" if package.has("index/document.iwa") else "zip")
        if kind == "xlsx":
            return True
        mimetype = next(package.blocks("mimetype"), b"")[:80]
        raise TableProblem(Flaw.OTHER_KIND, names=["ods" if b"opendocument.spreadsheet" in mimetype else kind])
    found = sniff(head).format
    if found == "ole":  # container of old Office files and of password-protected workbooks
        file.seek(0)
        if "EncryptedPackage".encode("utf-16-le") in file.read():
            raise TableProblem(Flaw.LOCKED)
        found = "xls"
    if found in _TEXTS:
        found = markup_of(head)
        # Text has few control characters; NULs are reported later with their row.
        is_binary = sum(byte in _CONTROLS for byte in head) * 20 > len(head)
        if not found and not head.startswith(_BOMS) and is_binary:
            found = "xls" if name.casefold().endswith(".xls") else "binary"
    if found:
        raise TableProblem(Flaw.OTHER_KIND, names=[found])
    return False


def find_columns(
    header: Sequence[str], wanted: Mapping[str, Collection[str]], *, required: Collection[str] = ()
) -> dict[str, int]:
    """Return our name -> zero-based column. ``E-Mail`` matches ``email``; a match with our name takes precedence.

    ``wanted``: our name -> alternative headings. Raises TableProblem for ambiguous or missing required columns.
    """
    names = [loose(name) for name in header]
    found: dict[str, int] = {}
    for name, others in wanted.items():
        places = _places(names, name, others)
        if len(places) > 1:
            raise TableProblem(Flaw.AMBIGUOUS_COLUMN, names=[name, *(header[place] for place in places)])
        if places:
            found[name] = places[0]
    missing = [name for name in wanted if name in required and name not in found]
    if missing:
        raise TableProblem(Flaw.MISSING_COLUMNS, names=missing, counts={0: len(header)})
    return found


def clear_columns(header: Sequence[str], wanted: Mapping[str, Collection[str]]) -> dict[str, int]:
    """Like :func:`find_columns`, but leave out names that match no column or several."""
    found: dict[str, int] = {}
    for name, others in wanted.items():
        try:
            found |= find_columns(header, {name: others})
        except TableProblem:
            continue
    return found


def same_names(header: Sequence[str], wanted: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return our names that match columns with equal headings, so that only a person can choose."""
    names = [loose(name) for name in header]
    places = {name: _places(names, name, others) for name, others in wanted.items()}
    return frozenset(name for name, at in places.items() if len({names[place] for place in at}) < len(at))


def _places(names: Sequence[str], name: str, others: Collection[str]) -> list[int]:
    places = [place for place, given in enumerate(names) if given == loose(name)]
    if places:
        return places
    meant = {loose(other) for other in others}
    return [place for place, given in enumerate(names) if given in meant]


def loose(name: str) -> str:
    """Return the letters and digits of a name, without case and accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if letter.isalnum())


def bounded(arguments: list[str]) -> Any:
    """Return the job in a process's arguments, and apply its limits on CPU time and memory to this process."""
    asked = json.loads(arguments[0])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (asked["cpu"], asked["cpu"]))
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
    return asked


def main(arguments: list[str]) -> int:
    """Print the table on stdin as JSON lines: the table without rows, the rows, their number; runs as a process."""

    def write(line: Any) -> None:
        sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")

    asked = bounded(arguments)
    file: BinaryIO = sys.stdin.buffer
    try:
        table = read_table(file, name=asked["name"], limits=Limits(**asked["limits"]))
    except TableProblem as problem:
        write({**vars(problem), "counts": sorted(problem.counts.items())})
        return 0
    about = {name: getattr(table, name) for name in ("header", "encoding", "delimiter", "sheet", "names_row", "titles")}
    write({**about, "hidden": asdict(table.hidden)})
    for start in range(0, len(table.rows), _ROWS_A_LINE):
        write([[row.number, row.cells] for row in table.rows[start : start + _ROWS_A_LINE]])
    write(len(table.rows))
    sys.stdout.flush()
    return 0
