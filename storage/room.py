"""Whether the disk of the database has room: what cannot be stored must not be begun."""

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
    """How much there is."""

    ENOUGH = "enough"
    LOW = "low"
    FULL = "full"


class Disk:
    """The disk under a database. A server of its own looks after its disk, so there it always seems to have room.

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
        """What is left now; a disk that does not say counts as full, for nothing can be written on it either."""
        try:
            free, whole = self.usage()
        except OSError:
            return Room.FULL
        floor = min(FLOOR, whole // _SHARE)
        if free >= floor:
            return Room.ENOUGH
        return Room.LOW if free >= floor // _EMPTY else Room.FULL
