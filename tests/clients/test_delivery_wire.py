"""Reading the delivery service's JSON: tolerant of names and wrapping, strict about identity."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from bot.clients.delivery import wire
from bot.clients.routes import Route
from bot.clients.routes_file import load_routes
from bot.domain.bookings.record import Driver, Order

ROUTES = load_routes(None, environment="sandbox")


def route(operation: str) -> Route:
    return ROUTES.use("delivery", operation)


BOOKING: dict[str, Any] = {"_id": "abc", "bookingNumericId": 10001, "statusText": "ACCEPTED"}


@pytest.mark.parametrize("document", [BOOKING, {"data": BOOKING}, {"data": {"booking": BOOKING}}, {"data": [BOOKING]}])
def test_a_booking_comes_wrapped_or_bare(document: object) -> None:
    record = wire.read_booking(document, route("get_booking"))
    assert (record.id, record.numeric_id, record.status) == ("abc", "10001", "ACCEPTED")


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ({"bookingNumericId": "10001"}, "numeric_id", "10001"),
        ({"deliveryFee": 2.5}, "fee", "2.50"),
        ({"deliveryFee": "2.50"}, "fee", "2.50"),
        ({"deliveryFee": None}, "fee", ""),
        ({"smrURL": "https://track.example/1"}, "tracking_url", "https://track.example/1"),
        ({"smrURL": "javascript:alert(1)"}, "tracking_url", ""),
        ({"smrURL": "https://track.example/1|click>"}, "tracking_url", ""),
        ({"proofOfDelivery": ["https://x.example/p.png"]}, "proof", "https://x.example/p.png"),
        ({"proofOfDelivery": {"url": "https://x.example/p.png"}}, "proof", "https://x.example/p.png"),
        ({"proofOfDelivery": "left with the neighbour"}, "proof", "left with the neighbour"),
        ({"cancelReason": "closed\nearly"}, "cancel_reason", "closed early"),
        ({"customerName": "Ana", "customerLastName": "Lopez"}, "customer", "Ana Lopez"),
        ({"validationCode": 1234}, "validation_code", "1234"),
    ],
)
def test_its_fields(more: dict[str, Any], field: str, value: str) -> None:
    assert getattr(wire.read_booking({**BOOKING, **more}, route("get_booking")), field) == value


@pytest.mark.parametrize("more", [
    {"driverName": "Diego", "driverMobile": "+59399", "deliveryProvider": "Rapido"},
    {"driver": {"name": "Diego", "mobile": "+59399"}, "deliveryProvider": "Rapido"},
    {"driver": {"driverName": "Diego", "phone": "+59399", "provider": "Rapido"}},
])  # fmt: skip
def test_driver_is_found_in_any_field(more: dict[str, Any]) -> None:
    driver = wire.read_booking({**BOOKING, **more}, route("get_booking")).driver
    assert (driver.name, driver.mobile, driver.provider) == ("Diego", "+59399", "Rapido")


def test_customer_is_not_read_as_the_driver() -> None:
    record = wire.read_booking({**BOOKING, "name": "Ana", "mobile": "1"}, route("get_booking"))
    assert not record.driver.is_known


RAPIDO = {"provider": "Rapido", "status": "accepted"}
STRANGE = {"name": "Rapido", "driver": {"name": "Diego", "plate": "ABC-1"}, "provider": {"id": 5, "name": "Rapido"}}
STRANGER = {"name": "Rapido", "at": {"lat": -0.5, "tags": ["a", 2]}, "page": "https://r.example/1", "ok": True}
SECRETS = {"name": "Rapido", "apiKey": "abcdef", "auth": {"accessToken": "x"}}


@pytest.mark.parametrize(("orders", "read"), [
    ([{"deliveryProvider": "Rapido", "statusText": "accepted"}], [RAPIDO]),
    ([{"provider": {"providerName": "Rapido"}, "state": "accepted"}], [RAPIDO]),
    ({"Rapido": "accepted", "Ciclo": {"status": "rejected"}}, [RAPIDO, {"provider": "Ciclo", "status": "rejected"}]),
    ({"Rapido": {"state": "accepted", "fee": 1.5}}, [RAPIDO | {"rest": {"fee": "1.5"}}]),
    (["Rapido", "Ciclo"], [{"provider": "Rapido"}, {"provider": "Ciclo"}]),
    ([None, {}, [], ""], []), ("Rapido", []),
    ([{"name": "Rapido", "driverName": "Diego", "driverMobile": "+59399", "driverEmail": "d@r.example"}],
     [{"provider": "Rapido", "driver": Driver(name="Diego", mobile="+59399", email="d@r.example")}]),
    ([STRANGE], [{"provider": "Rapido", "driver": Driver(name="Diego"),
                  "rest": {"name": "Rapido", "driver.plate": "ABC-1", "provider.id": "5"}}]),
    ([STRANGER | {"x": None}],
     [{"provider": "Rapido", "rest": {"at.lat": "-0.5", "at.tags.1": "a", "at.tags.2": "2",
                                      "page": "https://r.example/1", "ok": "True"}}]),
    ([SECRETS], [{"provider": "Rapido", "rest": {"apiKey": "[hidden]", "auth.accessToken": "[hidden]"}}]),
    ([{"name": "Rapido", "note": "x" * 300}], [{"provider": "Rapido", "rest": {"note": f"{'x' * 200} …"}}]),
])  # fmt: skip
def test_provider_calls_are_read_and_unknown_fields_kept(orders: Any, read: list[dict[str, Any]]) -> None:
    record = wire.read_booking({**BOOKING, "orders": orders}, route("get_booking"))
    assert record.orders == tuple(Order(**one) for one in read)


def test_long_order_details_are_marked_as_cut() -> None:
    many = {"name": "Rapido", **{f"field{number}": number for number in range(40)}}
    first, *others = wire.read_booking({**BOOKING, "orders": [many] * 60}, route("get_booking")).orders
    assert (len(first.rest), list(first.rest)[-1], len(others)) == (22, "more", 49)


@pytest.mark.parametrize(
    ("document", "identifier", "status"),
    [
        ({"bookingNumericId": 10001, "statusText": "COMPLETED"}, "10001", "COMPLETED"),
        ({"bookingID": "abc", "driverName": "Diego"}, "abc", "?"),
        ({"data": {"bookingID": "abc", "currentStatus": "On the way"}}, "abc", "On the way"),
    ],
)
def test_event_identifies_booking_by_either_id(document: object, identifier: str, status: str) -> None:
    found, record = wire.read_event(document, route("get_booking"))
    assert (found, record.status) == (identifier, status)


@pytest.mark.parametrize(
    "document",
    [
        [{"companyName": "A", "token": "k"}, {"companyName": ""}, 5],
        {"data": [{"companyName": "A", "token": "k"}]},
        {"data": {"stores": [{"companyName": "A", "token": "k"}]}},
    ],
)
def test_stores_are_read_in_any_wrapping_with_hidden_keys(document: object) -> None:
    (store,) = wire.read_stores(document, route("list_stores"))
    assert store.key is not None
    assert store.key.get_secret_value() == "k"
    assert "'k'" not in repr(store)


@pytest.mark.parametrize(("document", "kinds"), [
    ({"data": [{"type": "DRIVER_ASSIGNED", "url": "https://x"}]}, ["DRIVER_ASSIGNED"]),
    ([{"type": "DRIVER_ASSIGNED", "url": "https://x"}], ["DRIVER_ASSIGNED"]),
    ({"UPDATE_BOOKING_STATUS": "https://x"}, ["UPDATE_BOOKING_STATUS"]),
    ({"data": {"UPDATE_BOOKING_STATUS": "https://x", "DRIVER_ASSIGNED": None}}, ["UPDATE_BOOKING_STATUS"]),
    ({"data": []}, []), ({"data": None}, []), ({}, []), ({"message": "none"}, []),
])  # fmt: skip
def test_webhooks_are_read_from_list_or_object(document: object, kinds: list[str]) -> None:
    assert [hook.kind for hook in wire.read_webhooks(document, route("list_webhooks"))] == kinds


@pytest.mark.parametrize(("given", "exists"), [(True, True), ("false", False), (None, None), ("maybe", None)])
def test_a_prebooking(given: object, exists: bool | None) -> None:
    record = wire.read_prebooking({"data": {"_id": "p", "deliveryAddressExists": given}}, route("get_prebooking"))
    assert record.has_address is exists


def test_pre_booking_without_a_link_waits_for_no_address() -> None:
    read = partial(wire.read_prebooking, route=route("get_prebooking"), needs_link=True)
    answers = (
        {"deliveryAddressExists": True},
        {"bookingID": "a"},
        {"status": "CANCELED"},
        {"link": "https://a.example"},
    )
    assert {read({"_id": "p", **one}).id for one in answers} == {"p"}
    more = {"customerName": "Ana", "expiresAt": "2026-11-21", "key": {"token": "x"}}
    found = read({"_id": "p", "url": "https://a.example/p", **more})
    assert (found.customer, found.rest) == ("Ana", {"expiresAt": "2026-11-21", "key.token": "[hidden]"})


def test_quote_without_price_is_refused() -> None:
    quote = wire.read_quote({"deliveryFee": 1.5, "eta": 25, "distance": 3.21, "currency": "USD"}, route("quote"))
    assert (quote.fee, quote.eta, quote.distance) == ("1.50", "25", "3.21")


def test_record_accepts_either_id_or_none() -> None:
    read = route("get_booking")
    given: list[dict[str, Any]] = [{"booking_id": "10001"}, {"booking_id": "abc"}, {"external_id": "mine"}]
    for named in given:
        assert wire.read_booking(BOOKING, read, **named).id == "abc"


NO_RECORDS: tuple[object, ...] = (None, [], "x", {})
YOURS = {**BOOKING, "externalBookingId": "yours"}
REFUSED: list[tuple[str, Callable[..., object], dict[str, Any], object, str]] = [
    *[
        ("get_booking", wire.read_booking, {}, document, "no object|no booking")
        for document in (*NO_RECORDS, 5, {"data": None}, {"_id": "abc"}, {"statusText": "ACCEPTED"})
    ],
    *[
        ("get_booking", wire.read_event, {}, document, "no object|no booking")
        for document in (*NO_RECORDS, {"statusText": "COMPLETED"}, {"bookingID": ""})
    ],
    ("get_booking", wire.read_booking, {"booking_id": "abd"}, BOOKING, "another"),
    ("get_booking", wire.read_booking, {"external_id": "mine"}, YOURS, "another"),
    ("get_prebooking", wire.read_prebooking, {"needs_link": True}, {"_id": "p"}, "no link"),
    ("get_prebooking", wire.read_prebooking, {"prebooking_id": "q"}, {"_id": "p"}, "another"),
    ("quote", wire.read_quote, {}, {"eta": 25}, "no quote"),
]


@pytest.mark.parametrize(("operation", "read", "named", "document", "words"), REFUSED)
def test_wrong_record_is_refused(
    operation: str, read: Callable[..., object], named: dict[str, Any], document: object, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        read(document, route(operation), **named)
