"""Phone numbers split as the delivery service wants them: the country's code, and the rest without a leading zero."""

import re
from typing import Final

from bot.domain.bookings.record import Phone

_ONE = "1 7"
_TWO = (
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 "
    "90 91 92 93 94 95 98"
)
_CODES: Final = frozenset(_ONE.split()) | frozenset(_TWO.split())
"""Country codes of one and two digits (ITU-T E.164). No code is the beginning of another; all others have three."""

_SEPARATORS: Final = re.compile(r"[\s().\-\u2010-\u2015/\u00a0]")
_LONGEST, _SHORTEST = 15, 4
"""Digits of a whole number at most, and of its national part at least."""


class PhoneError(ValueError):
    """The text is no phone number; ``rule`` says why, in words a person can act on."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


def read_phone(text: str, *, home: str = "") -> Phone:
    """A number from what somebody typed.

    Args:
        text: with the country's code, as ``+593 99 123 4567`` or ``00593…``; or national where ``home`` is known.
        home: the country code of where the store is, e.g. ``+593``.

    Raises:
        PhoneError: it has no country code, or too few or too many digits.
    """
    given = text.strip().removeprefix("tel:").replace("(0)", "")
    digits = _SEPARATORS.sub("", given)
    if digits.startswith("00"):
        digits = f"+{digits[2:]}"
    if not re.fullmatch(r"\+?[0-9]+", digits, re.ASCII):
        raise PhoneError("it must be digits with the country's code in front")
    if digits.startswith("+"):
        code = _code(digits[1:])
        return _phone(code, digits[1 + len(code) :])
    if re.fullmatch(r"\+[1-9][0-9]{0,3}", home):
        return _phone(home[1:], digits)
    raise PhoneError("it must begin with the country's code")


def _code(digits: str) -> str:
    if digits.startswith("0") or not digits:
        raise PhoneError("there is no country code that begins with 0")
    return next((digits[:length] for length in (1, 2) if digits[:length] in _CODES), digits[:3])


def _phone(code: str, national: str) -> Phone:
    national = national.lstrip("0")
    if not _SHORTEST <= len(national) <= _LONGEST - len(code):
        raise PhoneError("this is too short or too long for a phone number")
    return Phone(country_code=f"+{code}", national=national)
