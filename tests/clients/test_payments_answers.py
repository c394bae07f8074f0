"""Answers of the payments service: outcomes of what changes something, records, and errors by who must act."""

import base64
import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp import web

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.bulk_records import JobStatus
from bot.domain.payments.operation import OperationStatus
from bot.domain.reasons import Exchange, Reason
from bot.presentation.reasons import sentence
from tests.clients.partner_server import JsonObject, Partner, operation, page_of_a_proxy, said
from tests.clients.payments_calls import EFFECTS, PAGE, Bench
from tests.support.troubles import says


def purchase(**changes: object) -> JsonObject:
    items = [
        {"description": "Book", "amount": "10.05", "quantity": 2},
        {"description": "Pen", "amount": 0.99, "quantity": "1"},
    ]
    return operation(1) | {"operation_type": "Purchase", "amount": "21.09", "items": items} | changes


def paid(**changes: object) -> JsonObject:
    return operation(7, status="committed", code="01JCODE") | changes


FURTHER = ("committed", "COMMITTED", "Pending", "completed", "failed", "canceled", "cancelled")
ACCOUNT = {"country_ID": "BRA", "isPrimary": True, "status": "ACTIVE", "is_verified": False, "fullName": "Ana Souza"}
PARTNER = {"id": "p-1", "name": "Acme", "email": "pay@acme.example", "currency": "USD", "balance": "1234.50"}
NO_RECORDS: tuple[object, ...] = ({}, [], None, "x", 1)
NO_ITEMS: tuple[object, ...] = (None, [], {}, "x", [None, "x", 5])

ANSWERS: list[tuple[str, int, object, type]] = [
    # A commit is done when this operation is committed or further, and unknown when the answer says less.
    *[("commit", 200, operation(1, status=status), Done) for status in FURTHER],
    ("commit", 200, operation(2, status="committed"), Unknown),
    *[("commit", 200, operation(1, status=status), Unknown) for status in ("created", "confirmed", "queued", "", None)],
    ("commit", 200, {"data": operation(1, status="committed")}, Unknown),
    ("commit", 200, [operation(1, status="committed")], Unknown),
    ("commit", 200, {"code": "E1", "message": "None found"}, Unknown),
    ("commit", 200, {}, Unknown),
    ("commit", 200, None, Unknown),
    ("commit", 200, "committed", Unknown),
    # A cancellation has to say canceled.
    ("cancel", 200, operation(1, status="CANCELLED"), Done),
    *[("cancel", 200, operation(1, status=status), Unknown) for status in ("pending", "completed")],
    *[("cancel", 200, body, Unknown) for body in (operation(2, status="canceled"), {}, None)],
    # One step: committed or further, under no other code than ours.
    *[
        ("one step", 200, paid(status=status, code=code, operation_type=kind), Done)
        for status in ("committed", "PENDING", "completed", "failed", "canceled", "Cancelled")
        for code in ("01JCODE", "01jcode", None, "")
        for kind in ("payout", "PAYOUT", None)
    ],
    *[("one step", 200, paid(status=status), Unknown) for status in ("created", "confirmed", "queued", "")],
    ("one step", 200, paid(id=None), Unknown),
    ("one step", 200, paid(code="another"), Unknown),
    ("one step", 200, paid(operation_type="purchase"), Unknown),
    # Created means a purchase under our code.
    *[
        ("purchase", 201, purchase(**changes), Done)
        for changes in ({}, {"code": None}, {"operation_type": None}, {"items": None}, {"items": "Book"},
                        {"status": "CONFIRMED"})
    ],
    *[
        ("purchase", 201, purchase(**changes), Unknown)
        for changes in ({"code": "another"}, {"operation_type": "payout"}, {"id": None}, {"status": None})
    ],
    # Every effect: a refusal was not executed; everything else is unknown, a proxy's page with status 200 too.
    *[(call, status, {"message": "no", "displayToUser": True}, NotExecuted)
      for call in EFFECTS for status in (400, 401, 403, 404, 422, 429)],
    *[(call, status, {"message": "hm"}, Unknown)
      for call in EFFECTS for status in (202, 302, 307, 408, 409, 500, 502, 503, 504)],
    *[(call, 200, PAGE, Unknown) for call in EFFECTS],
    ("bulk", 201, {"id": 17, "status": "PENDING", "payments": {"count": "2"}}, Done),
    ("bulk", 200, {"id": "b-1", "status": "pending"}, Done),
    ("bulk", 429, {"message": "slow down"}, NotExecuted),
    ("bulk", 422, {"message": "no", "messages": {"0.amount": ["too much"]}}, NotExecuted),
    ("bulk", 201, {"status": "pending"}, Unknown),
    ("bulk", 500, {"message": "oops"}, Unknown),
    ("bulk", 409, {"message": "conflict"}, Unknown),
    ("bulk", 200, PAGE, Unknown),
    ("bulk", 504, PAGE, Unknown),
    ("cancel items", 200, {"successful": ["h1"]}, Done),
    ("cancel items", 200, {"successful": None}, Done),
    ("cancel items", 200, {}, Unknown),
    ("cancel items", 200, {"status": "ok"}, Unknown),
    ("cancel items", 200, [], Unknown),
    # Reads: who must act.
    *[("operation", 200, body, ServiceNow)
      for body in (*NO_RECORDS, {"id": "op-1"}, {"status": "created"}, {"code": "E"})],
    ("operation", 200, operation(2), ServiceNow),
    ("operation", 404, {"data": {}, "code": "E", "message": "none", "displayToUser": False}, ServiceNever),
    ("operation", 404, {}, ServiceNever),
    ("operation", 422, {"message": "odd", "displayToUser": False}, ServiceNever),
    ("operation", 400, {"message": "", "messages": {}}, ServiceNever),
    ("operation", 409, {"message": "<html>"}, ServiceNever),
    ("operation", 401, {"status": 401, "message": "who"}, OperatorError),
    ("operation", 403, {"status": 403, "message": "no"}, OperatorError),
    ("operation", 302, {}, OperatorError),
    ("operation", 408, {}, ServiceNow),
    ("operation", 429, {}, ServiceNow),
    ("operation", 500, {"status": 500, "message": "hm"}, ServiceNow),
    ("operation", 503, {"error": {"message": "later"}}, ServiceNow),
    *[("operation", status, PAGE, ServiceNow) for status in (200, 500, 502)],
    *[("operation", status, PAGE, OperatorError) for status in (400, 403, 404)],
    ("get purchase", 200, purchase(id="op-2"), ServiceNow),
    ("get purchase", 200, operation(1), ServiceNever),
    ("account", 200, {"fullName": "Ana"}, ServiceNow),
    *[("partner", 200, body, ServiceNow)
      for body in (*NO_RECORDS, {"balance": 5}, {"data": {}}, {"code": "E", "message": "no"})],
    *[("events", 200, body, ServiceNow) for body in ("none", 5, True)],
    ("find", 401, {"message": "who"}, OperatorError),
    ("bulk payment", 404, {"message": "no such path"}, ServiceNever),
    ("bulk payment", 200, {"id": "b-2", "status": "done", "payments": {"count": 1, "pending": ""}}, ServiceNow),
]  # fmt: skip


@pytest.mark.parametrize(("call", "status", "body", "outcome"), ANSWERS)
async def test_answer_gives_outcome(bench: Bench, call: str, status: int, body: object, outcome: type) -> None:
    found = await bench.told(call, body, status)
    assert type(found) is outcome
    assert len(bench.partner.calls) == 1, "nothing is sent twice"
    if isinstance(found, NotExecuted):
        assert (found.status, found.again) == (status, status == 429)
        assert isinstance(await bench.told(call, body, status, earlier_unknown=True), Unknown)
    if isinstance(found, Done) and call == "commit":
        assert found.value.state is not OperationStatus.CREATED
        assert isinstance(await bench.told(call, body, status, earlier_unknown=True), Done)
    if isinstance(found, ServiceNever):
        assert call != "operation" or (found.status, found.words) == (status, "")
    if body is PAGE:
        assert not any(word in str(vars(found) if isinstance(found, Exception) else found) for word in ("<", "blocked"))


READ: list[tuple[str, int, object, dict[str, Any]]] = [
    ("operation", 200, operation(1, status="Completed", svc_operation_hash="0xabc"), {
        "id": "op-1", "status": "Completed", "code": "code-1", "cents": 2500, "email": "ana@example.com",
        "description": "March translation", "operation_type": "payout", "svc_hash": "0xabc", "failure_reason": None,
        "user_id": "user-1",
        "reports_to": "https://bot.example/callbacks/payments",  # never the token behind it
        "created_at": dt.datetime(2026, 11, 20, 10, 0, 0, tzinfo=dt.UTC),
        "updated_at": dt.datetime(2026, 11, 20, 10, 0, 1, tzinfo=dt.UTC),
    }),
    ("create", 201, operation(7), {"id": "op-7", "cents": 2500, "email": "ana@example.com"}),
    ("one step", 201, paid(status="Committed"), {"id": "op-7", "code": "01JCODE", "state": OperationStatus.COMMITTED}),
    ("cancel", 200, operation(1, status="CANCELLED"), {"": frozenset({"op-1"})}),
    ("purchase", 201, purchase(), {"id": "op-1", "cents": 2109, "state": OperationStatus.CREATED}),
    ("get purchase", 200, purchase(status="CONFIRMED"),
     {"state": OperationStatus.CONFIRMED, "is_final": True, "cents": 2109, "email": "ana@example.com"}),
    *[("get purchase", 200, purchase(items=items), {"items": (), "cents": 2109}) for items in NO_ITEMS],
    ("account", 200, ACCOUNT, {"full_name": "Ana Souza", "active": True, "verified": False, "primary": True,
                               "country": "BRA", "status": "ACTIVE"}),
    ("account", 200, ACCOUNT | {"status": "inactive"}, {"active": False}),
    ("account", 200, ACCOUNT | {"status": "suspended"}, {"active": None, "status": "suspended"}),
    ("account", 200, ACCOUNT | {"is_verified": "true"}, {"verified": True}),
    ("account", 200, ACCOUNT | {"is_verified": None}, {"verified": None}),
    ("account", 200, ACCOUNT | {"isPrimary": "maybe"}, {"primary": None}),
    ("account", 200, ACCOUNT | {"fullName": None}, {"full_name": ""}),
    *[("partner", 200, body, {"id": "p-1", "name": "Acme", "email": "pay@acme.example", "currency": "USD",
                              "balance": 123450, "balance_text": "1234.50"})
      for body in (PARTNER | {"secret": "s3cret"}, {"data": PARTNER}, {"partner": PARTNER}, {"data": [], **PARTNER})],
    ("bulk", 201, {"id": 17, "status": "PENDING", "payments": {"count": "2"}},
     {"id": "17", "state": JobStatus.PENDING, "count": 2}),
    ("cancel items", 200, {"successful": ["h1"]}, {"": frozenset({"h1"})}),
    ("cancel items", 200, {"successful": None}, {"": frozenset()}),
    ("bulk payment", 200, {"id": "b-1", "status": "done", "payments": {"count": 1, "pending": ""}}, {"pending": 0}),
    ("bulk payment", 200, {"id": "b-1", "status": "Paused", "payments": {}},  # kept, and decides nothing
     {"status": "Paused", "state": None, "count": None}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "status", "body", "fields"), READ)
async def test_readable_answers_are_accepted(
    bench: Bench, call: str, status: int, body: object, fields: Mapping[str, object]
) -> None:
    found = await bench.told(call, body, status)
    record = found.value if isinstance(found, Done) else found
    assert {name: getattr(record, name) if name else record for name in fields} == fields
    assert not any(secret in repr(found) for secret in ("s3cret", "callbacks/payments/", "bot.example/thanks"))


@pytest.mark.parametrize(("item", "expected"), [
    ({"amount": "10.05", "quantity": 2}, (2, 1005, 2010)), ({"amount": 0.99, "quantity": "1"}, (1, 99, 99)),
    ({"amount": "1.00"}, (None, 100, None)), ({"quantity": 2}, (2, None, None)),
    ({"amount": "1.005", "quantity": 2}, (2, None, None)), ({"amount": "1.00", "quantity": "two"}, (None, 100, None)),
    ({"amount": "1.00", "quantity": -2}, (None, 100, None)), ({"amount": -1, "quantity": 2}, (2, None, None)),
    ({"amount": "1.00", "quantity": 0}, (0, 100, 0)),
])  # fmt: skip
async def test_missing_item_fields_are_none(bench: Bench, item: JsonObject, expected: tuple[int | None, ...]) -> None:
    [found] = (await bench.told("get purchase", purchase(items=[{"description": "x", **item}]))).items
    assert (found.description, found.quantity, found.unit_cents, found.line_cents) == ("x", *expected)


async def test_item_amount_may_be_per_line(bench: Bench) -> None:
    bench.services = '[payments]\nitem_amount = "line"\n'
    items = [
        {"description": name, "amount": amount, "quantity": quantity}
        for name, amount, quantity in (("Book", "20.10", 2), ("Odd", "0.99", 2), ("None", "0.99", 0))
    ]
    found = (await bench.told("purchase", purchase(items=items))).value.items
    assert [(one.quantity, one.unit_cents, one.line_cents) for one in found] == [
        (2, 1005, 2010),
        (2, None, 99),
        (0, None, 99),
    ]


@pytest.mark.parametrize(
    ("raw", "cents", "text"),
    [
        ('"0.00"', 0, "0.00"), ("1234.5", 123450, "1234.5"), ("-12.34", -1234, "-12.34"), ('"-0.01"', -1, "-0.01"),
        ("12", 1200, "12"), ('"1,234.50"', None, "1,234.50"), ('"USD 5"', None, "USD 5"), ("0.005", None, "0.005"),
        ("1e30", None, "1E+30"), ("null", None, ""), ('""', None, ""), ("true", None, ""),
        ('{"available": 5}', None, ""),
    ],
)  # fmt: skip
async def test_balance_is_cents_or_kept_raw(bench: Bench, raw: str, cents: int | None, text: str) -> None:
    body = f'{{"id": "p-1", "balance": {raw}}}'
    bench.partner.answer = lambda _: web.Response(text=body, content_type="application/json")
    found = await bench.asked("partner")
    assert (found.balance, found.balance_text) == (cents, text)


@pytest.mark.parametrize("call", EFFECTS)
async def test_broken_connection_is_unknown_and_sent_once(bench: Bench, call: str) -> None:
    bench.partner.answer = lambda _: web.Response(body=b"{", headers={"Content-Length": "100"})
    assert isinstance(await bench.asked(call), Unknown)
    assert len(bench.partner.calls) == 1
    assert (bench.slots.departures, bench.slots.arrivals, bench.slots.open) == (1, 0, 0)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
async def test_service_message_is_kept_without_credentials(bench: Bench, status: int) -> None:
    shown = base64.b64encode("partner:pä:ss".encode()).decode()
    body = {"status": status, "message": f"Basic {shown} of partner:pä:ss is <odd>"}
    error = await bench.told("operation", body, status)
    assert isinstance(error, ServiceNow | ServiceNever | OperatorError)
    assert error.words == "Basic [hidden] of [hidden] is <odd>"
    assert "odd" not in str(error)


@pytest.mark.parametrize(("call", "services", "messages", "fields", "words"), [
    ("create", '[payments.create_payout.fields]\namount = "value"\n',
     {"value": ["too much"], "email": "odd", "internal.rule": ["x"]}, ("amount", "email"),
     "Invalid; amount: too much; email: odd; internal.rule: x"),
    ("purchase", "", {"description": ["long"], "amount": ["odd"], "quantity": ["odd"]},
     ("description", "amount", "item quantity"), "Invalid; description: long; amount: odd; item quantity: odd"),
    ("account", '[payments.account_status]\nfields = { email = "correo" }\n', {"correo": ["odd"]}, ("email",),
     "Invalid; email: odd"),
])  # fmt: skip
async def test_a_refusal_names_the_field_in_our_words(
    bench: Bench, call: str, services: str, messages: dict[str, Any], fields: tuple[str, ...], words: str
) -> None:
    bench.services = services
    found = await bench.told(call, {"message": "Invalid", "messages": messages}, 422)
    assert found.reason == Reason(Exchange.REFUSED, status=422, fields=fields)
    assert found.words == words


# A page of the list


async def test_a_page_is_read_with_its_figures(bench: Bench) -> None:
    bench.partner.operations = [operation(number) for number in range(1, 26)]
    found = await bench.asked("second page")
    assert [one.id for one in found.operations] == [f"op-{number}" for number in range(11, 21)]
    assert (found.page, found.last_page, found.per_page, found.total, found.first, found.last) == (2, 3, 10, 25, 11, 20)


@pytest.mark.parametrize("status", [400, 403, 411, 413])
async def test_proxy_that_refuses_get_bodies_is_remembered(
    client: PaymentsClient, partner: Partner, status: int
) -> None:
    partner.answer = lambda call: page_of_a_proxy(status) if call.raw else None
    partner.operations = [operation(1)]
    for bodies in ([True, False], [True, False, False]):
        assert (await client.list_operations()).total == 1
        assert [bool(call.raw) for call in partner.calls] == bodies


async def test_the_services_own_403_teaches_nothing(bench: Bench) -> None:
    error = await bench.told("first page", {"status": 403, "message": "Forbidden"}, 403)
    assert isinstance(error, OperatorError)
    assert "doesn't allow this" in sentence(error)
    assert len(bench.partner.calls) == 1


@pytest.mark.parametrize(("found", "page", "asked", "error", "words"), [
    ({}, 1, None, None, ""),
    ({"data": [operation(1), operation(2, operation_type="")]}, 1, "payout", None, ""),
    ({"data": [operation(1, operation_type="PAYOUT")]}, 1, "payout", None, ""),
    ({"data": [operation(1, operation_type="purchase")]}, 1, None, None, ""),
    ({"data": [operation(1)]}, 1, "purchase", OperatorError, "sent a payout where only purchases were requested"),
    ({"currentPage": 3, "lastPage": 3}, 9, None, ServiceNever, "its list ends with page 3"),
    ({"currentPage": 1, "lastPage": 1}, 2, None, ServiceNever, "its list ends with page 1"),
    ({"currentPage": 3, "lastPage": 3, "perPage": 5}, 9, None, OperatorError, "page 3 of the list instead of page 9"),
    ({"currentPage": 9, "lastPage": 3}, 9, None, None, ""),
    ({"perPage": 15}, 1, None, OperatorError, "sent 15 operations a page instead of 10"),
])  # fmt: skip
async def test_only_the_requested_page_is_returned(
    bench: Bench, found: JsonObject, page: int, asked: OperationType | None, error: type | None, words: str
) -> None:
    figures = {"currentPage": 1, "lastPage": 1, "perPage": 10, "total": 2, "from": 1, "to": 2, "data": []}
    bench.partner.answer = lambda _: said(figures | found)
    listed = bench.open().list_operations(page, 10, asked)
    if error is None:
        assert (await listed).page == page
    else:
        with pytest.raises(error, check=says(words)) as caught:
            await listed
        if isinstance(caught.value, OperatorError):
            named = "in the file that SERVICES_FILE names"
            assert caught.value.mend == f'set [payments] list_parameters = "query" or "body" {named}'
    assert len(bench.partner.calls) == 1


# Lists of bulk payments


def listed(records: list[Any], *, page: int = 1, name: str = "payments") -> JsonObject:
    shown = records[(page - 1) * 2 : page * 2]
    return {name: shown, "count": len(records), "pages": -(-len(records) // 2), "currentPage": page}


def item(number: int, **changes: object) -> JsonObject:
    return {
        "receiver_email": f"p{number}@example.com", "svc_user_id": "u", "amount": "1.50", "note": "",
        "internal_note": f"B-1/{number}", "status": "COMPLETED", "hash": f"h{number}", **changes,
    }  # fmt: skip


async def test_items_are_read_to_the_last_page(bench: Bench) -> None:
    records = [item(0), item(1, status="COMMITTED"), *(item(n) for n in range(2, 5))]
    bench.partner.answer = lambda call: said(listed(records, page=int(call.query["page"])))
    pages = await bench.asked("items")
    items = [one for page in pages for one in page.items]
    assert [one.hash for one in items] == ["h0", "h1", "h2", "h3", "h4"]
    assert [one.state for one in items[:2]] == [OperationStatus.COMPLETED, OperationStatus.COMMITTED]
    assert (items[0].email, items[0].cents) == ("p0@example.com", 150)
    assert [call.query["page"] for call in bench.partner.calls] == ["1", "2", "3"]


async def test_pages_that_do_not_add_up_never_look_like_the_end(bench: Bench) -> None:
    records = [item(n) for n in range(5)]
    bench.partner.answer = lambda _: said(listed(records))
    assert isinstance(await bench.asked("items"), OperatorError)
    assert len(bench.partner.calls) == 2
    shown = {"1": listed(records[:3]), "2": listed(records[:3], page=2) | {"payments": []}}
    bench.partner.answer = lambda call: said(shown[call.query["page"]])
    assert isinstance(await bench.asked("items"), ServiceNow)


@pytest.mark.parametrize(("document", "sizes"), [
    ({"payments": [], "count": 0, "pages": 0, "currentPage": 1}, [0]),
    ({"payments": None, "count": "", "pages": "", "currentPage": 1}, [0]),
    ({"payments": [], "count": 0, "pages": 0, "currentPage": 0}, [0]),
    # Without figures the list is all there is.
    ([item(1), item(2)], [2]), ({"data": [item(1), item(2)]}, [2]), ({"payments": [item(1), item(2)]}, [2]),
])  # fmt: skip
async def test_list_without_page_figures_is_one_page(bench: Bench, document: object, sizes: list[int]) -> None:
    assert [page.size for page in await bench.told("items", document)] == sizes
    assert len(bench.partner.calls) == 1


CLOSED = {"code": "CLOSED", "message": "account closed"}
MESSAGES = {"email": ["is odd"], "amount": ["is low"]}


@pytest.mark.parametrize(("said_as", "words"), [
    *(({name: "account closed"}, "account closed") for name in ("error", "reason", "failure_reason", "message")),
    ({"error": CLOSED}, "account closed (CLOSED)"), ({"error": {"code": "CLOSED"}}, "CLOSED"),
    ({"error": {"error": CLOSED}}, "account closed (CLOSED)"),
    ({"error": {"code": 17, "messages": MESSAGES}}, "email.0: is odd, amount.0: is low (17)"),
    ({"error": "", "reason": "account closed"}, "account closed"),
    ({"errors": ["account closed", CLOSED, "account closed"]}, "account closed; account closed (CLOSED)"),
    ({"errors": []}, ""), ({}, ""),
    ({"created_at": "2026-11-20", "svc_operation_id": "o1", "createdAt": "2026-11-20", "currency": "USD"}, ""),
])  # fmt: skip
async def test_failures_carry_their_reason_in_the_services_words(bench: Bench, said_as: JsonObject, words: str) -> None:
    [page] = await bench.told("failures", listed([item(1, status="Failed", **said_as)]))
    assert (page.items[0].error, page.items[0].state) == (words, OperationStatus.FAILED)


async def test_bulk_failure_may_be_plain_text(bench: Bench) -> None:
    [page] = await bench.told("failures", {"errors": ["ana@example.com: account closed", item(2, error="no account")]})
    assert [(one.email, one.error) for one in page.items] == [
        ("ana@example.com", "ana@example.com: account closed"),
        ("p2@example.com", "no account"),
    ]


async def test_reason_under_unknown_name_is_kept_raw(bench: Bench) -> None:
    strange = {"rejection": {"why": "limit", "token": "t0p"}, "line_no": 4}
    [page] = await bench.told("failures", listed([item(1, error="no account"), item(2, **strange)]))
    assert [one.error for one in page.items] == ["no account", "rejection.why: limit, rejection.token: •••, line_no: 4"]
    [page] = await bench.told("items", listed([item(1, **strange), item(2, failure_reason="no account")]))
    assert [one.error for one in page.items] == ["", "no account"], "of an item it may be anything"


@pytest.mark.parametrize("said_as", [{"failure_reason": "no balance"}, {"error": {"message": "no balance"}}])
async def test_the_reason_on_a_bulk_payment_is_read(bench: Bench, said_as: JsonObject) -> None:
    job = {"id": "b-1", "status": "failed", "payments": {"count": 3}, **said_as}
    assert (await bench.told("bulk payment", job)).why == "no balance"
    [listed_job] = (await bench.told("history", listed([job], name="bulk_payments"))).jobs
    assert (listed_job.why, listed_job.count) == ("no balance", 3)


async def test_the_history_reads_empty_texts_as_zeros(bench: Bench) -> None:
    figures = {"count": 3, "completed": 3, "failed": ""}
    job = {"id": "b-1", "status": "DONE", "created_at": "2026-11-20T10:00:00Z", "payments": figures}
    [found] = (await bench.told("history", listed([job], name="bulk_payments"))).jobs
    assert (found.count, found.completed, found.failed, found.pending) == (3, 3, 0, None)
    assert found.created_at is not None


async def test_a_large_submission_arrives_whole(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda call: said({"id": "b-1", "status": "pending", "payments": {"count": len(call.json)}})
    items = [BulkItem(row=n, email="ana@example.com", cents=Cents(n), note="n" * 100) for n in range(2, 2_002)]
    outcome = await client.submit_bulk("B-1", items, earlier_unknown=False)
    assert isinstance(outcome, Done)
    assert outcome.value.count == 2_000
