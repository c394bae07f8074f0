"""Multipart forms. Their size is known before the first byte leaves, so that they go out in one piece."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final

from aiohttp import AsyncIterablePayload, BytesPayload, MultipartWriter, Payload, hdrs

Source = Callable[[], AbstractAsyncContextManager[AsyncIterator[bytes]]]
"""Begins reading a file from its beginning."""


class UploadTrouble(Exception):
    """The file could not be read to its end, so the request was truncated; ``cause`` says why."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__("the file could not be read to its end")
        self.cause = cause


class Upload(AsyncIterablePayload):
    """A file that is read while it goes out, once; ``size`` is exact, ``source`` is opened when the file's turn comes.

    Attributes:
        sent: bytes of the file that were handed over so far.
        trouble: why the file could not be read to its end. What reaches the caller of aiohttp is a network error.
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
    """The body of one attempt: names and values in this order, then the file. ValueError: a name breaks its line."""
    form = MultipartWriter("form-data")
    for name, value in fields.items():
        text = BytesPayload(value.encode())
        del text.headers[hdrs.CONTENT_TYPE]  # a part without one is text
        text.set_content_disposition("form-data", quote_fields=False, name=name)
        form.append_payload(text)
    if file is not None:
        name, content = file
        filename = content.filename or "file"
        content.set_content_disposition("form-data", quote_fields=False, name=name, filename=filename)
        form.append_payload(content)
    if form.size is None:  # which writes all heads, and refuses line breaks in them
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
    """A file of this format, as the operations name formats, e.g. ``mp3``; empty when unknown."""
    content_type = _TYPES.get(extension, "application/octet-stream")
    return Upload(name=f"file.{extension or 'bin'}", content_type=content_type, size=size, source=source)
