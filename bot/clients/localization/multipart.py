"""A multipart form that is written while its file is read.

Made anew for every attempt. Its length is known before the first byte leaves, so it goes out in one piece.
"""

import re
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

_TOKEN = re.compile(r"[A-Za-z0-9_.\[\]-]{1,100}")
_FILE_NAME = re.compile(r"[a-z0-9_-]{1,40}\.[a-z0-9]{1,8}")
_CONTENT_TYPE = re.compile(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,100}")

Opened = AbstractAsyncContextManager[AsyncIterator[bytes]]


class UploadTrouble(Exception):
    """The file could not be read to its end, so that the service got no whole request; ``cause`` says why."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__("the file could not be read to its end")
        self.cause = cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that is read when it goes out.

    Attributes:
        name: a plain name that we made: lower-case letters and digits, a full stop, an extension.
        content_type: e.g. ``audio/mpeg``.
        size: bytes, exactly.
        open: begins reading; called once for every attempt.
    """

    name: str
    content_type: str
    size: int
    open: Callable[[], Opened] = field(repr=False)


class Form:
    """The body of one attempt.

    Args:
        fields: names and values, in this order; numbers are their text.
        file: the name of the file's field and the file; None: there is none.

    Raises:
        ValueError: a name could break out of its line.
    """

    def __init__(self, *, fields: Mapping[str, str], file: tuple[str, Upload] | None = None) -> None:
        self._boundary = f"switchboard-{secrets.token_hex(16)}"
        self._file = file
        head = b"".join(self._field(name, value) for name, value in fields.items())
        if file is not None:
            head += self._file_head(*file)
        self._head = head
        self._tail = f"{'' if file is None else chr(13) + chr(10)}--{self._boundary}--\r\n".encode()
        self.sent = 0
        """Bytes of the file that were handed over so far."""
        self.trouble: BaseException | None = None
        """Why the file could not be read to its end."""

    @property
    def content_type(self) -> str:
        """With the boundary."""
        return f"multipart/form-data; boundary={self._boundary}"

    @property
    def length(self) -> int:
        """Bytes of all of it."""
        return len(self._head) + (0 if self._file is None else self._file[1].size) + len(self._tail)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The form from its beginning; a file that is shorter or longer than it said ends it in trouble."""
        yield self._head
        if self._file is not None:
            try:
                async for chunk in self._read(self._file[1]):
                    yield chunk
            except Exception as broken:
                self.trouble = broken
                raise
        yield self._tail

    async def _read(self, upload: Upload) -> AsyncIterator[bytes]:
        async with upload.open() as chunks:
            async for chunk in chunks:
                self.sent += len(chunk)
                if self.sent > upload.size:
                    raise ValueError("the file is longer than it said")
                yield chunk
        if self.sent < upload.size:
            raise ValueError("the file is shorter than it said")

    def _field(self, name: str, value: str) -> bytes:
        return self._opening(f'name="{_checked(_TOKEN, name)}"') + b"\r\n" + value.encode() + b"\r\n"

    def _file_head(self, name: str, upload: Upload) -> bytes:
        described = f'name="{_checked(_TOKEN, name)}"; filename="{_checked(_FILE_NAME, upload.name)}"'
        kind = _checked(_CONTENT_TYPE, upload.content_type)
        return self._opening(described) + f"Content-Type: {kind}\r\n\r\n".encode()

    def _opening(self, described: str) -> bytes:
        return f"--{self._boundary}\r\nContent-Disposition: form-data; {described}\r\n".encode()


def _checked(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError("this cannot stand in the head of a part")
    return text
