"""Tables: values, limits, flaws, and hidden content. The process that parses a table imports this module."""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple, Self, overload

from bot.domain.errors import SwitchboardError
from bot.domain.values import Value

Spans = tuple[tuple[int, int], ...]
"""Row numbers in order, as (first, last) of each consecutive run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """Hidden rows by number and columns by zero-based index (including very small ones), and misleading cells."""

    rows: Spans = ()
    columns: tuple[int, ...] = ()
    formulas: Mapping[int, Spans] = field(default_factory=dict)
    """Cells with formulas, which show a stored result."""
    disguised: Mapping[int, Spans] = field(default_factory=dict)
    """Cells whose number format shows another value."""
    numbers: Mapping[int, Spans] = field(default_factory=dict)
    """Cells with decimal numbers: their decimal sign isn't stored, and depends on who opens the file."""
    quoted: Spans = ()
    """Rows of a text file with a quoted number: separators next to it aren't part of it."""


class Runs:
    """Row numbers in ascending order, collected while a file is read."""

    def __init__(self) -> None:
        self._ends = array("Q")

    def add(self, row: int) -> bool:
        """Add a row; return whether it started a new run."""
        if self._ends and row <= self._ends[-1] + 1:
            self._ends[-1] = row
            return False
        self._ends.extend((row, row))
        return True

    def spans(self) -> Spans:
        return tuple(zip(self._ends[::2], self._ends[1::2], strict=True))


def rows_of(spans: Spans) -> Iterator[int]:
    return (row for first, last in spans for row in range(first, last + 1))


_KEPT: Final = 20
"""Runs of rows and column names stored with a request; beyond that, only the number of rows is kept."""


class Some(Value):
    spans: Spans = ()
    count: int = 0

    @classmethod
    def of(cls, columns: Iterable[Spans]) -> Self:
        together: list[tuple[int, int]] = []
        for first, last in sorted(span for spans in columns for span in spans):
            if together and first <= together[-1][1] + 1:
                together[-1] = (together[-1][0], max(last, together[-1][1]))
            else:
                together.append((first, last))
        return cls(spans=tuple(together[:_KEPT]), count=sum(last - first + 1 for first, last in together))

    @classmethod
    def at(cls, rows: Iterable[int]) -> Self:
        return cls.of([((row, row),) for row in rows])


class Marks(Value):
    """Hidden, computed or disguised content of a table. Column names are foreign text."""

    hidden_rows: Some = Some()
    hidden_columns: tuple[str, ...] = ()
    formulas: Some = Some()
    disguised: Some = Some()
    lost: Some = Some()
    """Rows in which a question mark replaced a letter."""
    totals: Some = Some()
    """Total rows below the data, which aren't paid."""


NO_MARKS: Final = Marks()


def marks_of(hidden: Hidden, header: Sequence[str], used: Iterable[int] | None = None) -> Marks:
    """Collect hidden rows and columns, and formulas and disguised cells of the ``used`` columns (None for all)."""
    columns = frozenset(range(len(header)) if used is None else used)
    return Marks(
        hidden_rows=Some.of([hidden.rows]),
        hidden_columns=tuple(header[at] or f"column {at + 1}" for at in hidden.columns)[:_KEPT],
        formulas=Some.of(spans for at, spans in hidden.formulas.items() if at in columns),
        disguised=Some.of(spans for at, spans in hidden.disguised.items() if at in columns),
    )


_LOST: Final = re.compile(r"[^\s@]*\?[^\s@]*@")


def with_lost_letters(marks: Marks, rows: Iterable["Row"]) -> Marks:
    """Add the rows with an address in which a question mark probably replaced a letter."""
    lost = (row.number for row in rows if any("?" in cell and _LOST.search(cell) for cell in row.cells))
    return marks.model_copy(update={"lost": Some.at(lost)})


MEBIBYTE = 1024 * 1024
CELL_LIMIT = 131_072
"""Characters per cell: the csv module's limit, four times that of a spreadsheet."""


class Row(NamedTuple):
    """A row: its number in the spreadsheet (the header is 1), and a cell for each column name."""

    number: int
    cells: tuple[str, ...]


class Rows(Sequence[Row]):
    """Rows in order, stored as tuples and numbers, because a million small objects would slow the process down."""

    def __init__(self) -> None:
        self._numbers = array("L")
        self._cells: list[tuple[str, ...]] = []

    def add(self, number: int, cells: tuple[str, ...]) -> None:
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
    """A parsed text file or workbook. Empty rows are left out, but still counted in row numbers."""

    header: tuple[str, ...]
    rows: Sequence[Row]
    encoding: str = ""
    """For people, in words."""
    delimiter: str = ""
    sheet: str = ""
    names_row: int = 0
    """Number of the header row if there are titles above it."""
    titles: str = ""
    hidden: Hidden = Hidden()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits in bytes, rows without the header, and columns; reading stops after ``sample`` rows, if set."""

    size: int = 20 * MEBIBYTE
    rows: int = 100_000
    columns: int = 100
    unpacked: int = 200 * MEBIBYTE
    sample: int = 0
    addresses: bool = False
    """Whether a text that only lists addresses counts as a table."""


class SampleRead(Exception):
    """Stops reading once the sample is complete."""


class Flaw(StrEnum):
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
    NO_SHEET = "no sheet"
    NO_RESULT = "no result"
    MERGED = "merged"
    TWICE = "twice"
    """A cell, row, sheet table or workbook part is duplicated or out of order."""
    DISGUISED_NAME = "disguised name"
    MISSING_COLUMNS = "missing columns"
    AMBIGUOUS_COLUMN = "ambiguous column"


UNCLEAR = frozenset({Flaw.MISSING_COLUMNS, Flaw.AMBIGUOUS_COLUMN})
"""Flaws that a person can resolve by choosing the columns."""


class TableProblem(SwitchboardError):
    """The file contains no usable table; the fields complete the message for the person.

    ``names`` are columns, cells or a format, ``allowed`` is the exceeded limit or the expected number of cells,
    ``counts`` has the number of cells per ragged row, and ``more`` is the number of further places.
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
