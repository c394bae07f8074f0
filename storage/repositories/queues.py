"""Queries over all tables: due times, queues, the sweep for unreadable rows."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from bot.domain.bookings.booking import CLOSED
from bot.domain.payments.instruction import EFFECT_UNDER_WAY, FINAL
from storage.damage import Shape, read_all
from storage.prepared import Prepared
from storage.repositories import bookings, callbacks, jobs, payments, requests, slack
from storage.repositories.leased import Condition, Repository, as_text
from storage.repositories.slack import OPEN
from storage.rows import InboxState, OutboxState, Waiting
from storage.tables.columns import metadata
from storage.tables.instructions import attempt, audit, instruction, tracked
from storage.tables.queues import board, dropped_file, inbox, job, outbox
from storage.tables.services import booking, store_event
from storage.types import Moment

Due = tuple[str, str]
"""A table and the kind if its rows are claimed by kind, otherwise ""."""

_CLAIMED: Final[Mapping[str, Sequence[Condition]]] = {
    "instruction": (instruction.c.due_at.is_not(None), *(instruction.c.state != one for one in EFFECT_UNDER_WAY)),
    "inbox": (inbox.c.state == InboxState.RECEIVED,),
    "store_event": (store_event.c.state == InboxState.RECEIVED,),
    "outbox": (OPEN, outbox.c.state != OutboxState.SENDING),
}
"""Conditions for rows that are claimed when due, if that isn't every row with a ``due_at``."""


class Horizon(Repository):
    """Times at which work becomes due. Leased rows are left out: the end of their step wakes the workers."""

    def earliest(self, kinds: Sequence[Due]) -> Mapping[Due, datetime]:
        """Return when the next row of each kind becomes due; kinds without one are left out."""
        (row,) = _prepared(tuple(kinds)).rows(self._connection, {})
        return {kind: due_at for kind, due_at in zip(kinds, row, strict=True) if isinstance(due_at, datetime)}


@cache
def _prepared(kinds: tuple[Due, ...]) -> Prepared:
    columns = []
    for name, kind in kinds:
        table = metadata.tables[name]
        which = _CLAIMED.get(name, (table.c.due_at.is_not(None),))
        of_kind = [table.c.kind == kind] if kind else []
        free = [table.c.lease_until.is_(None), table.c.stopped == ""] if "lease_until" in table.c else []
        # In index order, so that the search ends at the first free row; min() would not stop there.
        first = sa.select(table.c.due_at).where(*of_kind, *which, *free).order_by(table.c.due_at).limit(1)
        columns.append(first.scalar_subquery().label(None))
    return Prepared(sa.select(*columns))


_STORED: Final[Mapping[str, tuple[sa.Column[Any], Condition]]] = {
    "callbacks": (inbox.c.received_at, sa.text("inbox.state = 'received'")),
    "webhooks": (store_event.c.received_at, sa.text("store_event.state = 'received'")),
    "messages": (outbox.c.created_at, OPEN),
    "files": (dropped_file.c.created_at, dropped_file.c.due_at.is_not(None)),
    "jobs": (job.c.created_at, job.c.closed_at.is_(None)),
    "attempts": (attempt.c.claimed_at, sa.text("attempt.outcome = 'open'")),
}
"""Queues whose rows are processed once: column of the time since which a row waits, and condition for waiting rows."""
AGED: Final = tuple(_STORED)
_DUE: Final[Mapping[str, tuple[sa.Table, Condition]]] = {
    "requests": (instruction, sa.true()),
    "polls": (tracked, tracked.c.kind.in_(sa.bindparam("followed", expanding=True))),  # its index is by kind
    "bookings": (booking, sa.true()),
    "cards": (board, sa.true()),
}
"""Tables whose rows become due repeatedly, and the condition for rows that count."""


class Queues(Repository):
    """Number of waiting rows in each queue, and the time of the oldest."""

    # Conditions are text, and every minimum is queried with a count: SQLite then uses the partial index of waiting rows
    # instead of searching all rows ever stored for the oldest.

    def waiting(self, now: datetime, *, followed: Collection[str] = ()) -> dict[str, Waiting]:
        """Count waiting rows by queue, including leased and stopped ones, and polls of the ``followed`` kinds."""
        rows = self._connection.execute(_WAITING, {"now": now, "followed": list(followed)})
        return {name: Waiting(count, oldest if isinstance(oldest, datetime) else None) for name, count, oldest in rows}


_WAITING: Final = sa.union_all(
    *(
        sa.select(sa.literal(name), sa.func.count(), sa.func.min(since)).select_from(since.table).where(which)
        for name, (since, which) in _STORED.items()
    ),
    *(
        sa.select(sa.literal(name), sa.func.count(), sa.type_coerce(sa.null(), Moment)).where(
            table.c.due_at <= sa.bindparam("now", type_=Moment), which
        )
        for name, (table, which) in _DUE.items()
    ),
)


_PAGE: Final = 1_000
_SETTLED: Final = tuple(state for state in InboxState if state is not InboxState.RECEIVED)
_OPEN: Final[Mapping[str, tuple[Shape[Any], Sequence[Condition]]]] = {
    "instruction": (requests.SHAPE, (instruction.c.state.not_in(FINAL),)),
    "booking": (bookings.Bookings.shape, (booking.c.stage.not_in(CLOSED),)),
    "job": (jobs.Jobs.shape, (sa.or_(job.c.closed_at.is_(None), job.c.due_at.is_not(None)),)),
    "outbox": (slack.Outbox.shape, (outbox.c.state.not_in((OutboxState.SENT, OutboxState.DEAD)),)),
    "inbox": (callbacks.Inbox.shape, (inbox.c.state.not_in(_SETTLED),)),
    "store_event": (bookings.StoreEvents.shape, (store_event.c.state.not_in(_SETTLED),)),
    "tracked": (payments.TrackedResources.shape, (tracked.c.stopped_at.is_(None),)),
    "dropped_file": (slack.DroppedFiles.shape, (dropped_file.c.due_at.is_not(None),)),
    "board": (slack.BOARD, (board.c.due_at.is_not(None),)),
    "store": (bookings.STORE, ()),
}
SWEPT: Final = tuple(_OPEN)

Key = tuple[Any, ...]


class Sweep(Repository):
    """Reads all open rows page by page, so that unreadable ones are recorded."""

    def page(self, name: str, after: Key | None = None) -> tuple[list[Any], Key | None]:
        """Return a page of a table's open rows after the key ``after``, and its last key; None for the last page."""
        shape, which = _OPEN[name]
        key = [column for column in shape.table.columns if column.primary_key]
        query = sa.select(shape.table).where(*which).order_by(*key).limit(_PAGE)
        if after is not None:
            pairs = zip(key, after, strict=True)
            last = [sa.literal(value, column.type) if type(value) is int else as_text(value) for column, value in pairs]
            query = query.where(sa.tuple_(*key) > sa.tuple_(*last))
        rows = self._connection.execute(query).all()
        found = read_all(self._damage, shape, rows)
        return found, tuple(getattr(rows[-1], column.name) for column in key) if len(rows) == _PAGE else None


_LAST: Final = (
    sa.select(audit.c.at).order_by(audit.c.seq.desc()).limit(1),
    sa.select(outbox.c.created_at).order_by(outbox.c.seq.desc()).limit(1),
)
"""Queries for the times of the newest rows, in the order of writing."""


class Times(Repository):
    """Times of all tables, for use after the clock was set."""

    def newest(self) -> datetime | None:
        """Return the time of the last write, by the writer's clock; None if nothing was written."""
        found = [self._connection.execute(query).scalar() for query in _LAST]
        return max((one for one in found if isinstance(one, datetime)), default=None)

    def hasten(self, by: datetime) -> None:
        """Make every row due by then at the latest."""
        for table in metadata.tables.values():
            if "due_at" in table.c:
                self._change(table, table.c.due_at > by, due_at=by)
