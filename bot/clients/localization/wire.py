"""Readers of the service's answers: pure, tolerant of names and nesting. The only error raised is ``ValueError``."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote, urlsplit

from bot.clients.unread import Names, Unfit, as_text
from bot.domain.localization.declaration import CallOperation, normal_format
from bot.domain.localization.request import Request
from bot.domain.localization.results import EMOTIONS, SOUNDS, Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.text import one_line

_WRAPPERS: Final = ("data", "result", "results", "response", "output")
_MOST_PHRASES: Final = 200
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,12})?)\s*(%?)")
_HUNDRED: Final = 100

Reader = Callable[[Request, Mapping[str, Names], Mapping[str, object]], Result]


def read_result(asked: Request, names: Mapping[str, Names], document: object) -> Result:
    """The result in the JSON of a 2xx. ``names``: ours -> the alternatives of the service."""
    wanted = [name for alternatives in names.values() for name in alternatives]
    for _ in range(3):  # the answer itself holds one of the names, or what it wraps does
        if isinstance(document, list) and len(document) == 1:
            document = document[0]
        if not isinstance(document, dict):
            raise Unfit("no object", document)
        if any(_filled(document.get(name)) and not isinstance(document[name], dict) for name in wanted):
            break
        inner = next((document[name] for name in _WRAPPERS if isinstance(document.get(name), dict | list)), None)
        if inner is None:
            break
        document = inner
    else:
        raise Unfit("no object", document)
    return _READERS[asked.operation](asked, names, document)


def _filled(found: object) -> bool:
    return found is not None and found not in ("", [], {})


def _value(body: Mapping[str, object], names: Names) -> object:
    return next((body[name] for name in names if _filled(body.get(name))), None)


def _text(body: Mapping[str, object], names: Names) -> str:
    found = _value(body, names)
    lines = found if isinstance(found, list) else [found]
    text = "\n".join(filter(None, (as_text(line) for line in lines)))
    if not text:
        raise Unfit(f"{names[0]} is missing", body, names)
    return text


def _gender(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Gender:
    """Certainty: ``0.93``, ``"0.93"``, ``93`` and ``"93%"`` are the same; whatever is none of them is left out."""
    gender, found = one_line(_text(body, names["gender"])), _value(body, names["confidence"])
    told = _PERCENT.fullmatch(str(found).strip()) if isinstance(found, Decimal | int | str) else None
    if told is None or isinstance(found, bool):
        return Gender(gender=gender, percent=None)
    percent = Decimal(told[1]) if told[2] or Decimal(told[1]) > 1 else Decimal(told[1]) * _HUNDRED
    return Gender(gender=gender, percent=percent if percent <= _HUNDRED else None)


def _phrases(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Phrases:
    found = _value(body, names["sentences"])
    listed = found if isinstance(found, list) else [found]
    texts = tuple(filter(None, (as_text(one) for one in listed[:_MOST_PHRASES])))
    if not texts:
        raise Unfit("paraphrased_sentences is missing", body, names["sentences"])
    return Phrases(sentences=texts)


def _written(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Written:
    return Written(text=_text(body, names["text"]))


def _emotion(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Emotion:
    found = _value(body, names["emotion"])
    if isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, dict):
        scores = {name: score for name, score in found.items() if isinstance(score, Decimal | int)}
        strongest = max(scores, key=lambda name: scores[name]) if scores else ""
        found = found.get("label") or found.get("emotion") or strongest
    label = one_line(as_text(found))
    if not label:
        raise Unfit("emotion is missing", body, names["emotion"])
    return Emotion(label=next((known for known in EMOTIONS if known.casefold() == label.casefold()), label))


def _tracks(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Tracks:
    """Every track that is there; missing ones are named, not an error."""
    found: list[Track] = []
    missing: list[str] = []
    for name in names:
        try:
            found.append(_track(body, names, name, otherwise="mp3"))
        except ValueError:
            missing.append(name)
    if not found:
        raise Unfit(f"{', '.join(missing)}: no address", body, *names.values())
    return Tracks(tracks=tuple(found), missing=tuple(missing))


def _audio(asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Tracks:
    return Tracks(tracks=(_track(body, names, "audio", otherwise=extension_of(asked)),))


def extension_of(asked: Request) -> str:
    """What the file of an answer should be, where neither its name nor its type says."""
    match asked.operation:
        case CallOperation.CONVERSION:
            return asked.options.get("target_extension", "wav")
        case CallOperation.AUDIO_EXTRACTION:
            return "wav"
        case _:
            return "mp3"


def _track(body: Mapping[str, object], names: Mapping[str, Names], name: str, *, otherwise: str) -> Track:
    found = _value(body, names[name])
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if isinstance(found, dict):
        found = found.get("url") or found.get("href")
    url = as_text(found)
    no_address = Unfit(f"{name} is no address", body, names[name])
    try:
        parts = urlsplit(url)
    except ValueError:
        raise no_address from None
    is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
    # A path alone is one of the service's own; the client knows of what.
    if not is_whole and (parts.scheme or parts.netloc or not url.startswith("/")):
        raise no_address
    ending = normal_format(PurePosixPath(unquote(parts.path)).suffix)
    return Track(name=name, url=url, extension=ending if ending in SOUNDS else otherwise)


_READERS: Final[Mapping[CallOperation, Reader]] = MappingProxyType(
    {
        CallOperation.GENDER: _gender,
        CallOperation.PARAPHRASE: _phrases,
        CallOperation.SUMMARY: _written,
        CallOperation.AUDIO_EXTRACTION: _audio,
        CallOperation.SEPARATION: _tracks,
        CallOperation.CONVERSION: _audio,
        CallOperation.SPEECH: _audio,
        CallOperation.TRANSCRIPTION: _written,
        CallOperation.TRANSLATION: _written,
        CallOperation.TRANSLITERATION: _written,
        CallOperation.TEXT_EXTRACTION: _written,
        CallOperation.TEXT_EMOTION: _emotion,
        CallOperation.SPEECH_EMOTION: _emotion,
    }
)
