"""A workspace that takes 2.5 s a call, five times as fast: a vote counts, if its voter still does at the claim."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from tests.support.clock import MINUTE
from tests.support.rig import ADA, APPROVALS, LIN, MARIA, Rig
from tests.workflows.looking import ephemerals, everywhere, heard, state, votes

pytestmark = pytest.mark.rig(around={"people_total": 2.0 / 5})
SECONDS = 2.5 / 5


async def asked_for(rig: Rig) -> str:
    """A request, shown to the approvers; then Slack gets slow, and nothing that it said before is recent."""
    await rig.pay()
    card = await rig.card()
    rig.clock.advance(5 * MINUTE)
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "*", times=None, seconds=SECONDS))
    return card.ts


async def press(rig: Rig, ts: str) -> None:
    await rig.workspace.click(ADA, APPROVALS, ts, "payout.approve")


def lookups(rig: Rig) -> list[str]:
    return [str(call.args["user"]) for call in rig.workspace.calls if call.method == "users.info"]


async def vote(rig: Rig) -> None:
    """Press twice: the first press comes before Slack has said who that is."""
    ts = await asked_for(rig)
    before = len(lookups(rig))
    await press(rig, ts)
    await heard(rig, ADA, "say who you are")
    assert not await votes(rig)
    await rig.workspace.until(lambda: sorted(lookups(rig)[before:]) == [ADA, MARIA])
    rig.clock.advance(55)
    await press(rig, ts)
    assert [one.person for one in await votes(rig)] == [ADA]
    assert await state(rig) is State.APPROVED


async def test_vote_counts_and_pays(rig: Rig) -> None:
    await vote(rig)
    await rig.settle()
    assert rig.paid == [("ana@example.com", 2500)]


async def test_voter_who_left_before_the_claim_does_not_count(rig: Rig) -> None:
    """The click took what was known; the claim asks, and waits for the answer."""
    await vote(rig)
    rig.workspace.set_group("S0TREASURY", [LIN])
    await rig.settle()
    assert not rig.paid
    assert await state(rig) is State.AWAITING
    assert everywhere(rig, "needed: an approver was removed")
    assert not ephemerals(rig, LIN)
