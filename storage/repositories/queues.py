"""Queues: how many rows wait in each, and since when the oldest does.

Conditions stand as text, and every minimum beside a count: then SQLite takes the partial index of the rows that wait,
instead of looking for the oldest one among all that were ever stored.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Column, Select, Table, bindparam, func, literal, null, select, text, type_coerce, union_all

from storage.repositories.common import Condition, Repository
from storage.repositories.outbox import OPEN
from storage.rows import Waiting
from storage.tables.instructions import attempt, instruction, tracked
from storage.tables.queues import board, dropped_file, inbox, job, outbox
from storage.tables.services import booking, store_event
from storage.types import Moment

_STORED: Final[Mapping[str, tuple[Column[Any], Condition]]] = {
    "callbacks": (inbox.c.received_at, text("inbox.state = 'received'")),
    "webhooks": (store_event.c.received_at, text("store_event.state = 'received'")),
    "messages": (outbox.c.created_at, OPEN),
    "files": (dropped_file.c.created_at, dropped_file.c.due_at.is_not(None)),
    "jobs": (job.c.created_at, job.c.closed_at.is_(None)),
    "attempts": (attempt.c.claimed_at, text("attempt.outcome = 'open'")),
}
"""Queues whose rows are over when they have been worked on: since when each waits, and which of them still do."""
AGED: Final = tuple(_STORED)
_DUE: Final[Mapping[str, Table]] = {"requests": instruction, "polls": tracked, "bookings": booking, "cards": board}
"""Tables whose rows become due again and again."""


class Queues(Repository):
    """Every table that is worked through."""

    def waiting(self, now: datetime, *, followed: Collection[str] = ()) -> dict[str, Waiting]:
        """What waits in each queue, rows that are being worked on or stopped included.

        Rows that become due again and again have no age. ``followed``: kinds of followed resources that count.
        """
        rows = self._connection.execute(_WAITING, {"now": now, "followed": list(followed)})
        return {name: Waiting(count, oldest if isinstance(oldest, datetime) else None) for name, count, oldest in rows}


def _stored(name: str, since: Column[Any], which: Condition) -> Select[str, int, Any]:
    return select(literal(name), func.count(), func.min(since)).select_from(since.table).where(which)


def _due(name: str, table: Table) -> Select[str, int, Any]:
    which: list[Condition] = [table.c.due_at <= bindparam("now", type_=Moment)]
    if table is tracked:  # its index is by kind
        which.append(table.c.kind.in_(bindparam("followed", expanding=True)))
    return select(literal(name), func.count(), type_coerce(null(), Moment)).select_from(table).where(*which)


_WAITING: Final = union_all(
    *(_stored(name, since, which) for name, (since, which) in _STORED.items()),
    *(_due(name, table) for name, table in _DUE.items()),
)
