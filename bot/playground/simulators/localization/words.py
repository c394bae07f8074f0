"""Fixed, plausible results for texts, good enough to show that the operation ran."""

import codecs
import hashlib
import unicodedata
from collections.abc import Mapping

from bot.playground.simulators.localization.rules import elements

LABELS = ("Anger", "Joy", "Sadness", "Love", "Fear", "Surprise", "Neutral")

_HINTS: Mapping[str, tuple[str, ...]] = {
    "Anger": ("angry", "furious", "hate", "outrage", "unacceptable"),
    "Joy": ("happy", "great", "glad", "joy", "wonderful", "delighted"),
    "Sadness": ("sad", "sorry", "miss", "cry", "unhappy"),
    "Love": ("love", "adore", "dear"),
    "Fear": ("afraid", "fear", "scared", "worried"),
    "Surprise": ("surprise", "unexpected", "wow", "suddenly"),
}
_OTHER_WORDS: Mapping[str, str] = {
    "big": "large",
    "quick": "fast",
    "good": "fine",
    "moved": "shifted",
    "buy": "purchase",
    "help": "assist",
    "begin": "start",
    "show": "display",
}


_UNREAD: Mapping[bytes, str] = {b"%PDF": "PDFs", b"\x89PNG": "pictures", b"\xff\xd8": "pictures", b"GIF8": "pictures"}


def emotion(text: str) -> str:
    """Return one of the seven labels."""
    lowered = text.casefold()
    return next((label for label, hints in _HINTS.items() if any(hint in lowered for hint in hints)), "Neutral")


def some_label(content: bytes) -> str:
    """Return a label that is constant for a recording."""
    return LABELS[hashlib.sha256(content).digest()[0] % len(LABELS)]


def some_gender(content: bytes) -> tuple[str, str]:
    """Return gender and confidence, which are constant for a recording."""
    digest = hashlib.sha256(content).digest()
    return ("female" if digest[0] % 2 else "male"), f"0.{80 + digest[1] % 20}"


def paraphrases(text: str) -> list[str]:
    """Return three paraphrases."""
    swapped = " ".join(_OTHER_WORDS.get(word.casefold(), word) for word in text.split())
    lowered = text[:1].lower() + text[1:]
    return [swapped, f"In other words, {lowered}", f"Put differently: {lowered}"]


def summary(text: str) -> str:
    """Return the first sentence and the number of sentences."""
    sentences = elements(text)
    more = len(sentences) - 1
    return sentences[0] if not more else f"{sentences[0]} (and {more} more points)"


def translation(text: str, *, source: str, target: str) -> str:
    """Return the text with its languages in front, clearly not a real translation."""
    return f"[{source or '??'} → {target or 'en'}] {text}"


def transliteration(text: str) -> str:
    """Replace each letter of another script by the sound in its Unicode name."""
    return "".join(_latin(letter) for letter in text)


def _latin(letter: str) -> str:
    if letter.isascii():
        return letter
    last = unicodedata.name(letter, "?").rpartition(" ")[2].lower()
    return last if unicodedata.category(letter).startswith("L") else last[-1:]


def transcript(name: str, locale: str) -> str:
    """Return a sample transcript."""
    return f"Hello, this is what {name or 'the recording'} says in {locale or 'en-US'}. Thank you for listening."


def document_text(content: bytes, name: str) -> str:
    """Return the text of a text file; for any other file, a text marked as a sample."""
    kind = next((words for start, words in _UNREAD.items() if content.startswith(start)), None)
    if kind is None:
        try:
            # The first part of a longer file may end within a character.
            return codecs.getincrementaldecoder("utf-8-sig")().decode(content)
        except UnicodeDecodeError:
            kind = "files of this kind"
    return (
        f"[Sample] The playground does not read {kind}. The localization service would return the text of "
        f"{name or 'the file'} here."
    )
