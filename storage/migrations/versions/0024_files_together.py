"""Files that were dropped together share an offer, and their results one archive; a small table is summed up."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0024"
down_revision = "0023"
works_with = "0023"


def upgrade() -> None:
    op.add_column("dropped_file", sa.Column("batch", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("dropped_file", sa.Column("rows", sa.Integer(), nullable=True))
    op.add_column("dropped_file", sa.Column("cents", sa.BigInteger(), nullable=True))
    op.create_index("ix_dropped_file_channel_created_at", "dropped_file", ["channel", "created_at"])
    index("ix_dropped_file_batch", "dropped_file", ["batch"], where="batch <> ''")
    op.create_table(
        "result_block",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "part", "n", name=op.f("pk_result_block")),
    )
