"""Rows that one process at a time works on: claimed when due, leased for a short time, freed after the step."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from functools import cache
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar, Unpack

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from storage.damage import Damage, Shape, read_all, read_one
from storage.prepared import Prepared
from storage.rows import Hold
from storage.tables.columns import metadata
from storage.types import Moment, is_encodable

R = TypeVar("R")
Key = tuple[str, ...]

Condition = sa.ColumnElement[bool] | sa.TextClause
"""Condition on rows; text if SQLite must recognise that a partial index covers it."""

NO_LEASE: Mapping[str, Any] = {"lease_owner": "", "lease_until": None}
FREED: Mapping[str, Any] = {**NO_LEASE, "tries": 0, "errors": 0}


class Repository:
    """Access to the rows of a few tables in one transaction; unreadable rows are recorded in ``damage``."""

    def __init__(self, connection: sa.Connection, damage: Damage | None = None) -> None:
        self._connection = connection
        self._damage = damage if damage is not None else Damage()

    def _one(self, shape: Shape[R], query: sa.Executable) -> R | None:
        """Return the first row as a record; None if there is no row. Raises RowUnreadable."""
        row = next(iter(self._connection.execute(query).all()), None)  # all(): an update has to run to its end
        return None if row is None else read_one(self._damage, shape, row._asdict())

    def _all(self, shape: Shape[R], query: sa.Executable) -> list[R]:
        """Return the rows as records; unreadable rows are recorded and left out."""
        return read_all(self._damage, shape, self._connection.execute(query).all())

    def _whole(self, shape: Shape[R], query: sa.Executable | Prepared, **values: object) -> list[R]:
        """Return the rows as records if leaving one out would change the meaning of the rest. Raises RowUnreadable."""
        if isinstance(query, Prepared):
            rows = [dict(zip(query.names, row, strict=True)) for row in query.rows(self._connection, values)]
        else:
            rows = [row._asdict() for row in self._connection.execute(query).all()]
        return [read_one(self._damage, shape, row) for row in rows]

    def _change(self, table: sa.Table, *which: Condition, **values: object) -> int:
        """Set these columns in the rows that meet the conditions; return the number of rows."""
        return self._connection.execute(sa.update(table).where(*which).values(values)).rowcount

    def _forget(self, key: sa.Column[Any], *which: sa.ColumnElement[bool], limit: int) -> int:
        """Delete up to ``limit`` rows that meet the conditions; return their number. ``key`` identifies a row."""
        some = sa.select(key).where(*which).limit(limit).scalar_subquery()
        return self._connection.execute(sa.delete(key.table).where(key.in_(some))).rowcount


def insert_once(
    connection: sa.Connection, table: sa.Table, values: Mapping[str, object], *, unless: tuple[str, ...]
) -> bool:
    """Insert unless a row has the same values in the unique columns ``unless``; return whether it was inserted."""
    return _insert_unless(connection.dialect.name, table, unless).first(connection, values) is not None


@cache
def _insert_unless(dialect: str, table: sa.Table, unless: tuple[str, ...]) -> Prepared:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    first = next(iter(table.primary_key.columns))
    return Prepared(insert(table).on_conflict_do_nothing(index_elements=unless).returning(first))


def columns(record: Any) -> dict[str, Any]:
    """Return the fields of a flat dataclass; ``asdict`` would copy every value."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def as_text(value: object) -> sa.ColumnElement[Any]:
    """Return a value of a text column as a parameter, even if a damaged row has another type there."""
    if isinstance(value, str) and not is_encodable(value):
        return sa.cast(sa.literal(value.encode("utf-8", "surrogateescape"), sa.LargeBinary), sa.Text)
    return sa.literal(value, sa.Text)


def free(table: sa.Table, now: datetime | sa.BindParameter[Any]) -> sa.ColumnElement[bool]:
    """Return the condition for rows without a live lease."""
    return sa.or_(table.c.lease_until.is_(None), table.c.lease_until <= now)


def claiming(
    table: sa.Table,
    *which: Condition,
    key: sa.Column[Any] | None = None,
    order: Sequence[sa.ColumnElement[Any] | sa.UnaryExpression[Any]] = (),
    source: sa.FromClause | None = None,
    free_to_go: sa.ColumnElement[bool] | None = None,
    changed: Mapping[str, sa.ColumnElement[Any]] | None = None,
    read: Iterable[sa.Column[Any]] | None = None,
) -> sa.Executable:
    """Return the statement that leases rows that are due and free, longest due first."""
    # ``source`` is for an order that needs more than the table. ``free_to_go`` is checked when rows are chosen, but not
    # when they are updated. ``changed`` are other columns that every claim changes; ``read`` are those returned.
    now, key = sa.bindparam("now", type_=Moment), table.c.id if key is None else key
    due = sa.and_(*which, table.c.due_at <= now, free(table, now), table.c.stopped == "")
    asked = (due,) if free_to_go is None else (due, free_to_go)
    chosen = sa.select(key).select_from(table if source is None else source).where(*asked)
    chosen = chosen.order_by(*(order or (table.c.due_at, key))).limit(sa.bindparam("most", type_=sa.Integer))
    return (
        sa.update(table)
        .where(key.in_(chosen.scalar_subquery()), due)
        .values(
            lease_owner=sa.bindparam("holder"),
            lease_until=sa.bindparam("until", type_=Moment),
            tries=table.c.tries + 1,  # before the step, so that a crash counts too
            **(changed or {}),
        )
        .returning(*(read or table.c))
    )


class Leased(Repository, Generic[R]):
    """A table of rows that one process at a time works on."""

    shape: Shape[R]
    claims: sa.Executable
    turn: tuple[str, ...] = ("due_at", "id")
    """Attributes of a record by which claimed rows are sorted."""
    unfinished: Condition
    """Rows that a step can still change."""
    in_flight: sa.ColumnElement[bool] = sa.false()
    """Rows whose request may have been sent. Its outcome is read, whoever holds the lease."""

    def recover(self, owner: str) -> int:
        """End other owners' leases except on rows in flight; return how many. Only if no other process can be alive."""
        rows = self.shape.table
        return self._change(rows, rows.c.lease_owner != "", rows.c.lease_owner != owner, ~self.in_flight, **NO_LEASE)

    def abandoned(self, *, now: datetime, owner: str, exclusive: bool, limit: int = 1000) -> list[R]:
        """Return rows in flight whose process died, by id: the lease ended by ``now``, or isn't ``owner``'s."""
        # ``exclusive`` means that no other process can be alive (SQLite): every lease that isn't ``owner``'s is dead.
        query = self._rows(self.in_flight, self._dead(now, owner, exclusive))
        return self._all(self.shape, query.order_by(self.shape.table.c.id).limit(limit))

    def _dead(self, now: datetime, owner: str, exclusive: bool) -> sa.ColumnElement[bool]:
        dead = free(self.shape.table, now)
        return sa.or_(dead, self.shape.table.c.lease_owner != owner) if exclusive else dead

    def _claim(self, hold: Hold, statement: sa.Executable, **which: object) -> Sequence[sa.Row[Any]]:
        """Run a statement of :func:`claiming` with ``which`` as the parameters of its conditions."""
        until = hold["now"] + timedelta(seconds=hold["lease_seconds"])
        asked = {"now": hold["now"], "holder": hold["owner"], "until": until, "most": hold["limit"]}
        return self._connection.execute(statement, {**asked, **which}).all()

    def _claimed(self, hold: Hold, **which: object) -> list[R]:
        return self._sorted(self._claim(hold, self.claims, **which))

    def _sorted(self, rows: Iterable[sa.Row[Any]]) -> list[R]:
        return sorted(read_all(self._damage, self.shape, rows), key=attrgetter(*self.turn))

    def _rows(self, *which: sa.ColumnElement[bool]) -> sa.Select[Any]:
        return sa.select(self.shape.table).where(*which)

    def _find(self, *which: sa.ColumnElement[bool]) -> R | None:
        return self._one(self.shape, self._rows(*which))

    def _end(self, row_id: str, *which: sa.ColumnElement[bool], **values: object) -> bool:
        """End the step of an unfinished row and set these columns; False if it was already finished."""
        rows = self.shape.table
        return self._change(rows, rows.c.id == row_id, self.unfinished, *which, **FREED, **values) == 1


class Asked(Leased[R]):
    """Rows requested by people, with a unique ``source_key``, and a ``version`` that every change raises."""

    def get(self, row_id: str) -> R | None:
        return self._find(self.shape.table.c.id == row_id)

    def by_source(self, key: str) -> R | None:
        """Return the row that this click, form or event created."""
        return self._find(self.shape.table.c.source_key == key)

    def extend(self, row_id: str, *, owner: str, until: datetime) -> bool:
        """Extend the lease; False if this owner doesn't hold it."""
        return self._change(self.shape.table, *_held(self.shape.table, (row_id,), owner), lease_until=until) == 1

    def release(self, row_id: str, *, owner: str, due_at: datetime | None) -> bool:
        """End the lease of this owner; the row is due again at ``due_at``."""
        held = _held(self.shape.table, (row_id,), owner)
        return self._change(self.shape.table, *held, **FREED, due_at=due_at) == 1


class Queue(Leased[R]):
    """Rows that are stored first, then processed once, one by one; old rows are deleted."""

    def claim_due(self, **hold: Unpack[Hold]) -> list[R]:
        return self._claimed(hold)

    def again(self, row_id: str, due_at: datetime) -> bool:
        return self._end(row_id, due_at=due_at)

    def has_old(self, *, before: datetime) -> bool:
        """Return whether :meth:`forget_old` would delete anything."""
        query = sa.select(self.shape.table.c.id).where(*self._old(before)).limit(1)
        return self._connection.execute(query).first() is not None

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Delete up to ``limit`` finished rows from before then; return how many."""
        return self._forget(self.shape.table.c.id, *self._old(before), limit=limit)

    def _old(self, before: datetime) -> Sequence[sa.ColumnElement[bool]]:
        raise NotImplementedError


_TABLES: Final[Mapping[str, sa.Table]] = {name: one for name, one in metadata.tables.items() if "stopped" in one.c}
_WITHOUT_STOP: Final[Mapping[str, sa.Table]] = {
    name: one for name, one in metadata.tables.items() if "due_at" in one.c and name not in _TABLES
}
"""Tables of due rows that can't be stopped: holding a row clears its due time."""
HELD: Final = frozenset((*_TABLES, *_WITHOUT_STOP))
KEYS: Final[Mapping[str, Key]] = {name: tuple(metadata.tables[name].primary_key.columns.keys()) for name in HELD} | {
    "outbox": ("id",)
}
"""Columns that identify a row, by table."""


def key_of(table: str, row: object) -> Key:
    return tuple(str(getattr(row, column)) for column in KEYS[table])


class Steps(Repository):
    """Leases and stops of all tables whose rows are claimed. Keys are those of :func:`key_of`."""

    def renew(self, table: str, keys: Iterable[Key], *, owner: str, until: datetime) -> int:
        """Renew the leases that ``owner`` still holds; return how many. It is the same claim, so the version stays."""
        return sum(self._set(table, key, owner, lease_until=until) for key in keys)

    def expire(self, owner: str, now: datetime) -> int:
        """End every lease of a process that died; return how many."""
        return sum(
            self._change(table, table.c.lease_owner == owner, table.c.lease_until > now, lease_until=now)
            for table in _TABLES.values()
        )

    def put_off(self, table: str, key: Key, *, owner: str, due_at: datetime) -> bool:
        """End the lease of a row whose step failed, and count the error; False if another owner holds it."""
        return self._set(table, key, owner, **NO_LEASE, due_at=due_at, errors=_TABLES[table].c.errors + 1) == 1

    def spare(self, table: str, key: Key, *, owner: str, due_at: datetime) -> bool:
        """End the lease of a row whose step failed for an outside reason, without counting an error."""
        return self._set(table, key, owner, **FREED, due_at=due_at) == 1

    def stop(self, table: str, key: Key, *, owner: str, number: str) -> bool:
        """End the lease of a row and stop it; False if another owner holds it."""
        return self._set(table, key, owner, **NO_LEASE, stopped=number) == 1

    def hold(self, table: str, key: Sequence[Any], *, number: str) -> str:
        """Stop an unreadable row, even if leased; return its number, maybe an earlier one, or "" if there is none."""
        if table in _WITHOUT_STOP:
            self._change(_WITHOUT_STOP[table], *_is(_WITHOUT_STOP[table], key), due_at=None)
            return ""
        where, same = _TABLES[table], _is(_TABLES[table], key)
        held = self._connection.execute(sa.select(sa.type_coerce(where.c.stopped, sa.Text)).where(*same)).scalar()
        if isinstance(held, str) and held and held.isascii():
            return held
        self._change(where, *same, **NO_LEASE, stopped=number)
        return number

    def stopped(self, number: str) -> list[tuple[str, Key]]:
        """Return the rows stopped under a number with this prefix."""
        found: list[tuple[str, Key]] = []
        for name, table in _TABLES.items():
            query = sa.select(*(table.c[column] for column in KEYS[name])).where(table.c.stopped.startswith(number))
            found += [(name, tuple(row)) for row in self._connection.execute(query.where(_is_stopped(table)))]
        return found

    def go_on(self, table: str, key: Key, *, now: datetime, tries: int = 0) -> bool:
        """Resume a stopped row as if ``tries`` steps had died; False if it wasn't stopped."""
        meant = (*_is(_TABLES[table], key), _is_stopped(_TABLES[table]))
        return self._change(_TABLES[table], *meant, **{**FREED, "tries": tries}, stopped="", due_at=now) == 1

    def counts(self) -> dict[str, int]:
        """Return the number of stopped rows by table; tables without any are left out."""
        return {name: count for name, count in self._connection.execute(_COUNTS) if count}

    def _set(self, table: str, key: Key, owner: str, **values: object) -> int:
        return self._change(_TABLES[table], *_held(_TABLES[table], key, owner), **values)


def _is(table: sa.Table, key: Sequence[Any]) -> list[sa.ColumnElement[bool]]:
    # As text: the key of a damaged row may be anything.
    return [table.c[name] == as_text(value) for name, value in zip(KEYS[table.name], key, strict=True)]


def _held(table: sa.Table, key: Key, owner: str) -> list[sa.ColumnElement[bool]]:
    return [*_is(table, key), table.c.lease_owner == owner, table.c.lease_until.is_not(None)]


def _is_stopped(table: sa.Table) -> sa.ColumnElement[bool]:
    return table.c.stopped != ""


_COUNTS: Final = sa.union_all(
    *(sa.select(sa.literal(name), sa.func.count()).where(_is_stopped(table)) for name, table in _TABLES.items())
)
