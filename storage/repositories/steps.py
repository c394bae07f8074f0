"""Operations on every table with claimed rows: leases, and the stop after repeatedly failed steps.

A row is identified by its table and its key, see :data:`KEYS`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Table, Text, func, literal, select, type_coerce, union_all

from storage.repositories.common import FREED, NO_LEASE, Repository, as_text, end_leases
from storage.tables.instructions import instruction, tracked
from storage.tables.queues import board, dropped_file, inbox, job, outbox
from storage.tables.services import booking, store, store_event

Key = tuple[str, ...]

_TABLES: Final[Mapping[str, Table]] = {
    each.name: each for each in (instruction, inbox, outbox, tracked, job, dropped_file, booking, store_event)
}
_WITHOUT_STOP: Final[Mapping[str, Table]] = {"board": board, "store": store}
"""Tables of due rows that cannot be stopped: a held row is not due any more."""
HELD: Final = frozenset((*_TABLES, *_WITHOUT_STOP))
"""Tables whose rows can be held."""
KEYS: Final[Mapping[str, tuple[str, ...]]] = dict.fromkeys(_TABLES, ("id",)) | {
    "tracked": ("kind", "remote_id"),
    "board": ("subject",),
    "store": ("id",),
}
"""The columns that name a row, by table; messages to be edited have no lease."""


def key_of(table: str, row: object) -> Key:
    """The key of a row in its table."""
    return tuple(str(getattr(row, column)) for column in KEYS[table])


class Steps(Repository):
    """Every table whose rows are claimed."""

    def renew(self, table: str, keys: Iterable[Key], *, owner: str, until: datetime) -> int:
        """Renew the leases that ``owner`` still holds; how many. The version stays: it is the same claim."""
        return sum(self._set(table, key, owner, lease_until=until) for key in keys)

    def expire(self, owner: str, now: datetime) -> int:
        """End every lease of a process that died; how many."""
        return sum(
            self._change(table, table.c.lease_owner == owner, table.c.lease_until > now, lease_until=now)
            for table in _TABLES.values()
        )

    def recover(self, table: str, owner: str) -> int:
        """End other owners' leases; only where no other process can be alive. How many."""
        return end_leases(self._connection, _TABLES[table], owner)

    def put_off(self, table: str, key: Key, *, owner: str, due_at: datetime) -> bool:
        """End the lease of a row whose step failed, and count that; False when another owner holds it."""
        return self._set(table, key, owner, **NO_LEASE, due_at=due_at) == 1

    def spare(self, table: str, key: Key, *, owner: str, due_at: datetime) -> bool:
        """End the lease of a row whose step failed for an outside reason, and do not count that."""
        return self._set(table, key, owner, **FREED, due_at=due_at) == 1

    def stop(self, table: str, key: Key, *, owner: str, number: str) -> bool:
        """End the lease of a row and stop it; False when another owner holds it."""
        return self._set(table, key, owner, **NO_LEASE, stopped=number) == 1

    def hold(self, table: str, key: Sequence[Any], *, number: str) -> str:
        """Stop a row that cannot be read, whoever holds it.

        Returns:
            The number that it is stopped by: another one when it was stopped before; "" when such rows have none.
        """
        if table in _WITHOUT_STOP:
            self._change(_WITHOUT_STOP[table], *_is(_WITHOUT_STOP[table], KEYS[table], key), due_at=None)
            return ""
        where = _TABLES[table]
        same = _is(where, KEYS[table], key)
        held = self._connection.execute(select(type_coerce(where.c.stopped, Text)).where(*same)).scalar()
        if isinstance(held, str) and held and held.isascii():
            return held
        self._change(where, *same, **NO_LEASE, stopped=number)
        return number

    def stopped(self, number: str) -> list[tuple[str, Key]]:
        """The rows that were stopped by this error."""
        return [
            (name, tuple(row))
            for name, table in _TABLES.items()
            for row in self._connection.execute(
                select(*(table.c[column] for column in KEYS[name])).where(table.c.stopped == number, _is_stopped(table))
            )
        ]

    def go_on(self, table: str, key: Key, *, now: datetime) -> bool:
        """Resume a stopped row; False when it was not stopped."""
        meant = (*_is(_TABLES[table], KEYS[table], key), _is_stopped(_TABLES[table]))
        return self._change(_TABLES[table], *meant, **FREED, stopped="", due_at=now) == 1

    def counts(self) -> dict[str, int]:
        """How many rows are stopped, by table; tables without any are left out."""
        return {name: count for name, count in self._connection.execute(_COUNTS) if count}

    def _set(self, table: str, key: Key, owner: str, **values: object) -> int:
        where = _TABLES[table]
        mine = (*_is(where, KEYS[table], key), where.c.lease_owner == owner, where.c.lease_until.is_not(None))
        return self._change(where, *mine, **values)


def _is(table: Table, names: Sequence[str], key: Sequence[Any]) -> list[ColumnElement[bool]]:
    # As text: the key of a damaged row may be anything.
    return [table.c[name] == as_text(value) for name, value in zip(names, key, strict=True)]


def _is_stopped(table: Table) -> ColumnElement[bool]:
    return table.c.stopped != ""


_COUNTS: Final = union_all(
    *(
        select(literal(name), func.count()).select_from(table).where(_is_stopped(table))
        for name, table in _TABLES.items()
    )
)
