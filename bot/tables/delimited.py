"""Reader and writer of delimited text.

Written cells never run as formulas and read back unchanged: a cell that a spreadsheet would take for a formula, even
after apostrophes, gets a leading apostrophe. Plain numbers such as ``-25.00`` and ``+593991234567`` don't.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import BinaryIO

from bot.domain.files.columns import (
    AHEAD,
    address_in,
    address_parts,
    addresses_in,
    is_number,
    looks_like_address,
    names_at,
)
from bot.domain.files.tables import CELL_LIMIT, Flaw, Hidden, Limits, Rows, Runs, SampleRead, Table, TableProblem
from bot.domain.text import bare

_SAMPLE = 64 * 1024
_DELIMITERS = (",", ";", "\t", "|")
_RAGGED_SHOWN = 10
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)

_TRIGGERS = "=+\\-@\t\r\n＝＋－＠﹢﹣﹦﹫−"
"""Characters that start a formula or are skipped before one, including full-width and small forms."""
_QUOTED_NUMBER = re.compile(r'"[$\s]*[0-9][0-9.]*\s*"')
_SEPARATOR = re.compile(r'[\ufeff\r\n]*"?sep=([^\r\n"])"?[ \t,;]*\r?\n', re.IGNORECASE)
_LOOKED_AT = 60
"""Rows used to choose the delimiter."""
_LEGACY = (("cp1252", "Windows-1252"), ("cp1250", "Windows-1250"), ("mac_roman", "Mac Roman"))
_CODECS = {name: codec for codec, name in _LEGACY} | {"UTF-16": "utf-16"}
_ODD = re.compile(
    r"(?<=[a-z])(?:[^\x00-\x7f](?<!\w)(?<![’‘“”–—])|[ŠŽŸŚŤŹŁĄŞÀ-ÖØ-Þ])|(?:[^\x00-\x7f](?<!\w)(?<![’‘“”–—«¿¡]))(?=[a-z])"
)
"""Symbols inside words, and capitals after lower-case letters."""
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?%?")
_FORMULA = re.compile(rf"'*[\s\u200b\ufeff]*[{_TRIGGERS}]")
_PLAIN = re.compile(r"[\t\r\n -~]*")
_WRITTEN = re.compile(rf"'+[\s\u200b\ufeff]*[{_TRIGGERS}]")


def read_text(file: BinaryIO, *, limits: Limits) -> Table:
    codec, encoding = _encoding(file)
    file.seek(0)
    decoded = io.TextIOWrapper(file, codec, newline="")
    try:
        sample = decoded.read(_SAMPLE)
        decoded.seek(0)
        if limits.addresses and (listed := _list(sample, decoded, limits)) is not None:
            return Table(header=("email", "name")[: len(listed[0].cells)], rows=listed, encoding=encoding)
        first = _SEPARATOR.match(sample)
        if first is not None:  # Excel's sep= line
            for _ in range(first[0].count("\n")):
                decoded.readline()
            sample = sample[first.end() :]
        shape = max((_Shape.of(sample, mark) for mark in (first[1] if first else _DELIMITERS)), key=lambda one: one.fit)
        delimiter = shape.delimiter
        records = _Records(limits, names_row=shape.names_row)
        records.take(csv.reader(records.lines(decoded), delimiter=delimiter, strict=True))
    except UnicodeDecodeError as error:
        raise TableProblem(Flaw.ENCODING, names=[encoding]) from error
    finally:
        decoded.detach()
    above = shape.names_row if shape.titles else 0
    return Table(
        header=records.header,
        rows=records.rows,
        encoding=encoding,
        delimiter=delimiter,
        names_row=above,
        titles=shape.titles,
        hidden=Hidden(quoted=records.quoted_rows.spans()),
    )


def _list(sample: str, lines: Iterable[str], limits: Limits) -> Rows | None:
    """Return one address per row with the name before it; None if the text contains anything else."""
    if not all(addresses_in(line) for line in sample.splitlines()[: AHEAD * 4] if bare(line)):
        return None
    found = [(number, part) for number, line in enumerate(lines, 1) for part in address_parts(line)]
    if len(found) > limits.rows:
        raise TableProblem(Flaw.TOO_MANY_ROWS, allowed=limits.rows)
    names = [bare(part.partition("<")[0]).strip('"') if "<" in part else "" for _, part in found]
    rows = Rows()
    for (number, part), name in zip(found, names, strict=True):
        address = address_in(part) or part.strip()
        rows.add(number, (address, name) if any(names) else (address,))
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """Structure of the first rows with one delimiter."""

    delimiter: str
    names_row: int
    titles: str
    fit: tuple[float, int, int]
    """Ranking: share of rows as wide as the header, cells that are an address or a number, header cells minus one."""

    @classmethod
    def of(cls, sample: str, delimiter: str) -> "_Shape":
        rows: list[tuple[int, list[str]]] = []
        with suppress(csv.Error):
            for number, cells in enumerate(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), 1):
                if any(map(bare, cells)):
                    rows.append((number, cells))
                if len(rows) > _LOOKED_AT:
                    break
        at = names_at([cells for _, cells in rows])
        widths = [len(cells) for _, cells in rows[at:]]
        equal = sum(width == widths[0] for width in widths) / len(widths) if widths and widths[0] > 1 else 0.0
        alone = sum(is_number(cell) or looks_like_address(cell) for _, cells in rows for cell in cells)
        number = rows[at][0] if rows else 1
        titles = " ".join(cell for _, cells in rows[:at] for cell in cells)
        return cls(
            delimiter=delimiter, names_row=number, titles=titles, fit=(equal, alone, widths[0] - 1 if widths else 0)
        )


def _encoding(file: BinaryIO) -> tuple[str, str]:
    """Return the codec and its common name. Without a byte order mark it is UTF-8 if valid, else a legacy encoding."""
    file.seek(0)
    head = file.read(_SAMPLE)
    marked = next(((codec, name) for mark, codec, name in _MARKS if head.startswith(mark)), None)
    if marked is not None:
        return marked
    if len(head) >= 4:  # noqa: PLR2004 - two letters of UTF-16
        if head[1::2].count(0) * 2 > len(head) // 2 and not head[0::2].count(0):
            return "utf-16-le", "UTF-16"
        if head[0::2].count(0) * 2 > len(head) // 2 and not head[1::2].count(0):
            return "utf-16-be", "UTF-16"
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    broken = wide = line = lines = 0  # invalid sequences, valid non-ASCII letters, line of the first invalid one
    for block in chain(iter(partial(file.read, _SAMPLE), b""), [b""]):
        text = decoder.decode(block, final=not block)
        if not text.isascii():
            wrong = text.count("\ufffd")
            if wrong and not broken:
                line = lines + text.count("\n", 0, text.index("\ufffd")) + 1
            broken += wrong
            wide += sum(letter > "\x7f" for letter in text) - wrong
        lines += text.count("\n")
    if not broken:
        return "utf-8", "UTF-8"
    if wide > broken:
        raise TableProblem(Flaw.ENCODING, names=["UTF-8"], rows=[line])
    file.seek(0)
    return _legacy(file.read())


def _legacy(content: bytes) -> tuple[str, str]:
    """Return the likeliest single-byte encoding: the one with the fewest odd characters in words."""
    words = b" ".join(word for word in content.split() if not word.isascii())[:_SAMPLE]
    fits: list[tuple[int, int, str, str]] = []
    for codec, name in _LEGACY:
        with suppress(UnicodeDecodeError):
            content.decode(codec)
            text = words.decode(codec)
            fits.append((len(_ODD.findall(text)), len(fits), codec, name))
    return min(fits)[2:]


@dataclass(slots=True)
class _Records:
    limits: Limits
    names_row: int = 1
    odd: bool = False
    """True if a line since the last reset had an apostrophe, or any line a NUL, so each cell must be checked."""
    nul: bool = False
    quoted: bool = False
    """True if a line of the next record has a number in quotation marks."""
    quoted_rows: Runs = field(default_factory=Runs)
    header: tuple[str, ...] = ()
    rows: Rows = field(default_factory=Rows)
    width: int = 0
    ragged: dict[int, int] = field(default_factory=dict)
    """Row number -> number of cells, for the first rows with more cells than the header."""
    more_ragged: int = 0

    def lines(self, text: Iterable[str]) -> Iterator[str]:
        for line in text:
            if "'" in line or "\x00" in line:
                self.odd = True
                self.nul = self.nul or "\x00" in line
            if '"' in line and _QUOTED_NUMBER.search(line):
                self.quoted = True
            yield line

    def take(self, records: Iterator[list[str]]) -> None:
        """Read all records, or until a limit is exceeded."""
        number, width, most = 0, -1, self.limits.sample or self.limits.rows
        rows = self.rows
        add = rows.add
        try:
            with suppress(SampleRead):
                for number, cells in enumerate(records, 1):
                    if self.quoted:
                        self.quoted_rows.add(number)
                        self.quoted = False
                    # Fast path for nearly every row of a large file.
                    if len(cells) == width and not self.odd and cells[0].strip() and len(rows) < most:
                        add(number, tuple(cells))
                    else:
                        self._take_one(number, cells)
                        width = self.width or -1
        except csv.Error as error:  # only its message distinguishes the cases
            if "field larger" in str(error):
                raise TableProblem(Flaw.CELL_TOO_LONG, rows=[number + 1], allowed=CELL_LIMIT) from None
            flaw = Flaw.QUOTE_OPEN if "unexpected end" in str(error) else Flaw.QUOTE_INSIDE
            raise TableProblem(flaw, rows=[number + 1]) from None
        if not self.header:
            raise TableProblem(Flaw.EMPTY)
        if self.ragged:
            raise TableProblem(
                Flaw.RAGGED, rows=tuple(self.ragged), counts=self.ragged, allowed=self.width, more=self.more_ragged
            )

    def _take_one(self, number: int, cells: list[str]) -> None:
        if self.nul:
            raise TableProblem(Flaw.NUL, rows=[number])
        if not any(map(str.strip, cells)) or number < self.names_row:
            return
        if not self.header:
            names = [bare(plain(name)) for name in cells]
            while names and not names[-1]:
                names.pop()
            if len(names) > self.limits.columns:
                raise TableProblem(Flaw.TOO_MANY_COLUMNS, allowed=self.limits.columns)
            self.header = tuple(names)
            self.width = len(names)
            self.odd = False
        elif any(map(str.strip, cells[self.width :])):
            if len(self.ragged) < _RAGGED_SHOWN:
                self.ragged[number] = len(cells)
            else:
                self.more_ragged += 1
        else:
            self._add(number, [*cells, *[""] * (self.width - len(cells))][: self.width])

    def _add(self, number: int, cells: list[str]) -> None:
        if 0 < self.limits.sample <= len(self.rows):
            raise SampleRead
        if len(self.rows) >= self.limits.rows:
            raise TableProblem(Flaw.TOO_MANY_ROWS, allowed=self.limits.rows)
        if self.odd:  # undo the neutralising of formulas
            cells = list(map(plain, cells))
            self.odd = False
        self.rows.add(number, tuple(cells))


def neutral(cell: str) -> str:
    """Return a cell that a spreadsheet won't run as a formula."""
    if _FORMULA.match(cell) is None or _NUMBER.fullmatch(cell) is not None:
        return cell
    return f"'{cell}"


def plain(cell: str) -> str:
    """Undo ``neutral``."""
    return cell[1:] if cell.startswith("'") and _WRITTEN.match(cell) is not None else cell


def rewritten(content: bytes) -> bytes:
    """Neutralise the formulas in a service's delimited text, even if it isn't a valid table."""
    try:
        codec, _ = _encoding(io.BytesIO(content))
    except TableProblem:  # UTF-8 with some damaged letters
        codec = "utf-8"
    text = content.decode(codec, "replace").removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    try:
        for row in csv.reader(io.StringIO(text.replace("\x00", "\ufffd"), newline=""), delimiter=delimiter):
            writer.writerow([neutral(cell) for cell in row])
    except csv.Error:  # a cell exceeds the limit: treat lines as cells
        return "\r\n".join(neutral(line) for line in text.splitlines()).encode(_codec(text), "replace")
    written = out.getvalue()
    return written.encode(_codec(written), "replace")


def write_csv(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    for_people: bool = True,
    delimiter: str = ",",
    encoding: str = "",
) -> bytes:
    """Write a CSV file with CRLF. ``for_people``: neutralise formulas and add a byte order mark if needed.

    ``encoding``: name from a table that was read; UTF-8 if it is unknown or can't encode the text.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter or ",")
    if for_people:
        writer.writerow([neutral(name) for name in header])
        writer.writerows([neutral(cell) for cell in row] for row in rows)
    else:
        writer.writerow(header)
        writer.writerows(rows)
    written = text.getvalue()
    with suppress(UnicodeEncodeError, KeyError):
        return written.encode(_CODECS[encoding])
    return written.encode(_codec(written) if for_people else "utf-8", "replace")


def _codec(text: str) -> str:
    # Add a mark only if a spreadsheet would misread the text without it: it confuses other programs.
    return "utf-8" if _PLAIN.fullmatch(text) is not None else "utf-8-sig"
