"""Messages and edits that tell an end go before others. Those of before this step are not urgent."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
works_with = "0018"


def upgrade() -> None:
    for table in ("outbox", "board"):
        op.add_column(table, sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()))
