"""Claimed rows: how often a step was started, and whether they were stopped after an internal error."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0012"
down_revision = "0011"

_TABLES = ("instruction", "inbox", "outbox", "tracked", "job", "dropped_file", "booking", "store_event")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("tries", sa.Integer(), nullable=False, server_default="0"))
        op.add_column(table, sa.Column("stopped", sa.Text(), nullable=False, server_default=sa.text("''")))
        index(f"ix_{table}_stopped", table, ["stopped"], where="stopped <> ''")
