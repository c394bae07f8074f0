"""Each operation over the wire: what is sent, what comes back, and what never leaves."""

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from bot.clients.localization import LocalizationClient
from bot.domain.localization.catalog import CAPABILITIES, capability
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Track, Tracks, Written
from bot.domain.outcome import Done
from bot.playground.simulators.localization import LocalizationSimulator
from tests.clients.localization.conftest import KEY, Kept, OpenClient, upload
from tests.clients.wire_server import Arrived, answer, wire_server
from tests.support import media

ENGLISH = "The meeting was moved to Friday because the room was taken. Everybody was happy with it. We meet at nine."
OPERATIONS = {
    CallOperation.GENDER: ("/gender-detection", Gender),
    CallOperation.PARAPHRASE: ("/paraphrase", Phrases),
    CallOperation.SUMMARY: ("/summary-generation", Written),
    CallOperation.AUDIO_EXTRACTION: ("/audio-extraction", Tracks),
    CallOperation.SEPARATION: ("/music-source-separation", Tracks),
    CallOperation.CONVERSION: ("/audio-conversion", Tracks),
    CallOperation.SPEECH: ("/tts", Tracks),
    CallOperation.TRANSCRIPTION: ("/stt", Written),
    CallOperation.TRANSLATION: ("/translate-text", Written),
    CallOperation.TRANSLITERATION: ("/text-transliteration", Written),
    CallOperation.TEXT_EXTRACTION: ("/text-extraction", Written),
    CallOperation.TEXT_EMOTION: ("/text-emotion-recognition", Emotion),
    CallOperation.SPEECH_EMOTION: ("/speech-emotion-recognition", Emotion),
}
FORMATS = [
    (one.operation, extension)
    for one in CAPABILITIES
    if one.media is not None and one.media.is_closed
    for extension in one.media.formats
]


def asked(operation: CallOperation) -> Request:
    one = capability(operation)
    if one.media is None:
        stated = {"source_lang": "en"} if one.option("source_lang") is not None else {}
        return Request(operation=operation, text=ENGLISH, options=stated).complete()
    extension = one.media.formats[0]
    return Request(operation=operation, url=f"https://files.example.com/sample.{extension}").complete()


@pytest.mark.parametrize("operation", CallOperation)
async def test_each_one(operation: CallOperation, client: LocalizationClient, simulator: LocalizationSimulator) -> None:
    outcome = await client.run(asked(operation))
    assert isinstance(outcome, Done)
    path, shape = OPERATIONS[operation]
    assert isinstance(outcome.value, shape)
    (call,) = simulator.calls
    assert (call.method, call.path) == ("POST", path)
    assert call.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert int(call.headers["content-length"]) > 0
    assert "transfer-encoding" not in call.headers


@pytest.mark.parametrize(("operation", "extension"), FORMATS)
async def test_every_documented_format_is_recognized(
    operation: CallOperation,
    extension: str,
    client: LocalizationClient,
    simulator: LocalizationSimulator,
    tmp_path: Path,
) -> None:
    content = media.make(tmp_path, extension).read_bytes()
    request = Request(operation=operation, file="F1", file_format=extension, seconds=1.0).complete()
    assert isinstance(await client.run(request, upload=upload(content, extension)), Done)
    (call,) = simulator.calls
    names = capability(operation).media
    assert names is not None
    assert isinstance(call.body, dict)
    assert call.body[names.file] == {
        "filename": f"file.{extension}", "content_type": "audio/mpeg", "size": len(content),
    }  # fmt: skip
    assert names.url not in call.body


async def test_numbers_are_sent_as_text_with_defaults(
    client: LocalizationClient, simulator: LocalizationSimulator
) -> None:
    await client.run(asked(CallOperation.AUDIO_EXTRACTION))
    assert simulator.calls[0].body == {
        "video_url": "https://files.example.com/sample.mp4",
        "sample_rate": "44100", "sample_width": "32", "n_channels": "1",
    }  # fmt: skip


async def test_missing_parameters_are_omitted(client: LocalizationClient, simulator: LocalizationSimulator) -> None:
    await client.run(Request(operation=CallOperation.SPEECH, text="Hello", options={"speed": "1.2", "locale": "de-DE"}))
    assert simulator.calls[0].body == {"text": "Hello", "locale": "de-DE", "speed": "1.2"}


async def test_a_file_without_word_is_our_mistake(client: LocalizationClient, simulator: LocalizationSimulator) -> None:
    for request, file in (
        (Request(operation=CallOperation.GENDER, file="F1"), None),
        (Request(operation=CallOperation.GENDER, url="https://example.com/a.mp3"), upload(b"ID3", "mp3")),
        (Request(operation=CallOperation.PARAPHRASE, text="Hello"), upload(b"ID3", "mp3")),
    ):
        with pytest.raises(ValueError, match="needs the file"):
            await client.run(request, upload=file)
    assert not simulator.calls


@pytest.mark.parametrize("extension", ["wav", "mp3"])
@pytest.mark.parametrize("as_bytes", [False, True])
async def test_answer_may_be_raw_audio(
    extension: str, as_bytes: bool, client: LocalizationClient, simulator: LocalizationSimulator, tmp_path: Path
) -> None:
    simulator.switches.audio_as_bytes = as_bytes
    content = media.make(tmp_path, "flac").read_bytes()
    request = Request(
        operation=CallOperation.CONVERSION, file="F1", file_format="flac", options={"target_extension": extension}
    )
    sink = Kept()
    outcome = await client.run(request, upload=upload(content, "flac"), sink=sink)
    assert isinstance(outcome, Done)
    assert isinstance(outcome.value, Tracks)
    (track,) = outcome.value.tracks
    assert track.extension == extension
    assert bool(track.url) is not as_bytes
    if as_bytes:
        heard = media.heard(bytes(sink.content), tmp_path)
        assert heard.codec == {"wav": "pcm_s16le", "mp3": "mp3float"}[extension]
        assert heard.seconds == pytest.approx(1.0, abs=0.1)


async def test_every_operation_carries_the_key_as_a_bearer_credential(open_client: OpenClient) -> None:
    async with wire_server(answer()) as server:
        client = open_client(server.url)
        for operation in CallOperation:
            await client.run(asked(operation))
    assert [one.line for one in server.requests] == [f"POST {OPERATIONS[one][0]} HTTP/1.1" for one in CallOperation]
    assert [one.headers["authorization"] for one in server.requests] == [f"Bearer {KEY}"] * 13


DIALECT = """
[localization.paraphrase]
path = "/v2/rewrite"
fields = { text = "input" }
reply = { sentences = "alternatives" }

[localization.text_to_speech]
path = "/v2/say"
fields = { text = "input", locale = "voice_language", gender = "voice" }
reply = { audio = "link" }

[localization.gender_detection]
path = "/v2/who"
fields = { audio_file = "clip", audio_url = "clip_link" }
reply = { gender = "sex", confidence = "certainty" }
"""


async def test_another_dialect_by_a_file_alone(open_client: OpenClient) -> None:
    answers = {
        "/v2/rewrite": b'{"alternatives": ["One."]}',
        "/v2/say": b'{"link": "https://cdn.example.com/a.mp3"}',
        "/v2/who": b'{"sex": "female", "certainty": "93%"}',
    }

    async def behave(request: Arrived, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(answers[request.line.split()[1]]))

    async with wire_server(behave) as server:
        client = open_client(server.url, services=DIALECT)
        phrases = await client.run(asked(CallOperation.PARAPHRASE))
        speech = await client.run(Request(operation=CallOperation.SPEECH, text="Hello").complete())
        clip = Request(operation=CallOperation.GENDER, file="F1", file_format="mp3")
        gender = await client.run(clip, upload=upload(b"ID3 and more", "mp3"))
    assert phrases == Done(value=Phrases(sentences=("One.",)))
    assert speech == Done(
        value=Tracks(tracks=(Track(name="audio", url="https://cdn.example.com/a.mp3", extension="mp3"),))
    )
    assert gender == Done(value=Gender(gender="female", percent=Decimal(93)))
    rewritten, said, who = [request.body for request in server.requests]
    assert b'name="input"' in rewritten
    assert b'name="voice_language"\r\n\r\nen-US\r\n' in said
    assert b'name="clip"; filename="file.mp3"' in who
    assert not any(b'name="text"' in body for body in (rewritten, said))


async def test_relative_result_address_is_at_the_service(open_client: OpenClient) -> None:
    tracks = b'{"vocals": "/results/v.mp3", "music": "https://cdn.example.com/m.mp3"}'
    async with wire_server(answer(tracks)) as server:
        outcome = await open_client(server.url).run(asked(CallOperation.SEPARATION))
        assert isinstance(outcome, Done)
        assert isinstance(outcome.value, Tracks)
        assert [track.url for track in outcome.value.tracks] == [
            f"{server.url}/results/v.mp3",
            "https://cdn.example.com/m.mp3",
        ]
