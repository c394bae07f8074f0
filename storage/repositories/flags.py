"""Flags: single values that all processes share, such as a freeze."""

from datetime import datetime

from sqlalchemy import delete, select

from storage.repositories.common import Repository, insert_once
from storage.tables.queues import flag as table


class Flags(Repository):
    """The table ``flag``. Values are JSON, never null."""

    def get(self, key: str) -> object | None:
        """The value; None when it was never set."""
        return self._connection.execute(select(table.c.value).where(table.c.key == key)).scalar_one_or_none()

    def set(self, key: str, value: object, now: datetime) -> None:
        """Set or replace a value."""
        if not self.add(key, value, now):
            self._change(table, table.c.key == key, value=value, updated_at=now)

    def add(self, key: str, value: object, now: datetime) -> bool:
        """Set a value that is not set yet; False when it was."""
        return insert_once(self._connection, table, {"key": key, "value": value, "updated_at": now}, unless=("key",))

    def starting(self, prefix: str) -> dict[str, object]:
        """Values by key, of the keys with this prefix."""
        query = select(table.c.key, table.c.value).where(table.c.key.startswith(prefix, autoescape=True))
        return {str(key): value for key, value in self._connection.execute(query)}

    def forget(self, prefix: str) -> int:
        """Remove the values of the keys with this prefix; how many."""
        gone = delete(table).where(table.c.key.startswith(prefix, autoescape=True))
        return self._connection.execute(gone).rowcount
