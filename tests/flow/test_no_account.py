"""An address without an account is asked about before approvers are called; they confirm what is not fine."""

import pytest

from bot.domain.approvals import Refusal
from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.workflows.requests import decide
from bot.workflows.requests.decide import Decision
from tests.support import bulk
from tests.support.clock import DAY
from tests.support.rig import ADA, ALERTS, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, OLGA, TOM, ZOE, Rig
from tests.workflows.looking import actions, asked, newest, operation, requests, votes

WRONG = "ana@exmaple.com"
STEPS = ["send", "now"]
MADE = {"send": "create_payout", "now": "one_step_payout"}
EDITED = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "30.00", forms.DESCRIPTION: "April"}


async def held(rig: Rig, verb: str = "send", *, channel: str = FINANCE, email: str = WRONG) -> None:
    """Ask for a payout to an address without an account; ana@example.com was paid before."""
    await rig.pay()
    await rig.press("approve")
    await rig.payments.settle(operation(rig).id, "completed")
    await rig.pass_time(3_600)
    await rig.pay(f"{verb} {email} 30.00 April", channel=channel)


async def press(rig: Rig, action: str, *, channel: str = FINANCE) -> None:
    await rig.press(action, user=MARIA, channel=channel)


@pytest.mark.parametrize("verb", STEPS)
async def test_requester_confirms_before_approvers_see_it(rig: Rig, verb: str) -> None:
    await held(rig, verb)
    found = await newest(rig)
    assert found.state is State.NEW
    assert [card for card in rig.cards(APPROVALS) if found.reference in card.text] == []
    assert asked(rig, MADE[verb]) == (1 if verb == "send" else 0), "only the payout before"
    card = await rig.card(FINANCE)
    assert "No account found for ana@exmaple.com. Did you mean *ana@example.com*?" in card.text
    assert [button.text for button in card.buttons] == ["Send anyway", "Edit", "Withdraw"]
    [said] = [
        one.text for one in rig.workspace.messages(FINANCE) if "No account found" in one.text and one.ts != card.ts
    ]
    assert "wasn't sent to the approvers yet" in said
    assert said.endswith(f"<@{MARIA}>")
    await rig.pass_time(12 * 3_600, steps=5)
    assert [one.text for one in rig.workspace.messages(FINANCE) if "No account found" in one.text] == [card.text, said]
    assert "no_account" in await actions(rig)


async def test_unknown_address_is_confirmed_without_a_suggestion(rig: Rig) -> None:
    await held(rig, email="zebediah@somewhere.example")
    assert "No account found for zebediah@somewhere.example." in (await rig.card(FINANCE)).text
    assert "Did you mean" not in (await rig.card(FINANCE)).text


async def test_bulk_recipients_are_known(rig: Rig) -> None:
    rig.add_payees("josefina@corp.example")
    await bulk.finished(rig, "josefina@corp.example, 4.25")
    await rig.pay("send josefnia@corp.example 30.00 April")
    assert "Did you mean *josefina@corp.example*?" in (await rig.card(FINANCE)).text


@pytest.mark.parametrize("verb", STEPS)
async def test_confirmed_address_still_needs_explicit_approval(rig: Rig, verb: str) -> None:
    await held(rig, verb)
    await press(rig, "send_anyway")
    found = await newest(rig)
    assert found.state is State.AWAITING
    assert [button.text for button in (await rig.card(FINANCE)).buttons] == ["Withdraw"]
    before = list(rig.paid)
    await rig.press("approve", confirm=False)
    assert rig.paid == before, "a form opens first"
    assert await votes(rig) == []
    assert "The money waits until they sign up." in rig.form(ADA).plain
    await rig.submit(ADA, {})
    assert rig.paid == [*before, (WRONG, 3_000)]
    assert [one for one in await actions(rig) if "_" in one or one == "approve"][-3:] == [
        "no_account",
        "sent_anyway",
        "approve",
    ]


@pytest.mark.parametrize("user", [ADA, OLGA, TOM, ZOE, GUS, EVE])
@pytest.mark.parametrize("action", ["send_anyway", "edit"])
async def test_only_the_requester_answers_the_question(rig: Rig, user: str, action: str) -> None:
    await held(rig)
    await rig.press(action, user=user, channel=FINANCE, force=True)
    assert (await newest(rig)).state is State.NEW
    assert rig.workspace.modal(user) is None
    assert "Only the requester" in rig.workspace.ephemerals(user)[-1].text


async def test_edit_sent_twice_replaces_the_request_once(rig: Rig) -> None:
    await held(rig)
    wrong = await newest(rig)
    await press(rig, "edit")
    entered = {field: next(iter(held.values()))["value"] for field, held in rig.form(MARIA).values.items()}
    assert (entered.pop(forms.CODE), entered) == (None, EDITED)
    await rig.workspace.resend(await rig.workspace.submit(MARIA, entered))
    await rig.settle()
    old, new = sorted((await requests(rig))[1:], key=lambda one: one.id != wrong.id)
    assert (old.id, old.state, old.decided_by) == (wrong.id, State.WITHDRAWN, MARIA)
    assert (new.state, new.payload.email, new.payload.cents) == (State.AWAITING, "ana@example.com", 3_000)
    assert new.origin_channel == FINANCE
    assert asked(rig, "create_payout") == 2, "nothing was created for the wrong address"


async def test_edit_after_send_anyway_changes_nothing(rig: Rig) -> None:
    await held(rig)
    await press(rig, "edit")
    await press(rig, "send_anyway")
    await rig.submit(MARIA, EDITED)
    assert [one.state for one in await requests(rig)] == [State.COMPLETED, State.AWAITING]
    assert "is now *waiting for approval*" in rig.form(MARIA).plain


async def test_edit_form_is_refused_once_its_requester_lost_the_role(rig: Rig) -> None:
    await held(rig)
    await press(rig, "edit")
    rig.workspace.set_group("S0FINANCE", [TOM])
    await rig.pass_time(61)
    await rig.submit(MARIA, EDITED)
    assert [(one.state, one.payload.email) for one in (await requests(rig))[1:]] == [(State.NEW, WRONG)]
    assert "You don't have permission" in rig.form(MARIA).plain


async def test_unanswered_question_expires(rig: Rig) -> None:
    await held(rig)
    await rig.pass_time(DAY - 1)
    assert (await newest(rig)).state is State.NEW
    await rig.pass_time(2)
    found = await newest(rig)
    assert found.state is State.EXPIRED
    assert (await rig.card(FINANCE)).buttons == []
    assert "*Expired*" in rig.news(FINANCE)[-1].text
    assert not rig.workspace.messages(ALERTS)


async def test_restart_does_not_ask_again(rig: Rig) -> None:
    await held(rig)
    before = len(rig.workspace.messages(FINANCE))
    await rig.start_again()
    await rig.settle()
    await press(rig, "send_anyway")
    assert (await newest(rig)).state is State.AWAITING
    assert len(rig.workspace.messages(FINANCE)) == before


async def test_approvers_are_mentioned_after_the_requester_answered(rig: Rig) -> None:
    await held(rig, channel=APPROVALS)
    found = await newest(rig)

    def calls() -> list[str]:
        about = [one.text for one in rig.workspace.messages(APPROVALS) if found.reference in one.text]
        return [text for text in about if "<!subteam^S0TREASURY>" in text]

    assert calls() == []
    await press(rig, "send_anyway", channel=APPROVALS)
    assert len(calls()) == 2, "the card, which rings nobody when it is edited, and the call in its thread"


async def test_account_that_cannot_be_looked_up_is_confirmed_by_the_approver(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=None))
    await rig.pay()
    assert (await newest(rig)).state is State.NEW
    await rig.pass_time(120, steps=10)
    found = await newest(rig)
    assert found.state is State.AWAITING
    assert "The account of ana@example.com couldn't be checked." in rig.cards(APPROVALS)[0].text
    assert asked(rig, "account_status") == 4
    await rig.press("approve", confirm=False)
    assert not rig.paid
    assert "couldn't be checked" in rig.form(ADA).plain
    await rig.submit(ADA, {})
    assert rig.paid == [("ana@example.com", 2_500)]


@pytest.mark.parametrize(
    ("email", "said"),
    [
        ("mia@example.com", "The account of mia@example.com isn't active"),
        ("luis@example.com", "The account of luis@example.com isn't verified."),
        ("joana.silva@example.com", "joana.silva@example.com isn't the account's primary address."),
    ],
)
async def test_unusual_account_needs_confirmation_only(rig: Rig, email: str, said: str) -> None:
    await rig.pay(f"send {email} 25.00 March")
    await rig.press("approve", confirm=False)
    assert not rig.paid
    assert said in rig.form(ADA).plain
    await rig.submit(ADA, {})
    assert rig.paid == [(email, 2_500)]


async def test_large_amount_is_typed_in_the_same_form(rig: Rig) -> None:
    await rig.pay("send mia@example.com 1500.00 March")
    for user in (ADA, LIN):
        await rig.press("approve", user=user, confirm=False)
        assert "can't receive money now" in rig.form(user).plain
        await rig.submit(user, {forms.AMOUNT: "1500.00"})
    assert rig.paid == [("mia@example.com", 150_000)]


async def test_vote_without_the_form_does_not_count(rig: Rig) -> None:
    await rig.pay("send mia@example.com 25.00 March")
    found = await newest(rig)
    click = Decision(instruction_id=found.id, round=found.round, person=ADA)
    assert (await decide.approve(rig.switchboard.context, click)).refusal is Refusal.UNCONFIRMED
    assert await votes(rig) == []
    assert (await decide.approve(rig.switchboard.context, click, confirmed=True)).refusal is None


@pytest.mark.parametrize("verb", STEPS)
async def test_domain_that_resembles_a_paid_one_is_asked_about(rig: Rig, verb: str) -> None:
    """Although it has an account: somebody may have made it look alike."""
    rig.payments.add_account("ana@exampel.com", full_name="Ana Lopez")
    await held(rig, verb, email="ana@exampel.com")
    found = await newest(rig)
    assert found.state is State.NEW
    assert [card for card in rig.cards(APPROVALS) if found.reference in card.text] == []
    card = await rig.card(FINANCE)
    assert "Did you mean *ana@example.com*? Its domain was paid before, and one letter differs." in card.text
    assert {"Send anyway", "Edit"} < {button.text for button in card.buttons}
    await press(rig, "edit")
    assert "ana@example.com" in str(rig.form().values[forms.EMAIL])
    await rig.workspace.close(MARIA)
    await press(rig, "send_anyway")
    await rig.settle()
    assert (await newest(rig)).state is State.AWAITING
    await rig.press("approve", confirm=False)
    assert "ana@exampel.com looks like *ana@example.com*, whose domain was paid before." in rig.form(ADA).plain
    await rig.submit(ADA, {})
    await rig.payments.settle(operation(rig).id, "completed")
    await rig.pass_time(3_600)
    await rig.pay("send ana@exampel.com 31.00 May")
    assert (await newest(rig)).state is State.AWAITING, "it was paid by now"


async def test_new_name_at_a_paid_domain_needs_no_confirmation(rig: Rig) -> None:
    rig.payments.add_account("new@example.com", full_name="Nora New")
    await held(rig, email="new@example.com")
    assert (await newest(rig)).state is State.AWAITING
