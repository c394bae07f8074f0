"""Resources at the services that are polled until they are final."""

from datetime import datetime
from typing import Unpack

from sqlalchemy import bindparam, select

from storage.damage import Shape
from storage.repositories.common import FREED, Repository, claim, claiming, columns, insert_once
from storage.rows import Hold, Tracked
from storage.tables.instructions import tracked as table

SHAPE = Shape(table, Tracked, called="remote_id")
_CLAIM = claiming(
    table,
    table.c.kind == bindparam("of_kind"),
    key=table.c.remote_id,
    order=[table.c.due_at],
    changed={"polls": table.c.polls + 1},
)


class TrackedResources(Repository):
    """The table ``tracked``."""

    def follow(
        self, kind: str, remote_id: str, *, due_at: datetime, now: datetime, instruction_id: str | None = None
    ) -> bool:
        """Follow this resource from ``due_at`` on; False when it is or was followed already."""
        row = Tracked(kind=kind, remote_id=remote_id, instruction_id=instruction_id, created_at=now, due_at=due_at)
        return insert_once(self._connection, table, columns(row), unless=("kind", "remote_id"))

    def get(self, kind: str, remote_id: str) -> Tracked | None:
        """The followed resource."""
        return self._one(SHAPE, select(table).where(table.c.kind == kind, table.c.remote_id == remote_id))

    def claim_due(self, *, kind: str, **hold: Unpack[Hold]) -> list[Tracked]:
        """Claim resources of one kind that are due, longest due first; the read is counted already."""
        rows = claim(self._connection, _CLAIM, hold, of_kind=kind)
        return sorted(self._records(SHAPE, rows), key=lambda one: (one.due_at or hold["now"], one.remote_id))

    def again(self, kind: str, remote_id: str, due_at: datetime, status: str, *, afresh: bool = False) -> bool:
        """Read it again at ``due_at``; ``status``: the service's current status. False when it is no longer followed.

        ``afresh`` resets the count of reads: it changed, so it may change again soon.
        """
        counted = {"polls": 0} if afresh else {}
        return self._set(kind, remote_id, due_at=due_at, last_status=status, **counted)

    def stop(self, kind: str, remote_id: str, now: datetime) -> bool:
        """Stop following it, as it is final; False when it was stopped before or never followed."""
        return self._set(kind, remote_id, due_at=None, stopped_at=now)

    def hasten(self, kind: str, remote_id: str, now: datetime) -> bool:
        """Make it due now, after a request or a callback."""
        return self._set(kind, remote_id, due_at=now)

    def _set(self, kind: str, remote_id: str, **values: object) -> bool:
        followed = (table.c.kind == kind, table.c.remote_id == remote_id, table.c.stopped_at.is_(None))
        return self._change(table, *followed, **FREED, **values) == 1
