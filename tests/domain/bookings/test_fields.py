"""What is typed into fields of bookings and stores: the last value that is taken, and the first that is refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from bot.domain.bookings import fields
from bot.domain.bookings.record import Payment
from bot.domain.errors import PersonError
from bot.presentation.bookings import forms as views
from bot.presentation.reasons import rule_of
from handlers.grammar.arguments import read_form

BOOKING = {
    views.NAME: "Ana", views.LAST_NAME: "Lopez", views.PHONE: "099 123 4567", views.EMAIL: "", views.PAYMENT: "CASH",
    views.AMOUNT: "25.50", views.COOK: "", views.NOTES: "", views.ADDRESS: "12 Market Street",
    views.POSITION: "-0.1807, -78.4678", views.PLACE_REFERENCE: "",
}  # fmt: skip
STORE = {
    views.NAME: "Centro", views.EMAIL: "centro@example.com", views.PHONE: "+593 99 123 4567",
    views.ADDRESS: "1 Main Square", views.POSITION: "-0.1807, -78.4678", views.PLACE_REFERENCE: "",
}  # fmt: skip


def refused(read: Callable[[], object]) -> tuple[str, str, str, str]:
    with pytest.raises(PersonError) as broken:
        read()
    return broken.value.argument, rule_of(broken.value), broken.value.example, broken.value.given


@pytest.mark.parametrize(
    ("text", "read"), [("cash", Payment.CASH), (" CARD ", Payment.CARD), ("Card", Payment.CARD), ("CASH", Payment.CASH)]
)
def test_booking_accepts_cash_and_card(text: str, read: Payment) -> None:
    assert fields.payment(text) is read


@pytest.mark.parametrize("text", ["", "TRANSFER", "CASH CARD"])
def test_other_payment_methods_are_refused(text: str) -> None:
    assert refused(lambda: fields.payment(text)) == ("payment", "it must be CASH or CARD", "CARD", text)


@pytest.mark.parametrize(("text", "minutes"), [("", 0), (" ", 0), ("0", 0), ("15", 15), (" 0007 ", 7), ("1440", 1440)])
def test_cook_time_is_at_most_a_day(text: str, minutes: int) -> None:
    assert fields.cook_minutes(text) == minutes


@pytest.mark.parametrize("text", ["1441", "00015", "-1", "1.5", "٣", "²", "soon"])
def test_invalid_cook_time_is_refused(text: str) -> None:
    rule = "Enter whole minutes, up to 1440"
    assert refused(lambda: fields.cook_minutes(text)) == ("prep time", rule, "15", text)


NOTES = fields.booking_readers(home="", with_place=False)["notes"]


@pytest.mark.parametrize(
    ("argument", "read", "least", "example"),
    [("notes", NOTES, 3, "Ring twice"), ("reason", fields.reason, 1, "customer called it off")],
)
def test_texts_respect_the_limits_of_the_service(
    argument: str, read: Callable[[str], str], least: int, example: str
) -> None:
    assert [read("x" * length) for length in (least, 250)] == ["x" * least, "x" * 250]
    for text in ("x" * (least - 1), "x" * 251):
        rule = f"Enter {least} to 250 characters; this has {len(text)}" if text else f"Enter {least} to 250 characters"
        assert refused(partial(read, text)) == (argument, rule, example, text)
    assert NOTES(" \u200b ") == ""


LONGEST = {views.NAME: 60, views.LAST_NAME: 60, views.ADDRESS: 200, views.PLACE_REFERENCE: 150}
LEAST = {views.NAME: 1, views.LAST_NAME: 1, views.ADDRESS: 3, views.PLACE_REFERENCE: 0}


ORDER = (BOOKING, fields.booking_readers(home="+593", with_place=True))
SHOP = (STORE, fields.store_readers())


@pytest.mark.parametrize(
    ("form", "field"), [*((ORDER, field) for field in LONGEST), *((SHOP, field) for field in LONGEST if field in STORE)]
)
def test_form_texts_have_length_limits(form: tuple[dict[str, str], Any], field: str) -> None:
    given, readers = form
    for length in (LEAST[field], LONGEST[field]):
        found, errors = read_form({**given, field: "x" * length}, readers)
        assert (found[field], errors) == ("x" * length, {})
    for length in {LEAST[field] - 1, LONGEST[field] + 1} - {-1}:
        _, errors = read_form({**given, field: "x" * length}, readers)
        assert list(errors) == [field]
        has = f"; this has {length}" if length else ""
        assert f"{LEAST[field]} to {LONGEST[field]} characters{has}." in errors[field]


def test_form_without_a_place_field_needs_no_place() -> None:
    found, errors = read_form(BOOKING, fields.booking_readers(home="+593", with_place=False))
    assert errors == {}
    assert not {views.ADDRESS, views.POSITION, views.PLACE_REFERENCE} & set(found)
    request = fields.booking_request(found)
    assert (request.latitude, request.longitude, request.address, request.place_reference) == ("", "", "", "")
