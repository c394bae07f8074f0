"""Readers of the service's answers. Pure, tolerant of names and nesting; the only error raised is ``ValueError``."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote, urlsplit

from bot.clients.results import inline_content
from bot.clients.unread import Names, Unfit, as_text
from bot.domain.files.sniffing import HEAD_BYTES, FileKind, sniff
from bot.domain.localization.declaration import CallOperation, normal_format
from bot.domain.localization.request import Request
from bot.domain.localization.results import EMOTIONS, SOUNDS, Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.text import one_line

_WRAPPERS: Final = ("data", "result", "results", "response", "output")
_NO_RESULTS: Final = frozenset({"error", "errors", "detail", "warnings", "input", "request", "meta", "metadata"})
"""Fields that never contain the result."""
_RECEIPTS: Final = frozenset(
    {"status", "state", "success", "ok", "code", "message", "id", "uuid", "jobid", "taskid", "requestid", "statusurl"}
)
"""Normalized names of fields in a receipt: lower case, without separators."""
_QUEUED: Final = frozenset(
    {"queued", "pending", "accepted", "submitted", "scheduled", "waiting", "processing", "running", "in_progress"}
)
"""States before the result is available."""
_SAID: Final = (
    *("text", "sentence", "content", "value", "transcript", "paraphrase", "summary", "translation"),
    *("summary_text", "translation_text", "translated_text", "generated_text"),
)
"""Names of the text in an item of a list."""
_LABELS: Final = ("label", "emotion", "gender", "name", "class")
_SCORES: Final = (
    *("score", "confidence", "confidence_level", "confidence_score", "confidenceScore"),
    *("probability", "percent", "level", "value"),
)
_ADDRESSES: Final = ("url", "href", "link", "download_url", "file", "audio", "data", "content", "base64")
_TITLES: Final = ("name", "label", "type", "track", "stem", "title")
_DEEPEST: Final = 4
_ASIDE: Final = 40
_SHORT: Final = 200
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:[.,][0-9]{1,12})?)\s*(%|percent)?(?:\s*\(([^()]*)\))?", re.IGNORECASE)
_COMPLAINT: Final = re.compile(r"\W*([a-z]+ )?(error|exception|failed)\s*:", re.IGNORECASE)
_SHORTEST_FILE: Final = 64
"""Minimum characters of a base64 file without a ``data:`` prefix."""
_URL_SAFE: Final = str.maketrans("-_", "+/")
_HUNDRED: Final = 100

Reader = Callable[[Request, Mapping[str, Names], Mapping[str, object]], Result]
Label = tuple[str, Decimal | None]


def read_result(asked: Request, names: Mapping[str, Names], document: object) -> Result:
    """Read the result in the JSON of a 2xx. ``names``: our name -> the service's alternatives."""
    wanted = {name for ours, alternatives in names.items() if ours != "confidence" for name in alternatives}
    primary = next(iter(names.values()))[0]
    document = _named(asked, primary, document)
    at: object = document
    for _ in range(_DEEPEST):  # find one of the names in the answer itself or in its wrappers
        if isinstance(document, list):
            document = _of_list([one for one in document if _filled(one)], primary, wanted)
        if isinstance(document, list):
            continue
        if not isinstance(document, dict):
            break
        at = document
        if any(_filled(document.get(name)) and not isinstance(document[name], dict) for name in wanted):
            break
        inner = next((document[name] for name in _WRAPPERS if isinstance(document.get(name), dict | list)), None)
        inner = _only(document) if inner is None else inner
        if inner is None:
            bare = (document[name] for name in _WRAPPERS if isinstance(document.get(name), str))
            inner = next((_named(asked, primary, one) for one in bare), None)
        if inner is None or any(document.get(name) is inner for name in wanted):
            break
        document = inner
    if not isinstance(document, dict):
        raise Unfit("no object", at)
    return _READERS[asked.operation](asked, names, document)


def _named(asked: Request, primary: str, document: object) -> object:
    """Wrap a bare text as the result if it can't be an error, and for ambiguous operations only if it is a label."""
    if not isinstance(document, str) or _COMPLAINT.match(document):
        return document
    is_result = asked.operation not in _SEVERAL or document.strip().casefold() in _KNOWN_LABELS
    return {primary: document} if is_result else document


_SEVERAL: Final = frozenset(
    {CallOperation.GENDER, CallOperation.TEXT_EMOTION, CallOperation.SPEECH_EMOTION, CallOperation.SEPARATION}
)
"""Operations for which a bare text is ambiguous."""
_KNOWN_LABELS: Final = frozenset({"male", "female", *map(str.casefold, EMOTIONS)})


def _of_list(found: list[object], primary: str, wanted: set[str]) -> object:
    """Turn a list into an object: its only object, tracks keyed by title, or the list under ``primary``."""
    titled = {_text_under(one, _TITLES).casefold(): one for one in found if isinstance(one, dict)}
    if len(found) == 1 and isinstance(found[0], list | dict) and not titled.keys() & wanted:
        is_item = isinstance(found[0], dict) and not found[0].keys() & wanted and _text_under(found[0], _SAID)
        return {primary: found} if is_item else found[0]
    return titled if titled.keys() & wanted else {primary: found} if found else None


def _only(body: Mapping[str, object]) -> object:
    """Return the only object or list of objects, if all other fields are numbers or single words; else None."""
    inner = [one for name, one in body.items() if _filled(one) and not _is_aside(one) and name not in _NO_RESULTS]
    if len(inner) != 1 or isinstance(inner[0], str):
        return None
    listed = inner[0] if isinstance(inner[0], list) else []
    return inner[0] if all(isinstance(one, dict) for one in listed) else None


def _is_aside(found: object) -> bool:
    if isinstance(found, str):
        return len(found) <= _ASIDE and " " not in found and "/" not in found
    return not isinstance(found, dict | list)


def _filled(found: object) -> bool:
    return found is not None and found not in ("", [], {})


def _value(body: Mapping[str, object], names: Iterable[str]) -> object:
    return next((body[name] for name in names if _filled(body.get(name))), None)


def _text_under(body: object, names: Iterable[str]) -> str:
    return as_text(_value(body, names)) if isinstance(body, dict) else ""


def _texts(found: object, depth: int = _DEEPEST) -> Iterator[str]:
    """Yield the texts in a value; of an object the one under a usual name, else all with their names."""
    if isinstance(found, list) and depth:
        for one in found:
            yield from _texts(one, depth - 1)
    elif isinstance(found, dict) and depth:
        said = _value(found, _SAID)
        if said is not None:
            yield from _texts(said, depth - 1)
            return
        named = [(name, text) for name, one in found.items() for text in _texts(one, depth - 1)]
        plain = len(named) == 1 or all(name.isdigit() for name, _ in named)
        yield from (text if plain else f"{name}: {text}" for name, text in named)
    elif text := as_text(found):
        yield text


def _text(body: Mapping[str, object], names: Names) -> str:
    text = "\n".join(_texts(_value(body, names)))
    if not text:
        raise Unfit(f"{names[0]} is missing", body, names)
    return text


def _gender(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Gender:
    """Read a gender; confidences ``0.93``, ``"0.93"``, ``93`` and ``"93%"`` are equal, words are kept."""
    labels = _labelled(_value(body, names["gender"]))
    if not labels:
        raise Unfit("gender is missing", body, names["gender"])
    gender, percent = labels[0]
    told, sure = _certainty(_value(body, names["confidence"]), gender)
    return Gender(gender=gender, percent=percent if told is None else told, sure=sure)


def _certainty(found: object, label: str, depth: int = _DEEPEST) -> tuple[Decimal | None, str]:
    """Return percent and words of a confidence: a number, a word, or an object or list with this label's entry."""
    if isinstance(found, list | dict) and found and depth:
        by_label = {name.casefold(): percent for name, percent in _labelled(found)}
        if label.casefold() in by_label:
            return by_label[label.casefold()], ""
        inner = _value(found, _SCORES) if isinstance(found, dict) else found[0] if len(found) == 1 else None
        return _certainty(inner, label, depth - 1)
    share, said = _share(found), one_line(as_text(found))
    if share is not None:
        return _percent(share, of=[share]), ""
    return None, said if isinstance(found, str) and any(map(str.isalpha, said)) else ""


def _share(found: object) -> tuple[Decimal, bool] | None:
    """Return a number and whether it is explicitly in percent; None if it isn't a number from 0 to 100."""
    told = _PERCENT.fullmatch(str(found).strip()) if isinstance(found, Decimal | int | str) else None
    figure = None if told is None or isinstance(found, bool) else Decimal(told[1].replace(",", "."))
    return None if told is None or figure is None or figure > _HUNDRED else (figure, bool(told[2]))


def _percent(share: tuple[Decimal, bool], *, of: Iterable[tuple[Decimal, bool]]) -> Decimal:
    """Convert to percent: up to one it is a fraction, unless another number in ``of`` is above one."""
    return share[0] if share[1] or any(one > 1 for one, _ in of) else share[0] * _HUNDRED


def _labelled(found: object) -> list[Label]:
    """Read labels with percentages, strongest first, from a label, ``{label, score}``, a list of either, or a map."""
    listed = [(label, share) for label, share in _labels(found, _DEEPEST) if label]
    shares = [share for _, share in listed if share is not None]
    return _strongest((label, None if share is None else _percent(share, of=shares)) for label, share in listed)


def _strongest(labels: Iterable[Label]) -> list[Label]:
    return sorted(labels, key=lambda one: Decimal(-1) if one[1] is None else one[1], reverse=True)


def _labels(found: object, depth: int) -> Iterator[tuple[str, tuple[Decimal, bool] | None]]:
    match found:
        case list() if depth:
            for one in found:
                yield from _labels(one, depth - 1)
        case dict() if label := _text_under(found, _LABELS):
            yield one_line(label), _share(_value(found, _SCORES))
        case dict():
            for name, one in found.items():
                share = _share(_value(one, _SCORES) if isinstance(one, dict) else one)
                if share is not None:
                    yield one_line(as_text(name)), share
        case str():
            yield one_line(as_text(found)), None


def _phrases(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Phrases:
    found = _value(body, names["sentences"])
    texts = tuple(_texts(found))
    if not texts:
        raise Unfit("paraphrased_sentences is missing", body, names["sentences"])
    return Phrases(sentences=texts)


def _written(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Written:
    text = _text(body, names["text"])
    return Written(text=inline_content(text).decode("utf-8", "replace") if text.startswith("data:text/") else text)


def _emotion(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Emotion:
    """Read the named label, or the strongest, and the scores of all others."""
    found = [body[name] for name in (*names["emotion"], *names.get("scores", ())) if _filled(body.get(name))]
    labels = [(_known(label), share) for one in found for label, share in _labelled(one)]
    if not labels:
        raise Unfit("emotion is missing", body, names["emotion"])
    label, shares = labels[0][0], {name: share for name, share in labels if share is not None}
    told, _ = _certainty(_value(body, names.get("confidence", ())), label)
    others = _strongest({name: shares.get(name) for name, _ in labels if name != label}.items())
    return Emotion(label=label, percent=shares.get(label) if told is None else told, others=tuple(others))


def _known(label: str) -> str:
    return next((known for known in EMOTIONS if known.casefold() == label.casefold()), label)


def _tracks(_asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Tracks:
    """Read all available tracks; missing ones are listed. Raises Unfit only if there is none."""
    found: list[Track] = []
    missing: list[str] = []
    lists = [value for value in body.values() if isinstance(value, list)]
    files = {
        PurePosixPath(one).stem: one for some in lists for one in some if isinstance(one, str) and _is_address(one)
    }
    for name in names:
        try:
            told = _value(body, names[name])
            if told is None or (isinstance(told, list) and len(told) > 1):
                told = files.get(name)
            found.append(_track(told, name, otherwise="mp3"))
        except ValueError:
            missing.append(name)
    if not found:
        raise Unfit(f"{', '.join(missing)}: no address", body, *names.values())
    return Tracks(tracks=tuple(found), missing=tuple(missing))


def _audio(asked: Request, names: Mapping[str, Names], body: Mapping[str, object]) -> Tracks:
    found = _value(body, names["audio"])
    if found is None:  # accept a single sound file under any name
        files = [one for one in _strings(body) if _is_sound(one)]
        found = files[0] if len(files) == 1 else None
    listed = found if isinstance(found, list) else [found]
    try:
        tracks = [
            _track(one, "audio" if number == 1 else f"audio-{number}", otherwise=extension_of(asked))
            for number, one in enumerate(listed, 1)
        ]
    except ValueError:
        raise Unfit("audio is no address", body, names["audio"]) from None
    return Tracks(tracks=tuple(tracks))


def extension_of(asked: Request) -> str:
    """Return the expected file extension if neither name nor content type gives it."""
    match asked.operation:
        case CallOperation.CONVERSION:
            return asked.options.get("target_extension", "wav")
        case CallOperation.AUDIO_EXTRACTION:
            return "wav"
        case _:
            return "mp3"


def holds_nothing(document: object, *, queued: bool = False) -> bool:
    """Return whether an answer can't contain a result: it is empty or only a receipt.

    ``queued``: the result isn't available yet, so short values aren't results.
    """
    if isinstance(document, list):
        return all(holds_nothing(one, queued=queued) for one in document)
    if not isinstance(document, dict):
        return not _filled(document) or (queued and len(str(document)) <= _SHORT)
    plain = {name: name.casefold().replace("_", "").replace("-", "") for name in document}
    states = {str(one).casefold() for name, one in document.items() if plain[name] in ("status", "state")}
    queued = queued or not states.isdisjoint(_QUEUED)
    return all(
        (plain[name] in _RECEIPTS and not isinstance(one, dict | list)) or holds_nothing(one, queued=queued)
        for name, one in document.items()
    )


def other_addresses(document: object, tracks: Iterable[Track]) -> bool:
    """Return whether an answer contains addresses other than those of these tracks."""
    known = {one.url for one in tracks}
    return any(found not in known and _is_address(found) for found in _strings(document))


def _strings(document: object) -> Iterator[str]:
    waiting = [document]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict | list):
            waiting += found.values() if isinstance(found, dict) else found
        elif isinstance(found, str):
            yield found.strip()


def _is_sound(text: str) -> bool:
    """Return whether a text under an unknown name is the address of a sound file, or the file in base64."""
    if _is_address(text):
        return normal_format(PurePosixPath(unquote(urlsplit(text).path)).suffix) in SOUNDS
    return bool(_inline(text)[1])


def _inline(text: str) -> tuple[str, str]:
    """Return a base64 sound file as a ``data:`` URL with its format; empty if the text isn't one."""
    head, _, body = text.partition(",") if text.startswith("data:") else ("", "", text)
    plain = "".join(body.split()).translate(_URL_SAFE).rstrip("=")
    content = b""
    if head.endswith(";base64") or (not head and len(plain) >= _SHORTEST_FILE):
        with suppress(binascii.Error, ValueError):
            content = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    found = sniff(content[:HEAD_BYTES])
    return (f"data:;base64,{plain}", found.format) if content and found.kind is FileKind.AUDIO else ("", "")


def _is_address(text: str) -> bool:
    with suppress(ValueError):
        parts = urlsplit(text)
        # A bare path is relative to the service; the client adds the base address.
        path_alone = text.startswith("/") and not parts.scheme and not parts.netloc
        return path_alone or (parts.scheme in ("http", "https") and bool(parts.hostname))
    return False


def _track(found: object, name: str, *, otherwise: str) -> Track:
    """Read a track; ValueError if it has neither an address nor a sound file."""
    for _ in range(_DEEPEST):
        if isinstance(found, list) and len(found) == 1:
            found = found[0]
        if isinstance(found, dict):
            found = _value(found, _ADDRESSES)
    url = as_text(found)
    inline, kind = _inline(url) if not url.startswith("http") else ("", "")
    if inline:
        return Track(name=name, url=inline, extension=kind if kind in SOUNDS else otherwise)
    if not _is_address(url):
        raise ValueError("no address")
    ending = normal_format(PurePosixPath(unquote(urlsplit(url).path)).suffix)
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
