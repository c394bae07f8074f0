"""Jobs that need no approval, and the messages that show them."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index
from storage.tables.columns import required

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("outbox", sa.Column("subject", sa.Text()))
    index("ix_outbox_subject_seq", "outbox", ["subject", "seq"], where="subject IS NOT NULL")
    op.create_table(
        "board",
        *required(sa.Text, "subject", "channel"),
        sa.Column("thread_ts", sa.Text()),
        *required(sa.Text, "requester", "ts"),
        *required(sa.BigInteger, "shown_version", "wanted_version"),
        sa.Column("progress", sa.Boolean(), nullable=False),
        sa.Column("edited_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_board")),
    )
    op.create_index("ix_board_channel_ts", "board", ["channel", "ts"])
    index("ix_board_due_at", "board", ["due_at"], where="due_at IS NOT NULL")
    op.create_table(
        "job",
        *required(sa.Text, "id", "kind", "state", "payload", "detail", "requester", "channel"),
        sa.Column("thread_ts", sa.Text()),
        sa.Column("source_key", sa.Text(), nullable=False),
        *required(sa.BigInteger, "version", "created_at"),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("closed_at", sa.BigInteger()),
        sa.CheckConstraint("version > 0", name=op.f("ck_job_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("source_key", name=op.f("uq_job_source_key")),
    )
    index("ix_job_kind_due_at", "job", ["kind", "due_at"], where="due_at IS NOT NULL")
    index("ix_job_open_created_at", "job", ["created_at"], where="closed_at IS NULL")
    op.create_index("ix_job_requester_created_at", "job", ["requester", "created_at"])
