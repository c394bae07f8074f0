"""Delimited text as found in practice, and as we hand it back.

Written, a spreadsheet runs nothing in it, and it reads back the same: what would be taken for a formula, also behind
apostrophes, gets an apostrophe in front. Plain numbers stay, also ``-25.00`` and ``+593991234567``.
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

from bot.domain.files.tables import CELL_LIMIT, Flaw, Hidden, Limits, Rows, Runs, SampleRead, Table, TableProblem

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
"""Characters that start a formula or are skipped before one, with the wide and small forms treated alike."""
_LINE_END = re.compile(r"[\r\n]")
_QUOTED = re.compile(r'"[^"]*"?')
_QUOTED_NUMBER = re.compile(r'"[$\s]*[0-9][0-9.]*\s*"')
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?%?")
_FORMULA = re.compile(rf"'*[\s\u200b\ufeff]*[{_TRIGGERS}]")
_PLAIN = re.compile(r"[\t\r\n -~]*")
_WRITTEN = re.compile(rf"'+[\s\u200b\ufeff]*[{_TRIGGERS}]")


def read_text(file: BinaryIO, *, limits: Limits) -> Table:
    codec, encoding = _encoding(file)
    file.seek(0)
    decoded: io.StringIO | io.TextIOWrapper
    if codec == "latin-1":  # Windows-1252, and Latin-1 for the five bytes that it leaves open
        data = file.read()
        try:
            decoded = io.StringIO(data.decode("cp1252"), newline="")
        except UnicodeDecodeError:
            decoded = io.StringIO(data.decode("latin-1"), newline="")
    else:
        decoded = io.TextIOWrapper(file, codec, newline="")
    try:
        sample = decoded.read(_SAMPLE)
        decoded.seek(0)
        first = sample.lstrip("\ufeff\r\n").split("\n", 1)[0].strip()
        if first.casefold().startswith("sep=") and len(first) == len("sep=;"):  # a spreadsheet's own line
            delimiter = first[-1]
            decoded.readline()
        else:
            header = _LINE_END.split(_QUOTED.sub("", sample.lstrip("\r\n \ufeff")), maxsplit=1)[0]
            delimiter = max(_DELIMITERS, key=header.count)
        records = _Records(limits)
        records.take(csv.reader(records.lines(decoded), delimiter=delimiter, strict=True))
    except UnicodeDecodeError as error:
        raise TableProblem(Flaw.ENCODING, names=[encoding]) from error
    finally:
        if isinstance(decoded, io.TextIOWrapper):
            decoded.detach()
    hidden = Hidden(quoted=records.quoted_rows.spans())
    return Table(header=records.header, rows=records.rows, encoding=encoding, delimiter=delimiter, hidden=hidden)


def _encoding(file: BinaryIO) -> tuple[str, str]:
    """The codec and its common name. A file without a byte order mark is UTF-8 when all of it is, else Latin-1."""
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
    broken = wide = line = lines = 0  # bytes that are no UTF-8, non-ASCII letters that are, line of the first bad byte
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
    return "latin-1", "Latin-1 (Windows-1252)"


@dataclass(slots=True)
class _Records:
    limits: Limits
    odd: bool = False
    """Whether a line since the last reset had an apostrophe, or any line a NUL: then each cell is checked."""
    nul: bool = False
    quoted: bool = False
    """Whether a line of the next record had a number in quotation marks."""
    quoted_rows: Runs = field(default_factory=Runs)
    header: tuple[str, ...] = ()
    rows: Rows = field(default_factory=Rows)
    width: int = 0
    ragged: dict[int, int] = field(default_factory=dict)
    """Cells of the first rows with another number of them than the header."""
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
        """Read all records. The limits apply while reading, so a file that is too long is not read to its end."""
        number, width, most = 0, -1, self.limits.sample or self.limits.rows
        rows = self.rows
        add = rows.add
        try:
            with suppress(SampleRead):
                for number, cells in enumerate(records, 1):
                    if self.quoted:
                        self.quoted_rows.add(number)
                        self.quoted = False
                    # The fast path, for nearly every row of a large file.
                    if len(cells) == width and not self.odd and cells[0].strip() and len(rows) < most:
                        add(number, tuple(cells))
                    else:
                        self._take_one(number, cells)
                        width = self.width or -1
        except csv.Error as error:  # only its text tells which
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
        if not any(map(str.strip, cells)):
            return
        if not self.header:
            names = [plain(name).strip().lstrip("\ufeff") for name in cells]
            while names and not names[-1]:
                names.pop()
            if len(names) > self.limits.columns:
                raise TableProblem(Flaw.TOO_MANY_COLUMNS, allowed=self.limits.columns)
            self.header = tuple(names)
            self.width = len(names)
            self.odd = False
        elif len(cells) < self.width or any(map(str.strip, cells[self.width :])):
            if len(self.ragged) < _RAGGED_SHOWN:
                self.ragged[number] = len(cells)
            else:
                self.more_ragged += 1
        else:
            self._add(number, cells[: self.width])

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
    """A cell made safe for a file that a spreadsheet opens."""
    if _FORMULA.match(cell) is None or _NUMBER.fullmatch(cell) is not None:
        return cell
    return f"'{cell}"


def plain(cell: str) -> str:
    """The inverse of ``neutral``."""
    return cell[1:] if cell.startswith("'") and _WRITTEN.match(cell) is not None else cell


def rewritten(content: bytes) -> bytes:
    """Foreign delimited text with its formulas neutralised, row by row, even where it is no valid table."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    try:
        for row in csv.reader(io.StringIO(text.replace("\x00", "\ufffd"), newline=""), delimiter=delimiter):
            writer.writerow([neutral(cell) for cell in row])
    except csv.Error:  # a cell exceeds the limit: lines are treated as cells
        return "\r\n".join(neutral(line) for line in text.splitlines()).encode(_codec(text), "replace")
    written = out.getvalue()
    return written.encode(_codec(written), "replace")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]], *, for_people: bool = True) -> bytes:
    """A CSV file: UTF-8, commas, CRLF; ``for_people``: formulas neutralised, with a byte order mark if needed."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    if for_people:
        writer.writerow([neutral(name) for name in header])
        writer.writerows([neutral(cell) for cell in row] for row in rows)
    else:
        writer.writerow(header)
        writer.writerows(rows)
    written = text.getvalue()
    return written.encode(_codec(written) if for_people else "utf-8", "replace")


def _codec(text: str) -> str:
    # With a mark only where a spreadsheet would misread the text without one: other programs stumble over it.
    return "utf-8" if _PLAIN.fullmatch(text) is not None else "utf-8-sig"
