"""What the repositories share: inserts that tell whether they were first, and leases."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, Table, or_
from sqlalchemy.dialects import postgresql, sqlite


def insert_once(
    connection: Connection, table: Table, values: Mapping[str, object], *, unless: Iterable[Column[str] | str]
) -> bool:
    """Insert unless the unique columns ``unless`` hold these values already; whether it was inserted."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    first = next(iter(table.primary_key.columns))
    statement = insert(table).values(**values).on_conflict_do_nothing(index_elements=list(unless))
    return connection.execute(statement.returning(first)).first() is not None


def free(table: Table, now: datetime) -> ColumnElement[bool]:
    """Rows that nobody holds a live lease on."""
    return or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
