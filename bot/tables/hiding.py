"""What a sheet hides while it counts: noted from the parser's events, beside the cells."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from bot.domain.files.hidden import Hidden, Runs
from bot.domain.files.tables import Flaw, TableProblem

_LOWEST = 3.0
"""Points below which a row shows no text."""
_NARROWEST = 1.0
"""Characters below which a column shows no text."""
_MOST_RUNS = 100_000
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?")


@lru_cache(maxsize=1024)
def column_of(letters: str) -> int:
    """``A`` is 0, ``Z`` is 25, ``AA`` is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


class Hiding:
    """Takes notes cell by cell and row by row; a row without content leaves none."""

    def __init__(self) -> None:
        self._rows = Runs()
        self._formulas: defaultdict[int, Runs] = defaultdict(Runs)
        self._disguised: defaultdict[int, Runs] = defaultdict(Runs)
        self._low = self._narrow = False
        self._columns: list[tuple[int, int, bool]] = []
        self._ranges: list[tuple[int, int, int]] = []
        self._runs = 0
        self._hidden_row = False
        self._row_formulas: list[int] = []
        self._row_disguised: list[int] = []

    def defaults(self, attributes: Mapping[str, str]) -> None:
        """Height and width of rows and columns that have none of their own."""
        zero = _is_true(attributes.get("zeroHeight"))
        self._low = zero or _size(attributes.get("defaultRowHeight")) < _LOWEST
        self._narrow = _size(attributes.get("defaultColWidth")) < _NARROWEST

    def columns(self, attributes: Mapping[str, str]) -> None:
        """Some columns next to each other."""
        first, last = (int(_size(attributes.get(name), 0.0)) for name in ("min", "max"))
        hidden = _is_true(attributes.get("hidden")) or _size(attributes.get("width")) < _NARROWEST
        self._columns.append((first - 1, last - 1, hidden))

    def begin_row(self, number: int, attributes: Mapping[str, str]) -> None:
        """A row begins."""
        low = _size(attributes["ht"]) < _LOWEST if "ht" in attributes else self._low
        self._hidden_row = low or _is_true(attributes.get("hidden"))
        self._ranges = [one for one in self._ranges if one[2] >= number]
        self._row_formulas.clear()
        self._row_disguised.clear()

    def formula(self, attributes: Mapping[str, str]) -> None:
        """A formula; one of an array fills other cells, too, which have none of their own."""
        place = _RANGE.fullmatch(attributes.get("ref", ""))
        if place is not None and attributes.get("t") in ("array", "dataTable"):
            self._ranges.append((column_of(place[1]), column_of(place[3] or place[1]), int(place[4] or place[2])))

    def cell(self, column: int, *, formula: bool, disguised: bool) -> None:
        """A cell with content."""
        if formula or any(first <= column <= last for first, last, _ in self._ranges):
            self._row_formulas.append(column)
        if disguised:
            self._row_disguised.append(column)

    def end_row(self, number: int) -> None:
        """A row with content ends.

        Raises:
            TableProblem: there is too much to note.
        """
        if self._hidden_row:
            self._runs += self._rows.add(number)
        for column in self._row_formulas:
            self._runs += self._formulas[column].add(number)
        for column in self._row_disguised:
            self._runs += self._disguised[column].add(number)
        if self._runs > _MOST_RUNS:
            raise TableProblem(Flaw.TOO_COMPLEX)

    @property
    def disguised(self) -> list[int]:
        """Columns of this row whose cells show something else than they hold."""
        return self._row_disguised

    def found(self, width: int) -> Hidden:
        """Everything, of the columns that the table has."""
        columns = dict.fromkeys(range(width), self._narrow)
        for first, last, hidden in self._columns:
            columns.update(dict.fromkeys(range(max(first, 0), min(last + 1, width)), hidden))
        return Hidden(
            rows=self._rows.spans(),
            columns=tuple(column for column, hidden in columns.items() if hidden),
            formulas={column: runs.spans() for column, runs in sorted(self._formulas.items())},
            disguised={column: runs.spans() for column, runs in sorted(self._disguised.items())},
        )


def _size(text: str | None, missing: float = float("inf")) -> float:
    try:
        return float(text) if text is not None else missing
    except ValueError:
        return missing


def _is_true(text: str | None) -> bool:
    return text in ("1", "true")
