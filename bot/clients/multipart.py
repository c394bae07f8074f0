"""Multipart forms whose size is known before sending, so that they aren't sent chunked."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final

from aiohttp import AsyncIterablePayload, BytesPayload, MultipartWriter, Payload, hdrs

Source = Callable[[], AbstractAsyncContextManager[AsyncIterator[bytes]]]
"""Opens a file for reading from its start."""


class UploadTrouble(Exception):
    """The file couldn't be read to its end because of ``cause``, so the request was truncated."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__("the file could not be read to its end")
        self.cause = cause


class Upload(AsyncIterablePayload):
    """A file that is read once, while it is sent; ``size`` is exact, ``source`` is opened when sending reaches it.

    Attributes:
        sent: bytes of the file passed to aiohttp so far.
        trouble: why the file couldn't be read to its end; aiohttp raises a network error instead of it.
    """

    def __init__(self, *, name: str, content_type: str, size: int, source: Source) -> None:
        super().__init__(self._read(source, size), content_type=content_type, filename=name)
        self._size = size
        self.sent = 0
        self.trouble: Exception | None = None

    async def _read(self, source: Source, size: int) -> AsyncIterator[bytes]:
        try:
            async with source() as chunks:
                async for chunk in chunks:
                    self.sent += len(chunk)
                    if self.sent > size:
                        break
                    yield chunk
        except Exception as broken:
            self.trouble = broken
            raise
        if self.sent != size:
            self.trouble = ValueError(f"the file is {'longer' if self.sent > size else 'shorter'} than it said")
            raise self.trouble


def make_form(fields: Mapping[str, str], file: tuple[str, Payload] | None = None) -> MultipartWriter:
    """Build the body of one attempt: the fields in order, then the file. ValueError if a name has a line break."""
    form = MultipartWriter("form-data")
    for name, value in fields.items():
        text = BytesPayload(value.encode())
        del text.headers[hdrs.CONTENT_TYPE]  # text is the default
        text.set_content_disposition("form-data", quote_fields=False, name=name)
        form.append_payload(text)
    if file is not None:
        name, content = file
        filename = content.filename or "file"
        content.set_content_disposition("form-data", quote_fields=False, name=name, filename=filename)
        form.append_payload(content)
    if form.size is None:  # reading the size writes all part headers, which refuses line breaks in them
        raise ValueError("a form goes out with its length told")
    return form


_TYPES: Final = {
    "mp3": "audio/mpeg", "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg", "aiff": "audio/aiff",
    "m4a": "audio/mp4", "aac": "audio/aac", "opus": "audio/ogg", "mp4": "video/mp4", "mov": "video/quicktime",
    "mkv": "video/x-matroska", "webm": "video/webm", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "avi": "video/x-msvideo", "flv": "video/x-flv", "m4v": "video/x-m4v", "pdf": "application/pdf",
    "txt": "text/plain", "html": "text/html", "png": "image/png", "jpeg": "image/jpeg",
}  # fmt: skip


def upload_as(extension: str, *, size: int, source: Source) -> Upload:
    """Return an upload of a file with this extension, e.g. ``mp3``; empty if unknown."""
    content_type = _TYPES.get(extension, "application/octet-stream")
    return Upload(name=f"file.{extension or 'bin'}", content_type=content_type, size=size, source=source)
