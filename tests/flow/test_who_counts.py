"""Who counts as an approver: nobody whom the request pays. A repeat needs one more, as far as there is one."""

import pytest

from bot.domain.approvals import No
from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfRequest
from bot.presentation.payments import forms
from tests.support.bulk import ask as ask_for_many
from tests.support.clock import MINUTE
from tests.support.rig import ADA, ALERTS, APPROVALS, LIN, POLICY, Rig
from tests.workflows.looking import disagreements, newest, state, votes

HERS = "ada@example.com"


async def ask(rig: Rig, verb: str, paid: str = HERS) -> None:
    rig.add_payees(paid, "kim@example.com")
    if verb == "bulk":
        await ask_for_many(rig, f"kim@example.com,1.00\n{paid},2.00")
    else:
        await rig.pay(f"{verb} {paid} 25.00 rent")


@pytest.mark.rig(on="both")
@pytest.mark.parametrize("verb", ["send", "now", "bulk"])
async def test_paid_approver_cannot_decide(rig: Rig, verb: str) -> None:
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


@pytest.mark.rig(on="both")
@pytest.mark.parametrize("verb", ["send", "bulk"])
@pytest.mark.parametrize(
    ("profile", "paid", "counts"),
    [
        ("ada@example.com", "Ada+bonus@example.com", False),
        ("ada+slack@example.com", "ada@example.com", False),
        ("a.da@googlemail.com", "ada@gmail.com", False),
        ("ada@example.com", "ada@example.org", True),
        ("ada@example.com", "a.da@example.com", True),
    ],
)
async def test_approver_whose_mailbox_is_paid_cannot_decide(
    rig: Rig, verb: str, profile: str, paid: str, *, counts: bool
) -> None:
    rig.workspace.set_user(ADA, email=profile)
    await ask(rig, verb, paid)
    await rig.press("approve")
    assert (await state(rig) is State.AWAITING) is not counts
    assert bool(await votes(rig)) is counts


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


TWO = POLICY.replace("quorum = 1\n", "quorum = 2\n", 1)
AGAIN = "send kim@example.com 30.00 rent"


async def twice(rig: Rig) -> Instruction:
    """Request the same payout twice; the second one, with two of the rules and one more."""
    rig.add_payees("kim@example.com")
    await rig.pay(AGAIN)
    await rig.pay(AGAIN)
    return await newest(rig)


async def approve_by_typing(rig: Rig, *people: str) -> None:
    for person in people:
        await rig.press("approve", user=person, confirm=False)
        await rig.submit(person, {forms.AMOUNT: "30.00"})


@pytest.mark.rig(policy=TWO)
async def test_repeat_needs_all_approvers_if_none_is_left_over(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    asked = await twice(rig)
    needs = asked.requirement
    assert (needs.quorum, needs.by_rules, needs.everyone, needs.typed_amount) == (2, 2, True, True)
    told = f"Needs 2 approvers because it repeats {asked.requirement.repeats[0].reference}. No one else can approve it."
    assert told in (await rig.card()).text
    await approve_by_typing(rig, ADA, LIN)
    assert await state(rig) is not State.AWAITING
    assert await disagreements(rig) == ()


@pytest.mark.rig(policy=TWO)
async def test_repeat_ignores_an_approver_who_left(rig: Rig) -> None:
    asked = await twice(rig)
    assert asked.requirement.quorum == 3
    await rig.press("approve", user=ADA)
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    await rig.pass_time(2 * MINUTE, steps=2)
    needs = (await newest(rig)).requirement
    assert (needs.quorum, needs.everyone, needs.typed_amount, await votes(rig)) == (2, True, True, [])
    assert (await disagreements(rig), rig.workspace.messages(ALERTS)) == ((), [])
    await approve_by_typing(rig, ADA, LIN)
    assert await state(rig) is not State.AWAITING
    assert await disagreements(rig) == ()


@pytest.mark.rig(policy=TWO)
async def test_repeat_never_needs_fewer_than_the_rules_ask_for(rig: Rig) -> None:
    await twice(rig)
    rig.workspace.set_group("S0TREASURY", [ADA])
    await rig.pass_time(2 * MINUTE, steps=2)
    held = await newest(rig)
    assert (held.requirement.quorum, held.requirement.everyone) == (3, False)
    assert "can approve it" in rig.workspace.messages(ALERTS)[-1].text
