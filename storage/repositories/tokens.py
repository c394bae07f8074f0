"""Tokens of callback addresses, by their hash."""

from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, or_, select

from bot.domain.payments.instruction import CallbackKind
from bot.domain.references import ADDRESSES_LIVE
from storage.damage import Shape, read_one
from storage.prepared import Prepared
from storage.repositories.common import Repository, insert_once
from storage.rows import CallbackToken
from storage.tables.instructions import callback_token as table
from storage.tables.instructions import instruction
from storage.types import Moment

STANDING = (
    select(table)
    .join(instruction, instruction.c.id == table.c.instruction_id)
    .where(
        table.c.token_hash == bindparam("address"),
        or_(table.c.expires_at.is_(None), table.c.expires_at > bindparam("now", type_=Moment)),
        or_(instruction.c.closed_at.is_(None), instruction.c.closed_at > bindparam("ended", type_=Moment)),
    )
)
"""The address, unless it expired or its instruction ended long ago; parameters by :func:`at`."""

_SHAPE = Shape(table, CallbackToken)
_FIND = Prepared(STANDING)


def at(now: datetime, address: str) -> dict[str, object]:
    """The parameters of :data:`STANDING`."""
    return {"address": address, "now": now, "ended": now - ADDRESSES_LIVE}


class Tokens(Repository):
    """The table ``callback_token``."""

    def put(
        self, *, token_hash: str, instruction_id: str, kind: CallbackKind, expires_at: datetime | None = None
    ) -> bool:
        """Bind a token to one instruction and kind for good; False when it is stored already."""
        values = {
            "token_hash": token_hash,
            "instruction_id": instruction_id,
            "kind": kind,
            "expires_at": expires_at,
        }
        return insert_once(self._connection, table, values, unless=("token_hash",))

    def find(self, token_hash: str, now: datetime) -> CallbackToken | None:
        """The instruction and kind of a token, unless it expired or its instruction ended long ago."""
        row = _FIND.first(self._connection, at(now, token_hash))
        return None if row is None else read_one(self._damage, _SHAPE, dict(zip(table.c.keys(), row, strict=True)))

    def expire(self, instruction_id: str, at: datetime) -> None:
        """End every token of an instruction at that time."""
        self._change(table, table.c.instruction_id == instruction_id, expires_at=at)

    def has_old(self, *, now: datetime) -> bool:
        """Whether :meth:`forget_old` would find anything."""
        query = select(table.c.token_hash).where(_over(now)).limit(1)
        return self._connection.execute(query).first() is not None

    def forget_old(self, *, now: datetime, limit: int) -> int:
        """Delete addresses of instructions that ended long ago, up to ``limit``; how many."""
        some = select(table.c.token_hash).where(_over(now)).limit(limit).scalar_subquery()
        return self._connection.execute(delete(table).where(table.c.token_hash.in_(some))).rowcount


def _over(now: datetime) -> ColumnElement[bool]:
    ended = select(instruction.c.id).where(instruction.c.closed_at <= now - ADDRESSES_LIVE)
    return table.c.instruction_id.in_(ended)
