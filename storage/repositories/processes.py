"""Processes that work on this PostgreSQL database. Each holds an advisory lock for life, so that its end is noticed."""

import hashlib
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, text

from storage.repositories.flags import Flags

_PREFIX = "process:"
LOCKS: Final = (
    "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND mode = 'ShareLock' AND objsubid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""The life locks held in this database. They are shared locks; those of writers are exclusive."""


def life_lock(owner: str) -> int:
    """The advisory lock that a process holds for as long as it lives."""
    return int.from_bytes(hashlib.sha256(f"{_PREFIX}{owner}".encode()).digest()[:8], signed=True)


class Processes:
    """The flags ``process:…``, one a process."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._flags = Flags(connection)

    def arrive(self, owner: str, now: datetime) -> None:
        """Store a process before it holds leases."""
        self._flags.set(f"{_PREFIX}{owner}", {}, now)

    def forget(self, owner: str) -> None:
        """Remove a process that has ended and holds no leases any more."""
        self._flags.forget(f"{_PREFIX}{owner}")

    def gone(self) -> list[str]:
        """Owners whose lock is no longer held. PostgreSQL only."""
        arrived = [key.removeprefix(_PREFIX) for key in self._flags.starting(_PREFIX)]
        held = {lock & _MASK for lock in self._connection.execute(text(LOCKS)).scalars()}
        return [owner for owner in arrived if life_lock(owner) & _MASK not in held]


_MASK = 2**64 - 1
