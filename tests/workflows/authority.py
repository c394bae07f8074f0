"""Requests of every kind that people approve, brought to the moment right before they are sent."""

from collections.abc import Awaitable, Callable

from bot.domain.payments.instruction import Kind, State
from bot.presentation.payments import forms
from tests.support.bulk import ask as ask_for_many
from tests.support.bulk import run
from tests.support.rig import ADA, TOM, Rig, approve_card
from tests.workflows.looking import newest, state

KINDS = [Kind.PAYOUT, Kind.ONE_STEP, Kind.BULK, Kind.BULK_CANCEL]
EFFECTS = {
    Kind.PAYOUT: "commit_payout",
    Kind.ONE_STEP: "one_step_payout",
    Kind.BULK: "bulk_payments",
    Kind.BULK_CANCEL: "cancel_bulk_items",
}
"""What the service is asked for when it is sent."""
GONE: list[dict[str, object] | None] = [{"deleted": True}, {"restricted": True}, {"team_id": "T0OTHER"}, None]
"""What may become of a requester; None: the policy's group does not hold them any more."""
_PENDING = "ana@example.com,1.00\nx1@example.com,2.00\nx2@example.com,3.00"


async def asked_for(rig: Rig, kind: Kind) -> None:
    await _ASK[kind](rig)
    found = await newest(rig)
    assert (found.kind, found.state) == (kind, State.AWAITING)


async def approved_just_now(rig: Rig, kind: Kind) -> None:
    """Ada has approved it, and nothing has been done about that yet."""
    await asked_for(rig, kind)
    card = await rig.card()
    await approve_card(rig, card)
    assert await state(rig) is State.APPROVED


def sent(rig: Rig, kind: Kind) -> int:
    if kind is Kind.BULK:
        return len(rig.payments.bulk_payments)
    return len(rig.payments.calls_of(EFFECTS[kind]))


def leaves(rig: Rig, user: str, change: dict[str, object] | None) -> None:
    """Somebody loses what their word depended on, longer ago than anything is remembered."""
    if change is None:
        rig.workspace.set_group("S0FINANCE", [TOM])
    else:
        rig.workspace.set_user(user, **change)
    rig.clock.advance(61)


async def votes_with_amount(rig: Rig, action: str, user: str, amount: str) -> None:
    await rig.press(action, user=user)
    await rig.submit(user, {forms.AMOUNT: amount})


async def _many_pending(rig: Rig) -> None:
    await ask_for_many(rig, _PENDING)
    await rig.press("approve", user=ADA)
    await run(rig, steps=4)
    await rig.pay(f"bulk cancel {(await newest(rig)).reference} all")


_ASK: dict[Kind, Callable[[Rig], Awaitable[object]]] = {
    Kind.PAYOUT: lambda rig: rig.pay("send ana@example.com 25.00 rent"),
    Kind.ONE_STEP: lambda rig: rig.pay("now ana@example.com 25.00 rent"),
    Kind.BULK: ask_for_many,
    Kind.BULK_CANCEL: _many_pending,
}
