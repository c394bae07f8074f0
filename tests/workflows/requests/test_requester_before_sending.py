"""F35: who asked must still be allowed to ask when it is sent; otherwise it is held, and nobody takes it over."""

import pytest

from bot.domain.payments.instruction import Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, OLGA, TOM, Rig
from tests.workflows.authority import GONE, KINDS, approved_just_now, asked_for, leaves, sent, votes_with_amount
from tests.workflows.looking import actions, alerts, asked, buttons, everywhere, heard, state, told, votes

IDS = ["deactivated", "guest", "elsewhere", "left requesters"]
CASES = [(Kind.PAYOUT, change) for change in GONE] + [(kind, GONE[0]) for kind in KINDS if kind is not Kind.PAYOUT]
CASE_IDS = [f"payout-{name}" for name in IDS] + [f"{kind}-deactivated" for kind in KINDS if kind is not Kind.PAYOUT]


def comes_back(rig: Rig) -> None:
    rig.workspace.set_user(MARIA, deleted=False)
    rig.clock.advance(61)


@pytest.mark.parametrize(("kind", "change"), CASES, ids=CASE_IDS)
async def test_approved_request_is_held_while_its_requester_may_not_ask(
    rig: Rig, kind: Kind, change: dict[str, object] | None
) -> None:
    await approved_just_now(rig, kind)
    leaves(rig, MARIA, change)
    await rig.settle()
    assert await state(rig) is State.AWAITING
    assert not await votes(rig)
    assert everywhere(rig, "On hold")
    assert buttons(rig, APPROVALS) >= {"Approve", "Reject"}
    assert (await actions(rig)).count("suspended") == 1
    await rig.pass_time(10 * MINUTE, steps=5)
    assert len([text for text in alerts(rig) if "isn't sent" in text and "An admin can withdraw it" in text]) == 1
    if change == GONE[0]:
        comes_back(rig)
    await rig.pass_time(5 * MINUTE, steps=5)
    assert sent(rig, kind) == 0, "nothing goes on by itself"
    await rig.press("approve", user=ADA)
    await rig.pass_time(MINUTE)
    assert sent(rig, kind) == (1 if change == GONE[0] else 0)


async def test_held_request_cannot_be_approved_but_withdrawn_by_an_admin(rig: Rig) -> None:
    await asked_for(rig, Kind.PAYOUT)
    leaves(rig, MARIA, GONE[0])
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
        await heard(rig, person, "Not approved")
    assert not await votes(rig)
    assert await state(rig) is State.AWAITING
    assert everywhere(rig, "the requester's account is deactivated")
    await rig.press("withdraw", user=TOM)
    assert await state(rig) is State.AWAITING, "another requester cannot take it over"
    await rig.press("withdraw", user=OLGA)
    await rig.submit(OLGA, {forms.REASON: "Maria left"})
    assert await state(rig) is State.WITHDRAWN
    assert asked(rig, "commit_payout") == 0


async def test_edit_voids_all_approvals(rig: Rig) -> None:
    await rig.pay("send ana@example.com 2000.00 rent")
    await votes_with_amount(rig, "approve", ADA, "2000.00")
    assert len(await votes(rig)) == 1
    leaves(rig, MARIA, GONE[0])
    await votes_with_amount(rig, "approve", LIN, "2000.00")
    assert not await votes(rig)
    comes_back(rig)
    await votes_with_amount(rig, "approve", LIN, "2000.00")
    assert everywhere(rig, "1 of 2")
    assert f"Approved by <@{LIN}>. 1 of 2 approvals · expires" in rig.cards(APPROVALS)[-1].text
    assert asked(rig, "commit_payout") == 0


async def test_former_requester_creates_nothing(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send ana@example.com 25.00 rent")
    leaves(rig, MARIA, GONE[0])
    await rig.pass_time(20 * MINUTE, steps=5)
    assert await state(rig) is State.NEW
    assert (asked(rig, "create_payout"), asked(rig, "account_status")) == (0, 0), "nobody is looked up for them either"
    assert "On hold, because the requester's account is deactivated." in rig.cards(FINANCE)[-1].text
    assert len(alerts(rig)) == 1
    comes_back(rig)
    await rig.pass_time(10 * MINUTE, steps=5)
    assert await state(rig) is State.AWAITING
    assert rig.cards(FINANCE)[-1].text.startswith("Waiting for approval (0 of 1): ")


async def test_blocked_request_does_not_ask_for_impossible_approvals(rig: Rig) -> None:
    await asked_for(rig, Kind.PAYOUT)
    leaves(rig, MARIA, GONE[0])
    await rig.pass_time(7 * HOUR, steps=4)
    assert everywhere(rig, "On hold")
    assert not told(rig, APPROVALS, ":bell:")
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "users.info", times=None))
    await rig.pass_time(5 * HOUR, steps=5)
    assert everywhere(rig, "On hold"), "while Slack says nothing, what was known holds"
    rig.workspace.faults.clear()
    comes_back(rig)
    await rig.pass_time(13 * HOUR, steps=4)
    assert await state(rig) is State.EXPIRED


async def test_possibly_paid_request_gets_no_new_attempt(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "commit_payout"))
    await rig.pay("send ana@example.com 25.00 rent")
    await rig.press("approve", user=ADA)
    await rig.pass_time(QUIET + 5 * MINUTE, steps=5)
    assert await state(rig) is State.NEEDS_HUMAN
    await rig.press("retry", user=LIN)
    await rig.workspace.submit(LIN, {"amount": "25.00"})
    assert await state(rig) is State.APPROVED
    leaves(rig, MARIA, GONE[0])
    await rig.settle()
    assert await state(rig) is State.NEEDS_HUMAN
    assert everywhere(rig, "Approvers can close it once they know its outcome")
    await votes_with_amount(rig, "retry", LIN, "25.00")
    assert not await votes(rig)
    assert asked(rig, "commit_payout") == 1
    await rig.press("close", user=LIN)
    await rig.submit(LIN, {"reason": "the service says that it was not"})
    assert await state(rig) is State.CLOSED
