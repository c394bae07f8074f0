"""The client and the simulated service agree in another dialect: other paths, names, prefix and places.

A SERVICES_FILE alone makes the client speak it. `tests/flow/test_dialect.py` does payouts through the whole product.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.clients.limiter import PartnerTurns, SlidingWindow
from bot.clients.payments import PaymentsClient
from bot.clients.transport import Transport
from bot.domain.money import Cents
from bot.domain.outcome import Done
from bot.domain.payments.bulk import BulkItem, HashList
from bot.domain.payments.bulk_records import JobStatus
from bot.playground.simulators.payments import Dialect, PaymentsSimulator
from bot.playground.simulators.payments.dialect import ROUTES
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


@pytest.fixture
def connect(session: aiohttp.ClientSession, tmp_path: Path) -> Connect:
    def build(service: PaymentsSimulator, services: str = "", **more: object) -> PaymentsClient:
        # Production where a file confirms what lets money move.
        routes = routes_of(tmp_path, services, "production" if services == OURS else "sandbox")
        transport = Transport(session=session, base_url=service.base_url, service="payments")
        ours = {"partner_id": service.partner_id, "partner_secret": SecretStr(service.partner_secret)}
        return payments_client(routes, transport, **ours, **more)

    return build


async def test_payments_client_works_in_another_dialect(connect: Connect) -> None:
    async with PaymentsSimulator(dialect=THEIRS, rate_limit=None) as service:
        service.switches.item_amount = "line"
        service.switches.ignore_get_body = True
        client = connect(service, OURS)
        # The callback comes back to the service itself, which refuses it: that is an event, too.
        new = replace(NEW, email="ben+work@example.com", confirmation_uri=f"{service.base_url}/callbacks/payments/t1")
        paid = await client.one_step_payout(new, earlier_unknown=False)
        assert isinstance(paid, Done)
        assert service.ledger.executions(NEW.code) == 1
        await service.advance()
        await service.delivered()
        [event] = await client.payout_events(paid.value.id)
        assert (event.kind, event.status) == ("confirmation_uri", "401")
        partner = await client.partner()
        assert (partner.balance, partner.currency) == (service.ledger.opening_cents - NEW.cents, "USD")

        made = await client.create_purchase(PURCHASE, earlier_unknown=False)
        assert isinstance(made, Done)
        stored = [(one.description, one.cents, one.quantity) for one in service.operations[made.value.id].items]
        assert stored == [("Book", 2010, 2), ("Pen <b>", 99, 1)]
        read = await client.get_purchase(made.value.id)
        assert [(one.quantity, one.unit_cents, one.line_cents) for one in read.items] == [(2, 1005, 2010), (1, 99, 99)]
        listed = await client.list_operations(1, 10, "purchase")
        assert ([one.code for one in listed.operations], listed.total) == (["code-1"], 1)
        assert all(call.body is None for call in service.calls_of("list_operations"))


async def test_forty_requests_at_once_meet_no_429(connect: Connect) -> None:
    async with PaymentsSimulator() as service:
        slots = PartnerTurns(SlidingWindow(clock=time.monotonic), clock=time.monotonic)
        client = connect(service, limiter=slots)
        made = await client.create_payout(NEW, earlier_unknown=False)
        assert isinstance(made, Done)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(39):
                tasks.create_task(client.get_operation(made.value.id))
        assert len(service.calls) == 40
        assert service.busiest_second() <= 10
        assert all(call.status != 429 for call in service.calls)


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
