"""What the repositories share: inserts that tell whether they were first, and leases.

Statements that every request runs are built once and given their values as parameters: building one costs
SQLAlchemy several times what SQLite needs to run it.
"""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Executable, Table, or_
from sqlalchemy.dialects import postgresql, sqlite


def insert_once(connection: Connection, table: Table, values: Mapping[str, object], *, unless: tuple[str, ...]) -> bool:
    """Insert unless the unique columns ``unless`` hold these values already; whether it was inserted."""
    return connection.execute(_insert_unless(connection.dialect.name, table, unless), dict(values)).first() is not None


@cache
def _insert_unless(dialect: str, table: Table, unless: tuple[str, ...]) -> Executable:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    first = next(iter(table.primary_key.columns))
    return insert(table).on_conflict_do_nothing(index_elements=unless).returning(first)


def columns(record: Any) -> dict[str, Any]:
    """The fields of a flat dataclass; ``asdict`` would copy every value."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def free(table: Table, now: datetime) -> ColumnElement[bool]:
    """Rows that nobody holds a live lease on."""
    return or_(table.c.lease_until.is_(None), table.c.lease_until <= now)
