"""Claimed rows: how many of the steps that were started ended in an exception, apart from those that died.

Requests: since when one is on hold.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
works_with = "0024"

_TABLES = ("instruction", "inbox", "outbox", "tracked", "job", "dropped_file", "booking", "store_event")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("errors", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("instruction", sa.Column("held_at", sa.BigInteger(), nullable=True))
