"""Split long texts and subtitles into pieces that the service accepts, and merge the results."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Final

from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import suffix_of
from bot.domain.localization.catalog import capability
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.results import Emotion, Phrases, Result, Track, Tracks, Written
from bot.domain.text import bare

MOST_CHARACTERS: Final = 200_000
MOST_PIECES: Final = 2_000
REWRITES: Final = frozenset({CallOperation.TRANSLATION, CallOperation.TRANSLITERATION, CallOperation.PARAPHRASE})
"""Operations whose result replaces the text."""
SUBTITLES: Final = frozenset({"srt", "vtt", "sbv", "ass", "ssa", "lrc"})
_FORMS: Final = frozenset({"txt", "md", "docx", *SUBTITLES})
_END: Final = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+\s*|\n\s*")
_TIME: Final = r"-?(?:\d+ ?: ?)?\d{1,2} ?: ?\d{1,2}(?: ?[.,:] ?\d{1,6})?"
_TIMES: Final = re.compile(
    rf"(?:\d+[.):]?\s+)?{_TIME}\s*(?:[-=]+\s?(?:>|&gt;)|→)\s*{_TIME}(?:\s+[A-Za-z]\w*:\S+)*(?:\s+(?P<said>\S.*))?"
    r"|\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}"
)
"""A line with times as written by programs and people, which may include a number, positions, and even the text."""
_UNCLEAR: Final = re.compile(r".*-->|\d+:\d\d:\d\d[.,:]\d")
"""A line that was probably meant as one with times but can't be parsed."""
_NOTE: Final = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
"""First line of a WebVTT block without text."""
_SPOKEN: Final = re.compile(r"Dialogue:(?:[^,]*,){9}|(?:\[\d+:\d+(?:[.:]\d+)?\]\s*)+")
"""Prefix of the text in one-line subtitles: SubStation (ASS) and lyrics (LRC)."""
_DRAWN: Final = re.compile(r"\{[^{}]*\\p[1-9]")
_BREAKS: Final = {"ass": r"\N", "ssa": r"\N", "lrc": " "}
"""Line breaks within one-line subtitles."""
_MARKS: Final = re.compile(r"(?:[\s\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|<[^<>\n]+>|\{\\[^{}\n]*\})*+")
"""Blanks, direction marks, and markup of italics and positions. The reverse pattern matches the end of a text."""
_TURNED: Final = re.compile(r"(?:[\s\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|>[^<>\n]+<|\}[^{}\n]*\\\{)*+")
_INSIDE: Final = re.compile(r"\{\\[^{}\n]*\}|<\d[\d:.]*>|</?c\b[^<>\n]*>")
"""SubStation and karaoke marks between words, which are dropped because a translation has another word order."""
_BEGINNING: Final = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """``text`` is sent to the service; ``before`` and ``after`` are kept around its result unchanged."""

    text: str
    before: str = ""
    after: str = ""

    @property
    def is_sent(self) -> bool:
        """Only text with letters or digits is sent."""
        return any(one.isalnum() for one in self.text)


def holds_text(file: DroppedFile) -> bool:
    """Whether we can read the file's text, judged by its content and, for plain text, also by its name."""
    plain = file.format in ("txt", "csv") and suffix_of(file.name) in ("", *_FORMS)
    return file.format == "docx" or plain


def form_of(name: str) -> str:
    """Return the format of a text file from its name, ``txt`` if unknown."""
    suffix = suffix_of(name)
    return suffix if suffix in _FORMS else "txt"


def is_cued(operation: CallOperation, form: str) -> bool:
    """Whether each subtitle is a separate piece, which preserves its number and times."""
    return form in SUBTITLES and operation in REWRITES


def result_form(operation: CallOperation, form: str) -> str:
    """Return the format of the result file."""
    return form if operation in REWRITES else "docx" if form == "docx" else "txt"


def needs_cutting(operation: CallOperation, text: str, *, limit: int) -> bool:
    return len(text) > limit or len(cut(text, limit=limit, elements=capability(operation).most_elements)) > 1


def has_times(text: str) -> bool:
    """Whether the text contains a subtitle."""
    return bool(cues(text)[0])


def is_subtitled(text: str) -> bool:
    """Whether a text consists of subtitles only, regardless of its file name."""
    times = sum(_TIMES.fullmatch(bare(line)) is not None for line in text.splitlines())
    return times > 1 and not cues(text)[1]


def unclear_lines(text: str, form: str) -> tuple[int, ...]:
    """Return the lines of a subtitle file that can't be parsed."""
    return cues(text)[1] if form in SUBTITLES else ()


def pieces_of(operation: CallOperation, text: str, *, form: str, limit: int) -> list[Piece]:
    """Split a text at sentences into pieces of at most ``limit`` characters."""
    if form in SUBTITLES:
        found, _ = cues(text)
        if is_cued(operation, form):
            return found
        text = "\n".join(one.text for one in found)
    return cut(text, limit=limit, elements=capability(operation).most_elements) if text.strip() else []


def cut(text: str, *, limit: int, elements: int | None = None) -> list[Piece]:
    """Split into pieces of similar length, because a short last one may be too short to summarize."""
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
    """Split a sentence that is too long between words, or anywhere if it has no blanks."""
    while len(sentence) > limit:
        at = sentence.rfind(" ", 1, limit) + 1 or limit
        yield sentence[:at]
        sentence = sentence[at:]
    yield sentence


def _framed(text: str) -> Piece:
    body = text.strip()
    at = text.index(body)
    return Piece(body, text[:at], text[at + len(body) :])


def cues(text: str) -> tuple[list[Piece], tuple[int, ...]]:
    """Parse subtitles, with their numbers, times and any other preceding lines in ``before``.

    Also return the lines that can't be parsed, which are kept unchanged in ``after``.
    """
    lines = text.splitlines(keepends=True)
    times = {at: match for at, line in enumerate(lines) if (match := _TIMES.fullmatch(bare(line)))}
    if not times:
        return _spoken(lines)
    is_web = bare(lines[0]).startswith("WEBVTT")
    is_named = is_web or any(at and bare(lines[at - 1]).isdecimal() for at in times)
    starts = [-1, *times, len(lines)]
    tops = [_top(lines, above, at, number, is_named=is_named) for number, (above, at) in enumerate(pairwise(starts))]
    head = [at for at in range(tops[0]) if bare(lines[at])]
    unclear = [at + 1 for at in head if _UNCLEAR.match(bare(lines[at]))] or [at + 1 for at in head[:1] if not is_web]
    found = list[Piece]()
    for at, (top, below) in zip(times, pairwise([0, *tops[1:]]), strict=True):
        end = _end(lines, at + 1, below, is_web=is_web)
        unclear += [line + 1 for line in range(end, below) if _UNCLEAR.match(bare(lines[line]))]
        said = times[at]["said"] or ""
        begin = lines[at].rfind(said) if said else len(lines[at])
        if begin < 0:  # written with lookalike letters
            unclear, begin = [*unclear, at + 1], len(lines[at])
        above = "".join([*lines[top:at], lines[at][:begin]])
        piece = _cue(above, "".join([lines[at][begin:], *lines[at + 1 : end]]))
        found.append(replace(piece, after=piece.after + "".join(lines[end:below])))
    return found, tuple(unclear)


def _top(lines: Sequence[str], above: int, at: int, number: int, *, is_named: bool) -> int:
    """Return the first line of a subtitle with its times in line ``at``: its number, or its name if names are used."""
    last = next((one for one in range(at - 1, above, -1) if bare(lines[one])), above)
    if last == above or at == len(lines):
        return at
    word, is_near = bare(lines[last]), last == at - 1
    is_number = word.isdecimal() and (is_near or word == str(number + 1))
    is_name = is_named and is_near and (not last or (last - 1 > above and not bare(lines[last - 1])))
    return last if is_number or is_name else at


def _end(lines: Sequence[str], begin: int, below: int, *, is_web: bool) -> int:
    """Return the end of a subtitle's text, before any note or line that can't be parsed."""
    for at in range(begin, below):
        line = bare(lines[at])
        is_unclear = _UNCLEAR.match(line) is not None
        if is_unclear or (is_web and _NOTE.match(line) and not bare(lines[at - 1])):
            below = at - (is_unclear and at > begin and bare(lines[at - 1]).isdecimal())
            break
    while below > begin and not bare(lines[below - 1]):
        below -= 1
    return below


def _spoken(lines: Sequence[str]) -> tuple[list[Piece], tuple[int, ...]]:
    """Parse subtitles like `cues`, from a file in which each one is a single line."""
    found, unclear, above = list[Piece](), list[int](), ""
    for number, line in enumerate(lines, 1):
        match = _SPOKEN.match(line)
        if match is None or _DRAWN.search(line):
            above += line
            unclear += [number] if match is None and line.startswith("Dialogue:") else []
            continue
        found.append(_cue(above + match[0], re.sub(r"\\[Nn]", "\n", line[match.end() :])))
        above = ""
    if found:
        found[-1] = replace(found[-1], after=found[-1].after + above)
    return found, tuple(unclear)


def _cue(above: str, said: str) -> Piece:
    """Build a piece without surrounding markup, and without inner markup that readers don't see."""
    begin, end = _ends(said)
    body = _INSIDE.sub("", said[begin:end])
    closing = said[end:] if body == said[begin:end] else said[end:].replace("</c>", "")
    return Piece(body, above + said[:begin], closing)


def _ends(said: str) -> tuple[int, int]:
    """Return the start and end of a subtitle's words, in linear time."""
    opening = _MARKS.match(said)
    closing = _TURNED.match(said[::-1])
    begin = opening.end() if opening else 0
    return begin, max(len(said) - (closing.end() if closing else 0), begin)


def whole(operation: CallOperation, form: str, found: Sequence[tuple[Piece, Result | None]]) -> Result | None:
    """Merge the results of all pieces in order; for rewriting operations, a piece without a result keeps its text."""
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
    cued = form if is_cued(operation, form) else ""
    ways = max(len(one.sentences) if isinstance(one, Phrases) else 1 for one in results)
    texts = [
        "".join(piece.before + _placed(piece, one, way, form=cued) + piece.after for piece, one in found)
        for way in range(1 if cued else ways)
    ]
    return Written(text="\n\n* * *\n\n".join(texts))


def said(result: Result, way: int) -> str:
    """Return the text of a result; of several variants the one numbered ``way``, or the last."""
    match result:
        case Written(text=text):
            return text
        case Phrases(sentences=sentences):
            return sentences[min(way, len(sentences) - 1)]
        case _:
            return ""


def _placed(piece: Piece, result: Result | None, way: int, *, form: str) -> str:
    """Return the text to insert; ``form`` is set for a subtitle file."""
    mark = _BREAKS.get(form, "\n")
    if result is None:
        return piece.text.replace("\n", mark)
    text = said(result, way).strip()
    # A blank line would end the subtitle, and an arrow would start another one.
    return mark.join(filter(None, map(str.strip, text.replace("-->", "→").splitlines()))) if form else text


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _BEGINNING else f"{line[: _BEGINNING - 1]}…"
