"""Votes record whether the approver typed the amount. Votes cast before count as not typed."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the program before this one goes on writing votes without it."""
    op.add_column("vote", sa.Column("typed", sa.Boolean(), nullable=False, server_default=sa.false()))
