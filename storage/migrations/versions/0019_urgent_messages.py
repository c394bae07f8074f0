"""Messages and edits that tell an end go before others. Those of before this step are not urgent."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None
works_with = "0018"


def upgrade() -> None:
    """Add the columns; the earlier program goes on without them."""
    for table in ("outbox", "board"):
        op.add_column(table, sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()))
