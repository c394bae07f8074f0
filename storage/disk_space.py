"""The disk of the database: how much space is left, whether writes are taken, whether it outlives a restart."""

import os
import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

from storage.engine import PostgresServer, SqliteFile
from storage.errors import StorageBusy, StorageClosed, StorageFull, StorageReadOnly

FLOOR: Final = 500_000_000
"""Bytes of free space below which no new payment begins, as those in progress need room to finish."""

_SHARE: Final = 10
"""On a small disk, the floor is a tenth of it."""
_EMPTY: Final = 25
"""Below this fraction of the floor, no write is reliable."""


class DiskSpace(StrEnum):
    ENOUGH = "enough"
    LOW = "low"
    FULL = "full"
    READ_ONLY = "read_only"
    """The last write was refused: a standby, a server set to read-only, a file that can't be written."""
    AWAY = "away"
    """During the last write, the database was locked or unreachable."""

    @property
    def takes_writes(self) -> bool:
        return self in (DiskSpace.ENOUGH, DiskSpace.LOW)

    @property
    def is_short(self) -> bool:
        return self in (DiskSpace.LOW, DiskSpace.FULL)


def refusal(error: BaseException | None) -> DiskSpace | None:
    """Return why the database refused a write; None if the error has another cause."""
    match error:
        case StorageFull():
            return DiskSpace.FULL
        case StorageReadOnly():
            return DiskSpace.READ_ONLY
        case StorageClosed():
            return None
        case StorageBusy():
            return DiskSpace.AWAY
    return None


def floor_of(whole: int) -> int:
    return min(FLOOR, whole // _SHARE)


class Disk:
    """The disk under a database. A server's disk can't be queried: it counts as full while it refuses writes."""

    def __init__(self, usage: Callable[[], tuple[int, int]], *, is_ours: bool = True) -> None:
        self.usage = usage  # free and total bytes
        self.refused: DiskSpace | None = None  # why the database refused the last write
        self.is_ours = is_ours

    @classmethod
    def under(cls, address: SqliteFile | PostgresServer) -> "Disk":
        if isinstance(address, PostgresServer):
            return cls(lambda: (FLOOR, FLOOR), is_ours=False)
        folder = address.path.parent

        def usage() -> tuple[int, int]:
            found = os.statvfs(folder)
            return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize

        return cls(usage)

    def space(self) -> tuple[int, int]:
        """Return free and total bytes; a disk that can't be queried can't be written either."""
        try:
            return self.usage()
        except OSError:
            return 0, 0

    def space_left(self) -> DiskSpace:
        free, whole = self.space()
        if self.refused is not None:
            return self.refused
        if not whole:
            return DiskSpace.FULL
        floor = floor_of(whole)
        if free >= floor:
            return DiskSpace.ENOUGH
        return DiskSpace.LOW if free >= floor // _EMPTY else DiskSpace.FULL


_VOLATILE: Final = frozenset({"overlay", "aufs", "tmpfs", "ramfs"})
"""In-memory file systems, and a container's writable layer."""
_MOUNTS: Final = Path("/proc/self/mountinfo")


def volatile_file_system(path: Path) -> str:
    """Return the kind of a path's file system if a restart empties it, else "", also if the kind is unknown."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
        wanted = path.resolve()
    except OSError:
        return ""
    kinds: dict[Path, str] = {}
    for line in lines:
        before, _, after = line.partition(" - ")
        # Blanks in a path are escaped as octal numbers.
        point = Path(re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), before.split()[4]))
        if wanted.is_relative_to(point):
            kinds[point] = after.split()[0]
    found = kinds[max(kinds, key=lambda point: len(point.parts))] if kinds else ""
    return found if found in _VOLATILE else ""
