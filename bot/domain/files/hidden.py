"""Places of a table that people do not see as they are in their spreadsheet, although they count.

The process that reads a table uses this, so it imports little.
"""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

Spans = tuple[tuple[int, int], ...]
"""Row numbers in order, as (first, last) of each unbroken run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """As a table was read. Columns are zero-based places.

    Args:
        rows: hidden, filtered out, or too low to be seen.
        columns: hidden, or too narrow to be seen.
        formulas: column -> rows whose cell is the stored result of a formula.
        disguised: column -> rows whose number format shows something else than the cell holds.
    """

    rows: Spans = ()
    columns: tuple[int, ...] = ()
    formulas: Mapping[int, Spans] = field(default_factory=lambda: MappingProxyType({}))
    disguised: Mapping[int, Spans] = field(default_factory=lambda: MappingProxyType({}))


NOTHING_HIDDEN: Final = Hidden()


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
        """All of them."""
        return tuple(zip(self._ends[::2], self._ends[1::2], strict=True))


def rows_of(spans: Spans) -> Iterator[int]:
    """Each row."""
    return (row for first, last in spans for row in range(first, last + 1))
