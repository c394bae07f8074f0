"""Rows of bulk payments keep the id that the service's list of items gives: it may be that of their operation."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
works_with = "0025"


def upgrade() -> None:
    op.add_column("bulk_item", sa.Column("operation", sa.Text(), nullable=False, server_default=sa.text("''")))
