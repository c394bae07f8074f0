"""Answers in every usual shape."""

from decimal import Decimal
from typing import Any

import pytest

from bot.clients.localization.wire import read_result
from bot.clients.routes_file import load_routes
from bot.clients.transport import read_reply
from bot.domain.localization import CallOperation, Emotion, Gender, Phrases, Request, Result, Track, Tracks, Written
from bot.domain.outcome import read_error

ROUTES = load_routes(None, environment="sandbox")


def read(operation: CallOperation, document: object, **options: str) -> Result:
    route = ROUTES.use("localization", operation.value)
    return read_result(Request(operation=operation, options=options), route.reply, document)


@pytest.mark.parametrize("name", ["confidence", "confidence_level", "score", "probability"])
@pytest.mark.parametrize("value", [Decimal("0.93"), "0.93", "93%", 93, "93 %", Decimal("93.0")])
def test_confidence_in_any_form(name: str, value: object) -> None:
    assert read(CallOperation.GENDER, {"gender": "female", name: value}) == Gender(gender="female", percent=Decimal(93))


@pytest.mark.parametrize(
    ("value", "percent"),
    [(1, "100"), ("1.0", "100.0"), (Decimal("1.01"), "1.01"), ("1%", "1"), (0, "0"), (100, "100"), ("100.1%", None)],
)
def test_confidence_up_to_one_is_a_share(value: object, percent: str | None) -> None:
    found = read(CallOperation.GENDER, {"gender": "female", "confidence": value})
    assert found == Gender(gender="female", percent=None if percent is None else Decimal(percent))


@pytest.mark.parametrize("value", [None, "", "high", True, [1], {"a": 1}, "101%", Decimal("1e9"), "-0.5"])
def test_confidence_that_is_none(value: object) -> None:
    assert read(CallOperation.GENDER, {"gender": "male", "confidence": value}) == Gender(gender="male")


@pytest.mark.parametrize(
    "document",
    [
        {"paraphrased_sentences": ["One.", "Two."]},
        {"data": {"paraphrased_sentences": ["One.", "Two."]}},
        {"result": [{"paraphrased_sentences": ["One.", None, "", "Two."]}]},
        [{"paraphrased_sentences": ["One.", "Two."]}],
    ],
)
def test_phrases(document: object) -> None:
    assert read(CallOperation.PARAPHRASE, document) == Phrases(sentences=("One.", "Two."))


@pytest.mark.parametrize("name", ["text", "transcript", "transcription"])
def test_a_transcript_by_any_name(name: str) -> None:
    assert read(CallOperation.TRANSCRIPTION, {name: "Hello"}) == Written(text="Hello")


@pytest.mark.parametrize("name", ["audio", "audio_url", "audio_clip", "url", "output", "file"])
@pytest.mark.parametrize("operation", [CallOperation.AUDIO_EXTRACTION, CallOperation.CONVERSION, CallOperation.SPEECH])
@pytest.mark.parametrize(
    "wrap", [lambda url: url, lambda url: [url], lambda url: {"url": url}, lambda url: [{"href": url}]]
)
def test_one_address_by_any_name(name: str, operation: CallOperation, wrap: Any) -> None:
    found = read(operation, {name: wrap("https://cdn.example.com/a/b.wav?X=1")})
    assert found == Tracks(tracks=(Track(name="audio", url="https://cdn.example.com/a/b.wav?X=1", extension="wav"),))


def test_a_file_without_an_ending_has_the_one_that_was_asked_for() -> None:
    url = "https://cdn.example.com/42"
    asked = read(CallOperation.CONVERSION, {"audio": url}, target_extension="mp3")
    assert asked == Tracks(tracks=(Track(name="audio", url=url, extension="mp3"),))
    assert read(CallOperation.AUDIO_EXTRACTION, {"audio": url}) == Tracks(
        tracks=(Track(name="audio", url=url, extension="wav"),)
    )


def test_two_tracks() -> None:
    base = "https://cdn.example.com"
    assert read(CallOperation.SEPARATION, {"vocals": f"{base}/v.mp3", "music": f"{base}/m.mp3"}) == Tracks(
        tracks=(
            Track(name="vocals", url=f"{base}/v.mp3", extension="mp3"),
            Track(name="music", url=f"{base}/m.mp3", extension="mp3"),
        )
    )


@pytest.mark.parametrize("other", [{}, {"music": None}, {"music": ""}, {"music": "later"}, {"music": []}])
def test_one_track_without_the_other(other: dict[str, object]) -> None:
    url = "https://cdn.example.com/v.mp3"
    assert read(CallOperation.SEPARATION, {"vocals": url, **other}) == Tracks(
        tracks=(Track(name="vocals", url=url, extension="mp3"),), missing=("music",)
    )


@pytest.mark.parametrize(("ending", "extension"), [("ogg", "ogg"), ("OGA", "ogg"), ("flac", "flac"), ("php", "mp3")])
def test_a_file_is_called_what_its_address_says(ending: str, extension: str) -> None:
    found = read(CallOperation.SPEECH, {"audio": f"https://cdn.example.com/a.{ending}"})
    assert isinstance(found, Tracks)
    assert [track.extension for track in found.tracks] == [extension]


@pytest.mark.parametrize(("document", "label"), [
    ({"emotion": "Joy"}, "Joy"), ({"emotion": "ANGER"}, "Anger"), ({"emotion": "surprise"}, "Surprise"),
    ({"emotion": "NEUTRAL"}, "Neutral"), ({"label": " surprise "}, "Surprise"),
    ({"emotion": {"label": "fear", "score": Decimal("0.7")}}, "Fear"),
    ({"emotions": {"Joy": Decimal("0.1"), "Love": Decimal("0.8")}}, "Love"),
    ({"emotions": [{"label": "Sadness"}]}, "Sadness"),
    ({"emotion": "Boredom"}, "Boredom"),
])  # fmt: skip
def test_emotions(document: object, label: str) -> None:
    for operation in (CallOperation.TEXT_EMOTION, CallOperation.SPEECH_EMOTION):
        assert read(operation, document) == Emotion(label=label)


@pytest.mark.parametrize(
    ("operation", "document"),
    [
        *((operation, {}) for operation in CallOperation),
        *((operation, []) for operation in CallOperation),
        *((operation, None) for operation in CallOperation),
        *((operation, "text") for operation in CallOperation),
        *((operation, {"data": {"data": {"data": {"data": {}}}}}) for operation in CallOperation),
        (CallOperation.SEPARATION, {"vocals": None, "music": "later"}),
        (CallOperation.CONVERSION, {"audio": "file:///etc/passwd"}),
        (CallOperation.CONVERSION, {"audio": "https://[bad/"}),
        (CallOperation.CONVERSION, {"audio": "//evil.example.com/a.wav"}),
        (CallOperation.CONVERSION, {"audio": "a.wav"}),
        (CallOperation.PARAPHRASE, {"paraphrased_sentences": [None, {}, ""]}),
        (CallOperation.TEXT_EMOTION, {"emotion": {}}),
    ],
)
def test_what_is_no_record(operation: CallOperation, document: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the one kind a reader may raise
        read(operation, document)


@pytest.mark.parametrize(("body", "words"), [
    (b'{"message": "too short"}', "too short"), (b'{"error": "too short"}', "too short"),
    (b'{"error": {"message": "too short"}}', "too short"),
    (b'{"detail": "too short"}', "too short"),
    (b'{"detail": [{"loc": ["body", "text"], "msg": "too short", "type": "x"}]}', "text: too short"),
    (b'{"errors": {"text": ["too short", "not English"]}}', "text: too short; not English"),
    (b'{"errors": [{"message": "too short"}]}', "too short"),
    (b'{"error_message": "too short"}', "too short"),
    (b"too short", "too short"), (b'"too short"', "too short"), (b"<html><body>504</body></html>", ""), (b"", ""),
    (b"[1, 2]", ""), (b'{"detail": [[[[["deep"]]]]]}', ""),
])  # fmt: skip
def test_errors_in_any_shape(body: bytes, words: str) -> None:
    assert read_error(read_reply(status=422, headers={}, body=body)).message == words
