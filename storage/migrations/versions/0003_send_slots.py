"""Ten rows: the times of the last ten requests to the payments service, shared by all processes."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_REQUESTS_A_SECOND = 10


def upgrade() -> None:
    slots = op.create_table(
        "send_slot",
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_send_slot")),
    )
    op.bulk_insert(slots, [{"n": n, "sent_at": 0} for n in range(_REQUESTS_A_SECOND)])
