"""Handled requests from Slack, so that every process recognises a replayed one."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "seen_request",
        sa.Column("signature_hash", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("signature_hash", name=op.f("pk_seen_request")),
    )
    op.create_index("ix_seen_request_seen_at", "seen_request", ["seen_at"])
