"""Which key is in force: a program with another one must not write a row."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "audit_key",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_audit_key_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_key")),
    )
