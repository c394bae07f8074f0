"""Number formats that show something else than the cell holds: nothing at all, a fixed text, other digits.

``;;;`` hides, ``"5.00"`` shows 5.00 whatever the number is, ``0"."00`` and ``0,`` show a hundredth and a thousandth of
it, ``-0`` another sign.
"""

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from bot.tables.formats import GENERAL, GROUPS, LITERAL, is_moment, sections

_CONDITION = re.compile(r"\[[<>=]")
_CURRENCY = re.compile(r"\[\$([^\]-]*)")
_RUN = re.compile(r"[0#?](?:[0#?,.\s'’]*[0#?])?")
"""Digits that are shown next to each other, in groups or not."""
_EXPONENT = re.compile(r"E[+-]", re.IGNORECASE)
_POINT = re.compile(r"""(?:\\[.,]|"[^"\w]*[.,]")(?=[0#?])""")
"""A point that belongs to no word, right before the digits: ``\\.00`` shows 25 as .25."""
_OTHER_SIGN = ("-", "−", "–", "(")
_WITH_TEXT = 4
"""Sections of a format code that has one for text."""


class _Disguise(NamedTuple):
    """What a format code disguises: numbers above zero, below zero, zero, texts."""

    above: bool
    below: bool
    zero: bool
    text: bool


def is_disguised(stored: str, code: str, *, number: bool) -> bool:
    """Whether the cell shows something else than it holds. ``number``: it holds a number, not a text."""
    disguise = _disguise(code)
    if not any(disguise):
        return False
    if not number:
        return disguise.text
    try:
        value = Decimal(stored.strip())
    except ArithmeticError:
        return True
    if value == 0:
        return disguise.zero
    return disguise.above if value > 0 else disguise.below


@lru_cache(maxsize=4_096)
def _disguise(code: str) -> _Disguise:
    if code.casefold() in ("", "@", GENERAL.casefold()):
        return _Disguise(False, False, False, False)
    *first, last = sections(code)
    for_text = len(first) >= _WITH_TEXT - 1 or "@" in _bare(last)
    numbers = first if for_text and first else [last] if not first else [*first, last]
    above = _misleads(numbers[0]) or _other_sign(numbers[0])
    below = _misleads(numbers[1] if len(numbers) > 1 else numbers[0])
    zero = _has_digits(_literals(numbers[2] if len(numbers) > 2 else numbers[0]))  # noqa: PLR2004 - a dash for zero is right
    conditions = [bool(_CONDITION.search(one)) for one in numbers]
    if any(conditions):  # any of them may show any number, and a number that fits none is shown as ####
        above = below = zero = all(conditions) or any(_misleads(one) for one in numbers) or above
    return _Disguise(above, below, zero, for_text and _misleads_text(last))


def _misleads(section: str) -> bool:
    """Whether a number is shown as something else."""
    bare = _bare(section)
    if _has_digits(_literals(section)) or _POINT.search(section):
        return True
    if "general" in bare.casefold() or "@" in bare or is_moment(bare):
        return _is_repeated(bare)
    if "/" in bare:
        return not _RUN.search(bare)
    runs = _RUN.findall(LITERAL.sub(lambda found: _gap(found[0]), _EXPONENT.sub("", section)))
    scaled = re.search(r"[0#?],+(?![0#?,])", GROUPS.sub("", bare)) is not None
    return len(runs) != 1 or runs[0].count(".") > 1 or scaled or _has_digits(bare.replace("0", ""))


def _gap(literal: str) -> str:
    """What keeps digits apart; what stands between groups of three does not."""
    return "|" if GROUPS.sub("", _literals(literal)) else ""


def _misleads_text(section: str) -> bool:
    """Whether a text is shown as something else."""
    bare = _bare(section)
    shown = "@" in bare or "general" in bare.casefold()
    return bool(_literals(section).strip()) or not shown or _is_repeated(bare)


def _is_repeated(bare: str) -> bool:
    """Whether the cell is shown more than once: ``@@`` shows 25 as 2525."""
    return bare.count("@") + bare.casefold().count("general") > 1


def _other_sign(section: str) -> bool:
    """Whether a sign stands before a number that has none."""
    shown = LITERAL.sub(lambda found: _literals(found[0]), section)
    before = re.split(r"[0#?]|General", shown, maxsplit=1, flags=re.IGNORECASE)[0]
    return not is_moment(_bare(section)) and before.rstrip().endswith(_OTHER_SIGN)


def _bare(section: str) -> str:
    return LITERAL.sub("", section)


def _literals(section: str) -> str:
    """What stands there whatever the number is: quoted, escaped, as a currency, or as what fills the cell."""
    return "".join(_literal(one) for one in LITERAL.findall(section))


def _literal(token: str) -> str:
    if token[0] == "[":
        currency = _CURRENCY.match(token)
        return currency[1] if currency else ""
    if token[0] == "_":
        return ""
    return token[1:-1] if token[0] == '"' else token[1:]


def _has_digits(text: str) -> bool:
    return any(letter.isnumeric() for letter in text)
