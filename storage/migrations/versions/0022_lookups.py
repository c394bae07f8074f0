"""Recipients of bulk payments are all looked up, and stored as they are read; a file may name them."""

import sqlalchemy as sa
from alembic import op

from storage.tables.columns import required

revision = "0022"
down_revision = "0021"
works_with = "0021"


def upgrade() -> None:
    op.add_column("bulk_item", sa.Column("name", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "lookup",
        *required(sa.Text, "about", "payee", "email", "recipient"),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("about", "payee", name=op.f("pk_lookup")),
    )
    op.create_index("ix_lookup_at", "lookup", ["at"])
