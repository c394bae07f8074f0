"""Readers of the fields of bookings and stores: the value, or ``PersonError`` with the rule that is broken."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bot.domain.bookings.booking import COOK_MOST, NOTES_LEAST, NOTES_LIMIT, BookingRequest
from bot.domain.bookings.places import read_phone, read_position
from bot.domain.bookings.record import Payment, Phone, Position
from bot.domain.errors import PersonError
from bot.domain.fields import amount, email, ruled
from bot.domain.text import clean

NAME_LIMIT: Final = 60
ADDRESS_LIMIT: Final = 200
REFERENCE_LIMIT: Final = 150
REASON_LIMIT: Final = 250
BOOKING_RULE: Final = "a reference such as B-4F7K2M or V-4F7K2M, or the booking's number at the service"
STORE_RULE: Final = "the name of a store"


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
        rule = f"it must be whole minutes from 0 to {COOK_MOST}"
        raise PersonError(argument="cook time", rule=rule, example="15", given=text)
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
        "email": email,
        "phone": phone,
        **_place_readers("Beside the church"),
    }


def _place_readers(landmark: str) -> dict[str, Callable[[str], Any]]:
    return {
        "address": lambda text: _words(text, "address", ADDRESS_LIMIT, "12 Market Street", least=3),
        "position": position,
        "place_reference": lambda text: _words(text, "how to find it", REFERENCE_LIMIT, landmark, least=0),
    }


def _words(text: str, argument: str, most: int, example: str, *, least: int = 1) -> str:
    cleaned = store(text)
    if not least <= len(cleaned) <= most:
        rule = f"it must have {least} to {most} characters; this has {len(cleaned)}"
        raise PersonError(argument=argument, rule=rule, example=example, given=text)
    return cleaned
