"""What can be seen of a text that somebody typed."""

import unicodedata
from typing import Final

_BLANKS: Final = frozenset("\r\n\t\v\f\u0085\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\U0001d159")
"""Breaks, and letters in which there is nothing to see: fillers of Hangul, Braille without a dot, an empty note."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})
_MARKS: Final = frozenset({"Mn", "Me"})
_MOST_MARKS: Final = 4
"""Marks on one letter: Hebrew with accents has as many. More of them would cover the lines above and below."""


def clean(text: str) -> str:
    """The text without control characters and invisible ones, with at most four marks on a letter.

    A letter that nobody can see counts as a blank, so that a text of nothing else is empty.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    kept, marks = [" "], 0
    for letter in text:
        kind = unicodedata.category(letter)
        if kind in _MARKS:
            marks += 1
            if marks <= _MOST_MARKS and not kept[-1].isspace():  # on nothing, it could not be seen
                kept.append(letter)
        elif letter in _BLANKS or kind == "Cn":
            kept.append(" ")
            marks = 0
        elif kind not in _UNSEEN:
            kept.append(letter)
            marks = 0
    return "".join(kept).strip()
