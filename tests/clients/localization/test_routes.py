"""A form's field for every option that is declared, and the content type of every format."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.clients.multipart import upload_as
from bot.clients.routes_file import load_routes
from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import Capability


@pytest.mark.parametrize("one", CAPABILITIES, ids=lambda one: str(one.operation))
def test_every_field_has_a_name_on_the_wire(one: Capability) -> None:
    route = load_routes(None, environment="production").use("localization", one.operation.value)
    wanted = {option.name for option in one.options if option.is_sent}
    wanted |= {"text"} if one.text_limit is not None else set()
    wanted |= {one.media.file, one.media.url} if one.media is not None else set()
    assert wanted == set(route.fields)


# What a file is called on its way to the service.


TYPES = {
    "mp3": "audio/mpeg", "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg", "aiff": "audio/aiff",
    "m4a": "audio/mp4", "aac": "audio/aac", "opus": "audio/ogg", "mp4": "video/mp4", "mov": "video/quicktime",
    "mkv": "video/x-matroska", "webm": "video/webm", "mpeg": "video/mpeg", "mpg": "video/mpeg",
    "avi": "video/x-msvideo", "flv": "video/x-flv", "m4v": "video/x-m4v", "pdf": "application/pdf",
    "txt": "text/plain", "html": "text/html", "png": "image/png", "jpeg": "image/jpeg",
    "docx": "application/octet-stream", "": "application/octet-stream",
}  # fmt: skip


@asynccontextmanager
async def nothing() -> AsyncIterator[AsyncIterator[bytes]]:
    raise AssertionError("nobody reads it")
    yield


@pytest.mark.parametrize("extension", TYPES)
def test_each_format_has_its_content_type(extension: str) -> None:
    upload = upload_as(extension, size=3, source=nothing)
    name = f"file.{extension or 'bin'}"
    assert (upload.filename, upload.content_type, upload.size) == (name, TYPES[extension], 3)
