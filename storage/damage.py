"""Unreadable rows are recorded, never guessed: lists leave them out, and reading a single one raises an error."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import BigInteger, Boolean, Float, Integer, LargeBinary, Row, Table, Text

from bot.domain.reasons import Reason
from storage.errors import RowUnreadable
from storage.types import Json, Moment, Named, Reasoned, Unreadable, Words, is_encodable

R = TypeVar("R")

_MOST: Final = 10_000
"""Limit of remembered rows; beyond it, rows may be recorded again."""


class Broken(Exception):
    """A column has an invalid value; ``column`` is its name, or ""."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    table: str
    key: tuple[Any, ...]
    """Values of the columns that identify the row, as stored in the database."""
    name: str
    """Name shown to people, or "" if it can't be read."""
    about: str
    """Id of the request to which it belongs, or ""."""
    column: str
    """The first unreadable column."""


@dataclass(slots=True)
class Damage:
    """Unreadable rows that were found but aren't held yet. Thread-safe: readers and the writer run in threads."""

    _new: list[Damaged] = field(default_factory=list)
    _known: set[tuple[Any, ...]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, found: Damaged) -> None:
        same = (found.table, repr(found.key))
        with self._lock:
            if same in self._known:
                return
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known.add(same)
            self._new.append(found)

    def take(self) -> list[Damaged]:
        with self._lock:
            found, self._new = self._new, []
        return found

    def forget(self, table: str, key: tuple[Any, ...]) -> None:
        with self._lock:
            self._known.discard((table, repr(key)))


@dataclass(frozen=True, slots=True, eq=False)
class Shape(Generic[R]):
    """Mapping from the rows of a table to records."""

    table: Table
    make: Callable[..., R]
    """Creates the record from the column values; raises Broken, or any error that bad values cause."""
    called: str = ""
    """Column with the name that is shown to people, or ""."""
    key: tuple[str, ...] = ()
    """Columns that identify a row; empty for those of the primary key."""
    holds: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    """Checks of the values of JSON columns."""
    apart: tuple[str, ...] = ()
    """Columns that aren't part of the record."""

    def read(self, values: Mapping[str, Any]) -> R:
        """Return the record of a row. Raises Broken."""
        expected = _expected(self.table)
        for name, value in values.items():  # SQLite stores anything anywhere
            kinds, nullable, bound = expected[name]
            kind = type(value)
            if value is None:
                fits = nullable
            elif kind is Unreadable or (kinds and kind not in kinds):
                fits = False
            elif kind is str:
                fits = value.isascii() or is_encodable(value)
            else:
                fits = not bound or -bound <= value < bound
            if not fits:
                raise Broken(name)
        for name, is_right in self.holds.items():
            if not is_right(values[name]):
                raise Broken(name)
        try:
            return self.make(**{name: value for name, value in values.items() if name not in self.apart})
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
            raise Broken("") from error

    def damaged(self, values: Mapping[str, Any], column: str) -> Damaged:
        held = [values.get(name) for name in self.key or self.table.primary_key.columns.keys()]
        key = tuple(value.raw if isinstance(value, Unreadable) else value for value in held)
        about = values.get("id" if self.table.name == "instruction" else "instruction_id")
        name, about = (v if isinstance(v, str) and v.isprintable() else "" for v in (values.get(self.called), about))
        return Damaged(table=self.table.name, key=key, name=name, about=about, column=column)


def is_object(value: object) -> bool:
    return isinstance(value, dict)


def are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def read_all(damage: Damage, shape: Shape[R], rows: Iterable[Row[Any]]) -> list[R]:
    """Return the records of independent rows; unreadable rows are recorded in ``damage`` and left out."""
    found = []
    for row in rows:
        values = row._asdict()
        try:
            found.append(shape.read(values))
        except Broken as broken:
            damage.note(shape.damaged(values, broken.column))
    return found


def read_one(damage: Damage, shape: Shape[R], values: Mapping[str, Any]) -> R:
    """Return the record of one row. An unreadable one is recorded in ``damage`` and raises RowUnreadable."""
    try:
        return shape.read(values)
    except Broken as broken:
        found = shape.damaged(values, broken.column)
        damage.note(found)
        raise RowUnreadable(found.table, found.name, found.column) from broken


@cache
def _expected(table: Table) -> Mapping[str, tuple[tuple[type, ...], bool, int]]:
    """Return by column the types of its values (empty for any), whether it is nullable, and the limit of numbers."""
    found: dict[str, tuple[tuple[type, ...], bool, int]] = {}
    for column in table.columns:
        kinds = (
            (column.type.kind,)
            if isinstance(column.type, Named)
            else next(kinds for kind, kinds in _KINDS.items() if isinstance(column.type, kind))
        )
        bound = 0 if not isinstance(column.type, Integer) else 2**63 if isinstance(column.type, BigInteger) else 2**31
        found[column.name] = (kinds, bool(column.nullable) or isinstance(column.type, Reasoned), bound)
    return found


_KINDS: Final[Mapping[type, tuple[type, ...]]] = {
    Reasoned: (Reason,),
    Moment: (datetime,),
    Json: (),
    Words: (str,),
    Text: (str,),
    Boolean: (bool,),
    Integer: (int,),
    Float: (float, int),
    LargeBinary: (bytes,),
}
