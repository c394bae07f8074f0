"""Parsing and validation of requests to the delivery service."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import NoReturn

from bot.playground.simulators.delivery.shapes import refused
from bot.playground.simulators.exchange import Ask, Refusal

STORE_FIELDS = (
    "companyName",
    "email",
    "mobile",
    "countryCode",
    "latitude",
    "longitude",
    "fullAddress",
)
STORE_EXTRAS = ("addressReference", "exterior", "interior", "addressNumber", "building", "country", "city", "zipCode")
VEHICLES = {"MOTORCYCLE": 1.0, "CAR": 1.5, "VAN": 2.5}
"""What a delivery by each costs, compared with the cheapest."""
_BOOKING_FIELDS = ("customerName", "customerLastName", "customerCountryCode", "customerMobile", "paymentMethod")
_PLACE_FIELDS = ("latitude", "longitude", "address")
_NOTES = range(3, 251)


def read_object(ask: Ask) -> dict[str, object]:
    """The body as a JSON object."""
    try:
        body = ask.json()
    except ValueError:
        body = None
    if body is None:
        return {}
    if not isinstance(body, dict):
        _refuse("The body must be a JSON object", "INVALID_BODY")
    return body


def read_store(ask: Ask, *, whole: bool) -> dict[str, object]:
    """A store; ``whole``: every required field must be there."""
    body = read_object(ask)
    if whole:
        for name in STORE_FIELDS:
            if body.get(name) in (None, ""):
                _refuse(f"{name} is required", "MISSING_FIELD")
    known = {name: body[name] for name in (*STORE_FIELDS, *STORE_EXTRAS) if name in body}
    if "latitude" in known or "longitude" in known:
        _check_point(known)
    if "countryCode" in known:
        _check_country_code(known["countryCode"], "countryCode")
    return {name: _plain(value) for name, value in known.items()}


def read_quote(ask: Ask) -> dict[str, object]:
    """A pre-checkout."""
    body = read_object(ask)
    _check_point(body)
    _check_money(body)
    if (car := body.get("carName")) is not None and car not in VEHICLES:
        _refuse(f"carName must be one of {', '.join(VEHICLES)}", "INVALID_FIELD")
    return body


def read_booking(ask: Ask, *, with_place: bool) -> dict[str, object]:
    """A booking, or with ``with_place`` off a pre-booking, which must not have a place."""
    body = read_object(ask)
    for name in (*_BOOKING_FIELDS, *(_PLACE_FIELDS if with_place else ())):
        if body.get(name) in (None, ""):
            _refuse(f"{name} is required", "MISSING_FIELD")
    if not with_place and any(name in body for name in _PLACE_FIELDS):
        _refuse("A pre-booking has no delivery point", "INVALID_FIELD")
    if with_place:
        _check_point(body)
    _check_money(body)
    _check_phone(body)
    notes = body.get("bookingNotes")
    if notes is not None and len(str(notes)) not in _NOTES:
        _refuse("bookingNotes must have 3 to 250 characters", "INVALID_FIELD")
    cook = body.get("cookTime")
    if cook is not None and (isinstance(cook, bool) or not isinstance(cook, int) or cook < 0):
        _refuse("cookTime must be milliseconds", "INVALID_FIELD")
    return {name: _plain(value) for name, value in body.items()}


def _check_money(body: Mapping[str, object]) -> None:
    if body.get("paymentMethod") not in ("CASH", "CARD"):
        _refuse("paymentMethod must be CASH or CARD", "INVALID_FIELD")
    amount = body.get("orderAmount")
    if isinstance(amount, bool) or not isinstance(amount, int | Decimal) or amount <= 0:
        _refuse("orderAmount must be a number above zero", "INVALID_FIELD")


def _check_phone(body: Mapping[str, object]) -> None:
    _check_country_code(body["customerCountryCode"], "customerCountryCode")
    if re.fullmatch(r"[1-9][0-9]{3,13}", str(body["customerMobile"])) is None:
        _refuse("customerMobile must be national, without a leading 0", "INVALID_FIELD")


def _check_country_code(value: object, name: str) -> None:
    if re.fullmatch(r"\+[1-9][0-9]{0,3}", str(value)) is None:
        _refuse(f"{name} must be like +593", "INVALID_FIELD")


def _check_point(body: Mapping[str, object]) -> None:
    for name, most in (("latitude", 90), ("longitude", 180)):
        value = body.get(name)
        if isinstance(value, bool) or not isinstance(value, int | Decimal) or not -most <= value <= most:
            _refuse(f"{name} must be a number from -{most} to {most}", "INVALID_FIELD")


def _plain(value: object) -> object:
    """A value as stored: numbers keep their exact digits."""
    return format(value, "f") if isinstance(value, Decimal) else value


def _refuse(message: str, key: str) -> NoReturn:
    raise Refusal(refused(400, message, key))
