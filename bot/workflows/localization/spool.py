"""A temporary file on disk until it is posted in the thread: Slack needs its length first."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from typing import IO

LARGEST_RESULT = 1 << 30
_CHUNK = 64 * 1024


class Spool:
    """A file for an answer that is the media itself, or for an archive. It is unnamed, so a crash leaves nothing."""

    def __init__(self, *, limit: int = LARGEST_RESULT) -> None:
        self._limit = limit
        self._file: IO[bytes] | None = None
        self.size = 0

    def wants(self, content_type: str) -> bool:
        """Accept an answer with any content type, once."""
        return self._file is None and content_type != ""

    async def begin(self) -> IO[bytes]:
        """Return the file for a caller that writes to it directly and sets ``size``."""
        if self._file is None:
            self._file = await asyncio.to_thread(tempfile.TemporaryFile)
        return self._file

    async def write(self, chunk: bytes) -> bool:
        """Append a chunk; return False if the size limit is exceeded."""
        file = await self.begin()
        self.size += len(chunk)
        if self.size > self._limit:
            return False
        await asyncio.to_thread(file.write, chunk)
        return True

    async def chunks(self) -> AsyncIterator[bytes]:
        if self._file is None:
            return
        await asyncio.to_thread(self._file.seek, 0)
        while chunk := await asyncio.to_thread(self._file.read, _CHUNK):
            yield chunk

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
