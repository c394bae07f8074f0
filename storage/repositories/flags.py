"""Single values that all processes share, and the processes themselves."""

import hashlib
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from storage.damage import Shape
from storage.repositories.leased import Repository, insert_once
from storage.tables.queues import flag

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
