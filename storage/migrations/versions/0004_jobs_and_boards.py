"""Jobs that need no approval, and the messages that show them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables; let the outbox post for boards."""
    op.add_column("outbox", sa.Column("subject", sa.Text()))
    _index("ix_outbox_subject_seq", "outbox", ["subject", "seq"], where="subject IS NOT NULL")
    _create_board()
    _create_job()


def _create_board() -> None:
    op.create_table(
        "board",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("thread_ts", sa.Text()),
        sa.Column("requester", sa.Text(), nullable=False),
        sa.Column("ts", sa.Text(), nullable=False),
        sa.Column("shown_version", sa.BigInteger(), nullable=False),
        sa.Column("wanted_version", sa.BigInteger(), nullable=False),
        sa.Column("progress", sa.Boolean(), nullable=False),
        sa.Column("edited_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_board")),
    )
    op.create_index("ix_board_channel_ts", "board", ["channel", "ts"])
    _index("ix_board_due_at", "board", ["due_at"], where="due_at IS NOT NULL")


def _create_job() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("requester", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("thread_ts", sa.Text()),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("closed_at", sa.BigInteger()),
        sa.CheckConstraint("version > 0", name=op.f("ck_job_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("source_key", name=op.f("uq_job_source_key")),
    )
    _index("ix_job_kind_due_at", "job", ["kind", "due_at"], where="due_at IS NOT NULL")
    _index("ix_job_open_created_at", "job", ["created_at"], where="closed_at IS NULL")
    op.create_index("ix_job_requester_created_at", "job", ["requester", "created_at"])


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
