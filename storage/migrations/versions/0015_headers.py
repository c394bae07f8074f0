"""Column names of dropped tables. Tables dropped before this step have none."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("dropped_file", sa.Column("header", sa.Text()))
