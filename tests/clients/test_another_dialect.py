"""The client and the simulated service, which know nothing of each other, agree: as documented, and in another dialect.

The other dialect has other paths, names, prefix and places: a SERVICES_FILE alone makes the client speak it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.clients.limiter import PartnerTurns, SlidingWindow
from bot.clients.payments import NewPayout, PaymentsClient
from bot.clients.transport import Transport
from bot.domain.errors import ServiceNever
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.bulk import BulkItem, HashList
from bot.domain.payments.bulk_records import JobStatus
from bot.domain.payments.operation import OperationStatus
from bot.playground.simulators.payments import Dialect, PaymentsSimulator
from bot.playground.simulators.payments.dialect import ROUTES
from bot.presentation.reasons import worded
from tests.clients.conftest import payments_client, routes_of
from tests.clients.payments_calls import NEW, PURCHASE
from tests.support.dialect import OURS, THEIRS

BATCHES = Dialect(
    routes={
        **ROUTES,
        "create_bulk_payment": ("PUT", "/v2/batches"),
        "get_bulk_payment": ("GET", "/v2/batches/{id}/state"),
        "list_bulk_failures": ("GET", "/v2/batches/{id}/rejects"),
        "list_bulk_payments": ("GET", "/v2/batches"),
        "list_bulk_items": ("GET", "/v2/batches/{id}/lines"),
        "cancel_bulk_items": ("PUT", "/v2/batches/{id}/stop"),
    },
    prefix="acme",
    names={
        "receiver_email": "to", "amount": "value", "internal_note": "ref", "payments": "lines",
        "bulk_payments": "batches", "count": "rows", "pages": "last", "currentPage": "page_no", "page": "p",
        "hash": "proof", "error": "why", "status": "state", "paymentItems": "stop", "successful": "stopped",
    },
)  # fmt: skip
OUR_BATCHES = """
[payments]
field_prefix = "acme"

[payments.create_bulk_payment]
method = "PUT"
path   = "/v2/batches"
fields = { payments = "lines", email = "to", amount = "value", internal_note = "ref" }
reply  = { status = "state", payments = "lines", count = "rows" }

[payments.get_bulk_payment]
path  = "/v2/batches/{id}/state"
reply = { status = "state", payments = "lines", count = "rows" }

[payments.list_bulk_failures]
path   = "/v2/batches/{id}/rejects"
fields = { page = "p" }
reply  = { payments = "lines", email = "to", amount = "value", internal_note = "ref", status = "state", error = "why", count = "rows", pages = "last", page = "page_no" }

[payments.list_bulk_payments]
path   = "/v2/batches"
fields = { page = "p" }
reply  = { bulk_payments = "batches", status = "state", payments = "lines", payments_count = "rows", count = "rows", pages = "last", page = "page_no" }

[payments.list_bulk_items]
path   = "/v2/batches/{id}/lines"
fields = { page = "p" }
reply  = { payments = "lines", email = "to", amount = "value", internal_note = "ref", status = "state", hash = "proof", count = "rows", pages = "last", page = "page_no" }

[payments.cancel_bulk_items]
method = "PUT"
path   = "/v2/batches/{id}/stop"
fields = { items = "stop" }
reply  = { successful = "stopped" }
"""  # noqa: E501 - inline tables of TOML stand on one line

Connect = Callable[..., PaymentsClient]
SPOKEN = {"as documented": (Dialect(), "", "unit"), "another dialect": (THEIRS, OURS, "line")}


@pytest.fixture(params=SPOKEN)
async def service(request: pytest.FixtureRequest) -> AsyncIterator[PaymentsSimulator]:
    dialect, _, item_amount = SPOKEN[request.param]
    async with PaymentsSimulator(dialect=dialect, rate_limit=None) as running:
        running.switches.item_amount = item_amount  # type: ignore[assignment]
        running.switches.ignore_get_body = bool(SPOKEN[request.param][1])
        yield running


@pytest.fixture
def connect(session: aiohttp.ClientSession, tmp_path: Path) -> Connect:
    def build(service: PaymentsSimulator, services: str = "", **more: object) -> PaymentsClient:
        # Production where a file confirms what lets money move.
        routes = routes_of(tmp_path, services, "production" if services == OURS else "sandbox")
        transport = Transport(session=session, base_url=service.base_url, service="payments")
        ours = {"partner_id": service.partner_id, "partner_secret": SecretStr(service.partner_secret)}
        return payments_client(routes, transport, **ours, **more)

    return build


@pytest.fixture
def client(service: PaymentsSimulator, connect: Connect) -> PaymentsClient:
    return connect(service, OURS if service.switches.ignore_get_body else "")


@pytest.fixture
async def plain() -> AsyncIterator[PaymentsSimulator]:
    async with PaymentsSimulator() as running:
        yield running


def payout(service: PaymentsSimulator, code: str = "code-1", cents: int = 2510) -> NewPayout:
    # The callbacks come back to the service itself, which refuses them: that is an event, too.
    return replace(
        NEW,
        email="ben+work@example.com",
        description="March translation",
        cents=Cents(cents),
        code=code,
        confirmation_uri=f"{service.base_url}/callbacks/payments/t1",
        failure_uri=f"{service.base_url}/callbacks/payments/t2",
        cancel_uri=f"{service.base_url}/callbacks/payments/t3",
    )


async def created(client: PaymentsClient, service: PaymentsSimulator) -> str:
    found = await client.create_payout(payout(service), earlier_unknown=False)
    assert isinstance(found, Done)
    assert (found.value.state, found.value.code, found.value.cents, found.value.email) == (
        OperationStatus.CREATED,
        "code-1",
        2510,
        "ben+work@example.com",
    )
    return found.value.id


async def test_a_payout_goes_all_the_way(client: PaymentsClient, service: PaymentsSimulator) -> None:
    account = await client.account_status("ben+work@example.com")
    assert (account.full_name, account.active, account.country) == ("Ben Carter", True, "USA")
    operation_id = await created(client, service)
    assert await client.payout_events(operation_id) == ()

    client.require("commit_payout")
    committed = await client.commit_payout(operation_id, earlier_unknown=False)
    assert isinstance(committed, Done)
    assert committed.value.state is OperationStatus.COMMITTED
    assert service.ledger.executions("code-1") == 1

    await service.advance()
    await service.delivered()
    read = await client.get_operation(operation_id)
    assert (read.state, read.operation_type, bool(read.svc_hash), bool(read.user_id), read.description) == (
        OperationStatus.COMPLETED,
        "payout",
        True,
        True,
        "March translation",
    )
    [event] = await client.payout_events(operation_id)
    assert (event.kind, event.host, event.status) == ("confirmation_uri", "127.0.0.1", "401")
    assert event.at is not None
    assert "callbacks" not in repr(event)
    found = await client.find_by_code("code-1")
    assert (found.complete, [one.id for one in found.hits]) == (True, [operation_id])


async def test_one_step_pays_once_and_is_found_by_its_code(client: PaymentsClient, service: PaymentsSimulator) -> None:
    client.require("one_step_payout")
    before = (await client.partner()).balance
    paid = await client.one_step_payout(payout(service, "code-2"), earlier_unknown=False)
    assert isinstance(paid, Done)
    assert (paid.value.code, paid.value.cents, paid.value.state) == ("code-2", 2510, OperationStatus.COMMITTED)
    assert service.ledger.executions("code-2") == 1
    found = await client.find_by_code("code-2")
    assert ([one.id for one in found.hits], found.complete, found.total) == ([paid.value.id], True, 1)
    after = await client.partner()
    assert (before, after.balance) == (service.ledger.opening_cents, service.ledger.opening_cents - 2510)
    assert (after.id, after.email, after.currency) == (service.partner_id, "partner@example.com", "USD")


async def test_a_purchase_is_made_read_and_linked(client: PaymentsClient, service: PaymentsSimulator) -> None:
    new = replace(
        PURCHASE,
        confirmation_uri=f"{service.base_url}/thanks",
        callback_uri=f"{service.base_url}/callbacks/payments/t4",
        failure_uri=f"{service.base_url}/callbacks/payments/t5",
    )
    made = await client.create_purchase(new, earlier_unknown=False)
    assert isinstance(made, Done)
    assert (made.value.cents, made.value.email, made.value.code) == (2109, "ana@example.com", "code-1")
    record = service.operations[made.value.id]
    in_line = 2 if service.switches.item_amount == "line" else 1
    assert [(item.description, item.cents, item.quantity) for item in record.items] == [
        ("Book", 1005 * in_line, 2),
        ("Pen <b>", 99, 1),
    ]
    assert (record.confirmation_uri, record.cancel_uri) == (new.confirmation_uri, new.cancel_uri)

    link = client.checkout_url(made.value.id)
    assert link == f"{service.base_url}/checkout/{made.value.id}"
    async with aiohttp.ClientSession() as browser:
        async with browser.get(link) as page:
            assert "21.09" in await page.text()
        async with browser.post(link, data={"choice": "pay"}, allow_redirects=False) as paid:
            assert paid.headers["Location"] == f"{service.base_url}/thanks"
    read = await client.get_purchase(made.value.id)
    assert (read.state, read.is_final, read.cents, read.operation_type) == (
        OperationStatus.CONFIRMED,
        True,
        2109,
        "purchase",
    )
    assert [(item.description, item.quantity, item.unit_cents, item.line_cents) for item in read.items] == [
        ("Book", 2, 1005, 2010),
        ("Pen <b>", 1, 99, 99),
    ]
    assert (await client.find_by_code("code-1", "purchase")).hits[0].id == made.value.id


async def test_the_list_is_paged_and_filtered(client: PaymentsClient, service: PaymentsSimulator) -> None:
    for number in range(12):
        await client.create_payout(payout(service, f"code-{number}"), earlier_unknown=False)
    page = await client.list_operations(2, 10, "payout")
    assert (page.page, page.last_page, page.per_page, page.total, page.first, page.last) == (2, 2, 10, 12, 11, 12)
    assert {one.code for one in page.operations} == {"code-0", "code-1"}
    assert (await client.list_operations(1, 10, "purchase")).operations == ()
    assert (service.calls_of("list_operations")[0].body is None) is service.switches.ignore_get_body


async def test_refusals_are_told_in_our_words(client: PaymentsClient, service: PaymentsSimulator) -> None:
    await created(client, service)
    taken = await client.create_payout(payout(service), earlier_unknown=False)
    assert isinstance(taken, NotExecuted)
    assert worded(taken.reason) == "the provider doesn't accept the code (422)"
    assert isinstance(await client.one_step_payout(payout(service), earlier_unknown=False), NotExecuted)
    assert isinstance(await client.one_step_payout(payout(service), earlier_unknown=True), Unknown)
    assert service.ledger.executions("code-1") == 0
    poor = await client.one_step_payout(payout(service, "code-2", cents=10**10), earlier_unknown=False)
    assert isinstance(poor, NotExecuted)
    assert worded(poor.reason) == "the provider doesn't accept the amount (422)"
    with pytest.raises(ServiceNever) as caught:
        await client.get_operation("nobody-knows")
    assert (caught.value.status, caught.value.words) == (404, "There is no such operation")


async def test_forty_requests_at_once_meet_no_429(plain: PaymentsSimulator, connect: Connect) -> None:
    slots = PartnerTurns(SlidingWindow(clock=time.monotonic), clock=time.monotonic)
    client = connect(plain, limiter=slots)
    operation_id = await created(client, plain)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(39):
            tasks.create_task(client.get_operation(operation_id))
    assert len(plain.calls) == 40
    assert plain.busiest_second() <= 10
    assert all(call.status != 429 for call in plain.calls)


async def test_another_dialect_of_bulk_payments(connect: Connect) -> None:
    items = [BulkItem(row=n, email=f"p{n}@example.com", cents=Cents(100 + n)) for n in range(2, 7)]
    async with PaymentsSimulator(dialect=BATCHES, rate_limit=None) as service:
        service.switches.bulk_page_size = 2
        service.switches.bulk_fail_every = 5
        client = connect(service, OUR_BATCHES)
        made = await client.submit_bulk("B-1", items, earlier_unknown=False)
        assert isinstance(made, Done)
        assert made.value.count == 5
        await service.advance()
        await service.advance()
        assert (await client.get_bulk(made.value.id)).state is JobStatus.DONE
        listed = [item async for page in client.bulk_items(made.value.id) for item in page.items]
        assert [(one.internal_note, one.cents) for one in listed] == [(f"B-1/{n}", 100 + n) for n in range(2, 7)]
        failed = [item async for page in client.bulk_items(made.value.id, failed=True) for item in page.items]
        assert [(one.internal_note, bool(one.error)) for one in failed] == [("B-1/6", True)]
        history = [job async for page in client.bulk_history() for job in page.jobs]
        assert [(job.id, job.count, job.failed) for job in history] == [(made.value.id, 5, 1)]
        stopped = await client.cancel_bulk_items(made.value.id, HashList(listed[0].hash), earlier_unknown=False)
        assert isinstance(stopped, Done)
        assert stopped.value == {listed[0].hash}
        assert service.bulk_payments[0].canceled_all == 0
