"""Bulk payments through the client: outcomes, paging to the end, and a list of hashes that is never empty."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.clients.limiter import Lane
from bot.clients.payments import NewBulk, PaymentsClient
from bot.clients.payments import client as bulk
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.bulk import BulkItem, HashList
from bot.domain.payments.bulk_records import JobStatus
from bot.domain.payments.operation import OperationStatus
from tests.clients.conftest import CountingSlots, OpenClient
from tests.clients.partner_server import Partner, page_of_a_proxy, said
from tests.support.troubles import says

CHUNK = 100

NEW = NewBulk(
    reference="B-4F7K2M",
    items=[
        BulkItem(row=2, email="ana@example.com", cents=Cents(2510), note="March"),
        BulkItem(row=4, email="ben+work@example.com", cents=Cents(1)),
    ],
)


async def test_the_request_is_an_array_with_our_reference_in_each_row(partner: Partner, client: PaymentsClient) -> None:
    partner.answer = lambda _call: said({"id": 17, "status": "PENDING", "payments": {"count": "2"}}, 201)
    outcome = await client.submit_bulk(NEW, earlier_unknown=False)
    assert isinstance(outcome, Done)
    assert (outcome.value.id, outcome.value.state, outcome.value.count) == ("17", JobStatus.PENDING, 2)
    (call,) = partner.calls
    assert (call.method, call.path) == ("POST", "/bulk-payments")
    assert call.raw.decode().count("25.10") == 1
    assert call.json == [
        {
            "receiver_email": "ana@example.com",
            "amount": 25.1,
            "currency": "USD",
            "note": "March",
            "internal_note": "B-4F7K2M/2",
        },
        {
            "receiver_email": "ben+work@example.com",
            "amount": 0.01,
            "currency": "USD",
            "note": "",
            "internal_note": "B-4F7K2M/4",
        },
    ]


async def test_the_array_goes_under_a_name_where_the_operator_gives_one(
    partner: Partner, open_client: OpenClient
) -> None:
    partner.answer = lambda _call: said({"id": "b-1", "status": "pending"})
    client = open_client('[payments.create_bulk_payment.fields]\npayments = "payments"')
    assert isinstance(await client.submit_bulk(NEW, earlier_unknown=False), Done)
    assert [row["internal_note"] for row in partner.calls[0].json["payments"]] == ["B-4F7K2M/2", "B-4F7K2M/4"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (lambda: said({"message": "slow down"}, 429), NotExecuted),
        (lambda: said({"message": "no", "messages": {"0.amount": ["too much"]}}, 422), NotExecuted),
        (lambda: said({"status": "pending"}, 201), Unknown),
        (lambda: said({"message": "oops"}, 500), Unknown),
        (lambda: said({"message": "conflict"}, 409), Unknown),
        (lambda: page_of_a_proxy(200), Unknown),
        (lambda: page_of_a_proxy(504), Unknown),
    ],
)
async def test_the_outcome_of_a_submission(partner: Partner, client: PaymentsClient, answer: Any, kind: type) -> None:
    partner.answer = lambda _call: answer()
    assert isinstance(await client.submit_bulk(NEW, earlier_unknown=False), kind)
    assert len(partner.calls) == 1


async def test_nothing_leaves_when_the_guard_says_no(partner: Partner, client: PaymentsClient) -> None:
    outcome = await client.submit_bulk(NEW, earlier_unknown=False, guard=lambda: False)
    assert isinstance(outcome, NotExecuted)
    assert outcome.again
    assert partner.calls == []


async def test_production_submits_and_cancels_only_over_confirmed_routes(
    partner: Partner, open_client: OpenClient
) -> None:
    client = open_client(environment="production")
    with pytest.raises(OperatorError, match="create_bulk_payment"):
        await client.submit_bulk(NEW, earlier_unknown=False)
    with pytest.raises(OperatorError, match="cancel_bulk_items"):
        await client.cancel_bulk_items("b-1", HashList("h1"), earlier_unknown=False)
    assert partner.calls == []


def test_a_submission_may_take_ten_minutes() -> None:
    assert bulk.UPLOAD_SECONDS == 600


async def test_a_large_submission_arrives_whole(partner: Partner, client: PaymentsClient) -> None:
    partner.answer = lambda call: said({"id": "b-1", "status": "pending", "payments": {"count": len(call.json)}})
    items = [BulkItem(row=n, email="ana@example.com", cents=Cents(n), note="n" * 100) for n in range(2, 2_002)]
    outcome = await client.submit_bulk(NewBulk(reference="B-1", items=items), earlier_unknown=False)
    assert isinstance(outcome, Done)
    assert outcome.value.count == 2_000


def test_a_bulk_payment_without_items_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="at least one"):
        NewBulk(reference="B-1", items=[])


# Reading


def listed(name: str, records: list[dict[str, Any]], *, page: int, size: int = 2) -> dict[str, Any]:
    shown = records[(page - 1) * size : page * size]
    return {name: shown, "count": len(records), "pages": -(-len(records) // size), "currentPage": page}


def item(number: int, **changes: object) -> dict[str, Any]:
    return {
        "receiver_email": f"p{number}@example.com",
        "svc_user_id": "u",
        "amount": "1.50",
        "note": "",
        "internal_note": f"B-1/{number}",
        "status": "COMPLETED",
        "hash": f"h{number}",
        **changes,
    }


async def test_items_are_read_to_the_last_page(partner: Partner, client: PaymentsClient, slots: CountingSlots) -> None:
    records = [item(n) for n in range(5)]
    partner.answer = lambda call: said(listed("payments", records, page=int(call.query["page"])))
    pages = [page async for page in client.bulk_items("b-1")]
    assert [one.hash for page in pages for one in page.items] == ["h0", "h1", "h2", "h3", "h4"]
    assert pages[0].items[0].state is OperationStatus.COMPLETED
    assert pages[0].items[0].cents == 150
    assert [call.path for call in partner.calls] == [f"/bulk-payments/b-1/payments?page={n}" for n in (1, 2, 3)]
    assert set(slots.lanes) == {Lane.LISTING}


async def test_a_dropped_page_parameter_never_looks_like_the_end(partner: Partner, client: PaymentsClient) -> None:
    records = [item(n) for n in range(5)]
    partner.answer = lambda _call: said(listed("payments", records, page=1))
    with pytest.raises(OperatorError, check=says("page 2")):
        [page async for page in client.bulk_items("b-1")]
    assert len(partner.calls) == 2


async def test_a_list_that_changes_while_it_is_read_is_not_complete(partner: Partner, client: PaymentsClient) -> None:
    pages = {1: [item(1), item(2)], 2: []}
    partner.answer = lambda call: said(
        {"payments": pages[int(call.query["page"])], "count": 3, "pages": 2, "currentPage": int(call.query["page"])}
    )
    with pytest.raises(ServiceNow, check=says("changed while")):
        [page async for page in client.bulk_items("b-1")]


async def test_an_empty_list_is_one(partner: Partner, client: PaymentsClient) -> None:
    for document in (
        {"payments": [], "count": 0, "pages": 0, "currentPage": 1},
        {"payments": None, "count": "", "pages": "", "currentPage": 1},
        {"payments": [], "count": 0, "pages": 0, "currentPage": 0},
    ):
        partner.answer = lambda _call, document=document: said(document)
        assert [page.size async for page in client.bulk_failures("b-1")] == [0]


@pytest.mark.parametrize("wrap", [list, lambda rows: {"data": rows}, lambda rows: {"payments": rows}])
async def test_a_list_without_figures_is_all_there_is(
    partner: Partner, client: PaymentsClient, wrap: Callable[[list[Any]], Any]
) -> None:
    rows = [
        {"receiver_email": "ana@example.com", "amount": "1.00", "status": "COMPLETED", "hash": f"h{n}"} for n in (1, 2)
    ]
    partner.answer = lambda _call: said(wrap(rows))
    pages = [page async for page in client.bulk_items("b-1")]
    assert [[item.hash for item in page.items] for page in pages] == [["h1", "h2"]]
    assert len(partner.calls) == 1


async def test_failures_carry_their_reason_in_the_services_words(partner: Partner, client: PaymentsClient) -> None:
    record = {**item(1, status="Failed"), "error": "account closed"}
    partner.answer = lambda _call: said({"payments": [record], "count": 1, "pages": 1, "currentPage": 1})
    (page,) = [page async for page in client.bulk_failures("b-1")]
    assert (page.items[0].error, page.items[0].state) == ("account closed", OperationStatus.FAILED)


async def test_the_history_reads_empty_texts_as_zeros(partner: Partner, client: PaymentsClient) -> None:
    job = {"id": "b-1", "status": "DONE", "created_at": "2026-11-20T10:00:00Z"}
    job["payments"] = {"count": 3, "completed": 3, "failed": ""}  # type: ignore[assignment]
    partner.answer = lambda _call: said({"bulk_payments": [job], "count": 1, "pages": 1, "currentPage": 1})
    page = await client.bulk_history_page()
    assert (page.jobs[0].count, page.jobs[0].completed, page.jobs[0].failed, page.jobs[0].pending) == (3, 3, 0, None)
    assert page.jobs[0].created_at is not None


async def test_the_details_of_another_bulk_payment_are_refused(partner: Partner, client: PaymentsClient) -> None:
    partner.answer = lambda _call: said({"id": "b-2", "status": "done", "payments": {"count": 1, "pending": ""}})
    with pytest.raises(ServiceNow, check=says("another bulk payment")):
        await client.get_bulk("b-1")
    assert (await client.get_bulk("b-2")).pending == 0


async def test_an_id_that_is_none_asks_nobody(partner: Partner, client: PaymentsClient) -> None:
    with pytest.raises(ServiceNever):
        await client.get_bulk("..")
    assert partner.calls == []


async def test_an_unknown_status_is_kept_and_decides_nothing(partner: Partner, client: PaymentsClient) -> None:
    partner.answer = lambda _call: said({"id": "b-1", "status": "Paused", "payments": {}})
    job = await client.get_bulk("b-1")
    assert (job.status, job.state, job.count) == ("Paused", None, None)


async def test_a_missing_bulk_payment_is_a_refusal(client: PaymentsClient) -> None:
    with pytest.raises(ServiceNever) as refused:
        await client.get_bulk("b-1")
    assert refused.value.status == 404


# Canceling


def test_an_empty_list_of_hashes_cannot_be_built() -> None:
    with pytest.raises(TypeError):
        HashList()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="would cancel everything"):
        HashList.of([])
    for wrong in (["", "h"], [" "], ["h", "h"], [f"h{n}" for n in range(CHUNK + 1)]):
        with pytest.raises(ValueError, match="hash"):
            HashList.of(wrong)
    assert HashList.of(["a", "b"]).all == ("a", "b")


async def test_a_cancellation_names_its_hashes(partner: Partner, client: PaymentsClient) -> None:
    partner.answer = lambda _call: said({"successful": ["h1"]})
    outcome = await client.cancel_bulk_items("b-1", HashList("h1", "h2"), earlier_unknown=False)
    assert isinstance(outcome, Done)
    assert outcome.value == {"h1"}
    assert partner.calls[0].path == "/bulk-payments/b-1/payments/cancel"
    assert partner.calls[0].json == {"paymentItems": [{"svc_operation_hash": "h1"}, {"svc_operation_hash": "h2"}]}


@pytest.mark.parametrize(
    "override",
    [
        "",
        '[payments]\nfield_prefix = "acme"',
        '[payments.cancel_bulk_items.fields]\nitems = "operations"\nhash = "uid"',
        '[payments.cancel_bulk_items]\npath = "/v2/cancel"\nmethod = "PUT"\nfields = { id = "bulk" }',
    ],
)
async def test_in_no_dialect_does_a_cancellation_leave_without_its_hashes(
    partner: Partner, open_client: OpenClient, override: str
) -> None:
    partner.answer = lambda _call: said({"successful": []})
    client = open_client(override)
    await client.cancel_bulk_items("b-1", HashList("h1"), earlier_unknown=False)
    body = partner.calls[0].json
    lists = [value for value in body.values() if isinstance(value, list)]
    assert [list(one.values()) for one in lists[0]] == [["h1"]]


async def test_an_answer_without_the_list_is_an_unknown_outcome(partner: Partner, client: PaymentsClient) -> None:
    bodies: list[object] = [{}, {"status": "ok"}, []]
    for body in bodies:
        partner.answer = lambda _call, body=body: said(body)
        assert isinstance(await client.cancel_bulk_items("b-1", HashList("h"), earlier_unknown=False), Unknown)
    partner.answer = lambda _call: said({"successful": None})
    nothing = await client.cancel_bulk_items("b-1", HashList("h"), earlier_unknown=False)
    assert isinstance(nothing, Done)
    assert nothing.value == frozenset()
