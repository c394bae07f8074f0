"""What became of a call: done, refused, not sent, or unknown; nothing is ever sent twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.clients.localization import LocalizationClient, Upload, UploadTrouble
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.domain.localization.results import Kept, Track, Tracks
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.playground.simulators.localization import LocalizationSimulator
from bot.presentation.reasons import worded
from tests.clients.localization.conftest import Kept as Sink
from tests.clients.localization.conftest import OpenClient
from tests.clients.wire_server import answer, wire_server

TEXT = Request(operation=CallOperation.PARAPHRASE, text="The meeting was moved to Friday.")
CLIP = Request(operation=CallOperation.GENDER, file="F1", file_format="mp3")


WORDS = '{"message": "no"}'
FAILED = '{"success": false, "error": "no such model"}'
ANSWERS: list[tuple[int, str, type, str]] = [
    (402, WORDS, NotExecuted, "the provider requires payment (402)"),
    (405, WORDS, NotExecuted, "the provider doesn't have this (405)"),
    (410, WORDS, NotExecuted, "the provider doesn't offer this any more (410)"),
    (411, WORDS, NotExecuted, "the provider rejected the request (411)"),
    (413, WORDS, NotExecuted, "the file is too large (413)"),
    (414, WORDS, NotExecuted, "the address is too long (414)"),
    (415, WORDS, NotExecuted, "the provider doesn't take this kind of file (415)"),
    (431, WORDS, NotExecuted, "the provider rejected the request (431)"),
    *[(status, WORDS, NotExecuted, "") for status in (400, 401, 403, 404, 422, 429)],
    *[(status, WORDS, Unknown, "") for status in (301, 307, 408, 409, 418, 500, 502, 503, 504)],
    # An error that comes with 200 is a refusal; with another status it is none.
    (200, '{"error": "no such model"}', NotExecuted, ""),
    (200, '{"success": false, "message": "no such model"}', NotExecuted, ""),
    (200, '{"status": "error", "detail": "no such model"}', NotExecuted, ""),
    (200, '{"errors": ["no such model"]}', NotExecuted, ""),
    *[(status, FAILED, Unknown, "") for status in (409, 500, 503)],
    *[(200, body, Unknown, "") for body in ("{}", "[]", "null", "hello", "<html></html>", '{"status": "queued"}')],
    # What may be a result under another name is kept.
    *[(200, body, Kept, "") for body in ('{"mood": "Joy"}', '[{"n": 1}]', '{"status": "done", "out": {"a": "Joy"}}')],
]


@pytest.mark.parametrize(("status", "body", "shape", "reason"), ANSWERS)
async def test_answer_gives_outcome(status: int, body: str, shape: type, reason: str, open_client: OpenClient) -> None:
    location = "Location: http://127.0.0.1:9/\r\n" if 300 <= status < 400 else ""
    outcome, _, sent = await answered(
        open_client, TEXT, body.encode(), status=status, headers=f"{location}Content-Type: application/json"
    )
    assert type(outcome) is shape
    assert sent == 1
    if isinstance(outcome, NotExecuted):
        assert (outcome.again, outcome.status) == (status == 429, status)
        assert outcome.words == ("no such model" if status == 200 else "no")
        assert not reason or worded(outcome.reason) == reason
    elif status != 200:
        assert isinstance(outcome, Unknown)
        assert outcome.status == status


async def test_gender_detection_message_is_returned(open_client: OpenClient) -> None:
    said = "Only one speaker can be told; this recording has three."
    asked = Request(operation=CallOperation.GENDER, url="https://files.example.com/a.mp3")
    body = f'{{"message": "{said}"}}'.encode()
    outcome, _, _ = await answered(open_client, asked, body, status=400, headers="Content-Type: application/json")
    assert isinstance(outcome, NotExecuted)
    assert outcome.words == said


async def test_a_file_that_breaks_off(client: LocalizationClient, simulator: LocalizationSimulator) -> None:
    @asynccontextmanager
    async def opened() -> AsyncIterator[AsyncIterator[bytes]]:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"ID3" + bytes(1_000)
            raise OSError("the source is gone")

        yield pieces()

    file = Upload(name="file.mp3", content_type="audio/mpeg", size=100_000, source=opened)
    with pytest.raises(UploadTrouble) as caught:
        await client.run(CLIP, upload=file)
    assert isinstance(caught.value.cause, OSError)
    assert not [call for call in simulator.calls if call.effect]


async def test_media_too_large_end_unknown(client: LocalizationClient, simulator: LocalizationSimulator) -> None:
    simulator.switches.audio_as_bytes = True
    asked = Request(operation=CallOperation.CONVERSION, url="https://files.example.com/a.flac")
    assert isinstance(await client.run(asked, sink=Sink(limit=1_000)), Unknown)


CONVERT = Request(
    operation=CallOperation.CONVERSION, url="https://files.example.com/a.flac", options={"target_extension": "mp3"}
)


async def answered(
    client: OpenClient, asked: Request, body: bytes = b"ID3", *, status: int = 200, headers: str
) -> tuple[object, bytes, int]:
    """What became of a request that is answered so, what the sink took, and how often it was sent."""
    sink = Sink()
    async with wire_server(answer(body, status=f"{status} X", headers=headers)) as server:
        outcome = await client(server.url).run(asked, sink=sink)
    return outcome, bytes(sink.content), len(server.requests)


@pytest.mark.parametrize(
    ("content_type", "extension"),
    [
        ("audio/mpeg", "mp3"), ("audio/x-wav", "wav"), ("audio/wave", "wav"), ("audio/vnd.wave", "wav"),
        ("audio/mp4", "m4a"), ("audio/x-m4a", "m4a"), ("audio/x-flac", "flac"), ("audio/x-aiff", "aiff"),
        ("audio/aacp", "aac"), ("audio/ogg; codecs=opus", "ogg"), ("audio/wav", "wav"), ("audio/unheard", "mp3"),
        ("video/mp4", "m4a"), ("application/octet-stream", "mp3"), ("binary/octet-stream", "mp3"),
        # What is no medium is not taken for one.
        ("text/plain", ""), ("application/json", ""), ("image/png", ""),
    ],
)  # fmt: skip
async def test_raw_audio_gets_its_extension(open_client: OpenClient, content_type: str, extension: str) -> None:
    outcome, taken, _ = await answered(open_client, CONVERT, headers=f"Content-Type: {content_type}")
    if extension:
        assert outcome == Done(value=Tracks(tracks=(Track(name="audio", url="", extension=extension),)))
    assert (type(outcome), taken) == ((Done, b"ID3") if extension else (Unknown, b""))


async def test_unexpected_media_is_not_an_answer(open_client: OpenClient) -> None:
    outcome, taken, _ = await answered(open_client, TEXT, headers="Content-Type: audio/mpeg")
    assert (type(outcome), taken) == (Unknown, b"")


@pytest.mark.parametrize("status", [500, 504])
@pytest.mark.parametrize(("body", "words"), [
    ('{"message": "The model is loading"}', "The model is loading"), ("worker restarted", "worker restarted"),
    ("<html><title>504 Gateway Time-out</title></html>", ""), ('{"message": "<html>502</html>"}', ""), ("", ""),
])  # fmt: skip
async def test_server_error_message_is_quoted_but_no_web_page(
    status: int, body: str, words: str, open_client: OpenClient
) -> None:
    headers = "Content-Type: application/json"
    outcome, _, sent = await answered(open_client, TEXT, body.encode(), status=status, headers=headers)
    assert isinstance(outcome, Unknown)
    assert (outcome.words, sent) == (words, 1)
