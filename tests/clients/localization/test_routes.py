"""The shipped entries: services.md's table, a line each; and a form's field for every option that is declared."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.clients.multipart import upload_as
from bot.clients.routes_file import load_routes
from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import Capability

EXPECTED = """
gender_detection POST /gender-detection D
paraphrase POST /paraphrase D
summary_generation POST /summary-generation D
audio_extraction POST /audio-extraction D
music_source_separation POST /music-source-separation D
audio_conversion POST /audio-conversion D
text_to_speech POST /tts A1
speech_to_text POST /stt A3
translation POST /translate-text A2
transliteration POST /text-transliteration A3
text_extraction POST /text-extraction A3
text_emotion POST /text-emotion-recognition A3
speech_emotion POST /speech-emotion-recognition A3
"""


def test_the_shipped_table_has_every_operation() -> None:
    rows = [row for row in load_routes(None, environment="production").rows() if row.name.startswith("localization.")]
    found = [f"{row.name.removeprefix('localization.')} {row.method} {row.path} {row.mark}" for row in rows]
    assert found == EXPECTED.split("\n")[1:-1]
    assert not any(row.moves_money for row in rows)


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
