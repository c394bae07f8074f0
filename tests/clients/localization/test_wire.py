"""Answers in every usual shape."""

from decimal import Decimal

import pytest

from bot.clients.localization.wire import read_result
from bot.clients.routes_file import load_routes
from bot.clients.transport import read_reply
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.outcome import read_error

ROUTES = load_routes(None, environment="sandbox")


def read(operation: CallOperation, document: object, **options: str) -> Result:
    route = ROUTES.use("localization", operation.value)
    return read_result(Request(operation=operation, options=options), route.reply, document)


BASE = "https://cdn.example.com"
NAMES = ("audio", "audio_url", "audio_clip", "url", "output", "file")
TRACK = Track(name="audio", url=f"{BASE}/a/b.wav?X=1", extension="wav")
BOTH = (
    Track(name="vocals", url=f"{BASE}/v.mp3", extension="mp3"),
    Track(name="music", url=f"{BASE}/m.mp3", extension="mp3"),
)


def wrapped(url: str) -> tuple[object, ...]:
    return url, [url], {"url": url}, [{"href": url}]


def gender(value: object, percent: str | None, name: str = "confidence") -> tuple[CallOperation, object, Result]:
    expected = Gender(gender="female", percent=None if percent is None else Decimal(percent))
    return CallOperation.GENDER, {"gender": "female", name: value}, expected


NO_TRACKS: tuple[object, ...] = (None, "", "later", [])
ENGLISH = {"paraphrased_sentences": ["One.", "Two."]}
RESULTS: list[tuple[CallOperation, object, Result]] = [
    *[
        gender(value, "93", name)
        for name in ("confidence", "confidence_level", "score", "probability")
        for value in (Decimal("0.93"), "0.93", "93%", 93, "93 %", Decimal("93.0"))
    ],
    # Up to one it is a share.
    gender(1, "100"), gender("1.0", "100.0"), gender(Decimal("1.01"), "1.01"), gender("1%", "1"), gender(0, "0"),
    gender(100, "100"), gender("100.1%", None),
    *[gender(value, None) for value in (None, "", "high", True, [1], {"a": 1}, "101%", Decimal("1e9"), "-0.5")],
    *[
        (CallOperation.PARAPHRASE, document, Phrases(sentences=("One.", "Two.")))
        for document in (ENGLISH, {"data": ENGLISH}, [ENGLISH],
                         {"result": [{"paraphrased_sentences": ["One.", None, "", "Two."]}]})
    ],
    *[(CallOperation.TRANSCRIPTION, {name: "Hello"}, Written(text="Hello"))
      for name in ("text", "transcript", "transcription")],
    *[
        (operation, {name: found}, Tracks(tracks=(TRACK,)))
        for operation in (CallOperation.AUDIO_EXTRACTION, CallOperation.CONVERSION, CallOperation.SPEECH)
        for name in NAMES
        for found in wrapped(TRACK.url)
    ],
    # A file without an ending has the one that was asked for, or the usual one.
    (CallOperation.AUDIO_EXTRACTION, {"audio": f"{BASE}/42"},
     Tracks(tracks=(Track(name="audio", url=f"{BASE}/42", extension="wav"),))),
    *[
        (CallOperation.SPEECH, {"audio": f"{BASE}/a.{ending}"},
         Tracks(tracks=(Track(name="audio", url=f"{BASE}/a.{ending}", extension=extension),)))
        for ending, extension in (("ogg", "ogg"), ("OGA", "ogg"), ("flac", "flac"), ("php", "mp3"))
    ],
    (CallOperation.SEPARATION, {"vocals": BOTH[0].url, "music": BOTH[1].url}, Tracks(tracks=BOTH)),
    (CallOperation.SEPARATION, {"vocals": BOTH[0].url}, Tracks(tracks=BOTH[:1], missing=("music",))),
    *[
        (CallOperation.SEPARATION, {"vocals": BOTH[0].url, "music": found}, Tracks(tracks=BOTH[:1], missing=("music",)))
        for found in NO_TRACKS
    ],
    *[
        (operation, document, Emotion(label=label))
        for operation in (CallOperation.TEXT_EMOTION, CallOperation.SPEECH_EMOTION)
        for document, label in (
            ({"emotion": "Joy"}, "Joy"), ({"emotion": "ANGER"}, "Anger"), ({"emotion": "surprise"}, "Surprise"),
            ({"emotion": "NEUTRAL"}, "Neutral"), ({"label": " surprise "}, "Surprise"),
            ({"emotion": "Boredom"}, "Boredom"),
            ({"emotion": {"label": "fear", "score": Decimal("0.7")}}, "Fear"),
            ({"emotions": {"Joy": Decimal("0.1"), "Love": Decimal("0.8")}}, "Love"),
            ({"emotions": [{"label": "Sadness"}]}, "Sadness"),
        )
    ],
]  # fmt: skip


@pytest.mark.parametrize(("operation", "document", "result"), RESULTS)
def test_a_result_is_read_in_every_usual_shape(operation: CallOperation, document: object, result: Result) -> None:
    assert read(operation, document) == result


def test_a_file_without_an_ending_has_the_one_that_was_asked_for() -> None:
    found = read(CallOperation.CONVERSION, {"audio": f"{BASE}/42"}, target_extension="mp3")
    assert found == Tracks(tracks=(Track(name="audio", url=f"{BASE}/42", extension="mp3"),))


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
def test_no_record(operation: CallOperation, document: object) -> None:
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
