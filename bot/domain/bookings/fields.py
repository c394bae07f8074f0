"""Readers of the fields of bookings and stores: the value, or ``PersonError`` with the rule that is broken.

Phone numbers and positions are read as people paste them: digits in any grouping; ``lat, lng``, or a link unfollowed.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import phonenumbers
from phonenumbers import NumberParseException, ValidationResult

from bot.domain.bookings.booking import COOK_MOST, NOTES_LEAST, NOTES_LIMIT, BookingRequest
from bot.domain.bookings.record import STORE_EXTRAS, Payment, Phone, Position
from bot.domain.errors import PersonError, RuleError
from bot.domain.fields import amount, email, ruled
from bot.domain.text import clean

NAME_LIMIT: Final = 60
ADDRESS_LIMIT: Final = 200
REFERENCE_LIMIT: Final = 150
REASON_LIMIT: Final = 250
EXTRA_LIMIT: Final = 80
_NO_PHONE: Final = Phone(country_code="", national="")
BOOKING_RULE: Final = "a reference such as B-4F7K2M"
STORE_RULE: Final = "the name of a store"
_MINUS: Final = re.compile("\u2212|%E2%88%92", re.IGNORECASE)
_NUMBER: Final = r"[-+]?[0-9]{1,3}(?:\.[0-9]{1,15})?"
_PAIR: Final = re.compile(rf"({_NUMBER})\s*[°º]?\s*([NSns])?\s*[,;~\s/]\s*({_NUMBER})\s*[°º]?\s*([EWOewo])?")
_COMMAS: Final = re.compile(r"([-+]?[0-9]{1,3},[0-9]{1,15})\s*[;\s]\s*([-+]?[0-9]{1,3},[0-9]{1,15})")
_PIN: Final = re.compile(rf"!3d({_NUMBER})!4d({_NUMBER})")
_AT: Final = re.compile(rf"@({_NUMBER}),({_NUMBER})")
_HASH: Final = re.compile(rf"map=[0-9.]+/({_NUMBER})/({_NUMBER})")
_QUERIES: Final = tuple("ll query q destination daddr cp center sll pin coordinate coords to".split())  # noqa: SIM905
_SHORT: Final = frozenset(
    "maps.app.goo.gl goo.gl g.co bit.ly osm.org tinyurl.com maps.apple t.ly waze.com ul.waze.com".split()  # noqa: SIM905
)
"""Hosts whose links lead to a map and hold no position."""
_INSIDE: Final = ("continue", "url", "link", "u")
"""Parameters with the address that a page of consent leads to."""
_MOST: Final = 2_000
_NORTH, _EAST = 90, 180
_PAIRS: Final = (("mlat", "mlon"), ("lat", "lng"), ("lat", "lon"))
_NO_POSITION: Final = "Paste a map link or coordinates like -0.1807, -78.4678"
_NOT_IN_LINK: Final = "This link shows no position. Paste coordinates like -0.1807, -78.4678"
_SHORTENED: Final = "This short link shows no position. Paste the full link, or coordinates"
_NO_NUMBER: Final = "Enter a phone number in digits, for example +593 99 123 4567"
_NO_COUNTRY: Final = "Start with the country code, for example +593 99 123 4567"
_LENGTH: Final = "Enter a full phone number, for example +593 99 123 4567"
_RULES: Final = {NumberParseException.INVALID_COUNTRY_CODE: _NO_COUNTRY, NumberParseException.NOT_A_NUMBER: _NO_NUMBER}


class LinkFlaw(StrEnum):
    """Why a short link gave no position."""

    NO_POSITION = "no position"
    UNREACHABLE = "unreachable"
    PRIVATE = "private"


def store(text: str) -> str:
    return " ".join(clean(text).split())


def phone(text: str, *, home: str = "") -> Phone:
    """A phone number with a country code, or one of the country with the code ``home``."""
    return ruled("phone", "+593 99 123 4567", lambda given: read_phone(given, home=home), text)


def position(text: str) -> Position:
    return ruled("position", "-0.1807, -78.4678", read_position, text)


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


def booking_readers(*, home: str, with_place: bool) -> dict[str, Callable[[str], Any]]:
    """The reader of each field of a booking, by its name; ``home``: country code of the store."""
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
    return {**readers, **_place_readers("Blue door")} if with_place else readers


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
    """A word or two that only the service can judge, or nothing."""
    return _words(text, "text", EXTRA_LIMIT, "24B", least=0)


def _place_readers(landmark: str) -> dict[str, Callable[[str], Any]]:
    return {
        "address": lambda text: _words(text, "address", ADDRESS_LIMIT, "12 Market Street", least=3),
        "position": position,
        "place_reference": lambda text: _words(text, "how to find it", REFERENCE_LIMIT, landmark, least=0),
    }


def _words(text: str, argument: str, most: int, example: str, *, least: int = 1) -> str:
    cleaned = store(text)
    if not least <= len(cleaned) <= most:
        given = f"; this has {len(cleaned)}" if cleaned else ""
        rule = f"Enter {least} to {most} characters{given}"
        raise PersonError(argument=argument, rule=rule, example=example, given=text)
    return cleaned


def read_position(text: str) -> Position:
    """A position from what somebody typed or pasted; raises RuleError where there is none, or none on this planet."""
    given = _MINUS.sub("-", text.strip().strip("<>()").partition("|")[0].strip())
    if not given or len(given) > _MOST:
        raise RuleError(_NO_POSITION)
    found = _of_link(given) if "://" in given or given.startswith("geo:") else _of_words(given)
    if found is None:
        try:
            host = (urlsplit(given).hostname or "") if "://" in given else ""
        except ValueError:
            host = "unreadable"
        if host.removeprefix("www.") in _SHORT:
            raise RuleError(_SHORTENED)
        raise RuleError(_NOT_IN_LINK if host else _NO_POSITION)
    # Seven decimals are a centimetre; the rest is noise of a map's own.
    latitude, longitude = (re.sub(r"(?<=\.[0-9]{7})[0-9]+", "", number.removeprefix("+")) for number in found)
    north, east = map(float, found)
    if abs(north) > _NORTH and abs(east) <= _NORTH and abs(north) <= _EAST:
        raise RuleError("Latitude comes first: these two look swapped")
    if abs(north) > _NORTH or abs(east) > _EAST:
        raise RuleError("Latitude goes from -90 to 90, longitude from -180 to 180")
    if north == 0 and east == 0:
        raise RuleError("0, 0 is in the ocean. Paste the real position")
    return Position(latitude=latitude, longitude=longitude)


def short_link(text: str, *, own: str = "") -> str:
    """The address of a short link, whose position is known when it was opened; empty for every other text.

    ``own``: origin of a service on this machine whose links are short ones, too.
    """
    given = text.strip().strip("<>()").partition("|")[0].strip()
    url = given if "://" in given else f"https://{given}"
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return ""
    is_short = host in _SHORT or bool(own and url.startswith(f"{own}/"))
    sound = parts.scheme in ("https", "http") and parts.path.strip("/") and len(url) <= _MOST and url.isprintable()
    return url if is_short and sound and _of_link(url) is None else ""


def position_behind(url: str) -> Position | None:
    """The position in an address, or in the one that it carries."""
    try:
        carried = parse_qs(urlsplit(url).query)
    except ValueError:
        return None
    for one in (url, *(value for name in _INSIDE for value in carried.get(name, ()) if "://" in value)):
        with suppress(RuleError):
            return read_position(one)
    return None


def map_link(position: Position) -> str:
    latitude, longitude = position.latitude, position.longitude
    return f"https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"


def _of_words(text: str) -> tuple[str, str] | None:
    commas = _COMMAS.fullmatch(text)
    if commas is not None:  # -0,1807; -78,4678 as many countries write it
        return commas[1].replace(",", "."), commas[2].replace(",", ".")
    pair = _PAIR.fullmatch(text)
    if pair is None:
        return None
    north = f"-{pair[1].lstrip('+-')}" if pair[2] in ("S", "s") else pair[1]
    return north, f"-{pair[3].lstrip('+-')}" if pair[4] and pair[4] in "WwOo" else pair[3]


def _of_link(text: str) -> tuple[str, str] | None:
    if text.startswith("geo:"):
        return _of_words(text.removeprefix("geo:").partition("?")[0].partition(";")[0])
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    path, given = unquote(parts.path), parse_qs(parts.query)
    written = [
        *(f"{given[north][0]}, {given[east][0]}" for north, east in _PAIRS if north in given and east in given),
        *(value.removeprefix("loc:").removeprefix("ll.").strip() for name in _QUERIES for value in given.get(name, ())),
        # /maps/place/-0.18,-78.46 and /maps/search/…
        *(part.replace("+", " ").strip() for part in reversed(path.split("/")) if "," in part and part[0] != "@"),
    ]
    found: list[tuple[str, str]] = [
        *_PIN.findall(path)[-1:],  # the pin itself, rather than the middle of the screen
        *filter(None, map(_of_words, written)),
        *_AT.findall(path)[-1:],
        *_HASH.findall(parts.fragment)[-1:],
    ]
    return found[0] if found else None


def read_phone(text: str, *, home: str = "") -> Phone:
    """A number with its country's code, or a national one where ``home`` (``+593``) is known; raises RuleError."""
    given = text.strip().removeprefix("tel:")
    if re.search(r"[^\W\d_]|#", given):  # neither 1-800-FLOWERS nor an extension, which the service has no field for
        raise RuleError(_NO_NUMBER)
    given = f"+{given[2:]}" if given.startswith("00") else given
    is_code = re.fullmatch(r"\+[1-9][0-9]{0,2}", home) is not None
    try:
        found = phonenumbers.parse(given, phonenumbers.region_code_for_country_code(int(home)) if is_code else None)
    except NumberParseException as wrong:
        raise RuleError(_RULES.get(wrong.error_type, _LENGTH)) from None
    if phonenumbers.is_possible_number_with_reason(found) != ValidationResult.IS_POSSIBLE:
        raise RuleError(_LENGTH)
    national = phonenumbers.national_significant_number(found)
    if phonenumbers.parse(f"+{found.country_code}{national}") != found:  # zeros in front that are not part of it
        raise RuleError(_NO_NUMBER)
    return Phone(country_code=f"+{found.country_code}", national=national)
