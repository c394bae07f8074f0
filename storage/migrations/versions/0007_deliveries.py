"""Stores, bookings, and what webhooks of the delivery service bring."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "store",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("sealed_key", sa.Text(), nullable=False),
        sa.Column("remote_id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store")),
        sa.UniqueConstraint("folded", name=op.f("uq_store_folded")),
    )
    op.create_table(
        "booking",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("store", sa.Text(), nullable=False),
        sa.Column("request", sa.Text()),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("requester", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("remote_id", sa.Text()),
        sa.Column("numeric_id", sa.Text(), nullable=False),
        sa.Column("prebooking_id", sa.Text()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.BigInteger()),
        sa.Column("search_at", sa.BigInteger()),
        sa.Column("reads", sa.Integer(), nullable=False),
        sa.Column("polls", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("closed_at", sa.BigInteger()),
        sa.CheckConstraint("version > 0", name=op.f("ck_booking_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_booking")),
        sa.UniqueConstraint("reference", name=op.f("uq_booking_reference")),
        sa.UniqueConstraint("source_key", name=op.f("uq_booking_source_key")),
        sa.UniqueConstraint("external_id", name=op.f("uq_booking_external_id")),
        sa.UniqueConstraint("store", "remote_id", name=op.f("uq_booking_store_remote_id")),
    )
    op.create_index(op.f("ix_booking_stage"), "booking", ["stage"])
    op.create_index("ix_booking_numeric_id", "booking", ["numeric_id"])
    op.create_index("ix_booking_requester_created_at", "booking", ["requester", "created_at"])
    index("ix_booking_due_at", "booking", ["due_at"], where="due_at IS NOT NULL")
    op.create_table(
        "store_hook",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("store", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_store_hook")),
    )
    op.create_index("ix_store_hook_store_kind", "store_hook", ["store", "kind"])
    op.create_table(
        "store_event",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("store", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store_event")),
    )
    received = "state = 'received'"
    index("uq_store_event_open", "store_event", ["token_hash", "body_hash"], where=received, unique=True)
    index("ix_store_event_received_due_at", "store_event", ["due_at"], where=received)
    op.create_index("ix_store_event_store_received_at", "store_event", ["store", "received_at"])
