"""Every "exactly one of", every limit and every format of the interface document, on the declaration itself."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.domain.localization.catalog import CAPABILITIES, capability
from bot.domain.localization.declaration import CallOperation, Capability, MediaKind
from bot.domain.localization.request import Request, request_errors
from bot.presentation.reasons import rule_of

WITH_MEDIA = [one for one in CAPABILITIES if one.media is not None]
DOCUMENTED = {
    CallOperation.GENDER: ("mp3", "wav"),
    CallOperation.SEPARATION: ("mp3", "wav"),
    CallOperation.CONVERSION: ("mp3", "wav", "flac", "ogg", "aiff"),
    CallOperation.AUDIO_EXTRACTION: ("mp4", "mov", "mkv", "webm", "mpeg", "mpg", "avi", "flv", "m4v"),
}
URL = "https://example.com/file"


def name(one: Capability) -> str:
    return one.operation.value


def rules(asked: Request, **more: Any) -> list[str]:
    return [rule_of(error) for error in request_errors(asked, **more)]


@pytest.mark.parametrize("one", WITH_MEDIA, ids=name)
def test_exactly_one_of_file_and_address_is_required(one: Capability) -> None:
    assert one.media is not None
    url = f"{URL}.{one.media.formats[0]}"
    both = Request(operation=one.operation, url=url, file="F1")
    assert rules(both) == ["give a file or a link, not both"]
    neither = Request(operation=one.operation)
    article = "an" if one.media.noun[0] in "aeiou" else "a"
    assert rules(neither) == [f"add a link to {article} {one.media.noun}, or a file"]
    assert rules(Request(operation=one.operation, url=url)) == []
    assert rules(Request(operation=one.operation, file="F1", file_format=one.media.formats[0])) == []
    assert rules(Request(operation=one.operation, url=url, text="Hello")) == ["this needs a link or a file, not a text"]


@pytest.mark.parametrize(
    ("operation", "extension"), [(each, extension) for each, listed in DOCUMENTED.items() for extension in listed]
)
def test_each_documented_format_is_taken(operation: CallOperation, extension: str) -> None:
    assert rules(Request(operation=operation, file="F1", file_format=extension)) == []
    assert rules(Request(operation=operation, url=f"{URL}.{extension}?token=1")) == []
    assert rules(Request(operation=operation, url=f"{URL}.{extension.upper()}")) == []


@pytest.mark.parametrize("operation", DOCUMENTED)
@pytest.mark.parametrize("extension", ["pdf", "m4a", "txt", "mp5", "wma", "wmv", "exe", "flac", "mp4", "mp3"])
def test_other_formats_are_refused(operation: CallOperation, extension: str) -> None:
    if extension in DOCUMENTED[operation]:
        return
    media = capability(operation).media
    assert media is not None
    told = f"{'a' if media.kind is MediaKind.VIDEO else 'an'} {media.noun}: {media.listed}"
    assert rules(Request(operation=operation, file="F1", file_format=extension)) == [f"it must be {told}"]
    assert rules(Request(operation=operation, url=f"{URL}.{extension}")) == [f"it must lead to {told}"]


@pytest.mark.parametrize("seconds", [0.5, 600, 600.0])
def test_ten_minutes_of_video_are_taken(seconds: float) -> None:
    assert rules(Request(operation=CallOperation.AUDIO_EXTRACTION, file="F1", file_format="mp4", seconds=seconds)) == []


@pytest.mark.parametrize(("asked", "rule"), [
    (Request(operation=CallOperation.PARAPHRASE, text="Hello", options={"tone": "formal"}),
     "there is no option tone=; there is language="),
    (Request(operation=CallOperation.SPEECH, text="a" * 200_001),
     "a text can have at most 200,000 characters; this has 200,001"),
    (Request(operation=CallOperation.AUDIO_EXTRACTION, file="F1", file_format="mp4", seconds=601.2),
     "it must be at most 600 seconds long; this has 601, so cut it into parts"),
])  # fmt: skip
def test_request_beyond_a_limit_is_refused_with_its_rule(asked: Request, rule: str) -> None:
    assert rules(asked) == [rule]


@pytest.mark.parametrize("operation", [CallOperation.PARAPHRASE, CallOperation.SUMMARY])
def test_english_only_operations_refuse_other_languages(operation: CallOperation) -> None:
    assert rules(Request(operation=operation, text="Встреча перенесена на пятницу.")) == [
        "only English is understood here"
    ]
    assert rules(Request(operation=operation, text="会议改到星期五。")) == ["only English is understood here"]
    assert rules(Request(operation=operation, text="The café moved to 12 Main St. 🙂")) == []
    assert rules(Request(operation=operation, text="12 345")) == []
    assert rules(Request(operation=operation, text="Tot later, Jörg")) == []  # a doubt is no refusal
    french = "Où est la gare ?"
    looks = "and this looks like French; if it is English all the same, say so: language=en"
    assert rules(Request(operation=operation, text=french)) == [f"only English is understood here, {looks}"]
    assert rules(Request(operation=operation, text=french, options={"language": "en-GB"})) == []
    assert rules(Request(operation=operation, text="Встреча", options={"language": "en"})) == [
        "only English is understood here"
    ]
    stated = request_errors(Request(operation=operation, text="Bonjour", options={"language": "fr"}))
    assert [(one.argument, one.rule) for one in stated] == [("language", "only English is understood here")]


OPTIONS = {
    (CallOperation.AUDIO_EXTRACTION, "sample_rate"): (("16000", "22050", "44100", "48000"), "44100"),
    (CallOperation.AUDIO_EXTRACTION, "sample_width"): (("16", "32"), "32"),
    (CallOperation.AUDIO_EXTRACTION, "n_channels"): (("1", "2"), "1"),
    (CallOperation.CONVERSION, "target_extension"): (("wav", "mp3"), "wav"),
}


@pytest.mark.parametrize(("operation", "option"), OPTIONS)
def test_allowed_values_and_defaults(operation: CallOperation, option: str) -> None:
    allowed, default = OPTIONS[(operation, option)]
    media = capability(operation).media
    assert media is not None
    url = f"{URL}.{media.formats[0]}"
    for value in allowed:
        assert rules(Request(operation=operation, url=url, options={option: value})) == []
    for value in ("8000", "24", "3", "0", "aac", "", "44100.0", "-1", "mp3 "):
        if value.strip() in allowed:
            continue
        wrong = request_errors(Request(operation=operation, url=url, options={option: value}))
        assert [error.given for error in wrong] == [value]
        assert all(one in rule_of(wrong[0]) for one in allowed)
    assert Request(operation=operation, url=url).complete().options[option] == default


@pytest.mark.parametrize(("text", "options", "argument"), [
    ("Good morning", {"source_lang": "en", "target_lang": "en"}, "to"),
    ("Good morning", {"source_lang": "en", "target_lang": "en-GB"}, "to"), ("こんにちは", {"target_lang": "ja"}, "to"),
    ("こんにちは", {"target_lang": "en"}, ""),
])  # fmt: skip
def test_translation_into_the_same_language_is_refused(text: str, options: Mapping[str, str], argument: str) -> None:
    found = request_errors(Request(operation=CallOperation.TRANSLATION, text=text, options=options).complete())
    assert [error.argument for error in found] == ([argument] if argument else [])


@pytest.mark.parametrize("url", [
    *("ftp://example.com/a.mp3", "https://user:word@example.com/a.mp3", "http://127.0.0.1/a.mp3"),
    "https://example.com/" + "a" * 2_000 + ".mp3",
])  # fmt: skip
def test_unsafe_addresses_are_refused(url: str) -> None:
    assert len(rules(Request(operation=CallOperation.GENDER, url=url))) == 1


@pytest.mark.parametrize(("own", "url"), [
    ("127.0.0.1", "http://127.0.0.1:4100/a.mp3"), ("127.0.0.1", "http://localhost/a.mp3"),
    ("localhost", "http://[::1]/a.mp3"), ("10.0.0.5", "http://10.0.0.5/a.mp3"),
    ("localization", "http://localization:8080/a.mp3"),
])  # fmt: skip
def test_private_addresses_of_the_service_are_allowed(own: str, url: str) -> None:
    assert rules(Request(operation=CallOperation.GENDER, url=url), own_hosts=(own,)) == []


@pytest.mark.parametrize(
    "url", ["http://10.0.0.6/a.mp3", "http://169.254.169.254/a.mp3", "http://192.168.0.1/a.mp3", "http://db:5432/a.mp3"]
)
@pytest.mark.parametrize("own", ["127.0.0.1", "localhost", "10.0.0.5", "localization"])
def test_other_private_addresses_are_refused(own: str, url: str) -> None:
    assert len(rules(Request(operation=CallOperation.GENDER, url=url), own_hosts=(own,))) == 1


def test_loopback_addresses_are_not_sent_to_remote_services() -> None:
    asked = Request(operation=CallOperation.GENDER, url="http://127.0.0.1/a.mp3")
    assert len(rules(asked, own_hosts=("10.0.0.5", "api.example.com"))) == 1
