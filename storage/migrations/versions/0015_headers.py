"""Column names of dropped tables. Tables dropped before this step have none."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the program before this one goes on noticing files without it."""
    op.add_column("dropped_file", sa.Column("header", sa.Text()))
