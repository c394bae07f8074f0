"""Votes record whether the approver typed the amount. Votes cast before count as not typed."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("vote", sa.Column("typed", sa.Boolean(), nullable=False, server_default=sa.false()))
