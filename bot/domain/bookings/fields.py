"""Parse the fields of bookings and stores: return the value or raise ``PersonError`` with the broken rule.

Phone numbers are accepted as people paste them: in any grouping, or as the link of a chat.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

import phonenumbers
from phonenumbers import (
    Leniency,
    NumberParseException,
    PhoneNumber,
    PhoneNumberMatcher,
    PhoneNumberType,
    ValidationResult,
)

from bot.domain.bookings.booking import COOK_MOST, NOTES_LEAST, NOTES_LIMIT, BookingRequest
from bot.domain.bookings.places import DoubtError, read_position
from bot.domain.bookings.record import STORE_EXTRAS, Payment, Phone, Position
from bot.domain.errors import PersonError, RuleError
from bot.domain.fields import amount, email, ruled
from bot.domain.text import bare, clean

NAME_LIMIT: Final = 60
ADDRESS_LIMIT: Final = 200
REFERENCE_LIMIT: Final = 150
REASON_LIMIT: Final = 250
EXTRA_LIMIT: Final = 80
_NO_PHONE: Final = Phone(country_code="", national="")
BOOKING_RULE: Final = "a reference such as B-4F7K2M"
STORE_RULE: Final = "the name of a store"
_NO_NUMBER: Final = "Enter a phone number in digits, for example +593 99 123 4567"
_NO_COUNTRY: Final = "Start with the country code, for example +593 99 123 4567"
_EXTENSION: Final = "Leave out the extension, or put it in the notes"
_CHAT: Final = re.compile(r"(?:\bwa\.me/|[?&]phone=)\+?([0-9]+)")
"""The number in a WhatsApp link, always with its country code."""
_LABEL: Final = re.compile(r"^[^\W\d_]+\.?\s*:\s*")
_OLD_MEXICAN: Final = re.compile("(?:521|(?:52)?(?:01|04[45]))([0-9]{10})")
"""Mexico's former mobile prefixes, dropped in 2019 and 2020 but still in address books."""
_MOBILE: Final = (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE)
_LENGTH: Final = "Enter a full phone number, for example +593 99 123 4567"
_RULES: Final = {NumberParseException.INVALID_COUNTRY_CODE: _NO_COUNTRY, NumberParseException.NOT_A_NUMBER: _NO_NUMBER}


def store(text: str) -> str:
    return " ".join(clean(text).split())


def phone(text: str, *, home: str = "") -> Phone:
    """Parse a phone number with a country code, or a national one if ``home`` is the country's code."""
    return ruled("phone", "+593 99 123 4567", lambda given: read_phone(given, home=home), text)


def position(text: str, *, near: Position | None = None) -> Position:
    """Parse a position; a store's position ``near`` shows whether the numbers are swapped."""
    try:
        return read_position(text, near=near)
    except RuleError as broken:
        example = "" if isinstance(broken, DoubtError) else "-0.1807, -78.4678"
        raise PersonError(argument="position", rule=broken.rule, example=example, given=text) from None


def position_of(store: Mapping[str, Any]) -> Position | None:
    """Return the position in the service's record of a store, or None."""
    with suppress(RuleError):
        return read_position(f"{store.get('latitude', '')}, {store.get('longitude', '')}")
    return None


def payment(text: str) -> Payment:
    try:
        return Payment(text.strip().upper())
    except ValueError:
        raise PersonError(argument="payment", rule="it must be CASH or CARD", example="CARD", given=text) from None


def cook_minutes(text: str) -> int:
    digits = text.strip()
    if not digits:
        return 0
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 4 and int(digits) <= COOK_MOST):  # noqa: PLR2004
        rule = f"Enter whole minutes, up to {COOK_MOST}"
        raise PersonError(argument="prep time", rule=rule, example="15", given=text)
    return int(digits)


def reason(text: str) -> str:
    return _words(text, "reason", REASON_LIMIT, "customer called it off")


def booking_readers(*, home: str, with_place: bool, near: Position | None = None) -> dict[str, Callable[[str], Any]]:
    """Return each field's parser by name; ``home`` and ``near`` are the store's country code and position."""
    readers: dict[str, Callable[[str], Any]] = {
        "name": lambda text: _words(text, "first name", NAME_LIMIT, "Ana"),
        "last_name": lambda text: _words(text, "last name", NAME_LIMIT, "Lopez"),
        "phone": lambda text: phone(text, home=home),
        "email": lambda text: email(text) if text.strip() else "",
        "payment": payment,
        "amount": amount,
        "cook": cook_minutes,
        "notes": lambda text: (
            _words(text, "notes", NOTES_LIMIT, "Ring twice", least=NOTES_LEAST) if clean(text) else ""
        ),
    }
    return {**readers, **_place_readers("Blue door", near)} if with_place else readers


def booking_request(found: Mapping[str, Any]) -> BookingRequest:
    number: Phone = found["phone"]
    where: Position = found.get("position") or Position(latitude="", longitude="")
    return BookingRequest(
        country_code=number.country_code,
        mobile=number.national,
        latitude=where.latitude,
        longitude=where.longitude,
        address=found.get("address", ""),
        place_reference=found.get("place_reference", ""),
        cents=found["amount"],
        cook_minutes=found["cook"],
        **{name: found[name] for name in ("name", "last_name", "email", "payment", "notes")},
    )


def store_readers() -> dict[str, Callable[[str], Any]]:
    return {
        "name": lambda text: _words(text, "name", NAME_LIMIT, "Centro"),
        "email": lambda text: email(text) if text.strip() else "",
        "phone": lambda text: phone(text) if text.strip() else _NO_PHONE,
        **_place_readers("Beside the church"),
        **dict.fromkeys(STORE_EXTRAS, vehicle),
    }


def vehicle(text: str) -> str:
    """Parse a word or two that only the service can validate; may be empty."""
    return _words(text, "text", EXTRA_LIMIT, "24B", least=0)


def _place_readers(landmark: str, near: Position | None = None) -> dict[str, Callable[[str], Any]]:
    return {
        "address": lambda text: _words(text, "address", ADDRESS_LIMIT, "12 Market Street", least=3),
        "position": partial(position, near=near),
        "place_reference": lambda text: _words(text, "how to find it", REFERENCE_LIMIT, landmark, least=0),
    }


def _words(text: str, argument: str, most: int, example: str, *, least: int = 1) -> str:
    cleaned = store(text)
    if not least <= len(cleaned) <= most:
        given = f"; this has {len(cleaned)}" if cleaned else ""
        rule = f"Enter {least} to {most} characters{given}"
        raise PersonError(argument=argument, rule=rule, example=example, given=text)
    return cleaned


def read_phone(text: str, *, home: str = "") -> Phone:
    """Parse a number with country code, or a national one if ``home`` (``+593``) is known. Raises RuleError."""
    chat = _CHAT.search(unquote(text))
    given = f"+{chat[1]}" if chat else re.sub("^00", "+", _LABEL.sub("", bare(clean(text)).removesuffix(".0")))
    mexican = _OLD_MEXICAN.fullmatch(re.sub("[^0-9]", "", given))
    if mexican and (given.startswith("+52") or (home == "+52" and not given.startswith("+"))):
        given = f"+52{mexican[1]}"
    is_code = re.fullmatch(r"\+[1-9][0-9]{0,2}", home) is not None
    region = phonenumbers.region_code_for_country_code(int(home)) if is_code else None
    numbers = [match.number for match in PhoneNumberMatcher(given, region, leniency=Leniency.POSSIBLE)]
    if len(numbers) > 1:
        mobile = next((number for number in numbers if phonenumbers.number_type(number) in _MOBILE), numbers[0])
        raise RuleError(f"Enter one number, such as {_split(mobile)}")
    if any(number.extension for number in numbers):  # the service has no field for extensions
        raise RuleError(_EXTENSION)
    if re.search(r"[^\W\d_]|#", given):  # 1-800-FLOWERS
        raise RuleError(_NO_NUMBER)
    try:
        found = phonenumbers.parse(given, region)
        if "(0)" in given and not phonenumbers.is_valid_number(found):  # e.g. Poland's don't start with 0
            found = phonenumbers.parse(given.replace("(0)", ""), region)
    except NumberParseException as wrong:
        raise RuleError(_RULES.get(wrong.error_type, _LENGTH)) from None
    is_doubtful = "/" in given and not phonenumbers.is_valid_number(found)  # 02 234 5678/9
    if is_doubtful or phonenumbers.is_possible_number_with_reason(found) != ValidationResult.IS_POSSIBLE:
        raise RuleError(_LENGTH)
    number = _split(found)
    if phonenumbers.parse(f"{number.country_code}{number.national}") != found:  # leading zeros that don't belong to it
        raise RuleError(_NO_NUMBER)
    return number


def _split(number: PhoneNumber) -> Phone:
    return Phone(country_code=f"+{number.country_code}", national=phonenumbers.national_significant_number(number))
