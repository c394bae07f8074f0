"""Files that people dropped, each offered once."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "dropped_file",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("message_ts", sa.Text(), nullable=False),
        sa.Column("thread_ts", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("mimetype", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
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
