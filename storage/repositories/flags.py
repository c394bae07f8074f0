"""Flags: single values that all processes share, such as a freeze."""

from datetime import datetime

from sqlalchemy import delete, select

from storage.damage import Shape
from storage.repositories.common import Repository, insert_once
from storage.tables.queues import flag as table


def _read(*, key: str, value: object, updated_at: datetime) -> tuple[str, object]:  # noqa: ARG001
    return key, value


_SHAPE = Shape(table, _read, called="key")


class Flags(Repository):
    """The table ``flag``. Values are JSON, never null."""

    def get(self, key: str) -> object | None:
        """The value; None when it was never set.

        Raises:
            RowUnreadable: the row cannot be read.
        """
        found = self._one(_SHAPE, select(table).where(table.c.key == key))
        return None if found is None else found[1]

    def readable(self, key: str) -> object | None:
        """The value; None also where it cannot be read. Not for flags that stop something."""
        return self.starting(key).get(key)

    def set(self, key: str, value: object, now: datetime) -> None:
        """Set or replace a value."""
        if not self.add(key, value, now):
            self._change(table, table.c.key == key, value=value, updated_at=now)

    def add(self, key: str, value: object, now: datetime) -> bool:
        """Set a value that is not set yet; False when it was."""
        return insert_once(self._connection, table, {"key": key, "value": value, "updated_at": now}, unless=("key",))

    def starting(self, prefix: str) -> dict[str, object]:
        """Values by key, of the keys with this prefix; those that cannot be read are left out."""
        return dict(self._all(_SHAPE, select(table).where(table.c.key.startswith(prefix, autoescape=True))))

    def forget(self, prefix: str) -> int:
        """Remove the values of the keys with this prefix; how many."""
        gone = delete(table).where(table.c.key.startswith(prefix, autoescape=True))
        return self._connection.execute(gone).rowcount
