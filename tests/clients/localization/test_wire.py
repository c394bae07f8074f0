"""Answers in every usual shape."""

from decimal import Decimal

import pytest

from bot.clients.localization.wire import read_result
from bot.clients.routes_file import load_routes
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written

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


def gender(
    value: object, percent: str | None, name: str = "confidence", sure: str = ""
) -> tuple[CallOperation, object, Result]:
    expected = Gender(gender="female", percent=None if percent is None else Decimal(percent), sure=sure)
    return CallOperation.GENDER, {"gender": "female", name: value}, expected


def listed(name: str, score: str, **labels: object) -> list[object]:
    return [{name: label, score: share} for label, share in labels.items()]


def scored(label: str, percent: float, *others: tuple[str, float]) -> Emotion:
    rest = tuple((other, Decimal(str(share))) for other, share in others)
    return Emotion(label=label, percent=Decimal(str(percent)), others=rest)


SURE: tuple[object, ...] = (
    {"level": Decimal("0.93")},
    {"value": "93%"},
    [Decimal("0.93")],
    {"score": {"percent": 93}},
    {"female": Decimal("0.93"), "male": Decimal("0.07")},
    {"Female": 93, "male": Decimal("0.7")},
    [{"label": "male", "score": "7%"}, {"label": "female", "score": "93%"}],
)
UNSURE: tuple[object, ...] = (None, "", True, {"a": {}}, "101%", Decimal("1e9"), "-0.5", [], {})
HIGH: tuple[object, ...] = ("high", " high ", {"level": "high"}, [{"value": "high"}])
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
    *[gender(value, None) for value in UNSURE],
    *[gender(value, None, sure="high") for value in HIGH],
    *[gender(value, "93") for value in SURE],
    *[
        (CallOperation.GENDER, document, Gender(gender="female", percent=Decimal(93)))
        for document in (
            {"gender": {"label": "female", "confidence": Decimal("0.93")}},
            {"gender": {"male": Decimal("0.07"), "female": Decimal("0.93")}},
            {"gender": [{"label": "male", "score": 7}, {"label": "female", "score": 93}]},
            [{"label": "male", "score": Decimal("0.07")}, {"label": "female", "score": Decimal("0.93")}],
            {"status": "ok", "payload": {"took": 2, "detected_gender": "female", "score": 93}},
        )
    ],
    *[
        (CallOperation.PARAPHRASE, document, Phrases(sentences=("One.", "Two.")))
        for document in (ENGLISH, {"data": ENGLISH}, [ENGLISH],
                         {"result": [{"paraphrased_sentences": ["One.", None, "", "Two."]}]},
                         {"status": "success", "body": {"answer": ENGLISH}}, ["One.", "Two."],
                         {"paraphrased_sentences": [{"text": "One.", "score": 1}, {"sentence": "Two."}]},
                         {"paraphrased_sentences": [["One."], ["Two."]]},
                         {"paraphrased_sentences": {"1": "One.", "2": "Two."}},
                         {"data": [{"paraphrase": "One."}, {"paraphrase": "Two."}]})
    ],
    *[(CallOperation.TRANSCRIPTION, {name: "Hello"}, Written(text="Hello"))
      for name in ("text", "transcript", "transcription")],
    *[
        (CallOperation.TRANSCRIPTION, document, Written(text="Hello\nthere"))
        for document in ({"segments": [{"start": 0, "text": "Hello"}, {"start": 1, "text": "there"}]},
                         {"text": ["Hello", {"content": "there"}]},
                         {"results": [{"transcript": "Hello"}, {"transcript": "there"}]})
    ],
    (CallOperation.SUMMARY, [{"summary_text": "Short."}], Written(text="Short.")),
    (CallOperation.SUMMARY, {"summary": {"brief": "Short."}}, Written(text="Short.")),
    (CallOperation.SUMMARY, {"summary": {"short": "A.", "long": "B."}}, Written(text="short: A.\nlong: B.")),
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
        (CallOperation.SEPARATION, document, Tracks(tracks=BOTH))
        for document in (
            {"tracks": [{"name": "Vocals", "url": BOTH[0].url}, {"name": "music", "href": BOTH[1].url}]},
            [{"type": "music", "file": {"url": BOTH[1].url}}, {"type": "vocals", "link": BOTH[0].url}],
            {"id": "4711", "stems": {"vocals": {"file": {"url": BOTH[0].url}}, "music": [BOTH[1].url]}},
        )
    ],
    *[
        (CallOperation.CONVERSION, document,
         Tracks(tracks=(TRACK, Track(name="audio-2", url=f"{BASE}/c.mp3", extension="mp3"))))
        for document in ({"output": [TRACK.url, f"{BASE}/c.mp3"]}, [{"url": TRACK.url}, {"url": f"{BASE}/c.mp3"}])
    ],
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
            ({"emotion": "Boredom"}, "Boredom"), ({"emotions": [{"label": "Sadness"}]}, "Sadness"),
        )
    ],
    *[
        (CallOperation.TEXT_EMOTION, document, scored("Joy", 80, ("Love", 15), ("Fear", 5)))
        for document in (
            {"emotions": {"fear": Decimal("0.05"), "joy": Decimal("0.8"), "love": Decimal("0.15")}},
            {"emotion": "joy", "scores": {"fear": 5, "joy": 80, "love": 15}},
            {"emotion": listed("label", "score", joy="80%", love="15%", fear="5%")},
            [listed("label", "score", joy=Decimal("0.8"), fear=Decimal("0.05"), love=Decimal("0.15"))],
            {"predictions": listed("emotion", "probability", love=15, joy=80, fear=5)},
            {"emotion": "joy", "confidence": Decimal("0.8"), "emotions": {"fear": {"score": 5}, "love": {"score": 15}}},
        )
    ],
    *[(CallOperation.SPEECH_EMOTION, document, scored("Fear", 70)) for document in (
        {"emotion": {"label": "fear", "score": Decimal("0.7")}}, {"label": "fear", "score": Decimal("0.7")},
        {"emotion": "Fear", "confidence": "70%"}, {"emotion": {"Fear": Decimal("0.7")}},
    )],
    # One above one: all are in percent.
    (CallOperation.TEXT_EMOTION, {"emotion": {"joy": Decimal("99.5"), "fear": Decimal("0.5")}},
     scored("Joy", 99.5, ("Fear", 0.5))),
    (CallOperation.TEXT_EMOTION, {"emotion": ["joy", "love"]}, Emotion(label="Joy", others=(("Love", None),))),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "document", "result"), RESULTS)
def test_a_result_is_read_in_every_usual_shape(operation: CallOperation, document: object, result: Result) -> None:
    assert read(operation, document) == result


def test_no_paraphrase_is_left_out() -> None:
    sentences = [f"Way {n}." for n in range(1_000)]
    assert read(CallOperation.PARAPHRASE, {"paraphrased_sentences": sentences}) == Phrases(sentences=tuple(sentences))


def test_result_without_extension_gets_the_requested_one() -> None:
    found = read(CallOperation.CONVERSION, {"audio": f"{BASE}/42"}, target_extension="mp3")
    assert found == Tracks(tracks=(Track(name="audio", url=f"{BASE}/42", extension="mp3"),))


MADE = [
    one
    for one in CallOperation
    if one.value in ("gender_detection", "text_emotion", "speech_emotion", "music_source_separation")
    or one.value in ("audio_extraction", "audio_conversion", "text_to_speech")
]
"""Operations whose result is a label or media: a text alone is none."""


@pytest.mark.parametrize(
    ("operation", "document"),
    [
        *((operation, {}) for operation in CallOperation),
        *((operation, []) for operation in CallOperation),
        *((operation, None) for operation in CallOperation),
        *((operation, "text") for operation in MADE),
        *((operation, "Error: no such voice") for operation in CallOperation),
        *((operation, {"data": {"data": {"data": {"data": {}}}}}) for operation in CallOperation),
        (CallOperation.SEPARATION, {"vocals": None, "music": "later"}),
        (CallOperation.CONVERSION, {"audio": "file:///etc/passwd"}),
        (CallOperation.CONVERSION, {"audio": "https://[bad/"}),
        (CallOperation.CONVERSION, {"audio": "//evil.example.com/a.wav"}),
        (CallOperation.CONVERSION, {"audio": "a.wav"}),
        (CallOperation.PARAPHRASE, {"paraphrased_sentences": [None, {}, ""]}),
        (CallOperation.TEXT_EMOTION, {"emotion": {}}),
        # What was sent, and what went wrong, are no results.
        (CallOperation.TRANSLATION, {"input": {"text": "Hello"}, "rendition": "Hola"}),
        (CallOperation.SUMMARY, {"error": {"summary": "no"}}),
        (CallOperation.PARAPHRASE, {"status": "ok", "warnings": ["old version"]}),
        (CallOperation.SEPARATION, {"files": [{"name": "voice", "url": "https://a.example/v.mp3"}]}),
    ],
)
def test_no_record(operation: CallOperation, document: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the one kind a reader may raise
        read(operation, document)
