"""Statements that every request runs: built once, and on SQLite run without SQLAlchemy's overhead.

The overhead is four times SQLite's own time for them, and holds the interpreter's lock. So on SQLite the compiled text
goes to the driver with the same values and type conversions, and errors are converted to SQLAlchemy's.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Delete, Insert, Select, Update
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError

Statement = Select[Any] | Insert | Update | Delete
_Convert = Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True)
class _Plan:
    text: str
    values: Sequence[tuple[str, _Convert]]
    fixed: Mapping[str, Any]
    columns: Sequence[tuple[int, Callable[[Any], Any]]]


class Prepared:
    """A statement whose values are named parameters, none of them lists."""

    def __init__(self, statement: Statement) -> None:
        self.names = tuple(str(column.key) for column in statement.exported_columns)
        """Column names of a row."""
        self._statement = statement
        self._plans: dict[frozenset[str], _Plan] = {}

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        cursor = self._run(connection, values)
        if cursor is None:
            return [tuple(row) for row in connection.execute(self._statement, dict(values))]
        found = [list(row) for row in cursor.fetchall()]
        for index, convert in self._plans[frozenset(values)].columns:
            for row in found:
                row[index] = convert(row[index])
        return [tuple(row) for row in found]

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        found = self.rows(connection, values)
        return found[0] if found else None

    def count(self, connection: Connection, values: Mapping[str, Any]) -> int:
        cursor = self._run(connection, values)
        return connection.execute(self._statement, dict(values)).rowcount if cursor is None else cursor.rowcount

    def _run(self, connection: Connection, values: Mapping[str, Any]) -> sqlite3.Cursor | None:
        driver = connection.connection.dbapi_connection
        if not isinstance(driver, sqlite3.Connection):
            return None
        names = frozenset(values)
        plan = self._plans.get(names)
        if plan is None:
            plan = self._plans[names] = self._plan(connection.dialect, names)
        fixed = plan.fixed
        given = [
            fixed[name] if name in fixed else values[name] if convert is None else convert(values[name])
            for name, convert in plan.values
        ]
        try:
            return driver.execute(plan.text, given)
        except sqlite3.Error as error:
            raise DBAPIError.instance(None, None, error, sqlite3.Error, hide_parameters=True) from error

    def _plan(self, dialect: Dialect, names: frozenset[str]) -> _Plan:
        compiled: Any = self._statement.compile(dialect=dialect, column_keys=sorted(names))
        if compiled.post_compile_params:
            raise ValueError("a list has no text before its length is known")
        ordered, binds = compiled.positiontup, compiled.binds
        values = [(name, binds[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in ordered]
        fixed = {
            name: binds[name].effective_value if convert is None else convert(binds[name].effective_value)
            for name, convert in values
            if name not in names
        }
        kinds = [column.type.dialect_impl(dialect) for column in self._statement.exported_columns]
        read = ((index, kind.result_processor(dialect, None)) for index, kind in enumerate(kinds))
        return _Plan(str(compiled), values, fixed, [(index, convert) for index, convert in read if convert is not None])
