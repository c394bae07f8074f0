"""Tokens of callback addresses, by their hash."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, or_, select

from bot.domain.instruction import CallbackKind
from storage.repositories.common import insert_once
from storage.rows import CallbackToken
from storage.tables import callback_token as table
from storage.types import Moment

_FIND = select(table).where(
    table.c.token_hash == bindparam("wanted"),
    or_(table.c.expires_at.is_(None), table.c.expires_at > bindparam("now", type_=Moment)),
)


class Tokens:
    """The table ``callback_token``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(
        self, *, token_hash: str, instruction_id: str, kind: CallbackKind, expires_at: datetime | None = None
    ) -> bool:
        """Let a token stand for one instruction and kind for good; False when it does already."""
        values = {
            "token_hash": token_hash,
            "instruction_id": instruction_id,
            "kind": kind,
            "expires_at": expires_at,
        }
        return insert_once(self._connection, table, values, unless=("token_hash",))

    def find(self, token_hash: str, now: datetime) -> CallbackToken | None:
        """What the token stands for, unless it expired."""
        row = self._connection.execute(_FIND, {"wanted": token_hash, "now": now}).first()
        return None if row is None else CallbackToken(**row._mapping)  # noqa: SLF001

    def expire(self, instruction_id: str, at: datetime) -> None:
        """End every token of an instruction at that time."""
        self._connection.execute(table.update().where(table.c.instruction_id == instruction_id).values(expires_at=at))
