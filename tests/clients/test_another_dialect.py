"""The same service under other paths, names, prefix and places: a SERVICES_FILE alone makes the client speak it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.clients.payments import NewItem, NewPayout, NewPurchase, PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.domain.errors import OperatorError, ServiceNever
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted
from bot.domain.payments.operation import OperationStatus
from bot.playground.simulators.payments import PaymentsSimulator
from bot.presentation.reasons import worded
from tests.clients.conftest import CountingSlots
from tests.support.dialect import OURS, THEIRS


@pytest.fixture
async def service() -> AsyncIterator[PaymentsSimulator]:
    async with PaymentsSimulator(dialect=THEIRS, rate_limit=None) as running:
        running.switches.item_amount = "line"
        running.switches.ignore_get_body = True
        yield running


@pytest.fixture
async def client(service: PaymentsSimulator, tmp_path: Path) -> AsyncIterator[PaymentsClient]:
    file = tmp_path / "services.toml"
    file.write_text(OURS, encoding="utf-8")
    async with open_session() as session:
        yield PaymentsClient(
            # Production, so that what the file confirms is what lets money move.
            routes=load_routes(file, environment="production"),
            transport=Transport(session=session, base_url=service.base_url, service="payments"),
            limiter=CountingSlots(),
            partner_id=service.partner_id,
            partner_secret=SecretStr(service.partner_secret),
        )


def payout(service: PaymentsSimulator, code: str = "code-1", cents: int = 2510) -> NewPayout:
    # The callbacks come back to the service itself, which refuses them: that is an event, too.
    return NewPayout(
        email="ben+work@example.com",
        description="March translation",
        cents=Cents(cents),
        code=code,
        confirmation_uri=f"{service.base_url}/callbacks/payments/t1",
        failure_uri=f"{service.base_url}/callbacks/payments/t2",
        cancel_uri=f"{service.base_url}/callbacks/payments/t3",
    )


async def test_a_payout_goes_all_the_way(client: PaymentsClient, service: PaymentsSimulator) -> None:
    account = await client.account_status("ben+work@example.com")
    assert (account.full_name, account.active, account.country) == ("Ben Carter", True, "USA")

    created = await client.create_payout(payout(service), earlier_unknown=False)
    assert isinstance(created, Done)
    operation_id = created.value.id
    assert (created.value.code, created.value.cents, created.value.email, created.value.state) == (
        "code-1",
        2510,
        "ben+work@example.com",
        OperationStatus.CREATED,
    )
    assert await client.payout_events(operation_id) == ()

    client.require_committable()
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


async def test_one_step_pays_once_and_is_found_by_its_code(client: PaymentsClient, service: PaymentsSimulator) -> None:
    client.require_one_step()
    paid = await client.one_step_payout(payout(service, "code-2"), earlier_unknown=False)
    assert isinstance(paid, Done)
    assert (paid.value.code, paid.value.state) == ("code-2", OperationStatus.COMMITTED)
    assert service.ledger.executions("code-2") == 1
    found = await client.find_by_code("code-2")
    assert ([one.id for one in found.hits], found.complete, found.total) == ([paid.value.id], True, 1)


async def test_a_purchase_is_made_read_and_linked(client: PaymentsClient, service: PaymentsSimulator) -> None:
    made = await client.create_purchase(
        NewPurchase(
            code="code-3",
            description="Books",
            items=(
                NewItem(description="Book", unit_cents=Cents(1005), quantity=2),
                NewItem(description="Pen", unit_cents=Cents(99)),
            ),
            email="ana@example.com",
            confirmation_uri="https://bot.example/thanks",
            cancel_uri="https://bot.example/canceled",
            callback_uri=f"{service.base_url}/callbacks/payments/t4",
            failure_uri=f"{service.base_url}/callbacks/payments/t5",
        )
    )
    assert isinstance(made, Done)
    assert (made.value.cents, made.value.email, made.value.code) == (2109, "ana@example.com", "code-3")
    record = service.operations[made.value.id]
    assert [(item.description, item.cents, item.quantity) for item in record.items] == [
        ("Book", 2010, 2),
        ("Pen", 99, 1),
    ]
    assert (record.confirmation_uri, record.cancel_uri) == (
        "https://bot.example/thanks",
        "https://bot.example/canceled",
    )

    assert client.checkout_url(made.value.id) == f"{service.base_url}/checkout/{made.value.id}"
    await service.settle(made.value.id, "confirmed")
    read = await client.get_purchase(made.value.id)
    assert (read.state, read.cents, read.operation_type) == (OperationStatus.CONFIRMED, 2109, "purchase")
    assert [(item.description, item.quantity, item.unit_cents, item.line_cents) for item in read.items] == [
        ("Book", 2, 1005, 2010),
        ("Pen", 1, 99, 99),
    ]
    assert (await client.find_by_code("code-3", "purchase")).hits[0].id == made.value.id


async def test_the_list_is_paged_and_filtered(client: PaymentsClient, service: PaymentsSimulator) -> None:
    for number in range(12):
        await client.create_payout(payout(service, f"code-{number}"), earlier_unknown=False)
    page = await client.list_operations(2, 10, "payout")
    assert (page.page, page.last_page, page.per_page, page.total, page.first, page.last) == (2, 2, 10, 12, 11, 12)
    assert {one.code for one in page.operations} == {"code-0", "code-1"}
    assert (await client.list_operations(1, 10, "purchase")).operations == ()
    assert service.calls_of("list_operations")[0].body is None


async def test_the_partner_and_what_is_left(client: PaymentsClient, service: PaymentsSimulator) -> None:
    found = await client.partner()
    assert (found.id, found.email, found.balance) == ("partner", "partner@example.com", service.ledger.balance_cents)


async def test_refusals_are_told_in_our_words(client: PaymentsClient, service: PaymentsSimulator) -> None:
    await client.create_payout(payout(service), earlier_unknown=False)
    taken = await client.create_payout(payout(service), earlier_unknown=False)
    assert isinstance(taken, NotExecuted)
    assert worded(taken.reason) == "the service does not accept the code (422)"
    poor = await client.one_step_payout(payout(service, "code-2", cents=10**10), earlier_unknown=False)
    assert isinstance(poor, NotExecuted)
    assert worded(poor.reason) == "the service does not accept the amount (422)"
    with pytest.raises(ServiceNever) as caught:
        await client.get_operation("nobody-knows")
    assert (caught.value.status, caught.value.words) == (404, "There is no such operation")


async def test_without_the_file_nothing_is_understood(service: PaymentsSimulator) -> None:
    """Why the tests above can fail."""
    async with open_session() as session:
        plain = PaymentsClient(
            routes=load_routes(None, environment="sandbox"),
            transport=Transport(session=session, base_url=service.base_url, service="payments"),
            limiter=CountingSlots(),
            partner_id=service.partner_id,
            partner_secret=SecretStr(service.partner_secret),
        )
        assert isinstance(await plain.create_payout(payout(service), earlier_unknown=False), NotExecuted)
        with pytest.raises((ServiceNever, OperatorError)):
            await plain.partner()
