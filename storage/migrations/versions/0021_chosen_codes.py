"""A column for the codes that people choose: each belongs to one request, unless that ended before anything left."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0021"
down_revision = "0020"
works_with = "0020"

_HELD = (
    "chosen_code IS NOT NULL AND NOT (state IN ('expired', 'mismatch', 'rejected', 'withdrawn') "
    "AND creates = 0 AND commits = 0 AND remote_id IS NULL)"
)


def upgrade() -> None:
    op.add_column("instruction", sa.Column("chosen_code", sa.Text(), nullable=True))
    op.create_index("ix_instruction_chosen_code", "instruction", ["chosen_code"])
    index("uq_instruction_chosen_code_held", "instruction", ["chosen_code"], where=_HELD, unique=True)
