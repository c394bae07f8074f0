"""The forms of ``/deliver``."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain import money
from bot.domain.bookings.booking import NOTES_LIMIT, Booking, Stage
from bot.domain.bookings.fields import (
    ADDRESS_LIMIT,
    EXTRA_LIMIT,
    NAME_LIMIT,
    REASON_LIMIT,
    REFERENCE_LIMIT,
)
from bot.domain.bookings.places import map_link
from bot.domain.bookings.record import STORE_EXTRAS, Payment
from bot.domain.content import Block
from bot.domain.errors import PersonError
from bot.domain.fields import email
from bot.domain.text import clean
from bot.presentation.blocks.text import choice, counted, paragraph, plain, quote, quote_sentence, section, shorten
from bot.presentation.bookings.answers import STORE_LABELS, quote_lines
from bot.presentation.bookings.cards import headline, order
from bot.presentation.files.columns import select
from bot.presentation.reasons import in_words
from bot.presentation.views import View, email_input, field, form, text_input

BOOK = "booking.request"
PREBOOK = "booking.prebook"
CONFIRM = "booking.confirm"
QUOTE = "booking.quote"
CANCEL = "booking.cancel"
FOUND = "booking.found"
FOUND_ID = "prebooking"
STORE_ADD = "store.add"
STORE_EDIT = "store.edit"
# The ids of fields are the names of their parsers in bot.domain.bookings.fields.
STORE = "store"
NAME = "name"
LAST_NAME = "last_name"
EMAIL = "email"
PHONE = "phone"
ADDRESS = "address"
POSITION = "position"
PLACE_REFERENCE = "place_reference"
PAYMENT = "payment"
AMOUNT = "amount"
COOK = "cook"
NOTES = "notes"
REASON = "reason"
ANYWAY = "anyway"
CUSTOMER = "customer"
KNOWN = "booking.customer"
"""Sent when an earlier customer is chosen; the next one, when a phone number is entered."""
TYPED = "booking.phone"
VEHICLE = "vehicle"
_EXTRAS = {
    "exterior": "24B",
    "interior": "Floor 3",
    "number": "24",
    "building": "Torre Sur",
    "city": "Quito",
    "zip_code": "170150",
    "country": "Ecuador",
}
"""Examples for the optional fields of a store."""
_POSITION_LIMIT = 2_000
_PHONE_LIMIT = 200
_MOST_OPTIONS = 100
_OPTION_LIMIT = 75
Values = Mapping[str, str]


def book(
    stores: Sequence[str],
    *,
    channel: str,
    values: Values | None = None,
    problem: str = "",
    anyway: bool = False,
    known: Sequence[Booking] = (),
    filled: str = "",
) -> View:
    """Build the form of a booking, whose price is shown before anything is booked.

    ``anyway`` offers to continue without a price after it couldn't be fetched. ``known`` has the last booking of each
    customer to choose from. ``filled`` is the booking from which the customer's fields were just filled: Slack keeps
    typed text in a field as long as its id stays the same.
    """
    given = values or {}
    place = [
        _text(ADDRESS, "Delivery address", given, most=ADDRESS_LIMIT, example="12 Market Street, 3rd floor"),
        _position(given),
        _text(PLACE_REFERENCE, "How to find it", given, most=REFERENCE_LIMIT, example="Blue door", optional=True),
    ]
    blocks = [
        *_problem(problem),
        _store(stores, given),
        *_known(known, given),
        *_renewed([*_customer(given), *place], filled),
        *_order(given),
    ]
    if anyway:
        options = [_option("Book even without a price", ANYWAY)]
        element = {"type": "checkboxes", "action_id": ANYWAY, "options": options}
        blocks.append(field(ANYWAY, "Without a price", element, optional=True))
    return form(BOOK, "Book a delivery", "Show the price", {"channel": channel}, blocks, close="Close")


def booking_values(booking: Booking) -> dict[str, str]:
    """Return the form's values to repeat a booking."""
    request = booking.request
    if request is None:
        return {}
    return {
        STORE: booking.store,
        NAME: request.name,
        LAST_NAME: request.last_name,
        PHONE: str(request.phone),
        EMAIL: _email(request.email),
        ADDRESS: request.address,
        POSITION: "" if request.position is None else str(request.position),
        PLACE_REFERENCE: request.place_reference,
        PAYMENT: request.payment.value,
        AMOUNT: money.plain(request.cents),
        COOK: str(request.cook_minutes or ""),
        NOTES: request.notes,
    }


def _known(known: Sequence[Booking], given: Values) -> list[Block]:
    """Offer earlier customers, whom Slack finds by any part of the name or number."""
    options = [
        _option(f"{one.request.customer} · {one.request.phone}", one.id) for one in known if one.request is not None
    ]
    if not options:
        return []
    chosen = next((at for at, option in enumerate(options) if option["value"] == given.get(CUSTOMER)), None)
    block = select(CUSTOMER, "Earlier customer", options, initial=chosen)
    element = {**block["element"], "action_id": KNOWN, "placeholder": plain("Name or phone")}
    hint = plain("Fills in name, phone and address.")
    return [{**block, "element": element, "optional": True, "dispatch_action": True, "hint": hint}]


def _renewed(blocks: Sequence[Block], filled: str) -> list[Block]:
    """Give the fields new ids, so that Slack shows the filled-in values."""
    if not filled:
        return list(blocks)
    return [
        {**block, "element": {**block["element"], "action_id": f"{block['element']['action_id']}:{filled}"}}
        for block in blocks
    ]


def customer_values(booking: Booking) -> dict[str, str]:
    """Return the customer's values from a booking, without the order."""
    about = (NAME, LAST_NAME, PHONE, EMAIL, ADDRESS, POSITION, PLACE_REFERENCE)
    found = booking_values(booking)
    return {CUSTOMER: booking.id, **{name: found[name] for name in about}}


def prebook(
    stores: Sequence[str],
    *,
    channel: str,
    values: Values | None = None,
    known: Sequence[Booking] = (),
    filled: str = "",
) -> View:
    """Build the form of a pre-booking; ``known`` and ``filled`` are like those of :func:`book`."""
    lead = section(plain("You get a link for the customer, who enters the address. Then the driver search starts."))
    given = values or {}
    customer = [*_known(known, given), *_renewed(_customer(given), filled)]
    blocks = [lead, _store(stores, given), *customer, *_order(given)]
    return form(PREBOOK, "Pre-book a delivery", "Get the link", {"channel": channel}, blocks, close="Close")


def price(stores: Sequence[str], *, values: Values | None = None, problem: str = "") -> View:
    given = values or {}
    vehicle = _text(VEHICLE, "Vehicle", given, most=EXTRA_LIMIT, example="CAR", optional=True)
    blocks = [*_problem(problem), _store(stores, given), _position(given), _payment(given), _amount(given), vehicle]
    return form(QUOTE, "Price of a delivery", "Show the price", {}, blocks, close="Close")


def confirm(booking: Booking) -> View:
    request = booking.request
    lines = [f"*{quote(headline(booking), ADDRESS_LIMIT)}*"]
    if request is not None:
        cook = f" · prep time {counted(request.cook_minutes, 'minute')}" if request.cook_minutes else ""
        where = f"<{map_link(request.position)}|map>" if request.position is not None else ""
        lines += [f"{quote(request.address, ADDRESS_LIMIT)} · {where}", f"Order: {order(booking)}{cook}"]
    missing = in_words(booking.detail.get("unpriced"))
    price_line = "\n".join(quote_lines(booking.detail.get("quote", {})))
    if missing:
        price_line = (
            f":warning: *No price*: {quote_sentence(missing)} You can book anyway: the price is known when Delivery "
            "takes it, and it may decline."
        )
    blocks = [paragraph(price_line), paragraph("\n".join(lines))]
    title = "Book without a price?" if missing else "Confirm booking"
    return form(CONFIRM, title, "Book", {"id": booking.id}, blocks, close="Close")


def cancel(booking: Booking) -> View:
    what = "pre-booking" if booking.stage is Stage.WAITING else "booking"
    warning = "This can't be undone."
    if booking.detail.get("driver"):
        warning += " A driver is on the way, so the provider may charge for it."
    element = text_input(REASON, most=REASON_LIMIT, multiline=True)
    reason = field(REASON, "Reason", element, hint="Visible to everyone in this channel, and to the provider.")
    blocks = [section(plain(shorten(clean(headline(booking)), ADDRESS_LIMIT))), section(plain(warning)), reason]
    return form(CANCEL, f"Cancel the {what}", f"Cancel the {what}", {"id": booking.id}, blocks, close="Keep it")


def found(booking: Booking, *, given: str = "", problem: str = "") -> View:
    """Ask which pre-booking in the dashboard it is, after the service's answer was lost."""
    about = section(plain(shorten(clean(headline(booking)), ADDRESS_LIMIT)))
    element = text_input(FOUND_ID, most=_POSITION_LIMIT, example="652f7a1e9b1d", value=given)
    named = field(FOUND_ID, "Id or link of the pre-booking", element, hint="From the delivery dashboard.")
    return form(FOUND, "Which pre-booking is it?", "Use it", {"id": booking.id}, [about, *_problem(problem), named])


def store_add(*, channel: str, values: Values | None = None, problem: str = "") -> View:
    blocks = [*_problem(problem), *_store_fields(values or {})]
    return form(STORE_ADD, "Add a store", "Add it", {"channel": channel}, blocks, close="Close")


def store_edit(name: str, *, values: Values, problem: str = "") -> View:
    blocks = [*_problem(problem), *_store_fields(values)]
    return form(STORE_EDIT, f"Edit {clean(name)}", "Save", {"store": name}, blocks, close="Close")


def _store_fields(given: Values) -> list[Block]:
    beside, in_front = "Beside the church", "With country code"
    return [
        _text(NAME, "Name", given, most=NAME_LIMIT, example="Centro"),
        field(EMAIL, "E-mail address", email_input(EMAIL, given.get(EMAIL)), optional=True),
        _text(PHONE, "Phone", given, most=_PHONE_LIMIT, example="+593 2 234 5678", optional=True, hint=in_front),
        _text(ADDRESS, "Address", given, most=ADDRESS_LIMIT, example="1 Main Square"),
        _position(given),
        _text(PLACE_REFERENCE, "How to find it", given, most=REFERENCE_LIMIT, example=beside, optional=True),
        *(
            _text(name, STORE_LABELS[name], given, most=EXTRA_LIMIT, example=example, optional=True)
            for name, example in _EXTRAS.items()
        ),
    ]


def store_values(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the values for a store's form from the service's record."""
    said = {name: str(value) for name, value in record.items() if value}
    return {
        NAME: said.get("name", ""),
        EMAIL: _email(said.get("email", "")),
        PHONE: f"{said.get('country_code', '')} {said['mobile']}".strip() if said.get("mobile") else "",
        ADDRESS: said.get("address", ""),
        POSITION: f"{said['latitude']}, {said.get('longitude', '')}" if said.get("latitude") else "",
        PLACE_REFERENCE: said.get("reference", ""),
        **{name: said.get(name, "") for name in STORE_EXTRAS},
    }


def _email(text: str) -> str:
    """Return a valid address or none, because Slack would refuse the whole form for an invalid one."""
    try:
        return email(text)
    except PersonError:
        return ""


def _store(stores: Sequence[str], given: Values) -> Block:
    if len(stores) > _MOST_OPTIONS:
        return _text(STORE, "Store", given, most=NAME_LIMIT, example=stores[0], hint="Its name")
    options = [_option(name, name) for name in stores]
    chosen = given.get(STORE) or (stores[0] if len(stores) == 1 else "")
    initial = next((at for at, option in enumerate(options) if option["value"] == chosen), None)
    return select(STORE, "Store", options, initial=initial)


def _customer(given: Values) -> list[Block]:
    return [
        _text(NAME, "First name", given, most=NAME_LIMIT, example="Ana"),
        _text(LAST_NAME, "Last name", given, most=NAME_LIMIT, example="Lopez"),
        _phone(given),
        field(EMAIL, "E-mail address", email_input(EMAIL, given.get(EMAIL)), optional=True),
    ]


def _phone(given: Values) -> Block:
    hint = "With country code, or a local number. Press Enter to fill in an earlier customer."
    block = _text(PHONE, "Phone", given, most=_PHONE_LIMIT, example="+593 99 123 4567", hint=hint)
    return {**block, "element": {**block["element"], "action_id": TYPED}, "dispatch_action": True}


def _order(given: Values) -> list[Block]:
    waits = "We look for a driver after this. Leave empty to start now."
    return [
        _payment(given),
        _amount(given),
        _text(COOK, "Prep time (minutes)", given, most=4, example="15", optional=True, hint=waits),
        _text(NOTES, "Notes for the driver", given, most=NOTES_LIMIT, example="Ring twice", optional=True),
    ]


def _payment(given: Values) -> Block:
    options = [
        _option("Already paid", Payment.CARD.value),
        _option("Cash: the driver collects it", Payment.CASH.value),
    ]
    initial = next((option for option in options if option["value"] == given.get(PAYMENT)), options[0])
    element = {"type": "radio_buttons", "action_id": PAYMENT, "options": options, "initial_option": initial}
    return field(PAYMENT, "Payment", element)


def _amount(given: Values) -> Block:
    return _text(AMOUNT, "Order total", given, most=20, example="25.50", hint="Before delivery fee and discounts")


def _position(given: Values) -> Block:
    hint = "Coordinates, or a map link (short ones too)"
    return _text(POSITION, "Position", given, most=_POSITION_LIMIT, example="-0.1807, -78.4678", hint=hint)


def _problem(said: str) -> list[Block]:
    return [paragraph(said)] if said else []


def _text(
    block_id: str, label: str, given: Values, *, most: int, example: str, optional: bool = False, hint: str = ""
) -> Block:
    element = text_input(block_id, most=most, example=example, value=given.get(block_id))
    return field(block_id, label, element, optional=optional, hint=hint)


def _option(label: str, value: str) -> dict[str, Any]:
    return {"text": plain(choice(clean(label), _OPTION_LIMIT)), "value": value[:150]}
