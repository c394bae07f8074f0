"""Callback addresses may be of kinds that come later; the program still refuses those it does not know."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import of_instruction

revision = "0002"
down_revision = "0001"

_TABLE = "callback_token"
_COPY = "callback_token_of_any_kind"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(op.f("ck_callback_token_kind"), _TABLE, type_="check")
        return
    op.create_table(  # SQLite drops a CHECK with a copy of the table alone
        _COPY,
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        of_instruction("callback_token"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_callback_token")),
    )
    columns = "token_hash, instruction_id, kind, expires_at"
    op.execute(f"INSERT INTO {_COPY} ({columns}) SELECT {columns} FROM {_TABLE}")  # noqa: S608 - our own words
    op.drop_table(_TABLE)
    op.rename_table(_COPY, _TABLE)
    op.create_index("ix_callback_token_instruction_id", _TABLE, ["instruction_id"])
