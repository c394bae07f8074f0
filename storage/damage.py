"""Rows that cannot be read: damaged, forged, or written by a newer program. They are noted, and never guessed.

A list leaves such a row out, so that it affects nobody else's; reading it alone is an error. The bot holds what was
noted, and tells the operator: see ``bot.workflows.admin.damage``.
"""

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
"""Rows that are remembered: beyond that, they are noted again."""


class Broken(Exception):
    """A column does not hold what it should; ``column``: its name."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """One row that cannot be read.

    Attributes:
        key: the values of the columns that name it, as the database holds them.
        name: what people call it, where that can be read; otherwise "".
        about: id of the request that it belongs to; "" for none.
        column: the first one that cannot be read.
    """

    table: str
    key: tuple[Any, ...]
    name: str
    about: str
    column: str


@dataclass(slots=True)
class Damage:
    """What was noted and is not held yet. Readers and the writer note from their own threads."""

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
        """The row is tried again: should it still be damaged, it is noted anew."""
        with self._lock:
            self._known.discard((table, repr(key)))


@dataclass(frozen=True, slots=True, eq=False)
class Shape(Generic[R]):
    """How the rows of a table become records.

    Attributes:
        make: makes the record of the values of the columns; raises Broken, or any error of values.
        called: the column with what people call such a row; "" for none.
        key: the columns that name a row; empty: those of the primary key.
    """

    table: Table
    make: Callable[..., R]
    called: str = ""
    key: tuple[str, ...] = ()

    def read(self, values: Mapping[str, Any]) -> R:
        """The record of a row.

        Raises:
            Broken: it cannot be read.
        """
        check(self.table, values)
        try:
            return self.make(**values)
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
            raise Broken("") from error

    def damaged(self, values: Mapping[str, Any], column: str) -> Damaged:
        names = self.key or tuple(self.table.primary_key.columns.keys())
        held = [values.get(name) for name in names]
        key = tuple(value.raw if isinstance(value, Unreadable) else value for value in held)
        about = values.get("id" if self.table.name == "instruction" else "instruction_id")
        return Damaged(
            table=self.table.name,
            key=key,
            name=_readable(values.get(self.called)),
            about=_readable(about),
            column=column,
        )


def read_all(damage: Damage, shape: Shape[R], rows: Iterable[Row[Any]]) -> list[R]:
    """The records of rows that do not depend on each other; those that cannot be read are noted, and left out."""
    found = []
    for row in rows:
        values = row._asdict()
        try:
            found.append(shape.read(values))
        except Broken as broken:
            damage.note(shape.damaged(values, broken.column))
    return found


def read_one(damage: Damage, shape: Shape[R], values: Mapping[str, Any]) -> R:
    """The record of one row.

    Raises:
        RowUnreadable: it cannot be read; that is noted.
    """
    try:
        return shape.read(values)
    except Broken as broken:
        found = shape.damaged(values, broken.column)
        damage.note(found)
        raise RowUnreadable(found.table, found.name or found.about, found.column) from broken


def check(table: Table, values: Mapping[str, Any]) -> None:
    """Check that each value is of its column's kind: SQLite stores anything anywhere.

    Raises:
        Broken: naming the first column whose value is not.
    """
    expected = _expected(table)
    for name, value in values.items():
        if not _fits(value, *expected[name]):
            raise Broken(name)


def _fits(value: Any, kinds: tuple[type, ...], nullable: bool, bound: int) -> bool:
    if value is None:
        return nullable
    kind = type(value)
    if kind is Unreadable or (kinds and kind not in kinds):
        return False
    if kind is str:
        return value.isascii() or is_encodable(value)
    return not bound or -bound <= value < bound


@cache
def _expected(table: Table) -> Mapping[str, tuple[tuple[type, ...], bool, int]]:
    """By column: the types of its values (empty: any), whether they may be None, and the bound of its numbers."""
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


def _readable(value: Any) -> str:
    return value if isinstance(value, str) and value.isprintable() else ""
