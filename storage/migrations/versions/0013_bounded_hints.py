"""One row per callback address, without bodies; an index of webhooks by address, to keep few of each."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("inbox", sa.Column("hints", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("inbox", sa.Column("read_at", sa.BigInteger()))
    op.create_index("ix_inbox_instruction_id_read_at", "inbox", ["instruction_id", "read_at"])
    op.create_index("ix_inbox_received_at", "inbox", ["received_at"])
    op.create_index("ix_store_event_token_hash", "store_event", ["token_hash"])
    op.create_index("ix_store_event_received_at", "store_event", ["received_at"])
    op.execute("UPDATE inbox SET body = '' WHERE body != ''")
    op.execute("UPDATE store_event SET body = '' WHERE state != 'received'")
