"""Bulk payments: their items, the one submission in flight, and what is known of many items together."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import of_instruction
from storage.tables.columns import required

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("instruction", sa.Column("progress", sa.Text(), nullable=True))
    op.create_table(
        "bulk_item",
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *required(sa.Text, "email", "payee"),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        *required(sa.Text, "note", "status", "hash", "error"),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.CheckConstraint("cents > 0", name=op.f("ck_bulk_item_cents")),
        of_instruction("bulk_item"),
        sa.PrimaryKeyConstraint("instruction_id", "number", name=op.f("pk_bulk_item")),
    )
    op.create_index("ix_bulk_item_payee_status", "bulk_item", ["payee", "status"])
    op.create_table(
        "bulk_flight",
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("flying", sa.Integer(), nullable=True),
        sa.Column("known", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("flying = 1", name=op.f("ck_bulk_flight_flying")),
        of_instruction("bulk_flight"),
        sa.PrimaryKeyConstraint("instruction_id", name=op.f("pk_bulk_flight")),
        sa.UniqueConstraint("flying", name=op.f("uq_bulk_flight_flying")),
    )
