"""A table's values, limits and flaws, and what people do not see of it. The process that reads a table imports it."""

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
"""Row numbers in order, as (first, last) of each unbroken run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What people do not see, by row number and by zero-based place of the column: rows too low, columns too narrow."""

    rows: Spans = ()
    columns: tuple[int, ...] = ()
    formulas: Mapping[int, Spans] = field(default_factory=dict)
    """They show a stored result."""
    disguised: Mapping[int, Spans] = field(default_factory=dict)
    """The number format shows something else."""
    numbers: Mapping[int, Spans] = field(default_factory=dict)
    """Cells that hold numbers with decimals: what separates these isn't written, and depends on who opens the file."""
    quoted: Spans = ()
    """Rows of a text with a number in quotation marks: separators around it don't belong to it."""


class Runs:
    """Row numbers as they come while a file is read, in order."""

    def __init__(self) -> None:
        self._ends = array("Q")

    def add(self, row: int) -> bool:
        """Add a row; whether another run began with it."""
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
"""Runs of rows and names of columns that are kept with a request; of more rows, only their number."""


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
    """What is hidden, computed or disguised in a table. Names of columns are foreign text."""

    hidden_rows: Some = Some()
    hidden_columns: tuple[str, ...] = ()
    formulas: Some = Some()
    disguised: Some = Some()
    lost: Some = Some()
    """Rows with a question mark where a letter was."""
    totals: Some = Some()
    """Rows below the data that sum it up; they aren't paid."""


NO_MARKS: Final = Marks()


def marks_of(hidden: Hidden, header: Sequence[str], used: Iterable[int] | None = None) -> Marks:
    """Hidden rows and columns always; formulas and disguises in the columns that are used (None: in all)."""
    columns = frozenset(range(len(header)) if used is None else used)
    return Marks(
        hidden_rows=Some.of([hidden.rows]),
        hidden_columns=tuple(header[at] or f"column {at + 1}" for at in hidden.columns)[:_KEPT],
        formulas=Some.of(spans for at, spans in hidden.formulas.items() if at in columns),
        disguised=Some.of(spans for at, spans in hidden.disguised.items() if at in columns),
    )


_LOST: Final = re.compile(r"[^\s@]*\?[^\s@]*@")


def with_lost_letters(marks: Marks, rows: Iterable["Row"]) -> Marks:
    """The marks with the rows that have an address in which a question mark probably replaced a letter."""
    lost = (row.number for row in rows if any("?" in cell and _LOST.search(cell) for cell in row.cells))
    return marks.model_copy(update={"lost": Some.at(lost)})


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
    """What was read, of a text or a workbook. Empty rows are left out, but counted in the numbers of the others."""

    header: tuple[str, ...]
    rows: Sequence[Row]
    encoding: str = ""
    """In words."""
    delimiter: str = ""
    sheet: str = ""
    names_row: int = 0
    """Number of the row with the names, if there are titles above it."""
    titles: str = ""
    hidden: Hidden = Hidden()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a file is read, in bytes, rows without the header, columns; ``sample``: rows after which it ends."""

    size: int = 20 * MEBIBYTE
    rows: int = 100_000
    columns: int = 100
    unpacked: int = 200 * MEBIBYTE
    sample: int = 0
    addresses: bool = False
    """Whether a text that only lists addresses is a table, too."""


class SampleRead(Exception):
    """Raised to end reading when the sample is complete."""


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
    """A cell, a row, the table of a sheet or a part of a workbook stands there a second time, or out of order."""
    DISGUISED_NAME = "disguised name"
    MISSING_COLUMNS = "missing columns"
    AMBIGUOUS_COLUMN = "ambiguous column"


UNCLEAR = frozenset({Flaw.MISSING_COLUMNS, Flaw.AMBIGUOUS_COLUMN})
"""The names do not say which column is which, but a person can."""


class TableProblem(SwitchboardError):
    """The file holds no table that can be used; what a sentence for the person needs.

    ``names`` are columns, cells or a format, ``allowed`` is the limit passed or the cells a row should have, ``counts``
    the cells of each ragged row, ``more`` the number of further places.
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
