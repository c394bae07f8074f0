"""The bytes of files: small ones in memory, large ones on disk until the workspace stops."""

import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

IN_MEMORY = 4 * 1024 * 1024
CHUNK = 256 * 1024


@dataclass(frozen=True, kw_only=True)
class Blob:
    """``size`` bytes, readable from anywhere."""

    size: int = 0
    data: bytes = b""
    path: Path | None = None

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """The bytes from ``start`` up to ``end``, as with a slice."""
        end = self.size if end is None else min(end, self.size)
        if self.path is None:
            return self.data[start:end]
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(max(end - start, 0))

    def chunks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Like :meth:`read`, in pieces."""
        end = self.size if end is None else min(end, self.size)
        for at in range(start, end, CHUNK):
            yield self.read(at, min(at + CHUNK, end))


class Blobs:
    """Stores bytes, in memory or on disk; :meth:`close` deletes the files."""

    def __init__(self) -> None:
        self._directory: Path | None = None

    def keep(self, content: bytes | Path) -> Blob:
        """Store bytes, or a file on disk, which isn't changed, and is hard-linked if the disk allows it."""
        if isinstance(content, bytes) and len(content) <= IN_MEMORY:
            return Blob(size=len(content), data=content)
        place = self._place()
        if isinstance(content, Path):
            try:
                os.link(content, place)
            except OSError:  # another disk, or one without links
                shutil.copyfile(content, place)
        else:
            place.write_bytes(content)
        return Blob(size=place.stat().st_size, path=place)

    async def receive(self, chunks: AsyncIterator[bytes], *, limit: int) -> Blob | None:
        """Store a stream of chunks; None when it exceeds ``limit`` bytes."""
        collected = bytearray()
        file: BinaryIO | None = None
        path: Path | None = None
        size = 0
        try:
            async for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    return None
                if file is None and size > IN_MEMORY:
                    path = self._place()
                    file = path.open("wb")
                    file.write(collected)
                    collected.clear()
                if file is None:
                    collected += chunk
                else:
                    file.write(chunk)
        finally:
            if file is not None:
                file.close()
        return Blob(size=size, data=bytes(collected), path=path)

    def close(self) -> None:
        """Delete the bytes on disk."""
        if self._directory is not None:
            with suppress(FileNotFoundError):
                shutil.rmtree(self._directory)
            self._directory = None

    def _place(self) -> Path:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="workspace-files-"))
        return self._directory / secrets.token_hex(8)
