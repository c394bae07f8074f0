"""The service under other paths, methods, names, prefix and places: by a SERVICES_FILE alone the product speaks it."""

from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.process import free_port
from bot.playground.simulators.ledger import EntryKind
from tests.support.dialect import OURS, ROUTES, THEIRS
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.workflows.looking import buttons, ephemerals, newest, operation, requests, state, told, told_once

ANA = 'send ana@example.com 25.00 "March translation"'
NOW = 'now ana@example.com 25.00 "March translation"'
PAID = [("ana@example.com", 2500)]


@pytest.fixture
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    port, mark = free_port(), request.node.get_closest_marker("rig")
    return {
        "simulator": {"dialect": THEIRS},
        "services": OURS,
        "environment": "production",
        "port": port,
        "public_url": f"http://127.0.0.1:{port}",
        **(mark.kwargs if mark else {}),
    }


@pytest.fixture(autouse=True)
def without_bodies(rig: Rig) -> None:
    rig.payments.switches.ignore_get_body = True


def spoke_only_theirs(rig: Rig) -> None:
    """Every request went to a path of theirs, and nothing of ours stood in a body or a query."""
    assert {(call.method, call.path.split("?")[0]) for call in rig.payments.calls} <= set(ROUTES.values())
    for call in rig.payments.calls:
        body = call.body if isinstance(call.body, dict) else {}
        for ours in ("email", "amount", "description", "code", "confirmation_uri", "perPage", "id"):
            assert ours not in {*body, *call.query}, (call.operation, ours)


@pytest.mark.parametrize("text", [ANA, NOW], ids=["two steps", "one step"])
async def test_payout_runs_from_command_to_callback(rig: Rig, text: str) -> None:
    await rig.pay(text)
    assert "$25.00 to Ana Maria Lopez (ana@example.com)" in rig.cards(FINANCE)[0].text
    assert "ana@example.com, verified, Ecuador" in rig.cards(APPROVALS)[0].plain
    assert not rig.paid
    await rig.press("approve")
    assert await state(rig) is State.COMMITTED
    await rig.payments.advance()
    await rig.payments.delivered()
    assert [delivery.status for delivery in rig.payments.deliveries] == [200]
    polls = len(rig.payments.calls_of("get_operation"))
    await rig.pass_time(1)
    assert len(rig.payments.calls_of("get_operation")) == polls + 1
    told_once(rig, "*paid*")
    assert (await newest(rig)).svc_hash == str(operation(rig).svc_operation_hash)
    assert (rig.paid, buttons(rig)) == (PAID, set())
    spoke_only_theirs(rig)


@pytest.mark.parametrize(("word", "status"), [("failed", "failed"), ("canceled", "canceled"), ("sign-up", "pending")])
async def test_every_other_end_is_understood(rig: Rig, word: str, status: str) -> None:
    await rig.pay()
    await rig.press("approve")
    if status == "canceled":
        await rig.payments.settle(operation(rig).id, "pending")
        await rig.pass_time(60)
    await rig.payments.settle(operation(rig).id, status, reason="The account is closed")
    await rig.payments.delivered()
    await rig.pass_time(60)
    said = told_once(rig, word)
    if status == "failed":
        assert "“The account is closed”" in said


async def test_create_with_a_lost_answer_is_found_in_the_list(rig: Rig) -> None:
    for number in range(3):
        await rig.pay(f'send ana@example.com {number + 1}.00 "another {number}"')
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, operation="create_payout"))
    await rig.pay()
    assert await state(rig) is State.CREATE_UNKNOWN
    made = len(rig.payments.operations)
    await rig.pass_time(1_200, steps=7)
    assert await state(rig) is State.AWAITING
    assert len(rig.payments.operations) == made
    assert (await newest(rig)).remote_id == operation(rig).id
    assert rig.payments.calls_of("list_operations")
    spoke_only_theirs(rig)


async def test_refusal_names_the_field_in_plain_words(rig: Rig) -> None:
    """They complain of ``value``; nobody here ever saw that word."""
    spent = rig.payments.ledger.balance_cents - 1
    rig.payments.ledger.append(EntryKind.PAYOUT, operation_id="elsewhere", code=None, email="x", cents=spent)
    await rig.pay(NOW)
    await rig.press("approve")
    assert "amount: is more than the partner's balance" in told_once(rig, "declined")
    assert "value" not in rig.cards(APPROVALS)[0].plain


@pytest.mark.rig(services=None)
async def test_without_the_file_nothing_is_created_or_paid(rig: Rig) -> None:
    """Why the tests above can fail."""
    await rig.pay()
    assert "payments.commit_payout" in ephemerals(rig, MARIA)[-1]
    assert not await requests(rig)
    assert not told(rig, FINANCE, "completed")
    assert not rig.payments.operations
