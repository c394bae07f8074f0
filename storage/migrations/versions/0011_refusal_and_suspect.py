"""Columns for a refusal that the service may have executed anyway, and for its record that may be ours."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("instruction", sa.Column("refusal", sa.Text(), nullable=True))
    op.add_column("instruction", sa.Column("suspect", sa.Text(), nullable=True))
