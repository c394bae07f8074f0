"""People who press at the same moment, in the real product on both databases, with everything running by itself."""

import asyncio

import pytest

from bot.domain.payments.instruction import State
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, TOM, Rig

TURNS = 6

pytestmark = [pytest.mark.rig(on="both", clock=None), pytest.mark.both_databases]


async def card_of(rig: Rig, amount: str) -> tuple[str, str]:
    """Where the approvers' card of this amount stands once it can be decided on, and what its buttons carry."""

    def waits() -> tuple[str, str] | None:
        for card in rig.cards(APPROVALS):
            if amount in card.text and any(button.text == "Approve" for button in card.buttons):
                return card.ts, card.button("payout.approve").value
        return None

    found = await rig.workspace.until(waits)
    assert isinstance(found, tuple)
    return found


async def settled(rig: Rig) -> list[State]:
    ctx = rig.switchboard.context
    async with asyncio.timeout(20):
        while True:
            found = await ctx.store.read(lambda tx: [one.state for one in tx.instructions.awaiting(list(State))])
            if not {State.NEW, State.CREATING, State.APPROVED, State.SENDING, State.COMMITTED} & set(found):
                return found
            await asyncio.sleep(0.05)


async def test_last_two_votes_at_once_pay_once(rig: Rig) -> None:
    for number in range(TURNS):
        amount = f"150{number}.00"
        await rig.pay(f"send ana@example.com {amount} rent")
        ts, _ = await card_of(rig, f"1,50{number}.00")
        for user in (ADA, LIN):
            await rig.workspace.click(user, APPROVALS, ts, "payout.approve")
        acks = await asyncio.gather(*(rig.workspace.submit(user, {forms.AMOUNT: amount}) for user in (ADA, LIN)))
        assert all(ack.ok for ack in acks)
    assert await settled(rig) == [State.COMPLETED] * TURNS
    assert sorted(rig.paid) == [("ana@example.com", 150_000 + number * 100) for number in range(TURNS)]


async def test_of_approval_and_rejection_at_once_one_wins(rig: Rig) -> None:
    for number in range(TURNS):
        amount = f"2{number}.00"
        await rig.pay(f"send ana@example.com {amount} rent")
        ts, _ = await card_of(rig, amount)
        await rig.workspace.click(LIN, APPROVALS, ts, "payout.reject")
        deeds = [
            rig.workspace.click(ADA, APPROVALS, ts, "payout.approve"),
            rig.workspace.submit(LIN, {forms.REASON: "no"}),
        ]
        await asyncio.gather(*(deeds if number % 2 else reversed(deeds)))
        notice = rig.workspace.modal(LIN)
        if notice is not None:  # the rejection came second
            assert f"<@{ADA}>" in notice.plain
            await rig.workspace.close(LIN)
    states = await settled(rig)
    assert set(states) <= {State.COMPLETED, State.REJECTED}
    assert len(rig.paid) == states.count(State.COMPLETED)
    lost = states.count(State.REJECTED)
    await rig.workspace.until(
        lambda: sum("already *rejected*" in m.text for m in rig.workspace.ephemerals(ADA)) == lost
    )
    await rig.workspace.until(lambda: len(rig.news(FINANCE)) >= TURNS)
    assert len(rig.news(FINANCE)) == TURNS


async def test_clicks_of_everyone_at_once_make_one_payment(rig: Rig) -> None:
    await rig.pay()
    ts, value = await card_of(rig, "25.00")
    clicks = [
        rig.workspace.click(user, APPROVALS, ts, "payout.approve", value=value, force=True)
        for user in (ADA, LIN, TOM) * 8
    ]
    assert all(ack.ok for ack in await asyncio.gather(*clicks))
    assert await settled(rig) == [State.COMPLETED]
    assert rig.paid == [("ana@example.com", 2500)]
