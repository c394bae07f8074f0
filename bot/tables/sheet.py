"""One sheet of a workbook, built from the parser's events, with its hidden and disguised cells."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.domain.files.columns import AHEAD
from bot.domain.files.tables import CELL_LIMIT, Flaw, Hidden, Limits, Rows, Runs, SampleRead, TableProblem
from bot.domain.text import bare, storable
from bot.tables.formats import GENERAL, is_disguised, shown

RAISED: Final = {"rPr": ("r",), "strike": ("rPr",), "vertAlign": ("rPr",)}
APART: Final = "~"
"""Precedes struck-out or raised text: 25 followed by a raised 00 must not read as 2500."""
PLACES: Final = {
    "sheetFormatPr": ("worksheet",), "cols": ("worksheet",), "col": ("cols",), "sheetData": ("worksheet",),
    "row": ("sheetData",), "c": ("row",), "f": ("c",), "v": ("c",), "is": ("c",), "r": ("is",), "rPh": ("is",),
    "t": ("is", "r", "rPh"), "mergeCells": ("worksheet",), "mergeCell": ("mergeCells",), **RAISED,
}  # fmt: skip
"""Each element that is read -> its allowed parents."""

_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LOWEST = 3.0
"""Row height in points below which text isn't visible."""
_NARROWEST = 1.0
"""Column width in characters below which text isn't visible."""
_MOST_RUNS = 100_000
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})(?::([A-Z]{1,3})([0-9]{1,7}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedParts:
    """Parts shared by all sheets: texts and formats by number, and the epoch of dates."""

    strings: Sequence[str]
    formats: Sequence[str]
    since_1904: bool


def sets_apart(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a font's element strikes out, raises or lowers text."""
    return name in ("strike", "vertAlign") and attributes.get("val", "1") not in ("0", "false", "baseline")


class Sheet:
    def __init__(
        self, *, book: SharedParts, limits: Limits, names_row: int = 0, ahead: list[tuple[int, list[str]]] | None = None
    ) -> None:
        """``ahead``: receives the first rows; nothing else is read then. ``names_row``: rows above it are titles."""
        self._ahead, self._names_row = ahead, names_row
        self._book = book
        self._limits = limits
        self._header: tuple[str, ...] | None = None
        self._rows = Rows()
        self._hiding = _Hiding()
        self._begun = False
        self._number = 0
        self._cells: dict[int, str] = {}
        self._column = -1
        self._kind = "n"
        self._style = 0
        self._formula = False
        self._value: str | None = None
        self._parts: list[str] | None = None
        self._phonetic = self._given = False

    def table(self) -> tuple[tuple[str, ...], Rows, Hidden]:
        if self._header is None:
            raise TableProblem(Flaw.EMPTY)
        return self._header, self._rows, self._hiding.found(len(self._header))

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            self._begin_cell(attributes)
        elif name in ("v", "is"):
            if self._given:
                raise self._twice(self._column)
            self._given = True
            if name == "v":
                self._parts = []
        elif name == "t":
            self._parts = []
        elif name == "f":
            self._formula = True
            self._hiding.formula(attributes)
        elif name == "rPh":
            self._phonetic = True
        elif sets_apart(name, attributes):
            self._value = (self._value or "") + APART
        elif name == "row":
            self._begin_row(attributes)
        else:
            self._begin_around(name, attributes)

    def end(self, name: str) -> None:
        if name == "v":
            self._value, self._parts = "".join(self._parts or ()), None
        elif name == "t":
            text, self._parts = "".join(self._parts or ()), None
            if not self._phonetic:
                self._value = (self._value or "") + text
        elif name == "rPh":
            self._phonetic = False
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self._end_row()

    def text(self, data: str) -> None:
        if self._parts is not None:
            self._parts.append(data)

    def _begin_around(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheetFormatPr":
            self._hiding.defaults(attributes)
        elif name == "col":
            self._hiding.columns(attributes)
        elif name == "mergeCell":
            place = _PLACE.fullmatch(attributes.get("ref", "").rpartition(":")[2])
            if self._ahead is not None or (place is not None and int(place[2]) < self._names_row):
                return
            raise TableProblem(Flaw.MERGED, names=[attributes.get("ref", "")])
        elif name == "sheetData":
            if self._begun:
                raise TableProblem(Flaw.TWICE, names=["The table of the sheet"])
            self._begun = True

    def _begin_row(self, attributes: Mapping[str, str]) -> None:
        given = attributes.get("r", "")
        number = int(given) if given.isascii() and given.isdigit() else self._number + 1
        if number <= self._number:
            raise TableProblem(Flaw.TWICE, names=[f"Row {number}"])
        self._number = number
        self._hiding.begin_row(number, attributes)
        self._cells = {}
        self._column = -1

    def _begin_cell(self, attributes: Mapping[str, str]) -> None:
        given, column = attributes.get("r"), self._column + 1
        if given is not None:
            place = _PLACE.fullmatch(given)
            if place is None or int(place[2]) != self._number:
                raise TableProblem(Flaw.DAMAGED)  # a cell of another row, which would duplicate one there
            column = _column_of(place[1])
        if column <= self._column:
            raise self._twice(column)
        self._column = column
        self._kind = attributes.get("t", "n")
        style = attributes.get("s", "0")
        self._style = int(style) if style.isascii() and style.isdigit() else 0
        self._formula = False
        self._value = None
        self._given = False

    def _twice(self, column: int) -> TableProblem:
        return TableProblem(Flaw.TWICE, names=[f"Cell {_letters(column)}{self._number}"])

    def _end_cell(self) -> None:
        if self._value is None:
            if self._formula:
                raise TableProblem(Flaw.NO_RESULT, names=[f"{_letters(self._column)}{self._number}"])
            return
        formats = self._book.formats
        code = formats[self._style] if self._style < len(formats) else GENERAL
        text = self._shown(self._value, code)
        if len(text) > CELL_LIMIT:
            raise TableProblem(Flaw.CELL_TOO_LONG, rows=[self._number], allowed=CELL_LIMIT)
        if text:
            self._cells[self._column] = text
        if text.strip():
            disguised = is_disguised(self._value, code, number=self._kind == "n")
            number = self._kind == "n" and "." in text
            self._hiding.cell(self._column, formula=self._formula, disguised=disguised, number=number)

    def _shown(self, text: str, code: str) -> str:
        if self._kind == "b":
            return "TRUE" if text == "1" else "FALSE"
        if self._kind == "n":
            return shown(text, code, since_1904=self._book.since_1904)
        if self._kind == "s":
            strings, number = self._book.strings, int(text) if text.isascii() and text.isdigit() else -1
            if not 0 <= number < len(strings):
                raise TableProblem(Flaw.DAMAGED)
            text = strings[number]
        # Workbooks escape control characters as ``_x0000_``.
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text

    def _end_row(self) -> None:
        cells = {column: text for column, text in self._cells.items() if text.strip()}
        if cells and self._ahead is not None:
            self._ahead.append((self._number, list(cells.values())))
            if len(self._ahead) > AHEAD:
                raise SampleRead
        elif cells and self._number >= self._names_row:
            self._take(cells)

    def _take(self, cells: Mapping[int, str]) -> None:
        whole = "".join(cells.values())
        if "\x00" in whole:
            raise TableProblem(Flaw.NUL, rows=[self._number])
        if storable(whole) != whole:
            raise TableProblem(Flaw.DAMAGED)  # a lone surrogate, which no spreadsheet writes
        width = max(cells) + 1
        if self._header is None:
            if width > self._limits.columns:
                raise TableProblem(Flaw.TOO_MANY_COLUMNS, allowed=self._limits.columns)
            if self._hiding.disguised:
                raise TableProblem(Flaw.DISGUISED_NAME, names=[f"{_letters(self._hiding.disguised[0])}{self._number}"])
            self._header = tuple(bare(cells.get(column, "")) for column in range(width))
            self._hiding.end_row(self._number)
            return
        if width > len(self._header):
            raise TableProblem(
                Flaw.RAGGED, rows=[self._number], counts={self._number: width}, allowed=len(self._header)
            )
        if 0 < self._limits.sample <= len(self._rows):
            raise SampleRead
        if len(self._rows) >= self._limits.rows:
            raise TableProblem(Flaw.TOO_MANY_ROWS, allowed=self._limits.rows)
        self._hiding.end_row(self._number)
        self._rows.add(self._number, tuple(cells.get(column, "") for column in range(len(self._header))))


@lru_cache(maxsize=1024)
def _column_of(letters: str) -> int:
    """Return a column's zero-based number: ``A`` is 0, ``AA`` is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _letters(column: int) -> str:
    letters = ""
    column += 1
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


class _Hiding:
    """Collects hidden, disguised and computed cells of a sheet; empty rows are skipped."""

    def __init__(self) -> None:
        self._rows = Runs()
        self._formulas: defaultdict[int, Runs] = defaultdict(Runs)
        self._disguised: defaultdict[int, Runs] = defaultdict(Runs)
        self._numbers: defaultdict[int, Runs] = defaultdict(Runs)
        self._low = self._narrow = False
        self._columns: list[tuple[int, int, bool]] = []
        self._ranges: list[tuple[int, int, int]] = []
        self._runs = 0
        self._hidden_row = False
        self._row_formulas: list[int] = []
        self._row_numbers: list[int] = []
        self.disguised: list[int] = []
        """Columns of the current row whose cells show something other than their value."""

    def defaults(self, attributes: Mapping[str, str]) -> None:
        zero = _is_true(attributes.get("zeroHeight"))
        self._low = zero or _size(attributes.get("defaultRowHeight")) < _LOWEST
        self._narrow = _size(attributes.get("defaultColWidth")) < _NARROWEST

    def columns(self, attributes: Mapping[str, str]) -> None:
        first, last = (int(_size(attributes.get(name), 0.0)) for name in ("min", "max"))
        hidden = _is_true(attributes.get("hidden")) or _size(attributes.get("width")) < _NARROWEST
        self._columns.append((first - 1, last - 1, hidden))

    def begin_row(self, number: int, attributes: Mapping[str, str]) -> None:
        low = _size(attributes["ht"]) < _LOWEST if "ht" in attributes else self._low
        self._hidden_row = low or _is_true(attributes.get("hidden"))
        self._ranges = [one for one in self._ranges if one[2] >= number]
        self._row_formulas.clear()
        self._row_numbers.clear()
        self.disguised.clear()

    def formula(self, attributes: Mapping[str, str]) -> None:
        """Record a formula's range: an array formula also fills cells that contain no formula themselves."""
        place = _RANGE.fullmatch(attributes.get("ref", ""))
        if place is not None and attributes.get("t") in ("array", "dataTable"):
            self._ranges.append((_column_of(place[1]), _column_of(place[3] or place[1]), int(place[4] or place[2])))

    def cell(self, column: int, *, formula: bool, disguised: bool, number: bool) -> None:
        if formula or any(first <= column <= last for first, last, _ in self._ranges):
            self._row_formulas.append(column)
        if disguised:
            self.disguised.append(column)
        if number:
            self._row_numbers.append(column)

    def end_row(self, number: int) -> None:
        if self._hidden_row:
            self._runs += self._rows.add(number)
        for column in self._row_formulas:
            self._runs += self._formulas[column].add(number)
        for column in self.disguised:
            self._runs += self._disguised[column].add(number)
        for column in self._row_numbers:
            self._runs += self._numbers[column].add(number)
        if self._runs > _MOST_RUNS:
            raise TableProblem(Flaw.TOO_COMPLEX)

    def found(self, width: int) -> Hidden:
        columns = dict.fromkeys(range(width), self._narrow)
        for first, last, hidden in self._columns:
            columns.update(dict.fromkeys(range(max(first, 0), min(last + 1, width)), hidden))
        return Hidden(
            rows=self._rows.spans(),
            columns=tuple(column for column, hidden in columns.items() if hidden),
            formulas={column: runs.spans() for column, runs in sorted(self._formulas.items())},
            disguised={column: runs.spans() for column, runs in sorted(self._disguised.items())},
            numbers={column: runs.spans() for column, runs in sorted(self._numbers.items())},
        )


def _size(text: str | None, missing: float = float("inf")) -> float:
    try:
        return float(text) if text is not None else missing
    except ValueError:
        return missing


def _is_true(text: str | None) -> bool:
    return text in ("1", "true")
