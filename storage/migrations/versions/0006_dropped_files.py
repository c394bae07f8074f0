"""Files that people dropped, each offered once."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index
from storage.tables.columns import required

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "dropped_file",
        *required(sa.Text, "id", "channel", "message_ts", "thread_ts", "user", "name"),
        sa.Column("size", sa.BigInteger(), nullable=False),
        *required(sa.Text, "mimetype", "kind", "format"),
        sa.Column("duration_ms", sa.BigInteger()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dropped_file")),
    )
    index("ix_dropped_file_due_at", "dropped_file", ["due_at"], where="due_at IS NOT NULL")
