"""T6 and T7: one veto suffices and has a reason; what was not sent can be taken back."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.clock import MINUTE
from tests.support.reasons import own_words
from tests.support.rig import ADA, FINANCE, LIN, MARIA, OLGA, Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import asked, buttons, everywhere, heard, newest, read, state, told_once


async def test_veto_outweighs_votes(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    await rig.press("approve", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    await rig.press("reject", user=LIN)
    await rig.submit(LIN, {forms.REASON: "no"})
    assert await state(rig) is State.REJECTED
    await rig.pass_time(2 * MINUTE)
    assert asked(rig, "commit_payout") == 0


@pytest.mark.parametrize(("action", "user"), [("reject", ADA), ("withdraw", OLGA)])
async def test_without_a_reason_nothing_is_decided(rig: Rig, action: str, user: str) -> None:
    await rig.pay()
    await rig.press(action, user=user)
    for reason in ("", "   ", "\u202e\u200b", "\n\t"):
        await rig.workspace.submit(user, {forms.REASON: reason}, force=True)
        assert list(rig.form(user).errors) == [forms.REASON]
    assert await state(rig) is State.AWAITING


async def test_long_reason_is_shortened_on_the_card(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.workspace.submit(ADA, {forms.REASON: "<&>" * 1_000}, force=True)
    await rig.settle()
    assert everywhere(rig, "(shortened)")
    assert buttons(rig) == set()


async def test_reason_is_plain_text_and_in_the_audit(rig: Rig) -> None:
    reason = "<!channel> <@U0ZOE> *pay* <https://evil.example|here>\n\u202etnemyap"
    escaped = "&lt;!channel&gt; &lt;@U0ZOE&gt; ∗pay∗ &lt;https://evil.example|here&gt; tnemyap"
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {forms.REASON: reason})
    assert everywhere(rig, f"Rejected by <@{ADA}>: “{escaped}”. Nothing was paid.")
    assert told_once(rig, "rejected").startswith(f"*Rejected* by Ada Okafor: “{escaped}”. $25.00 to Ana")
    await rig.pay()
    await rig.press("withdraw", user=OLGA)
    await rig.submit(OLGA, {forms.REASON: "the contract <!channel> ended"})
    assert everywhere(rig, "“the contract &lt;!channel&gt; ended”.")
    entries = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.action == "withdrawn"])
    stored = own_words("the contract <!channel> ended").stored()
    assert [(one.actor, one.detail["reason"]) for one in entries] == [(OLGA, stored)]


async def test_withdrawal_by_an_admin_is_too_late_after_sending(rig: Rig) -> None:
    await rig.pay()
    await rig.press("withdraw", user=OLGA)
    await rig.press("approve")
    await rig.submit(OLGA, {forms.REASON: "the contract ended"})
    assert "too late to withdraw" in rig.form(OLGA).plain
    assert await state(rig) is State.COMMITTED


async def test_request_being_created_can_be_withdrawn_afterwards(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "create_payout"))
    await rig.pay()
    await rig.pass_time(5)
    card, found = rig.cards(FINANCE)[0], await newest(rig)
    value = f"{found.id}:{found.round}"
    await rig.workspace.click(MARIA, FINANCE, card.ts, "payout.withdraw", value=value, force=True)
    assert "You can withdraw it when it waits for approval" in await heard(rig, MARIA, "being created")
    assert await state(rig) is State.CREATE_UNKNOWN
