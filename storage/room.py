"""Free space on the disk of the database: work that cannot be stored must not be started."""

import os
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from storage.address import PostgresServer, SqliteFile

FLOOR: Final = 500_000_000
"""Bytes below which nothing new is begun that moves money: what is under way needs room until its end."""

_SHARE: Final = 10
"""On a small disk, a part of it in so many."""

_EMPTY: Final = 25
"""A part of the floor in so many: below it, nothing can be relied on to be stored."""


class Room(StrEnum):
    """How much space is left."""

    ENOUGH = "enough"
    LOW = "low"
    FULL = "full"


class Disk:
    """The disk under a database. A database server manages its own disk: there, space is never reported as short.

    Attributes:
        usage: bytes of the disk that are free, and all of them.
    """

    def __init__(self, usage: Callable[[], tuple[int, int]]) -> None:
        self.usage = usage

    @classmethod
    def under(cls, address: SqliteFile | PostgresServer) -> "Disk":
        """The disk of the file at this address."""
        if isinstance(address, PostgresServer):
            return cls(lambda: (FLOOR, FLOOR))
        folder = address.path.parent

        def usage() -> tuple[int, int]:
            found = os.statvfs(folder)
            return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize

        return cls(usage)

    def room(self) -> Room:
        """The space left now; a disk that cannot be queried counts as full, because it cannot be written either."""
        try:
            free, whole = self.usage()
        except OSError:
            return Room.FULL
        floor = min(FLOOR, whole // _SHARE)
        if free >= floor:
            return Room.ENOUGH
        return Room.LOW if free >= floor // _EMPTY else Room.FULL
