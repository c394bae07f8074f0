"""Inbox: callbacks, noted before they are answered. However many come to an address, it has one row."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, select, update

from bot.domain.instruction import CallbackKind
from storage.repositories.common import FREED, claim, claiming, insert_once
from storage.rows import InboxRow, InboxState
from storage.tables import inbox as table
from storage.types import Moment

_CLAIM = claiming(
    table,
    table.c.state == InboxState.RECEIVED,
    key=table.c.id,
    order=[table.c.due_at, table.c.id],
    changed={"attempts": table.c.attempts + 1, "read_at": bindparam("now", type_=Moment)},
)
_LAST_READ = select(func.max(table.c.read_at)).where(table.c.instruction_id == bindparam("instruction"))
_SAME_OR_NEWEST = (
    select(table)
    .where(table.c.token_hash == bindparam("token"))
    .order_by((table.c.body_hash == bindparam("body")).desc(), table.c.received_at.desc(), table.c.id.desc())
    .limit(1)
)
_SETTLED = (InboxState.APPLIED, InboxState.STALE)


class Inbox:
    """The table ``inbox``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def receive(
        self,
        *,
        id: str,  # noqa: A002 - the column's name
        token_hash: str,
        body_hash: str,
        instruction_id: str,
        kind: CallbackKind,
        now: datetime,
        pause: timedelta,
    ) -> bool:
        """Note that something came to an address; False when the same came before and was looked into to the end.

        Args:
            id: a new ULID, for an address to which nothing came before.
            token_hash: the address.
            body_hash: of what came.
            instruction_id: what the address belongs to.
            kind: of the address.
            now: the current instant.
            pause: between two readings of an instruction.
        """
        last = self._connection.execute(_LAST_READ, {"instruction": instruction_id}).scalar_one()
        due = now if last is None else max(now, last + pause)
        found = self._connection.execute(_SAME_OR_NEWEST, {"token": token_hash, "body": body_hash}).first()
        if found is not None:
            return self._once_more(found, body_hash, now=now, due=due)
        values = {
            "id": id,
            "token_hash": token_hash,
            "body_hash": body_hash,
            "instruction_id": instruction_id,
            "kind": kind,
            "body": "",
            "received_at": now,
            "state": InboxState.RECEIVED,
            "attempts": 0,
            "due_at": due,
            "lease_owner": "",
            "lease_until": None,
            "hints": 1,
            "read_at": None,
        }
        return insert_once(self._connection, table, values, unless=("token_hash", "body_hash"))

    def _once_more(self, found: Row[Any], body_hash: str, *, now: datetime, due: datetime) -> bool:
        """The address has a row: the worker that has it sees by the count that more came meanwhile."""
        if found.body_hash == body_hash and found.state in _SETTLED:
            return False
        values: dict[str, object] = {"body_hash": body_hash, "hints": found.hints + 1, "due_at": min(found.due_at, due)}
        if found.state is not InboxState.RECEIVED:
            values |= {"state": InboxState.RECEIVED, "received_at": now, "attempts": 0, "due_at": due}
        self._connection.execute(update(table).where(table.c.id == found.id).values(values))
        return True

    def claim_due(self, now: datetime, owner: str, lease_seconds: float, limit: int) -> list[InboxRow]:
        """Take received rows that are due, longest due first; the attempt is counted already."""
        rows = claim(self._connection, _CLAIM, now=now, owner=owner, lease_seconds=lease_seconds, limit=limit)
        claimed = [InboxRow(**row._mapping) for row in rows]  # noqa: SLF001
        return sorted(claimed, key=lambda row: (row.due_at, row.id))

    def of(self, instruction_id: str) -> list[InboxRow]:
        """Every callback of an instruction, in the order of arrival."""
        query = select(table).where(table.c.instruction_id == instruction_id).order_by(table.c.received_at, table.c.id)
        return [InboxRow(**row._mapping) for row in self._connection.execute(query)]  # noqa: SLF001

    def finish(self, inbox_id: str, state: InboxState, *, hints: int) -> bool:
        """What became of it; False when that was said before, or when more came than these."""
        received = (table.c.id == inbox_id, table.c.state == InboxState.RECEIVED, table.c.hints == hints)
        values = {**FREED, "state": state}
        return self._connection.execute(update(table).where(*received).values(values)).rowcount == 1

    def hints(self, inbox_id: str) -> int:
        """How many came."""
        return self._connection.execute(select(table.c.hints).where(table.c.id == inbox_id)).scalar_one_or_none() or 0

    def again(self, inbox_id: str, due_at: datetime) -> bool:
        """Nothing came of it yet: look again then."""
        received = (table.c.id == inbox_id, table.c.state == InboxState.RECEIVED)
        values = {**FREED, "due_at": due_at}
        return self._connection.execute(update(table).where(*received).values(values)).rowcount == 1

    def recover(self, owner: str) -> int:
        """Free rows that another owner took; only where no other process can be alive. How many."""
        taken = (table.c.state == InboxState.RECEIVED, table.c.lease_owner != "", table.c.lease_owner != owner)
        values = {"lease_owner": "", "lease_until": None}
        return self._connection.execute(update(table).where(*taken).values(values)).rowcount

    def oldest(self) -> datetime | None:
        """When the oldest callback arrived that nothing has come of yet."""
        query = select(func.min(table.c.received_at)).where(table.c.state == InboxState.RECEIVED)
        oldest: datetime | None = self._connection.execute(query).scalar_one()
        return oldest

    def has_old(self, *, before: datetime) -> bool:
        """Whether :meth:`forget_old` would find anything."""
        return self._connection.execute(select(table.c.id).where(*_old(before)).limit(1)).first() is not None

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Forget what was looked into to the end and came before then, some at a time; how many."""
        some = select(table.c.id).where(*_old(before)).limit(limit).scalar_subquery()
        return self._connection.execute(delete(table).where(table.c.id.in_(some))).rowcount


def _old(before: datetime) -> tuple[ColumnElement[bool], ...]:
    return (table.c.received_at < before, table.c.state != InboxState.RECEIVED)
