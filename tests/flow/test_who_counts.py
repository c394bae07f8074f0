"""Who counts as an approver: nobody whom the request pays."""

import pytest

from bot.domain.approvals import No
from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest
from tests.support.bulk import ask as ask_for_many
from tests.support.rig import ADA, APPROVALS, LIN, Rig
from tests.workflows.looking import newest, state, votes

HERS = "ada@example.com"


async def ask(rig: Rig, verb: str) -> None:
    rig.add_payees(HERS, "kim@example.com")
    if verb == "bulk":
        await ask_for_many(rig, f"kim@example.com,1.00\n{HERS},2.00")
    else:
        await rig.pay(f"{verb} {HERS} 25.00 rent")


@pytest.mark.parametrize("verb", ["send", "now", "bulk"])
async def test_approver_who_is_paid_cannot_decide(rig: Rig, verb: str) -> None:
    rig.workspace.set_user(ADA, email="Ada@Example.COM")
    await ask(rig, verb)
    for action in ("approve", "reject"):
        await rig.press(action)
        assert rig.workspace.ephemerals(ADA)[-1].text == ":no_entry_sign: This pays you, so someone else has to decide."
    await rig.workspace.open_home(ADA)
    assert "all caught up" in str(rig.workspace.home(ADA))
    assert await votes(rig) == []
    await rig.press("approve", user=LIN)
    assert await state(rig) is not State.AWAITING


@pytest.mark.parametrize("verb", ["send", "bulk"])
async def test_vote_is_void_once_the_profile_has_the_recipients_address(rig: Rig, verb: str) -> None:
    await ask(rig, verb)
    await rig.workspace.click(ADA, APPROVALS, (await rig.card()).ts, "payout.approve")  # not sent yet
    assert [vote.person for vote in await votes(rig)] == [ADA]
    rig.workspace.set_user(ADA, email=HERS)
    await rig.pass_time(6)
    held = await newest(rig)
    assert (held.state, await votes(rig), rig.paid) == (State.AWAITING, [], [])
    assert held.reason is not None
    assert held.reason.is_(OfRequest.VOTES_VOID)
    assert held.reason.facts["void"] == (No.OWN_PAYMENT,)
    assert "it pays them" in (await rig.card()).text
