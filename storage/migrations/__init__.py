"""The steps that create and change the tables, in order, and their shared definitions."""

import sqlalchemy as sa
from alembic import op

HEAD = "0001"
"""The version this program needs; a test holds it to the newest step in ``versions/``."""
PROGRAM = "switchboard"
PEERS = "peers"


def session_name(*part: str) -> str:
    """Return the name of this program's PostgreSQL sessions, which shows a migrating process which versions run."""
    return " ".join((PROGRAM, *part, HEAD))


def index(name: str, table: str, columns: list[str], *, where: str, unique: bool = False) -> None:
    """A partial index."""
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)


def of_instruction(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_instruction_id_instruction")
    return sa.ForeignKeyConstraint(["instruction_id"], ["instruction.id"], name=name)
