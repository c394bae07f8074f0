"""*Cancel and return the money*: a payout in escrow is canceled after people approved, once, and never by an empty \
list."""

import pytest

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.playground.faults import Fault, FaultKind
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, OLGA, TOM, ZOE, Rig
from tests.workflows.looking import asked, operation, requests

BUTTON = "Cancel and return the money"


async def in_escrow(rig: Rig) -> Instruction:
    await rig.pay("send nobody@example.com 30.00 April")
    await rig.press("send_anyway", user=MARIA, channel=FINANCE)
    await rig.press("approve")
    await rig.payments.settle(operation(rig).id, "pending")
    await rig.pass_time(120)
    [found] = await requests(rig)
    assert found.state is State.PENDING_ESCROW
    return found


async def press(rig: Rig, *, user: str = MARIA, channel: str = FINANCE) -> None:
    heard = len(rig.workspace.ephemerals(user))
    [card] = [one for one in rig.cards(channel) if BUTTON in [button.text for button in one.buttons]]
    await rig.workspace.click(user, channel, card.ts, "payout.return", force=True)
    if user != EVE:
        await rig.workspace.until(lambda: len(rig.workspace.ephemerals(user)) > heard or None)
    await rig.settle()


async def returned(rig: Rig) -> Instruction:
    [found] = [one for one in await requests(rig) if one.kind is Kind.BULK_CANCEL]
    return found


def canceled(rig: Rig) -> int:
    return asked(rig, "cancel_payout")


@pytest.mark.parametrize("channel", [FINANCE, APPROVALS])
async def test_it_is_canceled_after_an_approval_and_the_money_comes_back(rig: Rig, channel: str) -> None:
    payout = await in_escrow(rig)
    before = rig.payments.ledger.balance_cents
    await press(rig, channel=channel)
    asking = await returned(rig)
    assert (asking.state, asking.payload.cents, asking.reference[:2]) == (State.AWAITING, 3_000, "X-")
    assert f"Approve returning $30.00? Payout {payout.reference} to nobody@example.com" in rig.cards(APPROVALS)[-1].text
    assert canceled(rig) == 0, "nobody approved it yet"
    await rig.press("approve", user=MARIA)
    assert canceled(rig) == 0, "who asked does not count"
    await rig.press("approve", user=LIN)
    await rig.pass_time(300, steps=5)
    assert canceled(rig) == 1
    assert asked(rig, "cancel_bulk_items") == 0
    assert rig.payments.ledger.balance_cents == before + 3_000
    assert (await returned(rig)).state is State.COMPLETED
    assert [one.state for one in await requests(rig) if one.id == payout.id] == [State.CANCELED]
    assert not [card for card in rig.cards(FINANCE) if BUTTON in [button.text for button in card.buttons]]


@pytest.mark.parametrize("user", [ADA, OLGA, ZOE, GUS, EVE])
async def test_only_requesters_request_it(rig: Rig, user: str) -> None:
    await in_escrow(rig)
    await press(rig, user=user)
    assert len(await requests(rig)) == 1


async def test_return_pressed_by_two_is_requested_once(rig: Rig) -> None:
    await in_escrow(rig)
    for user in (MARIA, TOM, MARIA):
        await press(rig, user=user)
    assert len(await requests(rig)) == 2


async def test_payment_received_meanwhile_is_not_requested_back(rig: Rig) -> None:
    payout = await in_escrow(rig)
    await rig.payments.settle(operation(rig).id, "completed")
    await press(rig)
    assert rig.workspace.ephemerals(MARIA)[-1].text == (
        f":information_source: {payout.reference} can't be canceled any more. It is *paid*."
    )
    assert len(await requests(rig)) == 1


async def test_payment_received_before_its_return_is_not_canceled(rig: Rig) -> None:
    await in_escrow(rig)
    await press(rig)
    await rig.payments.settle(operation(rig).id, "completed")
    await rig.press("approve")
    await rig.pass_time(300, steps=5)
    assert canceled(rig) == 0
    assert (await returned(rig)).state is State.FAILED


async def test_unreadable_payout_is_reported_and_not_imported(rig: Rig) -> None:
    await in_escrow(rig)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None))
    await press(rig)
    assert "Payments is having problems" in rig.workspace.ephemerals(MARIA)[-1].text
    assert len(await requests(rig)) == 1
