"""Whether a registered name matches a name in a file or an address: a hint for people that decides nothing."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from bot.domain.text import distance

_OTHER_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
_OFFICES: Final = frozenset(
    """
    accounting accounts admin administration billing bookkeeping buchhaltung contact contacto facturas finance finanzas
    hello hola info invoice invoices kontakt mail me my office oficina orders pagos pay payment payments payroll post
    rechnung sales service support team the ventas work
    """.split()  # noqa: SIM905
)
"""Words in addresses that don't identify the owner."""
_LONG: Final = 5
"""Least length at which two words may differ in one letter and still be spellings of one name."""
_LEAST: Final = 3
"""Fewest letters that can identify a name."""


def names_fit(registered: str, given: str) -> bool | None:
    """Whether both names may be the same person's: the longer one contains all words of the shorter, in any order.

    Initials and one-letter differences match. None if it is unknown: a name is empty, or the scripts differ.
    """
    one, other = sorted((_words(registered), _words(given)), key=len)
    if not one or _is_latin(one) is not _is_latin(other):
        return None
    if "".join(one) == "".join(other):
        return True
    left = list(other)
    for word in one:
        same = next((near for near in left if _same(word, near)), None)
        if same is None:
            return False
        left.remove(same)
    return True


def fits_address(registered: str, email: str) -> bool | None:
    """Whether an address may be this person's; None if it doesn't identify anyone, such as ``info`` or digits."""
    name = _words(registered)
    local = _plain(email.rpartition("@")[0].partition("+")[0])
    said = [part for part in re.findall("[a-z]+", local) if part not in _OFFICES]
    together = "".join(said)
    if not name or not _is_latin(name) or len(together) < _LEAST:
        return None
    initials = "".join(word[0] for word in name)
    return (
        together in ("".join(name), initials)
        or any(word in (said if len(word) < _LEAST else together) for word in name)
        or any(len(part) >= _LEAST and word.startswith(part) for part in said for word in name)
        or any(_same(part, word) for part in said for word in name if len(part) >= _LEAST)
    )


def _same(one: str, other: str) -> bool:
    if one == other or (1 in (len(one), len(other)) and one[0] == other[0]):
        return True
    return min(len(one), len(other)) >= _LONG and distance(one, other) <= 1


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", _plain(name.replace("'", "").replace("’", "")))


def _plain(text: str) -> str:
    """Fold case and remove accents."""
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_OTHER_LETTERS))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _is_latin(words: Sequence[str]) -> bool:
    return all(letter.isascii() for word in words for letter in word)
