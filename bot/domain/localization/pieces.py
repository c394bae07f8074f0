"""Long texts and subtitles in pieces that the service takes at once, and the results of the pieces as a whole again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import suffix_of
from bot.domain.localization.catalog import capability
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.results import Emotion, Phrases, Result, Track, Tracks, Written

MOST_CHARACTERS: Final = 200_000
MOST_PIECES: Final = 2_000
REWRITES: Final = frozenset({CallOperation.TRANSLATION, CallOperation.TRANSLITERATION, CallOperation.PARAPHRASE})
"""Operations whose result takes the place of the text."""
SUBTITLES: Final = frozenset({"srt", "vtt"})
_FORMS: Final = frozenset({"txt", "md", "docx", *SUBTITLES})
_END: Final = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+\s*|\n\s*")
_TIMES: Final = re.compile(r"\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}")
_TAG: Final = r"(?:<[^<>\n]+>|\{\\[^{}\n]*\})*"
_TAGGED: Final = re.compile(rf"(\s*{_TAG}\s*)(.*?)(\s*{_TAG}\s*)", re.DOTALL)
_BEGINNING: Final = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """``text`` is what the service gets; ``before`` and ``after`` stay around it as they are."""

    text: str
    before: str = ""
    after: str = ""

    @property
    def is_sent(self) -> bool:
        """Without letters and digits there is nothing to do."""
        return any(one.isalnum() for one in self.text)


def holds_text(file: DroppedFile) -> bool:
    """Whether a file is one of those whose text is read here: by its content, and plain text by its name too."""
    plain = file.format in ("txt", "csv") and suffix_of(file.name) in ("", *_FORMS)
    return file.format == "docx" or plain


def form_of(name: str) -> str:
    """How a file with a text is written, by its name; ``txt`` where that says nothing."""
    suffix = suffix_of(name)
    return suffix if suffix in _FORMS else "txt"


def is_cued(operation: CallOperation, form: str) -> bool:
    """Whether each subtitle is a piece of its own, so that it keeps its number and its time."""
    return form in SUBTITLES and operation in REWRITES


def result_form(operation: CallOperation, form: str) -> str:
    """How the file with the result is written."""
    return form if operation in REWRITES else "docx" if form == "docx" else "txt"


def needs_cutting(operation: CallOperation, text: str, *, limit: int) -> bool:
    return len(text) > limit or len(cut(text, limit=limit, elements=capability(operation).most_elements)) > 1


def has_times(text: str) -> bool:
    """Whether there is a subtitle in it."""
    return any(map(_TIMES.match, text.splitlines()))


def pieces_of(operation: CallOperation, text: str, *, form: str, limit: int) -> list[Piece]:
    """Pieces of at most ``limit`` characters, cut at sentences."""
    if form in SUBTITLES:
        cues = _cues(text)
        if is_cued(operation, form):
            return cues
        text = "\n".join(one.text for one in cues)
    return cut(text, limit=limit, elements=capability(operation).most_elements) if text.strip() else []


def cut(text: str, *, limit: int, elements: int | None = None) -> list[Piece]:
    """Pieces of about the same length: a short last one may be too short to summarize."""
    sentences = [part for sentence in _sentences(text) for part in _parted(sentence, limit)]
    most = elements or len(sentences)
    count = max(ceil(len(text) / limit), ceil(len(sentences) / most), 1)
    found: list[list[str]] = [[]]
    for sentence in sentences:
        length = sum(map(len, found[-1]))
        if found[-1] and (length + len(sentence) > limit or len(found[-1]) == most or length >= len(text) / count):
            found.append([])
        found[-1].append(sentence)
    if len(found) > 1:
        *_, before, last = found
        length = sum(map(len, last))
        fits = length + sum(map(len, before)) <= limit and len(before) + len(last) <= most
        if fits and length * 4 < len(text) / count:
            found[-2:] = [[*before, *last]]
    return [_framed("".join(one)) for one in found]


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(text):
        yield text[begin : end.end()]
        begin = end.end()
    if begin < len(text):
        yield text[begin:]


def _parted(sentence: str, limit: int) -> Iterator[str]:
    """A sentence that is too long, cut between words, or where there are none."""
    while len(sentence) > limit:
        at = sentence.rfind(" ", 1, limit) + 1 or limit
        yield sentence[:at]
        sentence = sentence[at:]
    yield sentence


def _framed(text: str) -> Piece:
    body = text.strip()
    at = text.index(body)
    return Piece(body, text[:at], text[at + len(body) :])


def _cues(text: str) -> list[Piece]:
    """Each subtitle, with number, times and whatever else stands above it in ``before``."""
    found: list[Piece] = []
    above: list[str] = []
    said: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if said is not None and line.strip():
            said.append(line)
            continue
        if said is not None:
            found.append(_cue("".join(above), "".join(said)))
            above, said = [], None
        above.append(line)
        if _TIMES.match(line):
            said = []
    if said is not None:
        return [*found, _cue("".join(above), "".join(said))]
    if found:
        found[-1] = replace(found[-1], after=found[-1].after + "".join(above))
    return found


def _cue(above: str, said: str) -> Piece:
    """Without the marks of italics and places around the whole of it."""
    tagged = _TAGGED.fullmatch(said)
    opening, body, closing = tagged.groups() if tagged is not None else ("", said, "")
    return Piece(body, above + opening, closing)


def whole(operation: CallOperation, form: str, found: Sequence[tuple[Piece, Result | None]]) -> Result | None:
    """The results of all pieces in their order as one; where there is none, what is rewritten keeps its own text."""
    results = [one for _, one in found if one is not None]
    if operation is CallOperation.SPEECH:
        tracks: list[Track] = [track for one in results if isinstance(one, Tracks) for track in one.tracks]
        return Tracks(tracks=tuple(tracks)) if tracks else None
    if not results:
        return None
    if operation is CallOperation.TEXT_EMOTION:
        labels = ((piece, one.label) for piece, one in found if isinstance(one, Emotion))
        return Written(text="".join(f"{label}: {_beginning(piece.text)}\n" for piece, label in labels))
    if operation not in REWRITES:
        return Written(text="\n\n".join(filter(None, (said(one, 0).strip() for one in results))) + "\n")
    cued = is_cued(operation, form)
    ways = max(len(one.sentences) if isinstance(one, Phrases) else 1 for one in results)
    texts = [
        "".join(piece.before + _placed(piece, one, way, cued=cued) + piece.after for piece, one in found)
        for way in range(1 if cued else ways)
    ]
    return Written(text="\n\n* * *\n\n".join(texts))


def said(result: Result, way: int) -> str:
    """The text of a result; of several ways to say it the one of that number, or the last."""
    match result:
        case Written(text=text):
            return text
        case Phrases(sentences=sentences):
            return sentences[min(way, len(sentences) - 1)]
        case _:
            return ""


def _placed(piece: Piece, result: Result | None, way: int, *, cued: bool) -> str:
    if result is None:
        return piece.text
    text = said(result, way).strip()
    # A blank line would end the subtitle, and an arrow begin another one.
    return "\n".join(filter(None, map(str.strip, text.replace("-->", "→").splitlines()))) if cued else text


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _BEGINNING else f"{line[: _BEGINNING - 1]}…"
