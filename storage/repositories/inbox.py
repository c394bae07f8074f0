"""Inbox: callbacks, stored before they are answered, once each."""

from datetime import datetime

from sqlalchemy import Connection, func, select, update

from bot.domain.instruction import CallbackKind
from storage.repositories.common import FREED, claim, claiming, insert_once
from storage.rows import InboxRow, InboxState
from storage.tables import inbox as table

_CLAIM = claiming(
    table,
    table.c.state == InboxState.RECEIVED,
    key=table.c.id,
    order=[table.c.due_at, table.c.id],
    changed={"attempts": table.c.attempts + 1},
)


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
        body: str,
        now: datetime,
    ) -> bool:
        """Store a callback under a new ULID; False when the same body came to the same address before."""
        values = {
            "id": id,
            "token_hash": token_hash,
            "body_hash": body_hash,
            "instruction_id": instruction_id,
            "kind": kind,
            "body": body,
            "received_at": now,
            "state": InboxState.RECEIVED,
            "attempts": 0,
            "due_at": now,
            "lease_owner": "",
            "lease_until": None,
        }
        return insert_once(self._connection, table, values, unless=("token_hash", "body_hash"))

    def claim_due(self, now: datetime, owner: str, lease_seconds: float, limit: int) -> list[InboxRow]:
        """Take received rows that are due, longest due first; the attempt is counted already."""
        rows = claim(self._connection, _CLAIM, now=now, owner=owner, lease_seconds=lease_seconds, limit=limit)
        claimed = [InboxRow(**row._mapping) for row in rows]  # noqa: SLF001
        return sorted(claimed, key=lambda row: (row.due_at, row.id))

    def of(self, instruction_id: str) -> list[InboxRow]:
        """Every callback of an instruction, in the order of arrival."""
        query = select(table).where(table.c.instruction_id == instruction_id).order_by(table.c.received_at, table.c.id)
        return [InboxRow(**row._mapping) for row in self._connection.execute(query)]  # noqa: SLF001

    def finish(self, inbox_id: str, state: InboxState) -> bool:
        """What became of it; False when that was said before."""
        received = (table.c.id == inbox_id, table.c.state == InboxState.RECEIVED)
        values = {**FREED, "state": state}
        return self._connection.execute(update(table).where(*received).values(values)).rowcount == 1

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
