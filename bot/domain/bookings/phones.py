"""Phone numbers split as the delivery service wants them: the country's code, and the national number behind it.

The numbering plans are those of libphonenumber: which trunk prefix a country has, and that Italy's zero is none.
"""

import re
from typing import Final

import phonenumbers
from phonenumbers import NumberParseException, ValidationResult

from bot.domain.bookings.record import Phone
from bot.domain.errors import RuleError

_NO_NUMBER: Final = "it must be digits with the country's code in front"
_NO_COUNTRY: Final = "it must begin with the country's code"
_LENGTH: Final = "this is too short or too long for a phone number"
_RULES: Final = {
    NumberParseException.INVALID_COUNTRY_CODE: _NO_COUNTRY,
    NumberParseException.NOT_A_NUMBER: _NO_NUMBER,
}


class PhoneError(RuleError):
    """The text is not a phone number."""


def read_phone(text: str, *, home: str = "") -> Phone:
    """A number from what somebody typed.

    Args:
        text: with the country's code, as ``+593 99 123 4567`` or ``00593…``; or national where ``home`` is known.
        home: the country code of where the store is, e.g. ``+593``.

    Raises:
        PhoneError: it has no country code, or no number of that country has so many digits.
    """
    given = text.strip().removeprefix("tel:")
    if re.search(r"[^\W\d_]|#", given):  # neither 1-800-FLOWERS nor an extension, which the service has no field for
        raise PhoneError(_NO_NUMBER)
    given = f"+{given[2:]}" if given.startswith("00") else given
    try:
        found = phonenumbers.parse(given, _region(home))
    except NumberParseException as wrong:
        raise PhoneError(_RULES.get(wrong.error_type, _LENGTH)) from None
    if phonenumbers.is_possible_number_with_reason(found) != ValidationResult.IS_POSSIBLE:
        raise PhoneError(_LENGTH)
    return Phone(country_code=f"+{found.country_code}", national=phonenumbers.national_significant_number(found))


def _region(home: str) -> str | None:
    if not re.fullmatch(r"\+[1-9][0-9]{0,2}", home):
        return None
    return phonenumbers.region_code_for_country_code(int(home))
