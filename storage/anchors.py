"""The file of anchors beside the database: lines are added, synced to the disk, and never touched again.

Whoever can change the database can often change this file too. Keep copies elsewhere, or let the system keep it
append-only (``chattr +a``); ``switchboard audit verify --anchors FILE`` reads any copy.
"""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from bot.domain.anchors import Anchor, Anchors, line, read_lines
from storage.address import SqliteFile, parse_address

_SUFFIX = ".anchors"
_TAIL = 4096


def anchors_path(url: str) -> Path:
    """Beside the SQLite file; for PostgreSQL ``switchboard.anchors`` in the working directory.

    Raises:
        StorageError: the address is wrong.
    """
    address = parse_address(url)
    if isinstance(address, SqliteFile):
        return address.path.with_name(address.path.name + _SUFFIX)
    return Path("switchboard" + _SUFFIX).absolute()


class AnchorFile:
    """One such file. Every method blocks, and raises ``OSError`` when the disk does not do what it should.

    ``earlier``: see :func:`bot.domain.anchors.read_lines`.
    """

    def __init__(self, path: Path, *, key: bytes, earlier: Sequence[tuple[int, bytes]] = ()) -> None:
        self.path = path
        self._key = key
        self._earlier = tuple(earlier)

    def speaking_also(self, earlier: Sequence[tuple[int, bytes]]) -> "AnchorFile":
        """The same file, with keys that were in force before ours."""
        return AnchorFile(self.path, key=self._key, earlier=earlier)

    def append(self, anchor: Anchor) -> None:
        """Write an anchor; it is on the disk when this returns. Several processes may write one file."""
        is_new = not self.path.exists()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            # A power cut may have left half a line; what follows it begins on a line of its own.
            text = ("\n" if _ends_in_the_middle(descriptor) else "") + line(anchor, key=self._key) + "\n"
            if os.write(descriptor, text.encode()) < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            _sync_folder(self.path.parent)

    def read(self) -> Anchors:
        """Everything in it; a file that is not there holds nothing."""
        try:
            return self._read(self.path.read_text(encoding="utf-8", errors="replace"))
        except FileNotFoundError:
            return Anchors()

    def last(self) -> Anchor | None:
        """The anchor written last, without reading the whole file."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                tail = file.read().decode("utf-8", errors="replace")
        except FileNotFoundError:
            return None
        held = self._read(tail).held
        return held[-1] if held else None

    def _read(self, text: str) -> Anchors:
        return read_lines(text, key=self._key, earlier=self._earlier)


def _ends_in_the_middle(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _sync_folder(folder: Path) -> None:
    """Have the file's name on the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
