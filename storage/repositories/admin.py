"""Queries over all tables, and the small tables that don't belong to a feature."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from bot.domain.bookings.booking import CLOSED
from bot.domain.payments.instruction import EFFECT_UNDER_WAY, FINAL
from bot.domain.unread import Noted, UnreadAnswer
from storage.damage import Shape, is_object, read_all
from storage.prepared import Prepared
from storage.repositories import bookings, callbacks, jobs, payments, requests, slack
from storage.repositories.leased import Condition, Repository, as_text, insert_once
from storage.repositories.slack import OPEN
from storage.rows import InboxState, OutboxState, Waiting
from storage.tables.columns import metadata
from storage.tables.instructions import attempt, audit, instruction, tracked
from storage.tables.queues import board, dropped_file, flag, inbox, job, outbox
from storage.tables.services import booking, store_event
from storage.tables.services import unread_answer as unread
from storage.types import Moment

_FLAG: Shape[tuple[str, object]] = Shape(flag, lambda key, value: (key, value), called="key", apart=("updated_at",))


class Flags(Repository):
    """Single values that all processes share, such as a freeze. Values are JSON, never null."""

    def get(self, key: str) -> object | None:
        """Return the value; None if it was never set. Raises RowUnreadable."""
        found = self._one(_FLAG, sa.select(flag).where(flag.c.key == key))
        return None if found is None else found[1]

    def readable(self, key: str) -> object | None:
        """Return the value; None also if it can't be read, so not for flags that stop something."""
        return self.starting(key).get(key)

    def set(self, key: str, value: object, now: datetime) -> None:
        if not self.add(key, value, now):
            self._change(flag, flag.c.key == key, value=value, updated_at=now)

    def add(self, key: str, value: object, now: datetime) -> bool:
        """Set a value; False if the key was already set."""
        return insert_once(self._connection, flag, {"key": key, "value": value, "updated_at": now}, unless=("key",))

    def starting(self, prefix: str) -> dict[str, object]:
        """Return readable values by key, of the keys with this prefix."""
        return dict(self._all(_FLAG, sa.select(flag).where(flag.c.key.startswith(prefix, autoescape=True))))

    def forget(self, prefix: str) -> int:
        gone = sa.delete(flag).where(flag.c.key.startswith(prefix, autoescape=True))
        return self._connection.execute(gone).rowcount


_PREFIX = "process:"
_MASK = 2**64 - 1
LOCKS: Final = (
    "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND mode = 'ShareLock' AND objsubid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""Query for the life locks held in this database. They are shared locks; writers' locks are exclusive."""


def life_lock(owner: str) -> int:
    """Return the advisory lock that a process holds as long as it runs."""
    return int.from_bytes(hashlib.sha256(f"{_PREFIX}{owner}".encode()).digest()[:8], signed=True)


class Processes:
    """``process:…`` flags on PostgreSQL, one per process. Each process holds a lock for life, so its end is visible."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._flags = Flags(connection)

    def arrive(self, owner: str, now: datetime) -> None:
        self._flags.set(f"{_PREFIX}{owner}", {}, now)

    def forget(self, owner: str) -> None:
        self._flags.forget(f"{_PREFIX}{owner}")

    def gone(self) -> list[str]:
        """Return owners whose lock is no longer held. PostgreSQL only."""
        arrived = [key.removeprefix(_PREFIX) for key in self._flags.starting(_PREFIX)]
        held = {lock & _MASK for lock in self._connection.execute(sa.text(LOCKS)).scalars()}
        return [owner for owner in arrived if life_lock(owner) & _MASK not in held]


MOST: Final = 50
"""Limit of rows. Resolved ones are deleted first, then those not seen for longest."""
REMEMBERED: Final = timedelta(days=1)
"""How long a row is kept after an answer of its operation was read successfully."""
_ORDER = (unread.c.mended_at.is_not(None), unread.c.last_seen.desc(), unread.c.fingerprint)


_ANSWER: Shape[Noted] = Shape(
    unread,
    lambda operation, detail, **values: Noted(answer=UnreadAnswer.from_json(operation, detail), **values),
    called="operation",
    holds={"detail": is_object},
    apart=("fingerprint",),
)


class UnreadAnswers(Repository):
    """Unreadable answers of services, one row per shape, never more than :data:`MOST`."""

    def is_there(self) -> bool:
        """Return whether the table exists: a command that only reads may open an older database."""
        return sa.inspect(self._connection).has_table(unread.name)

    def note(self, found: Noted) -> None:
        """Store an answer, or add to the count if its shape is already stored."""
        key = {"operation": found.answer.operation, "fingerprint": found.answer.fingerprint}
        changed = {"detail": found.answer.as_json(), "mended_at": None}
        seen = {"first_seen": found.first_seen, "last_seen": found.last_seen, "count": found.count}
        if not insert_once(self._connection, unread, {**key, **changed, **seen}, unless=("operation", "fingerprint")):
            last = sa.literal(found.last_seen, unread.c.last_seen.type)
            newest = sa.case((unread.c.last_seen > last, unread.c.last_seen), else_=last)
            same = (unread.c[name] == value for name, value in key.items())
            self._change(unread, *same, **changed, last_seen=newest, count=unread.c.count + found.count)
        beyond = sa.select(unread.c.operation, unread.c.fingerprint).order_by(*_ORDER).offset(MOST)
        for operation, fingerprint in self._connection.execute(beyond).all():
            one = (unread.c.operation == operation, unread.c.fingerprint == fingerprint)
            self._connection.execute(sa.delete(unread).where(*one))

    def mended(self, operation: str, at: datetime) -> None:
        """Mark earlier unreadable answers of the operation as resolved: one was read successfully at that time."""
        self._connection.execute(sa.delete(unread).where(unread.c.mended_at < at - REMEMBERED))
        earlier = (unread.c.operation == operation, unread.c.last_seen <= at, unread.c.mended_at.is_(None))
        self._change(unread, *earlier, mended_at=at)

    def open_operations(self) -> frozenset[str]:
        query = sa.select(unread.c.operation).where(unread.c.mended_at.is_(None)).distinct()
        return frozenset(self._connection.execute(query).scalars())

    def all(self) -> list[Noted]:
        """Return unresolved answers, then resolved ones, each newest first."""
        return self._all(_ANSWER, sa.select(unread).order_by(*_ORDER))


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
