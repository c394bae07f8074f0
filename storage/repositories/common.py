"""Shared by the repositories: their base class, inserts that return whether they were first, and leases.

Statements that every request runs are built once and get their values as parameters: building one costs
SQLAlchemy several times what SQLite needs to run it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Executable,
    Integer,
    LargeBinary,
    Row,
    Table,
    Text,
    TextClause,
    UnaryExpression,
    and_,
    bindparam,
    cast,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from storage.damage import Damage, Shape, read_all, read_one
from storage.prepared import Prepared
from storage.rows import Hold
from storage.types import Moment, is_encodable

R = TypeVar("R")

Condition = ColumnElement[bool] | TextClause
"""Condition on rows; text where SQLite must recognise that a partial index covers it."""


class Repository:
    """The rows of a table or two, in one transaction. ``damage``: where rows that cannot be read are noted."""

    def __init__(self, connection: Connection, damage: Damage | None = None) -> None:
        self._connection = connection
        self._damage = damage if damage is not None else Damage()

    def _one(self, shape: Shape[R], query: Executable) -> R | None:
        """The first row as a record; None: there is no row.

        Raises:
            RowUnreadable: it cannot be read.
        """
        row = next(iter(self._connection.execute(query).all()), None)  # all: an update has to run to its end
        return None if row is None else read_one(self._damage, shape, row._asdict())

    def _all(self, shape: Shape[R], query: Executable) -> list[R]:
        """The rows as records; those that cannot be read are noted, and left out."""
        return read_all(self._damage, shape, self._connection.execute(query).all())

    def _whole(self, shape: Shape[R], query: Executable) -> list[R]:
        """The rows as records, where one that is left out would change what the others say.

        Raises:
            RowUnreadable: one of them cannot be read.
        """
        rows = self._connection.execute(query).all()
        return [read_one(self._damage, shape, row._asdict()) for row in rows]

    def _records(self, shape: Shape[R], rows: Iterable[Row[Any]]) -> list[R]:
        """The same as :meth:`_all`, of rows that were read."""
        return read_all(self._damage, shape, rows)

    def _change(self, table: Table, *which: ColumnElement[bool], **values: object) -> int:
        """Set these columns in the rows that meet the conditions; how many there were."""
        return self._connection.execute(update(table).where(*which).values(values)).rowcount


def insert_once(connection: Connection, table: Table, values: Mapping[str, object], *, unless: tuple[str, ...]) -> bool:
    """Insert, unless a row has the same values in the unique columns ``unless``; returns whether it was inserted."""
    return _insert_unless(connection.dialect.name, table, unless).first(connection, values) is not None


@cache
def _insert_unless(dialect: str, table: Table, unless: tuple[str, ...]) -> Prepared:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    first = next(iter(table.primary_key.columns))
    return Prepared(insert(table).on_conflict_do_nothing(index_elements=unless).returning(first))


def columns(record: Any) -> dict[str, Any]:
    """The fields of a flat dataclass; ``asdict`` would copy every value."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def as_text(value: object) -> ColumnElement[Any]:
    """A value of a text column as a parameter, whatever a damaged row has there instead."""
    if isinstance(value, str) and not is_encodable(value):
        return cast(literal(value.encode("utf-8", "surrogateescape"), LargeBinary), Text)
    return literal(value, Text)


NO_LEASE: Mapping[str, Any] = {"lease_owner": "", "lease_until": None}
FREED: Mapping[str, Any] = {**NO_LEASE, "tries": 0}
"""Values stored at the end of a step: no lease, and no failed steps to count."""


def free(table: Table, now: datetime | BindParameter[Any]) -> ColumnElement[bool]:
    """Rows without a live lease."""
    return or_(table.c.lease_until.is_(None), table.c.lease_until <= now)


def claiming(
    table: Table,
    *which: Condition,
    key: Column[Any],
    order: Sequence[ColumnElement[Any] | UnaryExpression[Any]],
    free_to_go: ColumnElement[bool] | None = None,
    changed: Mapping[str, ColumnElement[Any]] | None = None,
    read: Iterable[Column[Any]] | None = None,
) -> Executable:
    """The statement of :func:`claim`: lease rows that are due and free, in this order.

    Args:
        table: with ``due_at``, ``lease_owner``, ``lease_until``, ``tries`` and ``stopped``.
        which: conditions on its rows.
        key: the column that identifies a row.
        order: the order of claiming.
        free_to_go: a condition that is checked on choosing rows, and not again on updating them.
        changed: other columns that change with every claim.
        read: the columns to return; None: all.
    """
    now = bindparam("now", type_=Moment)
    due = and_(*which, table.c.due_at <= now, free(table, now), table.c.stopped == "")
    asked = (due,) if free_to_go is None else (due, free_to_go)
    chosen = select(key).where(*asked).order_by(*order).limit(bindparam("most", type_=Integer))
    return (
        update(table)
        .where(key.in_(chosen.scalar_subquery()), due)
        .values(
            lease_owner=bindparam("holder"),
            lease_until=bindparam("until", type_=Moment),
            tries=table.c.tries + 1,
            **(changed or {}),
        )
        .returning(*(read or table.c))
    )


def claim(connection: Connection, statement: Executable, hold: Hold, **more: object) -> Sequence[Row[Any]]:
    """Run what :func:`claiming` made; ``more`` are parameters of its conditions."""
    until = hold["now"] + timedelta(seconds=hold["lease_seconds"])
    asked = {"now": hold["now"], "holder": hold["owner"], "until": until, "most": hold["limit"]}
    return connection.execute(statement, {**asked, **more}).all()


def end_leases(connection: Connection, table: Table, owner: str, *which: ColumnElement[bool]) -> int:
    """End the leases of other owners on these rows; only where no other process can be alive. How many."""
    taken = (table.c.lease_owner != "", table.c.lease_owner != owner, *which)
    return connection.execute(update(table).where(*taken).values(NO_LEASE)).rowcount
