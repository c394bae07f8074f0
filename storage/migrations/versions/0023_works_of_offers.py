"""The offer of a file shows what is done with it: such a work has no message of its own."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0023"
down_revision = "0022"
works_with = "0022"


def upgrade() -> None:
    op.add_column("board", sa.Column("shown_in", sa.Text()))
    index("ix_board_shown_in", "board", ["shown_in"], where="shown_in IS NOT NULL")
