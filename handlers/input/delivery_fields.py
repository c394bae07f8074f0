"""Readers of typed values about deliveries: the same checks for every form."""

from collections.abc import Mapping
from typing import Any

from bot.domain.bookings.booking import COOK_MOST, NOTES_LEAST, NOTES_LIMIT, BookingRequest
from bot.domain.bookings.phones import PhoneError, read_phone
from bot.domain.bookings.places import PlaceError, read_position
from bot.domain.bookings.record import Payment, Phone, Position
from bot.domain.errors import PersonError
from bot.domain.visible import clean
from bot.presentation.bookings import forms as views
from handlers.input import fields
from handlers.input.fields import Read

BOOKING_RULE = "a reference such as B-4F7K2M or V-4F7K2M, or the booking's number at the service"
STORE_RULE = "the name of a store"
_POSITION_EXAMPLE = "-0.1807, -78.4678"


def booking(text: str) -> str:
    """A reference of ours or an id of the service."""
    return text.strip().strip("`")


def store(text: str) -> str:
    """The name of a store, without invisible characters and repeated spaces."""
    return " ".join(clean(text).split())


def words(text: str, *, argument: str, most: int, least: int = 1, example: str) -> str:
    """A text without invisible characters, within its limits."""
    cleaned = " ".join(clean(text).split())
    if not least <= len(cleaned) <= most:
        rule = f"it must have {least} to {most} characters; this has {len(cleaned)}"
        raise PersonError(argument=argument, rule=rule, example=example, given=text)
    return cleaned


def phone(text: str, *, home: str = "") -> Phone:
    """A phone number with a country code, or one of the store's country."""
    try:
        return read_phone(text, home=home)
    except PhoneError as broken:
        raise PersonError(argument="phone", rule=broken.rule, example="+593 99 123 4567", given=text) from None


def position(text: str) -> Position:
    """``lat, lng`` or a link to a map."""
    try:
        return read_position(text)
    except PlaceError as broken:
        raise PersonError(argument="position", rule=broken.rule, example=_POSITION_EXAMPLE, given=text) from None


def payment(text: str) -> Payment:
    """Cash or card."""
    try:
        return Payment(text.strip().upper())
    except ValueError:
        raise PersonError(argument="payment", rule="it must be CASH or CARD", example="CARD", given=text) from None


def cook_minutes(text: str) -> int:
    """Whole minutes; 0 for an empty field."""
    digits = text.strip()
    if not digits:
        return 0
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 4 and int(digits) <= COOK_MOST):  # noqa: PLR2004
        rule = f"it must be whole minutes from 0 to {COOK_MOST}"
        raise PersonError(argument="cook time", rule=rule, example="15", given=text)
    return int(digits)


def notes(text: str) -> str:
    """Empty, or at most as long as the service accepts."""
    if not clean(text):
        return ""
    return words(text, argument="notes", least=NOTES_LEAST, most=NOTES_LIMIT, example="Ring twice")


def reason(text: str) -> str:
    """Why a booking is canceled."""
    return words(text, argument="reason", most=views.REASON_LIMIT, example="customer called it off")


def booking_readers(*, home: str, with_place: bool) -> dict[str, Read]:
    """The readers of the booking form's fields; ``home``: the country code of the store."""
    limit, example = views.NAME_LIMIT, "Ana"
    readers: dict[str, Read] = {
        views.NAME: lambda text: words(text, argument="first name", most=limit, example=example),
        views.LAST_NAME: lambda text: words(text, argument="last name", most=limit, example="Lopez"),
        views.PHONE: lambda text: phone(text, home=home),
        views.EMAIL: lambda text: fields.email(text) if text.strip() else "",
        views.PAYMENT: payment,
        views.AMOUNT: fields.amount,
        views.COOK: cook_minutes,
        views.NOTES: notes,
    }
    if with_place:
        readers |= {
            views.ADDRESS: _address,
            views.POSITION: position,
            views.PLACE_REFERENCE: lambda text: words(
                text, argument="how to find it", least=0, most=views.REFERENCE_LIMIT, example="Blue door"
            ),
        }
    return readers


def booking_request(found: Mapping[str, Any]) -> BookingRequest:
    """The fields that were read, as one value."""
    number: Phone = found[views.PHONE]
    where: Position | None = found.get(views.POSITION)
    return BookingRequest(
        name=found[views.NAME],
        last_name=found[views.LAST_NAME],
        country_code=number.country_code,
        mobile=number.national,
        email=found[views.EMAIL],
        latitude=where.latitude if where is not None else "",
        longitude=where.longitude if where is not None else "",
        address=found.get(views.ADDRESS, ""),
        place_reference=found.get(views.PLACE_REFERENCE, ""),
        payment=found[views.PAYMENT],
        cents=found[views.AMOUNT],
        cook_minutes=found[views.COOK],
        notes=found[views.NOTES],
    )


def store_readers() -> dict[str, Read]:
    """The readers of a store form's fields."""
    return {
        views.NAME: lambda text: words(text, argument="name", most=views.NAME_LIMIT, example="Centro"),
        views.EMAIL: fields.email,
        views.PHONE: phone,
        views.ADDRESS: _address,
        views.POSITION: position,
        views.PLACE_REFERENCE: lambda text: words(
            text, argument="how to find it", least=0, most=views.REFERENCE_LIMIT, example="Beside the church"
        ),
    }


def _address(text: str) -> str:
    return words(text, argument="address", least=3, most=views.ADDRESS_LIMIT, example="12 Market Street")
