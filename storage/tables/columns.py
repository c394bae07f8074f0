"""Shared by the tables: their metadata, and common columns and indexes."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, MetaData, Text, false, text

from storage.types import Moment

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def one_of(column: str, kind: type[StrEnum]) -> CheckConstraint:
    """Return a CHECK that the column has one of these values."""
    # Only for closed sets of values. Kinds, states and choices grow with later versions,
    # and on SQLite a changed CHECK copies the table; there the type refuses unknown values on reading.
    values = ", ".join(f"'{member.value}'" for member in kind)
    return CheckConstraint(f"{column} IN ({values})", name=column)


def required(kind: Any, *names: str) -> Iterator[Column[Any]]:
    return (Column(name, kind, nullable=False) for name in names)


def instruction_id(*, nullable: bool = False, primary_key: bool = False) -> Column[str]:
    return Column("instruction_id", Text, ForeignKey("instruction.id"), nullable=nullable, primary_key=primary_key)


def job_id() -> Column[str]:
    return Column("job_id", Text, ForeignKey("job.id"), primary_key=True)


def urgent() -> Column[bool]:
    return Column("urgent", Boolean, nullable=False, server_default=false())


def leased(table: str) -> tuple[Column[Any] | Index, ...]:
    return (
        Column("lease_owner", Text, nullable=False),
        Column("lease_until", Moment),
        # Number of steps started since one was last stored: counted before the step, so a crash counts too.
        Column("tries", Integer, nullable=False, server_default="0"),
        # Number of those steps that ended in an exception. The others, except the current one, died with their process.
        Column("errors", Integer, nullable=False, server_default="0"),
        # The number under which the row was stopped; empty if it isn't.
        Column("stopped", Text, nullable=False, server_default=text("''")),
        partial(f"ix_{table}_stopped", "stopped", where="stopped <> ''"),
    )


def partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    condition = text(where)
    return Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def due(table: str) -> Index:
    # Partial, so that the cost of a tick grows with the due rows and not with all rows.
    return partial(f"ix_{table}_due_at", "due_at", where="due_at IS NOT NULL")
