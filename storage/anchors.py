"""The file of anchors beside the database: lines are appended, synced to the disk, and never changed.

A person who can change the database can often change this file too. Keep copies elsewhere, or have the system keep
it append-only (``chattr +a``); ``switchboard audit verify --anchors FILE`` reads any copy.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bot.domain.anchors import Anchor, Anchors, line, parse, read_lines, torn_hash
from storage.engine import SqliteFile, parse_address
from storage.errors import StorageError

_SUFFIX = ".anchors"
_TAIL = 4096


def anchors_path(url: str) -> Path:
    """Return the path beside the SQLite file, links resolved; for PostgreSQL, in the working directory."""
    address = parse_address(url)
    if isinstance(address, SqliteFile):
        file = address.path.resolve()
        return file.with_name(file.name + _SUFFIX)
    return Path("switchboard" + _SUFFIX).absolute()


class AnchorFile:
    """Methods block, and raise ``OSError`` if the disk fails. ``watch`` is called with the success of each write."""

    def __init__(
        self,
        path: Path,
        *,
        key: bytes,
        earlier: Sequence[tuple[int, bytes]] = (),
        watch: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self.path = path
        self._key = key
        self._earlier = tuple(earlier)
        self._watch = watch

    def with_keys(self, earlier: Sequence[tuple[int, bytes]]) -> "AnchorFile":
        """Return the same file, read also with the keys that were in force before ours."""
        return AnchorFile(self.path, key=self._key, earlier=earlier)

    def append(self, anchor: Anchor) -> None:
        """Write an anchor and sync it to the disk. Several processes may write to one file."""
        try:
            self._append(anchor)
        except OSError:
            self._watch(False)
            raise
        self._watch(True)

    def _append(self, anchor: Anchor) -> None:
        is_new = not self.path.exists()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size, tail = os.fstat(descriptor).st_size, b""
            while size > 0 and b"\n" not in tail:
                begin = max(0, size - _TAIL)
                tail, size = os.pread(descriptor, size - begin, begin) + tail, begin
            # After a power cut that left half a line, the new anchor starts on a new line, and vouches for that half.
            if half := tail.rpartition(b"\n")[2].decode("utf-8", errors="replace"):
                anchor = replace(anchor, torn=torn_hash(half))
            text = ("\n" if half else "") + line(anchor, key=self._key) + "\n"
            if os.write(descriptor, text.encode()) < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            _sync_folder(self.path.parent)

    def read(self) -> Anchors:
        try:
            return self._read(self.path.read_bytes().decode("utf-8", errors="replace"))
        except FileNotFoundError:
            return Anchors()

    def last(self) -> Anchor | None:
        return next(self.newest_first(), None)

    def newest_first(self) -> Iterator[Anchor]:
        """Iterate over the anchors, newest first; the file is read backwards, only as far as needed."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            begin, rest = file.seek(0, os.SEEK_END), b""
            while begin > 0:
                size = min(_TAIL, begin)
                begin -= size
                file.seek(begin)
                first, *lines = (file.read(size) + rest).split(b"\n")
                if begin > 0:
                    rest = first  # the start of this line is in the block before
                else:
                    lines.insert(0, first)
                text = b"\n".join(lines).decode("utf-8", errors="replace")
                yield from reversed(self._read(text).held)

    def last_of_another_key(self) -> Anchor | None:
        """Return the last line if none of our keys sealed it, as after a restore: only its time may be used."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                lines = file.read().decode("utf-8", errors="replace").strip().split("\n")
        except FileNotFoundError:
            return None
        return parse(lines[-1]) if self._read(lines[-1]).forged else None

    def set_aside(self, now: datetime) -> Path | None:
        """Rename the file to keep it as evidence; the next anchor starts a new file. None if there is no file."""
        aside = self.path.with_name(f"{self.path.name}.{now:%Y%m%dT%H%M%S%fZ}")
        try:
            self.path.rename(aside)
        except FileNotFoundError:
            return None
        _sync_folder(self.path.parent)
        return aside

    def copy_to(self, path: Path) -> None:
        """Continue at another path, with the anchors so far. Raises StorageError if it contains other anchors."""
        if path == self.path or not self.path.exists():
            return
        held = self.path.read_bytes()
        if path.exists() and not held.startswith(path.read_bytes()):
            mend = "Name another file with ANCHORS_FILE, or move that one away."
            raise StorageError(f"There are other anchors in {path}.", mend=mend)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(held)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)

    def _read(self, text: str) -> Anchors:
        return read_lines(text, key=self._key, earlier=self._earlier)


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the file's name is on the disk, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
