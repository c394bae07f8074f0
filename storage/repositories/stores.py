"""Stores of the delivery service, found by the name people use."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, select

from storage.damage import Broken, Shape
from storage.repositories.common import Repository, columns, insert_once
from storage.rows import StoreRow, StoreState
from storage.tables.services import store as table


def _read(*, record: object, **values: Any) -> StoreRow:
    if not isinstance(record, dict) or not all(isinstance(value, str) for value in record.values()):
        raise Broken("record")
    return StoreRow(**values, record=record)


SHAPE = Shape(table, _read, called="name")


def folded(name: str) -> str:
    """The form in which names are compared."""
    return " ".join(name.split()).casefold()


class Stores(Repository):
    """The table ``store``."""

    def add(self, store: StoreRow) -> bool:
        """Store it; False when the name is taken."""
        return insert_once(self._connection, table, columns(store), unless=("folded",))

    def get(self, name: str) -> StoreRow | None:
        """The store with this name, compared by :func:`folded`."""
        return self._find(table.c.folded == folded(name))

    def by_id(self, store_id: str) -> StoreRow | None:
        """The store with this id."""
        return self._find(table.c.id == store_id)

    def by_remote(self, remote_id: str) -> StoreRow | None:
        """The store with this id at the service."""
        return self._find(table.c.remote_id == remote_id) if remote_id else None

    def all(self) -> list[StoreRow]:
        """Every store, by name."""
        return self._all(SHAPE, select(table).order_by(table.c.folded))

    def change(self, store_id: str, **values: Any) -> bool:
        """Set columns; False when there is no such store."""
        return self._change(table, table.c.id == store_id, **values) == 1

    def remove(self, store_id: str) -> None:
        """Delete a store that the service never created."""
        self._connection.execute(delete(table).where(table.c.id == store_id))

    def due(self, now: datetime, limit: int) -> list[StoreRow]:
        """Stores whose creation at the service is unconfirmed and due for a check."""
        query = select(table).where(table.c.state == StoreState.CREATING, table.c.due_at <= now)
        return self._all(SHAPE, query.order_by(table.c.due_at).limit(limit))

    def _find(self, condition: ColumnElement[bool]) -> StoreRow | None:
        return self._one(SHAPE, select(table).where(condition))
