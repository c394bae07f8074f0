"""What each call of the payments client sends, as documented and in the dialects of operators; and what is not sent."""

import base64
import json
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.clients.limiter import Lane
from bot.clients.payments import PaymentsClient
from bot.clients.payments import client as payments
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, Failure, NotExecuted
from bot.domain.payments.bulk import HashList
from bot.domain.payments.instruction import Item
from tests.clients.conftest import payments_client
from tests.clients.partner_server import Partner, operation, said
from tests.clients.payments_calls import CALLS, EFFECTS, NEW, REFERENCE, Bench, new_purchase

PAYOUT = {
    "email": "ana+x@example.com",
    "description": 'March "translation" — naïve',
    "amount": Decimal("10.10"),
    "code": "01JCODE",
    "confirmation_uri": "https://bot.example/c/1",
    "failure_uri": "https://bot.example/c/2",
    "cancel_uri": "https://bot.example/c/3",
}
OPEN_PURCHASE = {
    "code": "code-1",
    "description": "Books & more",
    "amount": Decimal("21.09"),
    "items": [
        {"description": "Book", "amount": Decimal("10.05"), "quantity": 2},
        {"description": "Pen <b>", "amount": Decimal("0.99"), "quantity": 1},
    ],
    "confirmation_uri": "https://bot.example/thanks",
    "cancel_uri": "https://bot.example/canceled",
    "callback_uri": "https://bot.example/callbacks/payments/a",
    "failure_uri": "https://bot.example/callbacks/payments/b",
}
ROWS = [
    {"receiver_email": "ana@example.com", "amount": Decimal("25.10"), "currency": "USD", "note": "March",
     "internal_note": "B-4F7K2M/2"},
    {"receiver_email": "ben+work@example.com", "amount": Decimal("0.01"), "currency": "USD", "note": "",
     "internal_note": "B-4F7K2M/4"},
]  # fmt: skip
SENT: list[tuple[str, str, object]] = [
    ("create", "POST /payouts", PAYOUT),
    ("commit", "POST /payouts/op-1/commit", {}),
    ("cancel", "POST /payouts/op-1/cancel", {}),
    ("one step", "POST /payouts/one-step", PAYOUT),
    ("purchase", "POST /purchases", {**OPEN_PURCHASE, "svc_user_email": "ana@example.com"}),
    ("open purchase", "POST /purchases", OPEN_PURCHASE),
    ("bulk", "POST /bulk-payments", ROWS),
    ("cancel items", "POST /bulk-payments/b-1/payments/cancel",
     {"paymentItems": [{"svc_operation_hash": "h1"}, {"svc_operation_hash": "h2"}]}),
    ("operation", "GET /operations/op-1", None),
    ("get purchase", "GET /operations/op-1", None),
    ("events", "GET /payouts/events/op-1", None),
    ("partner", "GET /partners/me", None),
    ("account", "GET /account-status?email=ana%2Bx%26y%3D1%40example.com", None),
    ("first page", "GET /operations?page=1&perPage=10", {"page": 1, "perPage": 10}),
    ("second page", "GET /operations?page=2&perPage=10&type=payout", {"page": 2, "perPage": 10, "type": "payout"}),
    ("find", "GET /operations?page=1&perPage=100&type=payout", {"page": 1, "perPage": 100, "type": "payout"}),
    ("find purchase", "GET /operations?page=1&perPage=100&type=purchase",
     {"page": 1, "perPage": 100, "type": "purchase"}),
    ("bulk payment", "GET /bulk-payments/b-1", None),
    ("history", "GET /bulk-payments?page=1", None),
    ("items", "GET /bulk-payments/b-1/payments?page=1", None),
    ("failures", "GET /bulk-payments/b-1/errors?page=1", None),
]  # fmt: skip


@pytest.mark.parametrize(("call", "line", "body"), SENT)
async def test_each_call_is_sent_as_documented(bench: Bench, call: str, line: str, body: object) -> None:
    await bench.told(call, {}, 404)
    [sent] = bench.partner.calls
    assert f"{sent.method} {sent.path}" == line
    assert (json.loads(sent.raw, parse_float=Decimal) if sent.raw else None) == body
    kind, _, credentials = sent.headers["authorization"].partition(" ")
    assert (kind, base64.b64decode(credentials).decode()) == ("Basic", "partner:pä:ss")
    assert sent.headers["content-type"] == "application/json"


def test_no_call_is_left_out() -> None:
    assert {call for call, _, _ in SENT} == set(CALLS)


@pytest.mark.parametrize(
    ("call", "written"),
    [("create", b'"amount":10.10,'), ("bulk", b'"amount":25.10,'), ("purchase", b'"amount":10.05,')],
)
async def test_amounts_are_sent_with_their_cents(bench: Bench, call: str, written: bytes) -> None:
    await bench.told(call, {}, 404)
    assert bench.partner.calls[0].raw.count(written) == 1


ACCOUNT = "[payments.account_status]\n"
DIALECTS: list[tuple[str, str, dict[str, Any]]] = [
    ("create", '[payments.create_payout.fields]\nemail = "recipient"\namount = "value"\n',
     {"recipient": "ana+x@example.com", "value": 10.1, "email": None, "amount": None}),
    ("purchase", '[payments]\nitem_amount = "line"\n',
     {"amount": 21.09, "items": [{"description": "Book", "amount": 20.1, "quantity": 2},
                                 {"description": "Pen <b>", "amount": 0.99, "quantity": 1}]}),
    ("bulk", '[payments.create_bulk_payment.fields]\npayments = "payments"',
     {"payments": [{**row, "amount": float(str(row["amount"]))} for row in ROWS]}),
    ("cancel items", '[payments.cancel_bulk_items]\npath = "/v2/cancel"\nmethod = "PUT"\nfields = { id = "bulk" }',
     {"bulk": "b-1", "paymentItems": [{"svc_operation_hash": "h1"}, {"svc_operation_hash": "h2"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "services", "fields"), DIALECTS)
async def test_overridden_field_names_are_used(bench: Bench, call: str, services: str, fields: dict[str, Any]) -> None:
    bench.services = services
    await bench.told(call, {}, 404)
    body = bench.partner.calls[0].json
    assert {name: body.get(name) for name in fields} == fields


@pytest.mark.parametrize(("call", "services", "line"), [
    ("account", ACCOUNT + 'path = "/accounts/{email}"', "GET /accounts/ana%2Bx%26y%3D1%40example.com"),
    ("account", ACCOUNT + 'fields = { email = "user[email]" }',
     "GET /account-status?user%5Bemail%5D=ana%2Bx%26y%3D1%40example.com"),
    ("partner", '[payments.partner]\npath = "/me"', "GET /me"),
    ("find", "[payments]\nlist_page_size = 50\n", "GET /operations?page=1&perPage=50&type=payout"),
    ("first page", '[payments]\nlist_parameters = "query"\n', "GET /operations?page=1&perPage=10"),
    ("first page", '[payments]\nlist_parameters = "body"\n', "GET /operations"),
])  # fmt: skip
async def test_overridden_paths_are_used(bench: Bench, call: str, services: str, line: str) -> None:
    bench.services = services
    await bench.told(call, {}, 404)
    [sent] = bench.partner.calls
    assert f"{sent.method} {sent.path}" == line
    assert bool(sent.raw) is (call == "find" or '"body"' in services)


async def test_parameter_may_be_sent_as_header(bench: Bench) -> None:
    bench.services = ACCOUNT + 'parameters = "header"\nfields = { email = "X-Email" }'
    await bench.told("account", {}, 404)
    assert bench.partner.calls[0].headers["x-email"] == "ana+x&y=1@example.com"


@pytest.mark.parametrize(
    "override",
    [
        "",
        '[payments]\nfield_prefix = "acme"',
        '[payments.cancel_bulk_items.fields]\nitems = "operations"\nhash = "uid"',
        '[payments.cancel_bulk_items]\npath = "/v2/cancel"\nmethod = "PUT"\nfields = { id = "bulk" }',
    ],
)
async def test_cancellation_always_sends_its_hashes(bench: Bench, override: str) -> None:
    bench.services = override
    await bench.told("cancel items", {"successful": []})
    lists = [value for value in bench.partner.calls[0].json.values() if isinstance(value, list)]
    assert [list(one.values()) for one in lists[0]] == [["h1"], ["h2"]]


async def test_429_slows_all_requests(bench: Bench) -> None:
    bench.partner.answer = lambda _: said({}, 429, **{"Retry-After": "3"})
    assert ((await bench.asked("commit")).retry_after, bench.slots.slowed) == (3.0, [3.0])
    assert bench.slots.lanes == [Lane.EFFECT]
    assert bench.slots.patience[0] < 5, "the send guard refuses what waited longer"
    read = await bench.asked("operation")
    assert isinstance(read, ServiceNow)
    assert (read.retry_after, bench.slots.slowed) == (3.0, [3.0, 3.0])


async def test_reads_wait_for_effects(bench: Bench) -> None:
    for call in ("operation", "first page", "find", "items"):
        await bench.told(call, {}, 404)
    assert bench.slots.lanes == [Lane.READ, Lane.READ, Lane.LISTING, Lane.LISTING]


@pytest.mark.parametrize("may_leave", [True, False])
@pytest.mark.parametrize("call", [*EFFECTS, "bulk"])
async def test_effect_is_sent_and_counted_only_if_guard_permits(bench: Bench, call: str, may_leave: bool) -> None:
    found = await bench.told(call, operation(7), 201, guard=lambda: may_leave)
    assert len(bench.partner.calls) == bench.slots.departures == int(may_leave)
    assert bench.slots.open == 0
    if not may_leave:
        assert isinstance(found, NotExecuted)
        assert (found.again, found.failure) == (True, Failure.NOT_SENT)


async def test_read_is_sent_once_and_settles_when_answered(bench: Bench) -> None:
    await bench.told("operation", operation(1))
    assert (bench.slots.departures, bench.slots.arrivals, bench.slots.open) == (1, 1, 0)


@pytest.mark.parametrize("call", EFFECTS)
@pytest.mark.parametrize(("is_free", "broken"), [(False, ""), (True, "acquire"), (True, "departs")])
async def test_without_a_slot_nothing_is_sent(bench: Bench, call: str, is_free: bool, broken: str) -> None:
    bench.slots.is_free, bench.slots.broken = is_free, broken
    found = await bench.asked(call, earlier_unknown=True)
    assert isinstance(found, NotExecuted)
    assert (found.again, found.failure) == (True, Failure.NOT_SENT)
    assert isinstance(await bench.asked("operation"), ServiceNow)
    assert (bench.partner.calls, bench.slots.departures, bench.slots.open) == ([], 0, 0)


async def test_invalid_identifier_is_not_sent(client: PaymentsClient, partner: Partner) -> None:
    for identifier in ("", "..", ".", "x" * 300, "\ud800"):
        for asked in (client.get_operation(identifier), client.get_bulk(identifier),
                      client.commit_payout(identifier, earlier_unknown=False)):  # fmt: skip
            with pytest.raises(ServiceNever) as caught:
                await asked
            assert caught.value.status == 404
        with pytest.raises(ServiceNever):
            client.checkout_url(identifier)
    with pytest.raises(ServiceNever):
        await client.account_status("\ud800@example.com")
    assert partner.calls == []


@pytest.mark.parametrize(
    ("identifier", "path"),
    [("op-1", "/checkout/op-1"), ("a/b ?#&%ü", "/checkout/a%2Fb%20%3F%23%26%25%C3%BC"), ("../x", "/checkout/..%2Fx")],
)
def test_the_checkout_link_calls_nothing(client: PaymentsClient, partner: Partner, identifier: str, path: str) -> None:
    assert client.checkout_url(identifier) == partner.url + path
    assert partner.calls == []


async def test_bulk_without_items_or_amounts_is_refused(client: PaymentsClient) -> None:
    for quantity, cents in ((0, 1), (-1, 1), (1, 0), (1, -5)):
        with pytest.raises(ValueError, match="greater than"):
            Item(name="x", unit_cents=Cents(cents), quantity=quantity)
    with pytest.raises(ValueError, match="at least one item"):
        new_purchase()
    with pytest.raises(ValueError, match="at least one"):
        await client.submit_bulk("B-1", [], earlier_unknown=False)


def test_an_empty_list_of_hashes_cannot_be_built() -> None:
    with pytest.raises(TypeError):
        HashList()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="would cancel everything"):
        HashList.of([])


def test_a_submission_may_take_ten_minutes() -> None:
    assert payments.UPLOAD_SECONDS == 600


async def test_guard_receives_operation_and_subject(session: ClientSession, partner: Partner) -> None:
    """Its code, or its id; a bulk payment by our reference."""
    asked: list[str] = []

    async def may_leave(about: str) -> bool:
        asked.append(about)
        return False

    transport = Transport(session=session, base_url=partner.url, service="payments")
    client = payments_client(load_routes(None, environment="sandbox"), transport, may_leave=may_leave)
    assert all([isinstance(await CALLS[call](client), NotExecuted) for call in ("create", "commit", "bulk")])
    assert asked == [
        f"payments.create_payout {NEW.code}",
        "payments.commit_payout op-1",
        f"payments.create_bulk_payment {REFERENCE}",
    ]
    assert partner.calls == []


# Production: an assumption that moves money is not used until the operator confirms it.

REQUIRE = {
    "payments.commit_payout": "commit",
    "payments.one_step_payout": "one step",
    "payments.cancel_payout": "cancel",
    "payments.create_bulk_payment": "bulk",
    "payments.cancel_bulk_items": "cancel items",
}


def test_exactly_these_operations_move_money() -> None:
    moves = [row.name for row in load_routes(None, environment="production").rows() if row.moves_money]
    assert moves == list(REQUIRE)


@pytest.mark.parametrize("name", REQUIRE)
async def test_production_refuses_unconfirmed_entry_by_name(bench: Bench, name: str) -> None:
    service, _, operation_name = name.partition(".")
    with pytest.raises(OperatorError, match="nothing was sent") as caught:
        load_routes(None, environment="production").use(service, operation_name)
    assert str(caught.value.problem).startswith(name)
    assert load_routes(None, environment="sandbox").use(service, operation_name).name == name
    client = bench.open(environment="production")
    with pytest.raises(OperatorError, match=name):
        await CALLS[REQUIRE[name]](client)
    with pytest.raises(OperatorError, match=name):
        client.require(operation_name)
    assert (bench.partner.calls, bench.slots.lanes) == ([], [])


@pytest.mark.parametrize("name", REQUIRE)
async def test_confirming_one_entry_allows_that_one(bench: Bench, name: str) -> None:
    client = bench.open(f"[{name}]\nconfirmed = true\n", environment="production")
    bench.partner.answer = lambda _: said(operation(1, status="canceled", code=None) | {"successful": []})
    client.require(name.partition(".")[2])
    assert isinstance(await CALLS[REQUIRE[name]](client), Done)
    for other, other_call in REQUIRE.items():
        if other != name:
            with pytest.raises(OperatorError, match=other):
                await CALLS[other_call](client)
    assert len(bench.partner.calls) == 1
