"""Horizon: when the next row of each kind of due work becomes due."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Label, Table, select

from bot.domain.payments.instruction import EFFECT_UNDER_WAY
from storage.prepared import Prepared
from storage.repositories.common import Condition, Repository
from storage.repositories.outbox import OPEN
from storage.rows import InboxState, OutboxState
from storage.tables.instructions import instruction, tracked
from storage.tables.queues import board, dropped_file, inbox, job, outbox
from storage.tables.services import booking, store, store_event

Due = tuple[str, str]
"""A table and, where its rows are claimed by kind, the kind; otherwise empty."""

_TABLES: Sequence[tuple[Table, Sequence[Condition]]] = (
    (instruction, (instruction.c.due_at.is_not(None), *(instruction.c.state != state for state in EFFECT_UNDER_WAY))),
    (inbox, (inbox.c.state == InboxState.RECEIVED,)),
    (store_event, (store_event.c.state == InboxState.RECEIVED,)),
    (outbox, (OPEN, outbox.c.state != OutboxState.SENDING)),
    (dropped_file, (dropped_file.c.due_at.is_not(None),)),
    (booking, (booking.c.due_at.is_not(None),)),
    (board, (board.c.due_at.is_not(None),)),
    (store, (store.c.due_at.is_not(None),)),
)
_BY_KIND = (tracked, job)


class Horizon(Repository):
    """All tables with due work. Leased rows are left out: the end of their step wakes the workers itself."""

    def earliest(self, kinds: Sequence[Due]) -> Mapping[Due, datetime]:
        """When the next row of each kind becomes due; kinds without one are left out."""
        (row,) = _prepared(tuple(kinds)).rows(self._connection, {})
        return {kind: due_at for kind, due_at in zip(kinds, row, strict=True) if isinstance(due_at, datetime)}


@cache
def _prepared(kinds: tuple[Due, ...]) -> Prepared:
    conditions = {table.name: (table, where) for table, where in _TABLES}
    by_kind = {table.name: table for table in _BY_KIND}
    columns = []
    for name, kind in kinds:
        if kind:
            table = by_kind[name]
            columns.append(_earliest(table, (table.c.kind == kind, table.c.due_at.is_not(None))))
        else:
            columns.append(_earliest(*conditions[name]))
    return Prepared(select(*columns))


def _earliest(table: Table, which: Sequence[Condition]) -> Label[Any]:
    free = [table.c.lease_until.is_(None), table.c.stopped == ""] if "lease_until" in table.c else []
    # In the order of the index, so that its first free row ends the search; min() would not stop there.
    first = select(table.c.due_at).where(*which, *free).order_by(table.c.due_at).limit(1)
    return first.scalar_subquery().label(None)
