"""Readers of the delivery service's JSON: tolerant of names and envelopes, strict about ids. They raise ValueError."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from pydantic import SecretStr

from bot.clients import unread
from bot.clients.routes import Route
from bot.clients.unread import Unfit
from bot.domain.bookings.record import (
    STORE_EXTRAS,
    BookingRecord,
    Driver,
    Order,
    PrebookingRecord,
    Quote,
    StoreRecord,
    Webhook,
    is_canceled,
)
from bot.domain.money import plain
from bot.domain.text import HIDDEN, one_line

_DEGREES: Final = re.compile(r"-?[0-9]{1,3}(\.[0-9]{1,15})?", re.ASCII)
_MOST_URL: Final = 2_000
_MOST_LISTED: Final = 2_000
_MOST_ORDERS: Final = 50
_MOST_FIELDS: Final = 20
_LONGEST_VALUE: Final = 200
_DEEPEST: Final = 4
_LONGEST_NAME: Final = 60
_PROVIDER: Final = ("providerName", "name")
_STATE: Final = ("status", "state")
"""Additional names in an order, which is undocumented."""
_OF_A_DRIVER: Final = ("driver_name", "driver_mobile", "driver_email", "driver_image")
_SECRET: Final = re.compile(r"token|secret|password|api_?key|authorization", re.IGNORECASE)
_LINES_OF_A_BOOKING: Final = ("currency", "cancel_reason", "validation_code", "address", "payment_method")
_LINES_OF_A_STORE: Final = ("email", "mobile", "country_code", "address", "reference", *STORE_EXTRAS)

Body = Mapping[str, object]
States = Callable[[str], str]
"""Maps the service's word for a state to ours, or returns the word itself."""


def read_booking(
    document: object,
    route: Route,
    *,
    states: States = str,
    a_minute: int = 60_000,
    booking_id: str = "",
    external_id: str = "",
) -> BookingRecord:
    """Read a booking; only id and state are required.

    ``a_minute``: units of the service's cook time per minute. ``booking_id``: required internal or public id.
    ``external_id``: required external id, unless the record has none.
    """
    body, names = _unwrapped(document, route), route.reply
    identifier, word = unread.text(body, names["id"]), unread.line(body, names["status"])
    if not identifier or not word:
        raise Unfit("no booking: id or statusText is missing", body, names["id"], names["status"])
    proof = unread.value(body, names["proof"])
    if isinstance(proof, list):
        proof = next(filter(None, proof), None)
    if isinstance(proof, dict):
        proof = unread.value(proof, ("url", "image", "photo", "link", "text"))
    proven, cook = unread.as_text(proof), unread.text(body, names["cook_time"])
    record = BookingRecord(
        id=identifier,
        status=states(word),
        word=word,
        numeric_id=unread.text(body, names["numeric_id"]),
        external_id=unread.text(body, names["external_id"]),
        tracking_url=_url(body, names["tracking_url"]),
        detail_url=_url(body, names["detail_url"]),
        fee=_amount(body, names["fee"]),
        driver=_driver(body, route),
        orders=_orders(body, route),
        proof=_address(proven) or one_line(proven),
        customer=f"{unread.line(body, names['name'])} {unread.line(body, names['last_name'])}".strip(),
        amount=_amount(body, names["amount"]),
        cook_minutes=round(int(cook) / a_minute) if re.fullmatch("[0-9]{1,9}", cook) else 0,
        **{ours: unread.line(body, names[ours]) for ours in _LINES_OF_A_BOOKING},
    )
    if booking_id and booking_id not in (record.id, record.numeric_id):
        raise Unfit("the record of another booking", body, names["id"])
    if external_id and record.external_id not in ("", external_id):
        raise Unfit("the record of another booking", body, names["external_id"])
    return record


def _driver(body: Body, route: Route) -> Driver:
    names = route.reply
    found = unread.value(body, names["driver"])
    inner = found if isinstance(found, dict) else {}
    # At the top level only the first name is the driver's; the others would be the booking's.
    contact = {
        part: unread.line(inner, names[f"driver_{part}"]) or unread.line(body, names[f"driver_{part}"][:1])
        for part in ("name", "mobile", "email")
    }
    return Driver(
        **contact,
        image=_url(inner, names["driver_image"]) or _url(body, names["driver_image"][:1]),
        provider=unread.line(inner, names["provider"]) or unread.line(body, names["provider"]),
    )


def _orders(body: Body, route: Route) -> tuple[Order, ...]:
    """Read the orders to providers: a list of objects or names, or an object of provider -> order or state."""
    names, found = route.reply, unread.value(body, route.reply["orders"])
    providers, states = (*names["provider"], *_PROVIDER), (*names["status"], *_STATE)
    if isinstance(found, dict):
        inner = ((name, one if isinstance(one, dict) else {states[0]: one}) for name, one in found.items())
        found = [{providers[0]: name, **one} for name, one in inner]
    inside = {*providers, *(name for part in _OF_A_DRIVER for name in names[part])}
    read = []
    for one in found[:_MOST_ORDERS] if isinstance(found, list) else ():
        order = one if isinstance(one, dict) else {providers[0]: one}
        provider = unread.value(order, providers)
        used = {_used(order, some) for some in (providers, states, names["driver"])}
        used |= {names[part][0] for part in _OF_A_DRIVER}
        left = {name: _left(value, inside) if name in used else value for name, value in order.items()}
        read.append(
            Order(
                provider=unread.line(provider if isinstance(provider, dict) else order, providers),
                status=unread.line(order, states),
                driver=replace(_driver(order, route), provider=""),
                rest=rest_of(left),
            )
        )
    return tuple(one for one in read if one != Order())


def _used(body: Body, names: unread.Names) -> str:
    return next((name for name in names if body.get(name) not in (None, "")), "")


def _left(value: object, used: Collection[str]) -> object:
    """Return the unread fields of a value that was read; None if it isn't an object."""
    return {name: one for name, one in value.items() if name not in used} if isinstance(value, dict) else None


def rest_of(body: Body, known: Collection[str] = ()) -> dict[str, str]:
    """Return unknown fields by path as text for display; values whose names suggest a secret are hidden."""
    found: dict[str, str] = {}

    def take(value: object, path: str, depth: int) -> None:
        inner = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else None
        if inner is not None:
            for name, one in inner if depth else ():
                take(one, f"{path}.{name}" if path else str(name), depth - 1)
        elif len(found) > _MOST_FIELDS:
            found["more"] = "…"
        elif value not in (None, ""):
            text = str(value) if isinstance(value, Decimal | float | bool) else unread.as_text(value)
            said = one_line(text)
            said = f"{said[:_LONGEST_VALUE]} …" if len(said) > _LONGEST_VALUE else said
            shown = HIDDEN if _SECRET.search(path) else _address(text) or said
            found[one_line(path, _LONGEST_NAME)] = shown

    take({name: one for name, one in body.items() if name not in known}, "", _DEEPEST)
    return found


def read_event(document: object, route: Route, **words: Any) -> tuple[str, BookingRecord]:
    """Read a webhook's report: the booking's internal or public id, and its record, whose state may be missing."""
    body, names = _unwrapped(document, route), route.reply
    identifier = unread.text(body, names["id"]) or unread.text(body, names["numeric_id"])
    if not identifier:
        raise Unfit("no booking is named", body, names["id"], names["numeric_id"])
    named = {**body, names["id"][0]: identifier}
    if not unread.text(named, names["status"]):
        named[names["status"][0]] = "?"
    return identifier, read_booking(named, route, **words)


def read_quote(document: object, route: Route) -> Quote:
    """Read a quote; a price is required."""
    body, names = _unwrapped(document, route), route.reply
    fee, with_tax = _amount(body, names["fee"]), _amount(body, names["fee_with_tax"])
    if not fee and not with_tax:
        raise Unfit("no quote: there is no deliveryFee", body, names["fee"], names["fee_with_tax"])
    return Quote(
        fee=fee or with_tax,
        fee_with_tax=with_tax,
        tax=_amount(body, names["tax"]),
        currency=unread.line(body, names["currency"]),
        eta=unread.shown(body, names["eta"]),
        distance=unread.shown(body, names["distance"]),
    )


def read_store(document: object, route: Route, *, is_new: bool = False) -> StoreRecord:
    """Read a store; its name is required, and for a new one also the key, since it can't be used without."""
    body = _unwrapped(document, route)
    store = _store(body, route)
    if is_new and store.key is None:
        raise Unfit("no key came with the store", body, route.reply["key"])
    return store


def _unless_error(document: object) -> object:
    """Return the document unless it reports an error, which must not be read as an empty list."""
    if isinstance(document, dict) and (document.get("error") or document.get("success") is False):
        raise Unfit("an error", document)
    return document


def read_stores(document: object, route: Route) -> tuple[StoreRecord, ...]:
    """Read a list of stores, bare or under ``data``; nameless ones are left out."""
    found = _unless_error(document)
    for _ in range(3):
        if isinstance(found, dict):
            inner = unread.value(found, (*route.reply["data"], "stores", "companies"))
            found = inner if inner is not None else []
    if not isinstance(found, list):
        raise Unfit("no list of stores", document, route.reply["data"])
    named = (one for one in found[:_MOST_LISTED] if isinstance(one, dict) and unread.text(one, route.reply["name"]))
    return tuple(_store(one, route) for one in named)


def read_webhooks(document: object, route: Route) -> tuple[Webhook, ...]:
    """Read registrations: a list or an object of kind -> address, bare or wrapped."""
    names = route.reply
    found = _unless_error(document)
    if isinstance(found, dict):
        inner = unread.value(found, names["webhooks"])
        if isinstance(inner, list | dict):
            found = inner
        elif not found or any(name in found for name in (*names["webhooks"], "message", "messageKey")):
            found = []  # an empty answer, not an object of addresses
    if isinstance(found, dict):
        found = [{"type": kind, "url": url} for kind, url in found.items()]
    if not isinstance(found, list):
        raise Unfit("no list of webhooks", document, names["webhooks"])
    read = ((unread.text(one, names["type"]), unread.text(one, names["url"])) for one in found if isinstance(one, dict))
    return tuple(Webhook(kind=kind, url=url) for kind, url in read if kind and url)


def read_prebooking(
    document: object, route: Route, *, states: States = str, prebooking_id: str = "", needs_link: bool = False
) -> PrebookingRecord:
    """Read a pre-booking; its id is required. ``needs_link``: also the link for entering a missing address."""
    body, names = _unwrapped(document, route), route.reply
    known = {name for part, some in names.items() for name in some if part != "data"}
    record = PrebookingRecord(
        id=unread.text(body, names["id"]),
        url=_url(body, names["url"]),
        has_address=unread.flag(body, names["has_address"]),
        booking_id=unread.text(body, names["booking_id"]),
        status=states(unread.line(body, names["status"])),
        external_id=unread.text(body, names["external_id"]),
        customer=f"{unread.line(body, names['name'])} {unread.line(body, names['last_name'])}".strip(),
        amount=_amount(body, names["amount"]),
        payment_method=unread.line(body, names["payment_method"]),
        rest=rest_of(body, known),
    )
    if not record.id:
        raise Unfit("no pre-booking: its id is missing", body, names["id"])
    if needs_link and not (record.url or record.has_address or record.booking_id or is_canceled(record.status)):
        raise Unfit("no link came with the pre-booking", body, names["url"])
    if prebooking_id not in ("", record.id):
        raise Unfit("the record of another pre-booking", body, names["id"])
    return record


def _unwrapped(document: object, route: Route) -> dict[str, object]:
    """Return the record, whether it is bare, under ``data``, or the only item of a list."""
    body: object = document
    for _ in range(3):
        if isinstance(body, list) and len(body) == 1:
            body = body[0]
        inner = unread.value(body, route.reply["data"]) if isinstance(body, dict) else None
        if not isinstance(inner, dict | list):
            break
        body = inner
    return unread.as_object(body)


def _store(body: Body, route: Route) -> StoreRecord:
    names = route.reply
    name, key = unread.line(body, names["name"]), unread.text(body, names["key"])
    if not name:
        raise Unfit("no store: its name is missing", body, names["name"])
    return StoreRecord(
        name=name,
        id=unread.text(body, names["id"]),
        key=SecretStr(key) if key else None,
        latitude=_degrees(body, names["latitude"]),
        longitude=_degrees(body, names["longitude"]),
        **{ours: unread.line(body, names[ours]) for ours in _LINES_OF_A_STORE},
    )


def _url(body: Body, names: unread.Names) -> str:
    return _address(unread.text(body, names))


def _address(text: str) -> str:
    """Return an http(s) address without characters that could end a Slack link; empty for anything else."""
    is_sound = text.startswith(("https://", "http://")) and len(text) <= _MOST_URL
    return text if is_sound and not any(letter.isspace() or letter in '<>|"' for letter in text) else ""


def _amount(body: Body, names: unread.Names) -> str:
    """Return an amount with two decimal places if it is exact, else as it came."""
    cents = unread.cents(body, names)
    return plain(cents) if cents is not None else unread.shown(body, names)


def _degrees(body: Body, names: unread.Names) -> str:
    found = unread.value(body, names)
    text = format(found, "f") if isinstance(found, Decimal) else unread.as_text(found)
    return text if _DEGREES.fullmatch(text) else ""
