"""Bulk payments under other paths and names: a SERVICES_FILE alone makes the client speak them."""

from pathlib import Path

from pydantic import SecretStr

from bot.clients.payments import NewBulk, PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.domain.money import Cents
from bot.domain.outcome import Done
from bot.domain.payments.bulk import BulkItem, HashList
from bot.domain.payments.bulk_records import JobStatus
from bot.playground.simulators.payments import Dialect, PaymentsSimulator
from bot.playground.simulators.payments.dialect import ROUTES
from tests.clients.conftest import CountingSlots

THEIRS = Dialect(
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
        "receiver_email": "to",
        "amount": "value",
        "internal_note": "ref",
        "payments": "lines",
        "bulk_payments": "batches",
        "count": "rows",
        "pages": "last",
        "currentPage": "page_no",
        "page": "p",
        "hash": "proof",
        "error": "why",
        "status": "state",
        "paymentItems": "stop",
        "successful": "stopped",
    },
)
OURS = """
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


async def test_another_dialect_of_bulk_payments(tmp_path: Path) -> None:
    file = tmp_path / "services.toml"
    file.write_text(OURS, encoding="utf-8")
    items = [BulkItem(row=n, email=f"p{n}@example.com", cents=Cents(100 + n)) for n in range(2, 7)]
    async with PaymentsSimulator(dialect=THEIRS, rate_limit=None) as service, open_session() as session:
        service.switches.bulk_page_size = 2
        service.switches.bulk_fail_every = 5
        client = PaymentsClient(
            routes=load_routes(file, environment="sandbox"),
            transport=Transport(session=session, base_url=service.base_url, service="payments"),
            limiter=CountingSlots(),
            partner_id="partner",
            partner_secret=SecretStr("partner-secret"),
        )
        made = await client.submit_bulk(NewBulk(reference="B-1", items=items), earlier_unknown=False)
        assert isinstance(made, Done)
        assert made.value.count == 5
        await service.advance()
        await service.advance()
        assert (await client.get_bulk(made.value.id)).state is JobStatus.DONE
        listed = [item async for page in client.bulk_items(made.value.id) for item in page.items]
        assert [(one.internal_note, one.cents) for one in listed] == [(f"B-1/{n}", 100 + n) for n in range(2, 7)]
        failed = [item async for page in client.bulk_failures(made.value.id) for item in page.items]
        assert [(one.internal_note, bool(one.error)) for one in failed] == [("B-1/6", True)]
        history = [job async for page in client.bulk_history() for job in page.jobs]
        assert [(job.id, job.count, job.failed) for job in history] == [(made.value.id, 5, 1)]
        stopped = await client.cancel_bulk_items(made.value.id, HashList(listed[0].hash), earlier_unknown=False)
        assert isinstance(stopped, Done)
        assert stopped.value == {listed[0].hash}
        assert service.bulk_payments[0].canceled_all == 0
