import json
from decimal import Decimal

import pytest

from bot.clients.payments import NewItem, NewPurchase, PaymentsClient
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.operation import OperationStatus, Purchase
from bot.presentation.reasons import worded
from tests.clients.conftest import OpenClient
from tests.clients.partner_server import JsonObject, Partner, operation, said
from tests.support.troubles import says

ITEMS = (
    NewItem(description="Book", unit_cents=Cents(1005), quantity=2),
    NewItem(description="Pen <b>", unit_cents=Cents(99)),
)


def new(email: str | None = "ana@example.com") -> NewPurchase:
    return NewPurchase(
        code="code-1",
        description="Books & more",
        items=ITEMS,
        email=email,
        confirmation_uri="https://bot.example/thanks",
        cancel_uri="https://bot.example/canceled",
        callback_uri="https://bot.example/callbacks/payments/a",
        failure_uri="https://bot.example/callbacks/payments/b",
    )


def purchase(**changes: object) -> JsonObject:
    items = [
        {"description": "Book", "amount": "10.05", "quantity": 2},
        {"description": "Pen", "amount": 0.99, "quantity": "1"},
    ]
    return operation(1) | {"operation_type": "Purchase", "amount": "21.09", "items": items} | changes


async def test_every_field_is_sent_with_exact_amounts(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(purchase(), 201)
    found = await client.create_purchase(new())
    [call] = partner.calls
    assert (call.method, call.path) == ("POST", "/purchases")
    assert json.loads(call.raw, parse_float=Decimal) == {
        "code": "code-1",
        "description": "Books & more",
        "amount": Decimal("21.09"),
        "items": [
            {"description": "Book", "amount": Decimal("10.05"), "quantity": 2},
            {"description": "Pen <b>", "amount": Decimal("0.99"), "quantity": 1},
        ],
        "svc_user_email": "ana@example.com",
        "confirmation_uri": "https://bot.example/thanks",
        "cancel_uri": "https://bot.example/canceled",
        "callback_uri": "https://bot.example/callbacks/payments/a",
        "failure_uri": "https://bot.example/callbacks/payments/b",
    }
    assert isinstance(found, Done)
    assert (found.value.id, found.value.cents, found.value.state) == ("op-1", 2109, OperationStatus.CREATED)
    assert "bot.example" not in repr(found)


async def test_a_buyer_may_stay_open(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(purchase())
    await client.create_purchase(new(email=None))
    assert "svc_user_email" not in partner.calls[0].json


async def test_an_items_amount_may_be_for_the_line(open_client: OpenClient, partner: Partner) -> None:
    client = open_client('[payments]\nitem_amount = "line"\n')
    partner.answer = lambda _: said(
        purchase(
            items=[
                {"description": "Book", "amount": "20.10", "quantity": 2},
                {"description": "Odd", "amount": "0.99", "quantity": 2},
                {"description": "None", "amount": "0.99", "quantity": 0},
            ]
        )
    )
    found = await client.create_purchase(new())
    assert [item["amount"] for item in partner.calls[0].json["items"]] == [20.10, 0.99]
    assert b'"amount":20.10,' in partner.calls[0].raw
    assert partner.calls[0].json["amount"] == 21.09
    assert isinstance(found, Done)
    assert [(item.quantity, item.unit_cents, item.line_cents) for item in found.value.items] == [
        (2, 1005, 2010),
        (2, None, 99),
        (0, None, 99),
    ]


async def test_an_operators_names_are_used(open_client: OpenClient, partner: Partner) -> None:
    client = open_client(
        '[payments]\nfield_prefix = "acme"\n'
        '[payments.create_purchase.fields]\nitems = "lines"\nitem_description = "title"\nitem_amount = "price"\n'
        '[payments.records.operation]\nitems = "lines"\nitem_description = "title"\nitem_amount = "price"\n'
    )
    partner.answer = lambda _: said(purchase(lines=[{"title": "Book", "price": "1.00", "quantity": 3}]))
    found = await client.create_purchase(new())
    body = partner.calls[0].json
    assert body["acme_user_email"] == "ana@example.com"
    assert body["lines"][0] == {"title": "Book", "price": 10.05, "quantity": 2}
    assert body["description"] == "Books & more"
    assert isinstance(found, Done)
    assert [(item.description, item.line_cents) for item in found.value.items] == [("Book", 300)]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, Done),
        ({"code": None}, Done),
        ({"operation_type": None}, Done),
        ({"items": None}, Done),
        ({"items": "Book"}, Done),
        ({"status": "CONFIRMED"}, Done),
        ({"code": "another"}, Unknown),
        ({"operation_type": "payout"}, Unknown),
        ({"id": None}, Unknown),
        ({"status": None}, Unknown),
    ],
)
async def test_created_means_a_purchase_under_our_code(
    client: PaymentsClient, partner: Partner, changes: dict[str, object], outcome: type[object]
) -> None:
    partner.answer = lambda _: said(purchase() | changes)
    assert isinstance(await client.create_purchase(new()), outcome)
    assert len(partner.calls) == 1


async def test_a_refused_field_is_the_purchases_own_before_an_items(client: PaymentsClient, partner: Partner) -> None:
    messages = {"description": ["too long"], "amount": ["odd"], "quantity": ["odd"]}
    partner.answer = lambda _: said({"message": "Invalid", "messages": messages}, 422)
    found = await client.create_purchase(new())
    assert isinstance(found, NotExecuted)
    assert (
        worded(found.reason) == "the service does not accept the description and the amount and the item quantity (422)"
    )


async def test_a_purchase_is_read_with_status_items_total_and_buyer(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(purchase(status="CONFIRMED"))
    found = await client.get_purchase("op-1")
    assert isinstance(found, Purchase)
    assert (found.state, found.is_final, found.cents, found.email) == (
        OperationStatus.CONFIRMED,
        True,
        2109,
        "ana@example.com",
    )
    assert [(item.description, item.quantity, item.unit_cents, item.line_cents) for item in found.items] == [
        ("Book", 2, 1005, 2010),
        ("Pen", 1, 99, 99),
    ]
    assert partner.calls[0].path == "/operations/op-1"


@pytest.mark.parametrize(
    "items",
    [
        None,
        [],
        {},
        "x",
        [None, "x", 5],
    ],
)
async def test_items_that_are_none_cost_nothing_else(client: PaymentsClient, partner: Partner, items: object) -> None:
    partner.answer = lambda _: said(purchase(items=items))
    found = await client.get_purchase("op-1")
    assert (found.items, found.cents) == ((), 2109)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"description": "x", "amount": "1.00"}, (None, 100, None)),
        ({"description": "x", "quantity": 2}, (2, None, None)),
        ({"description": "x", "amount": "1.005", "quantity": 2}, (2, None, None)),
        ({"description": "x", "amount": "1.00", "quantity": "two"}, (None, 100, None)),
        ({"description": "x", "amount": "1.00", "quantity": -2}, (None, 100, None)),
        ({"description": "x", "amount": -1, "quantity": 2}, (2, None, None)),
        ({"description": "x", "amount": "1.00", "quantity": 0}, (0, 100, 0)),
    ],
)
async def test_what_an_item_does_not_say_exactly_is_none(
    client: PaymentsClient, partner: Partner, item: JsonObject, expected: tuple[int | None, ...]
) -> None:
    partner.answer = lambda _: said(purchase(items=[item]))
    [found] = (await client.get_purchase("op-1")).items
    assert (found.quantity, found.unit_cents, found.line_cents) == expected


async def test_another_record_is_refused(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(purchase(id="op-2"))
    with pytest.raises(ServiceNow):
        await client.get_purchase("op-1")


async def test_a_payout_is_no_purchase(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(operation(1))
    with pytest.raises(ServiceNever, check=says("a payout, not a purchase")):
        await client.get_purchase("op-1")


async def test_a_lost_purchase_is_looked_for_among_purchases(client: PaymentsClient, partner: Partner) -> None:
    partner.operations = [operation(1, code="mine"), purchase(id="op-2", code="mine", operation_type="purchase")]
    found = await client.find_by_code("mine", "purchase")
    assert ([one.id for one in found.hits], found.complete, found.total) == (["op-2"], True, 1)
    assert partner.calls[0].query["type"] == "purchase"


@pytest.mark.parametrize(
    ("identifier", "path"),
    [("op-1", "/checkout/op-1"), ("a/b ?#&%ü", "/checkout/a%2Fb%20%3F%23%26%25%C3%BC"), ("../x", "/checkout/..%2Fx")],
)
def test_the_checkout_link_is_encoded_and_calls_nothing(
    client: PaymentsClient, partner: Partner, identifier: str, path: str
) -> None:
    assert client.checkout_url(identifier) == partner.url + path
    assert partner.calls == []


@pytest.mark.parametrize("identifier", ["", "..", ".", " ", "x" * 300, "\ud800"])
def test_no_link_for_what_cannot_be_an_identifier(client: PaymentsClient, identifier: str) -> None:
    with pytest.raises(ServiceNever):
        client.checkout_url(identifier)


def test_an_operators_checkout_is_linked(open_client: OpenClient, partner: Partner) -> None:
    client = open_client('[payments.checkout]\npath = "/pay/{id}/now"\n')
    assert client.checkout_url("op-1") == f"{partner.url}/pay/op-1/now"


@pytest.mark.parametrize(("quantity", "cents"), [(0, 1), (-1, 1), (1, 0), (1, -5)])
def test_an_item_costs_something_and_is_there(quantity: int, cents: int) -> None:
    with pytest.raises(ValueError, match="above zero"):
        NewItem(description="x", unit_cents=Cents(cents), quantity=quantity)


def test_a_purchase_has_items_that_make_up_its_amount() -> None:
    assert new().cents == 2109
    with pytest.raises(ValueError, match="at least one item"):
        NewPurchase(
            code="c",
            description="d",
            items=(),
            confirmation_uri="https://a.example",
            cancel_uri="https://a.example",
            callback_uri="https://a.example",
            failure_uri="https://a.example",
        )
