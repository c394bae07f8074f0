"""Payouts that somebody else at the partner made, and the button with which one is taken in."""

from typing import Any

from bot.playground.simulators.payments.records import PayoutOrder, Record
from bot.playground.workspace import Message
from tests.support.answers import ask
from tests.support.rig import FINANCE, MARIA, Rig

ELSEWHERE = "https://elsewhere.example"


def made(rig: Rig, **changes: Any) -> Record:
    """A payout of 25.00 to ana@example.com under the code PO-7, unless ``changes`` say otherwise."""
    usual = {"email": "ana@example.com", "description": "Invoice 7", "cents": 2_500, "code": "PO-7"}
    order = {"confirmation_uri": f"{ELSEWHERE}/confirmed", "failure_uri": f"{ELSEWHERE}/failed"}
    return rig.payments.add_payout(PayoutOrder(**{**usual, **order, **changes}))


async def take_in(rig: Rig, record: Record, *, user: str = MARIA) -> Message:
    """Look at it and press *Import payout*; the answer."""
    shown = await ask(rig, f"show {record.id}", user=user)
    return await press(rig, shown, user=user)


async def press(rig: Rig, shown: Message, *, user: str = MARIA, **more: Any) -> Message:
    if rig._clock is not None:
        rig.clock.advance(0.001)  # requests have an order
    heard = len(rig.workspace.ephemerals(user))
    await rig.workspace.click(user, FINANCE, shown.ts, "payout.take_in", **more)
    answer = await rig.workspace.until(lambda: next(iter(rig.workspace.ephemerals(user)[heard:]), None))
    if rig._clock is not None:
        await rig.settle()
    return answer
