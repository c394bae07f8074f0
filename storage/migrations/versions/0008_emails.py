"""Runs through lists of e-mail addresses: how far they are, the addresses, the rows they came from."""

import sqlalchemy as sa
from alembic import op

from storage.tables.columns import required

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    def _job_id() -> "sa.Column[str]":
        return sa.Column("job_id", sa.Text(), nullable=False)

    def _of_a_job(table: str) -> sa.ForeignKeyConstraint:
        return sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f(f"fk_{table}_job_id_job"))

    op.create_table(
        "email_run",
        _job_id(),
        sa.Column("header", sa.Text(), nullable=False),
        *required(sa.Integer, "rows", "skipped", "total", "taken", "parked", "repeated"),
        sa.Column("outcomes", sa.Text(), nullable=False),
        sa.CheckConstraint("taken >= 0 AND taken <= total", name=op.f("ck_email_run_taken")),
        _of_a_job("email_run"),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_email_run")),
    )
    op.create_table(
        "email_address",
        _job_id(),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text()),
        _of_a_job("email_address"),
        sa.PrimaryKeyConstraint("job_id", "n", name=op.f("pk_email_address")),
    )
    op.create_table(
        "email_block",
        _job_id(),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        _of_a_job("email_block"),
        sa.PrimaryKeyConstraint("job_id", "part", "n", name=op.f("pk_email_block")),
    )
