"""The documented rules: which fields, which values, which formats, exactly one of what."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from bot.playground.simulators.localization.records import Form, InvalidError, Part

MAX_SECONDS = 600
MAX_ELEMENTS = 50
_SHORTEST_SUMMARY = 100
"""Characters; the document only says "long enough"."""

_HEAD = 64
_RIFF, _FORM = b"RIFF", b"FORM"
_ISO = (b"ftyp", b"moov", b"mdat", b"wide", b"free")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file field and the URL field that may replace it."""

    file: str
    url: str
    formats: tuple[str, ...] = ()
    """Empty: any."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Inputs of one operation."""

    path: str
    source: Source | None = None
    text: bool = False
    english: bool = False
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    others: tuple[str, ...] = ()


_VIDEO = ("mp4", "mov", "mkv", "webm", "mpeg", "mpg", "avi", "flv", "m4v")
_CLIP = Source(file="audio_file", url="audio_url", formats=("mp3", "wav"))
_SPEECH = Source(file="audio_file", url="audio_url")

RULES: Mapping[str, Rule] = {
    "gender_detection": Rule(path="/gender-detection", source=_CLIP),
    "paraphrase": Rule(path="/paraphrase", text=True, english=True),
    "summary_generation": Rule(path="/summary-generation", text=True, english=True),
    "audio_extraction": Rule(
        path="/audio-extraction",
        source=Source(file="video_file", url="video_url", formats=_VIDEO),
        choices={
            "sample_rate": ("16000", "22050", "44100", "48000"),
            "sample_width": ("16", "32"),
            "n_channels": ("1", "2"),
        },
    ),
    "music_source_separation": Rule(path="/music-source-separation", source=_CLIP),
    "audio_conversion": Rule(
        path="/audio-conversion",
        source=Source(file="audio_file", url="audio_url", formats=("mp3", "wav", "flac", "ogg", "aiff")),
        choices={"target_extension": ("wav", "mp3")},
    ),
    "text_to_speech": Rule(
        path="/tts", text=True, others=("locale", "gender", "speaker_id", "speed", "pitch", "volume")
    ),
    "speech_to_text": Rule(path="/stt", source=_SPEECH, others=("locale",)),
    "translation": Rule(path="/translate-text", text=True, others=("source_lang", "target_lang")),
    "transliteration": Rule(path="/text-transliteration", text=True, others=("source_lang",)),
    "text_extraction": Rule(path="/text-extraction", source=Source(file="file", url="file_url"), others=("language",)),
    "text_emotion": Rule(path="/text-emotion-recognition", text=True),
    "speech_emotion": Rule(path="/speech-emotion-recognition", source=_SPEECH),
}
"""Rules by the operation names of faults and the panel."""


def check(operation: str, form: Form) -> None:
    """Check a form against the rule of its operation.

    Raises:
        InvalidError: the first violation.
    """
    rule = RULES[operation]
    if form.repeated:
        raise InvalidError(form.repeated[0], "is given more than once")
    known = {*rule.choices, *rule.others, *(("text",) if rule.text else ())}
    if rule.source is not None:
        known |= {rule.source.file, rule.source.url}
    for name in [*form.fields, *form.files]:
        if name not in known:
            raise InvalidError(name, "is not known here", status=400)
    for name, allowed in rule.choices.items():
        if name in form.fields and form.fields[name] not in allowed:
            raise InvalidError(name, f"must be one of {', '.join(allowed)}")
    if rule.text:
        _check_text(operation, rule, form.fields.get("text", ""))
    if rule.source is not None:
        _check_source(rule.source, form)


def _check_text(operation: str, rule: Rule, text: str) -> None:
    if not text.strip():
        raise InvalidError("text", "is required")
    letters = [letter for letter in text if letter.isalpha()]
    if rule.english and sum(letter.isascii() for letter in letters) * 2 < len(letters):
        raise InvalidError("text", "Only English is supported")
    if operation == "paraphrase" and len(elements(text)) > MAX_ELEMENTS:
        raise InvalidError("text", f"At most {MAX_ELEMENTS} elements per request are supported")
    if operation == "summary_generation" and len(text) < _SHORTEST_SUMMARY:
        raise InvalidError("text", "The input is not long enough to summarize")


def elements(text: str) -> list[str]:
    """Number of sentences, which this service counts as elements."""
    return [part for part in re.split(r"(?<=[.!?])\s+|\n+", text.strip()) if part.strip()]


def _check_source(source: Source, form: Form) -> None:
    part, url = form.files.get(source.file), form.fields.get(source.url, "")
    if part is None and source.file in form.fields:
        raise InvalidError(source.file, "must be a file")
    if part is not None and url:
        raise InvalidError(source.url, f"{source.file} and {source.url} exclude each other")
    if part is None and not url:
        raise InvalidError(source.file, f"exactly one of {source.file} and {source.url} is required")
    if part is not None:
        _check_file(source, part)
    else:
        _check_url(source, url)


def _check_file(source: Source, part: Part) -> None:
    extension = _extension(part.filename)
    if not source.formats:
        return
    if extension not in source.formats:
        raise InvalidError(source.file, f"unsupported format; supported: {', '.join(source.formats)}")
    with part.path.open("rb") as file:
        looks = sniff(file)
    if looks and not looks & set(source.formats):
        raise InvalidError(source.file, f"the content is no {extension}")


def _check_url(source: Source, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidError(source.url, "must be an URL")
    extension = _extension(unquote(parts.path))
    if source.formats and extension and extension not in source.formats:
        raise InvalidError(source.url, f"unsupported format; supported: {', '.join(source.formats)}")


def _extension(name: str) -> str:
    suffix = PurePosixPath(name).suffix.lower().removeprefix(".")
    return {"aif": "aiff", "wave": "wav"}.get(suffix, suffix)


def _tag_length(head: bytes) -> int:
    """Bytes of the ID3 tag at the beginning, 0 without one: its size has seven bits a byte."""
    if not head.startswith(b"ID3"):
        return 0
    return 10 + sum(size << 7 * (3 - place) for place, size in enumerate(head[6:10]))


def sniff(file: BinaryIO) -> set[str]:  # noqa: PLR0911 - one answer a signature
    """Formats that a file may have by its first bytes, or those behind its tags; empty when they say nothing."""
    head = file.read(_HEAD)
    file.seek(_tag_length(head))
    head = file.read(_HEAD) or head
    if head.startswith(_RIFF):
        return {"wav"} if head[8:12] == b"WAVE" else {"avi"}
    if head.startswith(_FORM):
        return {"aiff"}
    if head.startswith(b"fLaC"):
        return {"flac"}
    if head.startswith(b"OggS"):
        return {"ogg"}
    if head.startswith(b"ID3") or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2):  # noqa: PLR2004
        return {"mp3"}
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return {"mkv", "webm"}
    if head[4:8] in _ISO:
        return {"mp4", "mov", "m4v"}
    if head.startswith((b"\x00\x00\x01\xba", b"\x00\x00\x01\xb3")):
        return {"mpeg", "mpg"}
    return {"flv"} if head.startswith(b"FLV") else set()
