"""${message}."""

from alembic import op
import sqlalchemy as sa

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
works_with = ${repr(down_revision)}  # the oldest program that works on the result


def upgrade() -> None:
    ${upgrades if upgrades else "raise NotImplementedError"}
