"""Tables as values, and the flaws of a file that should hold one.

Reading is in ``bot.tables``, the sentences in ``bot.presentation.table_problems``; both speak in these values.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, overload

from bot.domain.errors import SwitchboardError
from bot.domain.files.hidden import NOTHING_HIDDEN, Hidden

MEBIBYTE = 1024 * 1024

CELL_LIMIT = 131_072
"""Characters of one cell: where the csv module stops, four times what a spreadsheet holds."""


class Row(NamedTuple):
    """One row: its number as a spreadsheet counts (the header is 1), and a cell for each name of the header."""

    number: int
    cells: tuple[str, ...]


class Rows(Sequence[Row]):
    """Rows in order. Kept as plain tuples beside their numbers: a million small objects would slow the process down."""

    def __init__(self) -> None:
        self._numbers = array("L")
        self._cells: list[tuple[str, ...]] = []

    def add(self, number: int, cells: tuple[str, ...]) -> None:
        """Append a row while the file is read; a finished table is never changed."""
        self._numbers.append(number)
        self._cells.append(cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Row]:
        return map(Row, self._numbers, self._cells)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        if isinstance(place, slice):
            return list(map(Row, self._numbers[place], self._cells[place]))
        return Row(self._numbers[place], self._cells[place])


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What was read. Rows without anything in them are left out, but counted in the numbers of the others.

    Args:
        header: the names as they stand in the file, without the blanks around them.
        rows: the rows that hold something, in order.
        encoding: how the letters were read, in words for people; empty for a workbook.
        delimiter: what separates the cells; empty for a workbook.
        sheet: name of the sheet that was read; empty for text.
        hidden: what people do not see in their spreadsheet although it counts; nothing for text.
    """

    header: tuple[str, ...]
    rows: Sequence[Row]
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    hidden: Hidden = NOTHING_HIDDEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a file is read at all: bytes, rows without the header, columns, bytes of an unpacked workbook.

    With a ``sample``, reading ends after so many rows, and nobody looks at the rest of the file.
    """

    size: int = 20 * MEBIBYTE
    rows: int = 100_000
    columns: int = 100
    unpacked: int = 200 * MEBIBYTE
    sample: int = 0


class SampleRead(Exception):
    """Raised to end reading when the sample is complete."""


class Flaw(StrEnum):
    """What is wrong with the file as a whole, or with a place in it."""

    EMPTY = "empty"
    TOO_LARGE = "too large"
    TOO_MANY_ROWS = "too many rows"
    TOO_MANY_COLUMNS = "too many columns"
    NO_HEADER = "no header"
    NO_ROWS = "no rows"
    RAGGED = "ragged"
    NUL = "nul"
    QUOTE_OPEN = "quote open"
    QUOTE_INSIDE = "quote inside"
    CELL_TOO_LONG = "cell too long"
    ENCODING = "encoding"
    OTHER_KIND = "other kind"
    LOCKED = "locked"
    DAMAGED = "damaged"
    BOMB = "bomb"
    TOO_COMPLEX = "too complex"
    """Reading it took more time or memory than any table should."""
    NO_SHEET = "no sheet"
    NO_RESULT = "no result"
    MERGED = "merged"
    TWICE = "twice"
    """A cell, a row, the table of a sheet or a part of a workbook stands there a second time, or out of order."""
    DISGUISED_NAME = "disguised name"
    """A name in the first row is shown as something else."""
    MISSING_COLUMNS = "missing columns"
    AMBIGUOUS_COLUMN = "ambiguous column"


UNCLEAR = frozenset({Flaw.MISSING_COLUMNS, Flaw.AMBIGUOUS_COLUMN})
"""The names do not say which column is which, but a person can."""


class TableProblem(SwitchboardError):
    """The file holds no table that can be used. A person mends it, so it carries what a sentence about it needs.

    Args:
        flaw: what is wrong.
        rows: numbers of the rows concerned, as a spreadsheet counts; for ragged rows with their cells in ``counts``.
        names: columns or cells concerned, as they are called in the file; or the format that the file has.
        allowed: the limit that was passed, or the cells a row should have.
        counts: cells of each ragged row.
        more: how many more places have the same flaw.
    """

    def __init__(
        self,
        flaw: Flaw,
        *,
        rows: Sequence[int] = (),
        names: Sequence[str] = (),
        allowed: int = 0,
        counts: Mapping[int, int] = MappingProxyType({}),
        more: int = 0,
    ) -> None:
        super().__init__(flaw.value)
        self.flaw = flaw
        self.rows = tuple(rows)
        self.names = tuple(names)
        self.allowed = allowed
        self.counts = dict(counts)
        self.more = more
