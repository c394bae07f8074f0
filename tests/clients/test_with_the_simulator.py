"""The client and the simulated service, which know nothing of each other, must agree."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import aiohttp
import pytest
from pydantic import SecretStr

from bot.clients.limiter import PartnerTurns, SlidingWindow
from bot.clients.payments import NewItem, NewPayout, NewPurchase, PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.operation import OperationStatus
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.simulator import PaymentsSimulator
from tests.support.troubles import says


def new(code: str = "code-1") -> NewPayout:
    return NewPayout(
        email="ana@example.com",
        description="March translation",
        cents=Cents(2510),
        code=code,
        confirmation_uri="https://bot.example/c/1",
        failure_uri="https://bot.example/c/2",
        cancel_uri="https://bot.example/c/3",
    )


@pytest.fixture
async def service() -> AsyncIterator[PaymentsSimulator]:
    async with PaymentsSimulator() as running:
        yield running


@pytest.fixture
async def client(service: PaymentsSimulator) -> AsyncIterator[PaymentsClient]:
    async with open_session() as session:
        yield connect(
            service, session_transport=Transport(session=session, base_url=service.base_url, service="payments")
        )


def connect(
    service: PaymentsSimulator,
    *,
    session_transport: Transport,
    secret: str | None = None,
    services: Path | None = None,
) -> PaymentsClient:
    return PaymentsClient(
        routes=load_routes(services, environment="sandbox"),
        transport=session_transport,
        limiter=PartnerTurns(SlidingWindow(clock=time.monotonic), clock=time.monotonic),
        partner_id=service.partner_id,
        partner_secret=SecretStr(service.partner_secret if secret is None else secret),
    )


async def created(client: PaymentsClient) -> str:
    found = await client.create_payout(new(), earlier_unknown=False)
    assert isinstance(found, Done)
    assert (found.value.state, found.value.code, found.value.cents, found.value.email) == (
        OperationStatus.CREATED,
        "code-1",
        2510,
        "ana@example.com",
    )
    return found.value.id


async def test_a_payout_goes_all_the_way(client: PaymentsClient, service: PaymentsSimulator) -> None:
    service.add_account("ana@example.com", full_name="Ana Souza")
    account = await client.account_status("ana@example.com")
    assert (account.full_name, account.active) == ("Ana Souza", True)
    operation_id = await created(client)
    committed = await client.commit_payout(operation_id, earlier_unknown=False)
    assert isinstance(committed, Done)
    assert committed.value.state is OperationStatus.COMMITTED
    await service.advance()
    read = await client.get_operation(operation_id)
    assert (read.state, bool(read.svc_hash)) == (OperationStatus.COMPLETED, True)
    found = await client.find_by_code("code-1")
    assert (found.complete, [one.id for one in found.hits]) == (True, [operation_id])


FAULTS = [
    (FaultKind.LOST, Unknown, False),
    (FaultKind.DONE_DROPPED, Unknown, True),
    (FaultKind.DONE_500, Unknown, True),
    (FaultKind.ERROR_500, Unknown, False),
    (FaultKind.TOO_MANY, NotExecuted, False),
    (FaultKind.REFUSED, NotExecuted, False),
    (FaultKind.GARBAGE, Unknown, True),
]


@pytest.mark.parametrize(("kind", "outcome", "is_executed"), FAULTS)
async def test_every_fault_of_a_commit_is_classed_and_never_sent_again(
    client: PaymentsClient, service: PaymentsSimulator, kind: FaultKind, outcome: type[object], is_executed: bool
) -> None:
    operation_id = await created(client)
    service.faults.arm(Fault(kind=kind, operation="commit_payout"))
    assert isinstance(await client.commit_payout(operation_id, earlier_unknown=False), outcome)
    assert len(service.calls_of("commit_payout")) == 1
    assert (service.operations[operation_id].status != "created") is is_executed


async def test_one_step_pays_and_tells_its_events(client: PaymentsClient, service: PaymentsSimulator) -> None:
    paid = await client.one_step_payout(new(), earlier_unknown=False)
    assert isinstance(paid, Done)
    assert (paid.value.code, paid.value.cents, paid.value.state) == ("code-1", 2510, OperationStatus.COMMITTED)
    assert service.ledger.executions("code-1") == 1
    assert await client.payout_events(paid.value.id) == ()
    service.operations[paid.value.id].confirmation_uri = f"{service.base_url}/callbacks/payments/s3cret"
    await service.advance()
    await service.delivered()
    [event] = await client.payout_events(paid.value.id)
    assert (event.kind, event.host) == ("confirmation_uri", "127.0.0.1")
    assert "s3cret" not in repr(event)


@pytest.mark.parametrize(("kind", "outcome", "is_executed"), FAULTS)
async def test_every_fault_of_a_one_step_payout_is_classed_and_found_by_code(
    client: PaymentsClient, service: PaymentsSimulator, kind: FaultKind, outcome: type[object], is_executed: bool
) -> None:
    service.faults.arm(Fault(kind=kind, operation="one_step_payout"))
    assert isinstance(await client.one_step_payout(new(), earlier_unknown=False), outcome)
    assert len(service.calls_of("one_step_payout")) == 1
    assert service.ledger.executions("code-1") == int(is_executed)
    found = await client.find_by_code("code-1")
    assert (found.complete, len(found.hits)) == (True, int(is_executed))


async def test_a_refused_one_step_payout_with_a_taken_code_pays_nothing(
    client: PaymentsClient, service: PaymentsSimulator
) -> None:
    await created(client)
    assert isinstance(await client.one_step_payout(new(), earlier_unknown=False), NotExecuted)
    assert isinstance(await client.one_step_payout(new(), earlier_unknown=True), Unknown)
    assert service.ledger.executions("code-1") == 0


@pytest.mark.parametrize("item_amount", ["unit", "line"])
async def test_a_purchase_is_paid_at_its_link(
    service: PaymentsSimulator, tmp_path: Path, item_amount: Literal["unit", "line"]
) -> None:
    service.switches.item_amount = item_amount
    file = tmp_path / "services.toml"
    file.write_text(f'[payments]\nitem_amount = "{item_amount}"\n', encoding="utf-8")
    async with open_session() as session, aiohttp.ClientSession() as browser:
        transport = Transport(session=session, base_url=service.base_url, service="payments")
        client = connect(service, session_transport=transport, services=file)
        made = await client.create_purchase(
            NewPurchase(
                code="code-2",
                description="Books",
                items=(NewItem(description="Book", unit_cents=Cents(1005), quantity=2),),
                email="ana@example.com",
                confirmation_uri=f"{service.base_url}/thanks",
                cancel_uri=f"{service.base_url}/canceled",
                callback_uri=f"{service.base_url}/callbacks/1",
                failure_uri=f"{service.base_url}/callbacks/2",
            )
        )
        assert isinstance(made, Done)
        assert (made.value.cents, made.value.items[0].line_cents) == (2010, 2010)
        link = client.checkout_url(made.value.id)
        async with browser.get(link) as page:
            assert "20.10" in await page.text()
        async with browser.post(link, data={"choice": "pay"}, allow_redirects=False) as paid:
            assert paid.headers["Location"] == f"{service.base_url}/thanks"
        read = await client.get_purchase(made.value.id)
        assert (read.state, read.is_final, read.cents) == (OperationStatus.CONFIRMED, True, 2010)


async def test_the_partners_balance_follows_its_payments(client: PaymentsClient, service: PaymentsSimulator) -> None:
    before = (await client.partner()).balance
    await client.one_step_payout(new(), earlier_unknown=False)
    after = await client.partner()
    assert (before, after.balance) == (service.ledger.opening_cents, service.ledger.opening_cents - 2510)
    assert (after.id, after.currency) == (service.partner_id, "USD")


async def test_wrong_credentials_and_unknown_operations(client: PaymentsClient, service: PaymentsSimulator) -> None:
    with pytest.raises(ServiceNever) as caught:
        await client.get_operation("op-nobody-knows")
    assert caught.value.status == 404
    async with open_session() as session:
        stranger = connect(
            service,
            session_transport=Transport(session=session, base_url=service.base_url, service="payments"),
            secret="wrong",
        )
        with pytest.raises(OperatorError, check=says("did not accept our credentials")):
            await stranger.get_operation("op-1")


async def test_garbage_from_a_proxy_is_the_services_trouble(client: PaymentsClient, service: PaymentsSimulator) -> None:
    service.faults.arm(Fault(kind=FaultKind.GARBAGE, operation="list_operations"))
    with pytest.raises(ServiceNow):
        await client.list_operations()


async def test_forty_requests_at_once_meet_no_429(service: PaymentsSimulator) -> None:
    async with open_session() as session:
        client = connect(
            service,
            session_transport=Transport(session=session, base_url=service.base_url, service="payments"),
        )
        operation_id = await created(client)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(39):
                tasks.create_task(client.get_operation(operation_id))
    assert len(service.calls) == 40
    assert service.busiest_second() <= 10
    assert all(call.status != 429 for call in service.calls)
