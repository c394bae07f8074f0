"""Freeze, reminders, orphans, and a policy that became stricter."""

import re

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.payments import forms
from tests.support.bulk import ask as ask_for_many
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, OLGA, POLICY, Rig
from tests.support.shown import lacking
from tests.workflows.looking import newest, state, there

HOUR = 3_600


async def under(rig: Rig, policy: str) -> None:
    await rig.switchboard.stop()
    rig.settings.policy_file.write_text(policy)
    await rig.start()
    await rig.settle()


def commits(rig: Rig) -> int:
    return len(rig.payments.calls_of("commit_payout"))


def told(rig: Rig, user: str) -> str:
    return rig.workspace.ephemerals(user)[-1].text


async def test_freeze_is_announced_to_approvers_and_refuses_new_requests(rig: Rig) -> None:
    await rig.pay("freeze the bank called", user=OLGA)
    assert sum("froze all payments: “the bank called”" in m.text for m in rig.workspace.messages(APPROVALS)) == 1
    assert rig.workspace.messages(ALERTS) == []
    await rig.pay()
    assert "Payments are frozen by <@U0OLGA>: “the bank called”." in told(rig, MARIA)
    await rig.pay("unfreeze", user=ADA)
    assert any("unfroze payments" in m.text for m in rig.workspace.messages(APPROVALS))
    assert rig.cards(APPROVALS) == []


async def test_freezing_asks_for_a_reason(rig: Rig) -> None:
    await rig.pay("freeze", user=ADA)
    await rig.submit(ADA, {"reason": " "})
    assert "reason" in rig.form(ADA).errors
    await rig.submit(ADA, {"reason": "The bank called"})
    assert any("The bank called" in m.text for m in rig.workspace.messages(APPROVALS))


async def test_approvers_are_reminded_with_growing_pauses(rig: Rig) -> None:
    await rig.pay()
    await rig.pass_time(23 * HOUR, steps=12)
    first, *others = [m.text for m in rig.news(APPROVALS) if ":bell:" in m.text]
    assert "needs 1 more approval" in first
    assert others == [first, first]
    assert len(rig.cards(APPROVALS)) == 1
    await rig.pass_time(2 * HOUR, steps=4)
    assert await state(rig) is State.EXPIRED
    assert not [m for m in rig.news(FINANCE) if ":bell:" in m.text]


async def test_softer_policy_does_not_change_earlier_requests(rig: Rig) -> None:
    await rig.pay('send ana@example.com 1500.00 "big"')
    await under(rig, POLICY.partition("[[approval.rule]]")[0])
    assert quorum_of(rig.cards(APPROVALS)[0]) == "0 of 2"


async def test_first_payment_can_need_more_approvals(rig: Rig) -> None:
    await under(rig, POLICY + "\n[[approval.rule]]\nnew_recipient = true\nquorum = 2\n")
    await rig.pay()
    assert quorum_of(rig.cards(APPROVALS)[0]) == "0 of 2"
    await rig.press("approve")
    await rig.press("approve", user=LIN)
    await rig.payments.advance()
    await rig.pass_time(60)
    await rig.pay('send ana@example.com 30.00 "again"')
    assert quorum_of(rig.cards(APPROVALS)[-1]) == "0 of 1"


async def test_daily_sum_can_need_more_approvals(rig: Rig) -> None:
    await under(rig, POLICY + '\n[[approval.rule]]\ndaily_over = "40.00"\nquorum = 2\n')
    await rig.pay()
    rig.add_payees("kim@example.com")
    await rig.pay('send kim@example.com 30.00 "next"')
    first, second = rig.cards(APPROVALS)
    assert (quorum_of(first), quorum_of(second)) == ("0 of 1", "0 of 1")
    await rig.click(first, "payout.approve", user=ADA)
    await rig.click(second, "payout.approve", user=ADA)
    assert commits(rig) == 1
    assert quorum_of(rig.workspace.message(APPROVALS, second.ts)) == "1 of 2"
    await rig.click(second, "payout.approve", user=LIN)
    assert commits(rig) == 2


TYPED = POLICY + '\n[[approval.rule]]\nover = "10.00"\ntyped_amount = true\n'


async def test_vote_without_the_amount_is_void_once_the_policy_needs_it(rig: Rig) -> None:
    await rig.pay()
    await rig.workspace.click(ADA, APPROVALS, (await rig.card()).ts, "payout.approve")  # not sent yet
    await under(rig, TYPED)
    assert commits(rig) == 0
    card = rig.cards(APPROVALS)[0]
    assert "1 more approval needed: the policy now needs the amount typed" in card.text
    assert [m.text for m in rig.news(APPROVALS) if ":bell:" in m.text]
    await rig.press("approve", user=ADA)  # once more, with the amount
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert commits(rig) == 1


async def test_pending_votes_are_voided_by_a_new_policy(rig: Rig) -> None:
    await under(rig, POLICY.replace("quorum = 1\n", "quorum = 3\n", 1))
    await rig.pay()
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
    assert quorum_of(rig.cards(APPROVALS)[0]) == "2 of 3"
    await under(rig, TYPED)
    assert quorum_of(rig.cards(APPROVALS)[0]) == "0 of 3"
    assert "3 more approvals needed: the policy" in rig.cards(APPROVALS)[0].text
    assert "needs 3 more approvals" in rig.news(APPROVALS)[-1].text


async def test_typed_amount_counts_under_a_stricter_policy(rig: Rig) -> None:
    await rig.pay('send ana@example.com 1500.00 "big"')
    await rig.press("approve", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    await under(rig, TYPED)
    assert quorum_of(rig.cards(APPROVALS)[0]) == "1 of 2"
    await rig.press("approve", user=LIN)
    await rig.submit(LIN, {forms.AMOUNT: "1500.00"})
    assert commits(rig) == 1


async def test_card_shows_the_stricter_quorum(rig: Rig) -> None:
    await rig.pay()
    await rig.workspace.click(ADA, APPROVALS, (await rig.card()).ts, "payout.approve")
    await under(rig, POLICY.replace("quorum = 1\n", "quorum = 2\n", 1))
    card = rig.cards(APPROVALS)[0]
    assert not lacking(card.text, "1 of 2 approvals", "1 more approval needed: the policy now needs more.")
    assert commits(rig) == 0
    await rig.press("approve", user=LIN)
    assert commits(rig) == 1


async def test_duplicate_keeps_its_extra_approver(rig: Rig) -> None:
    for _ in range(2):
        rig.add_payees("kim@example.com")
        await rig.pay('send kim@example.com 30.00 "x"')
    await ask_for_many(rig, "ana@example.com,1.00\nana@example.com,1.00")
    assert [quorum_of(card) for card in rig.cards(APPROVALS)] == ["0 of 1", "0 of 2", "0 of 2"]
    await under(rig, POLICY.replace("quorum = 1\n", "quorum = 2\n", 1))
    assert [quorum_of(card) for card in rig.cards(APPROVALS)] == ["0 of 2", "0 of 3", "0 of 3"]
    rig.add_payees("kim@example.com")
    await rig.pay('send kim@example.com 30.00 "x"')
    assert quorum_of(rig.cards(APPROVALS)[-1]) == "0 of 3"


@pytest.mark.parametrize(("hours", "expires"), [("1h", 3_600), ("48h", 86_400)])
async def test_shorter_decision_time_applies_to_open_requests(rig: Rig, hours: str, expires: float) -> None:
    await rig.pay()
    asked = await newest(rig)
    await rig.pass_time(600)
    await under(rig, POLICY.replace('expires = "24h"', f'expires = "{hours}"'))
    held = await newest(rig)
    assert held.expires_at is not None
    assert asked.posted_at is not None
    assert (held.expires_at - asked.posted_at).total_seconds() == expires
    assert held.requirement.expires_seconds == expires
    assert held.requirement.quorum == 1
    await rig.pass_time(3_300, steps=3)  # 65 minutes after it was posted
    assert await state(rig) is (State.EXPIRED if expires == 3_600 else State.AWAITING)


def quorum_of(card: Message) -> str:
    found = there(re.search(r"\d of \d", card.text))
    return found[0]


@pytest.mark.parametrize("hindrance", ["silent", "frozen", "refused"])
async def test_approved_request_of_a_former_requester_is_held(rig: Rig, hindrance: str) -> None:
    """Whatever else keeps it from being sent; nothing is sent once that is over."""
    await rig.pay()
    if hindrance == "frozen":
        await rig.pay("freeze the bank called", user=OLGA)
    rig.payments.switches.forbidden = hindrance == "refused"
    if hindrance == "silent":
        for _ in range(100):
            rig.payments.faults.arm(Fault(FaultKind.LOST))
    await rig.press("approve")
    assert await state(rig) is State.APPROVED
    await under(rig, POLICY.replace('requesters = ["S0FINANCE"]', 'requesters = ["U0TOM"]'))
    await rig.pass_time(600, steps=10)
    for card in (await rig.card(), rig.cards(FINANCE)[-1]):
        for fact in ("On hold", "may no longer request", "An admin can withdraw it"):
            assert fact in card.text, (fact, card.text)
        assert not card.text.startswith(("Approve", "Waiting"))
    if hindrance == "frozen":
        await rig.pay("unfreeze", user=ADA)
    rig.payments.switches.forbidden = False
    await rig.pass_time(3_600, steps=10)
    assert commits(rig) == 0
