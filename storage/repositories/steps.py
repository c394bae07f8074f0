"""Operations on every table with claimed rows: leases, and the stop after repeatedly failed steps.

A row is identified by its table and its key, see :data:`KEYS`.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Table, func, literal, select, union_all

from storage.repositories.common import FREED, NO_LEASE, Repository, end_leases
from storage.tables.instructions import instruction, tracked
from storage.tables.queues import dropped_file, inbox, job, outbox
from storage.tables.services import booking, store_event

Key = tuple[str, ...]

_TABLES: Final[Mapping[str, Table]] = {
    each.name: each for each in (instruction, inbox, outbox, tracked, job, dropped_file, booking, store_event)
}
KEYS: Final[Mapping[str, tuple[str, ...]]] = dict.fromkeys(_TABLES, ("id",)) | {
    "tracked": ("kind", "remote_id"),
    "board": ("subject",),
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
        meant = (*_is(table, key), _is_stopped(_TABLES[table]))
        return self._change(_TABLES[table], *meant, **FREED, stopped="", due_at=now) == 1

    def counts(self) -> dict[str, int]:
        """How many rows are stopped, by table; tables without any are left out."""
        return {name: count for name, count in self._connection.execute(_COUNTS) if count}

    def _set(self, table: str, key: Key, owner: str, **values: object) -> int:
        mine = (*_is(table, key), _TABLES[table].c.lease_owner == owner, _TABLES[table].c.lease_until.is_not(None))
        return self._change(_TABLES[table], *mine, **values)


def _is(table: str, key: Key) -> list[ColumnElement[bool]]:
    return [_TABLES[table].c[column] == value for column, value in zip(KEYS[table], key, strict=True)]


def _is_stopped(table: Table) -> ColumnElement[bool]:
    return table.c.stopped != ""


_COUNTS: Final = union_all(
    *(
        select(literal(name), func.count()).select_from(table).where(_is_stopped(table))
        for name, table in _TABLES.items()
    )
)
