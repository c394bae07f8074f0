"""What arrives from a service is stored first and processed later: callbacks of payments, events of stores."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Table, delete, select

from storage.repositories.common import FREED, Repository, end_leases
from storage.rows import InboxState


class Arrivals(Repository):
    """A table of arrivals; ``table`` has the columns ``id``, ``state``, ``received_at``, and those of a lease."""

    table: ClassVar[Table]

    def again(self, arrival_id: str, due_at: datetime) -> bool:
        """No outcome yet: due again at ``due_at``."""
        return self._settle(arrival_id, due_at=due_at)

    def recover(self, owner: str) -> int:
        """End other owners' leases; only where no other process can be alive. How many."""
        return end_leases(self._connection, self.table, owner, self._received)

    def has_old(self, *, before: datetime) -> bool:
        """Whether :meth:`forget_old` would find anything."""
        query = select(self.table.c.id).where(*self._old(before)).limit(1)
        return self._connection.execute(query).first() is not None

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Delete processed ones that arrived before then, up to ``limit``; how many."""
        some = select(self.table.c.id).where(*self._old(before)).limit(limit).scalar_subquery()
        return self._connection.execute(delete(self.table).where(self.table.c.id.in_(some))).rowcount

    @property
    def _received(self) -> ColumnElement[bool]:
        return self.table.c.state == InboxState.RECEIVED

    def _old(self, before: datetime) -> tuple[ColumnElement[bool], ...]:
        return (self.table.c.received_at < before, self.table.c.state != InboxState.RECEIVED)

    def _settle(self, arrival_id: str, *more: ColumnElement[bool], **values: Any) -> bool:
        """End the step of an unprocessed one; False when it was processed before."""
        one = (self.table.c.id == arrival_id, self._received, *more)
        return self._change(self.table, *one, **FREED, **values) == 1
