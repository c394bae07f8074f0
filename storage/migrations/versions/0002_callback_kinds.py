"""Callback addresses may be of kinds that come later; the program still refuses those it does not know."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLE = "callback_token"
_COPY = "callback_token_of_any_kind"


def upgrade() -> None:
    """Drop the CHECK on the kind, which on SQLite takes a copy of the table."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(op.f("ck_callback_token_kind"), _TABLE, type_="check")
        return
    op.create_table(
        _COPY,
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["instruction_id"], ["instruction.id"], name=op.f("fk_callback_token_instruction_id_instruction")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_callback_token")),
    )
    old = sa.table(
        _TABLE, sa.column("token_hash"), sa.column("instruction_id"), sa.column("kind"), sa.column("expires_at")
    )
    names = [column.name for column in old.columns]
    op.execute(sa.insert(sa.table(_COPY, *(sa.column(name) for name in names))).from_select(names, sa.select(old)))
    op.drop_table(_TABLE)
    op.rename_table(_COPY, _TABLE)
    op.create_index("ix_callback_token_instruction_id", _TABLE, ["instruction_id"], unique=False)
