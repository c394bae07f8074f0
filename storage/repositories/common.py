"""What the repositories share: inserts that tell whether they were first, and leases.

Statements that every request runs are built once and given their values as parameters: building one costs
SQLAlchemy several times what SQLite needs to run it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Executable,
    Integer,
    Row,
    Table,
    TextClause,
    UnaryExpression,
    and_,
    bindparam,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from storage.prepared import Prepared
from storage.types import Moment

Condition = ColumnElement[bool] | TextClause
"""What rows are asked for; text where SQLite has to see that a partial index covers it."""


def insert_once(connection: Connection, table: Table, values: Mapping[str, object], *, unless: tuple[str, ...]) -> bool:
    """Insert unless the unique columns ``unless`` hold these values already; whether it was inserted."""
    return _insert_unless(connection.dialect.name, table, unless).first(connection, values) is not None


@cache
def _insert_unless(dialect: str, table: Table, unless: tuple[str, ...]) -> Prepared:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    first = next(iter(table.primary_key.columns))
    return Prepared(insert(table).on_conflict_do_nothing(index_elements=unless).returning(first))


def columns(record: Any) -> dict[str, Any]:
    """The fields of a flat dataclass; ``asdict`` would copy every value."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


FREED: Mapping[str, Any] = {"lease_owner": "", "lease_until": None, "tries": 0}
"""What is stored when a step has come to its end: nobody holds the row, and no step of it was begun in vain."""


def free(table: Table, now: datetime) -> ColumnElement[bool]:
    """Rows that nobody holds a live lease on."""
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
    """The statement of :func:`claim`: rows that are due and that nobody holds are taken, in this order.

    Args:
        table: with ``due_at``, ``lease_owner``, ``lease_until``, ``tries`` and ``stopped``.
        which: of its rows.
        key: names one row, among those.
        order: which go first.
        free_to_go: what is asked only when they are chosen.
        changed: what else changes with every claim.
        read: the columns that are wanted of them; None: all.
    """
    now = bindparam("now", type_=Moment)
    free_now = or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
    due = and_(*which, table.c.due_at <= now, free_now, table.c.stopped == "")
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


def claim(
    connection: Connection,
    statement: Executable,
    *,
    now: datetime,
    owner: str,
    lease_seconds: float,
    limit: int,
    **more: object,
) -> Sequence[Row[Any]]:
    """Run what :func:`claiming` made; ``more`` are parameters of its conditions."""
    until = now + timedelta(seconds=lease_seconds)
    return connection.execute(statement, {"now": now, "holder": owner, "until": until, "most": limit, **more}).all()
