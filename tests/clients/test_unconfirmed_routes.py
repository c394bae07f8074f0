"""Production: an assumption that moves money is not used until the operator confirms it."""

from collections.abc import Awaitable, Callable

import pytest

from bot.clients.payments import NewPayout, PaymentsClient
from bot.clients.routes_file import load_routes
from bot.domain.errors import OperatorError
from bot.domain.money import Cents
from bot.domain.outcome import Done
from tests.clients.conftest import CountingSlots, OpenClient
from tests.clients.partner_server import Partner, operation, said

NEW = NewPayout(
    email="ana@example.com",
    description="March translation",
    cents=Cents(1010),
    code="code-1",
    confirmation_uri="https://bot.example/c/1",
    failure_uri="https://bot.example/c/2",
    cancel_uri="https://bot.example/c/3",
)

MOVES_MONEY = [row.name for row in load_routes(None, environment="production").rows() if row.moves_money]


def test_what_moves_money_is_said_of_these_and_of_no_other() -> None:
    assert MOVES_MONEY == [
        "payments.commit_payout",
        "payments.one_step_payout",
        "payments.cancel_payout",
        "payments.create_bulk_payment",
        "payments.cancel_bulk_items",
    ]


Send = Callable[[PaymentsClient], Awaitable[object]]

CALLS: list[tuple[str, Send, Callable[[PaymentsClient], None]]] = [
    (
        "payments.commit_payout",
        lambda client: client.commit_payout("op-1", earlier_unknown=False),
        lambda client: client.require_committable(),
    ),
    (
        "payments.one_step_payout",
        lambda client: client.one_step_payout(NEW, earlier_unknown=False),
        lambda client: client.require_one_step(),
    ),
]


@pytest.mark.parametrize("name", MOVES_MONEY)
def test_no_unconfirmed_route_that_moves_money_can_be_used(name: str) -> None:
    service, _, operation_name = name.partition(".")
    with pytest.raises(OperatorError, match="nothing was sent") as caught:
        load_routes(None, environment="production").use(service, operation_name)
    assert str(caught.value.problem).startswith(name)
    assert load_routes(None, environment="sandbox").use(service, operation_name).name == name


@pytest.mark.parametrize(("name", "send", "require"), CALLS)
async def test_production_sends_nothing_and_names_the_entry(
    open_client: OpenClient,
    partner: Partner,
    slots: CountingSlots,
    name: str,
    send: Send,
    require: Callable[[PaymentsClient], None],
) -> None:
    client = open_client(environment="production")
    with pytest.raises(OperatorError, match=name):
        await send(client)
    with pytest.raises(OperatorError, match=name):
        require(client)
    assert (partner.calls, slots.lanes) == ([], [])


@pytest.mark.parametrize(("name", "send", "require"), CALLS)
async def test_confirming_one_entry_allows_that_one(
    open_client: OpenClient, partner: Partner, name: str, send: Send, require: Callable[[PaymentsClient], None]
) -> None:
    client = open_client(f"[{name}]\nconfirmed = true\n", environment="production")
    partner.answer = lambda _: said(operation(1, status="committed"))
    require(client)
    assert isinstance(await send(client), Done)
    for other, other_send, _ in CALLS:
        if other != name:
            with pytest.raises(OperatorError, match=other):
                await other_send(client)
    assert len(partner.calls) == 1


async def test_what_moves_no_money_needs_no_confirmation(open_client: OpenClient, partner: Partner) -> None:
    client = open_client(environment="production")
    partner.answer = lambda _: said(operation(1))
    assert isinstance(await client.create_payout(NEW, earlier_unknown=False), Done)
    assert (await client.get_operation("op-1")).id == "op-1"
