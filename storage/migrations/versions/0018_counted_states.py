"""Requests are counted by state and kind at every scrape: an index of both replaces that of the states."""

from alembic import op

revision = "0018"
down_revision = "0017"
works_with = "0017"


def upgrade() -> None:
    op.create_index("ix_instruction_state_kind", "instruction", ["state", "kind"])
    op.drop_index("ix_instruction_state", "instruction")
