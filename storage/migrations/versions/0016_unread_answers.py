"""Answers of the services that could not be read: names and types of their fields, no values."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "unread_answer",
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=False),
        sa.Column("last_seen", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("mended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("operation", "fingerprint", name=op.f("pk_unread_answer")),
    )
