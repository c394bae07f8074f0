"""What a file is called on its way to the service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.clients.multipart import upload_as

TYPES = {
    "mp3": "audio/mpeg", "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg", "aiff": "audio/aiff",
    "m4a": "audio/mp4", "aac": "audio/aac", "opus": "audio/ogg", "mp4": "video/mp4", "mov": "video/quicktime",
    "mkv": "video/x-matroska", "webm": "video/webm", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "avi": "video/x-msvideo", "flv": "video/x-flv", "m4v": "video/x-m4v", "pdf": "application/pdf",
    "txt": "text/plain", "html": "text/html", "png": "image/png", "jpeg": "image/jpeg",
    "docx": "application/octet-stream",
}  # fmt: skip


@asynccontextmanager
async def nothing() -> AsyncIterator[AsyncIterator[bytes]]:
    raise AssertionError("nobody reads it")
    yield


@pytest.mark.parametrize("extension", TYPES)
def test_each_format_has_its_content_type(extension: str) -> None:
    upload = upload_as(extension, size=3, source=nothing)
    assert (upload.filename, upload.content_type, upload.size) == (f"file.{extension}", TYPES[extension], 3)


def test_an_unknown_format_is_bytes() -> None:
    upload = upload_as("", size=3, source=nothing)
    assert (upload.filename, upload.content_type) == ("file.bin", "application/octet-stream")
