"""The three dots of a card: withdraw, what happened, the recipient's account; the first message of a request."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, OLGA, TOM, ZOE, Rig, menu_of
from tests.support.shown import lacking
from tests.workflows.looking import everywhere, heard, newest, state, there

CHOICES = {"withdraw", "history", "recipient"}


async def choose(rig: Rig, what: str, *, user: str) -> None:
    card = rig.cards(APPROVALS)[-1]
    await rig.workspace.click(user, APPROVALS, card.ts, "payout.menu", value=menu_of(card)[what])


async def test_requester_confirms_a_withdrawal(rig: Rig) -> None:
    await rig.pay()
    await choose(rig, "withdraw", user=MARIA)
    form = there(rig.workspace.modal(MARIA))
    assert (form.plain.splitlines()[0], form.submit, form.close) == ("Withdraw a payout", "Withdraw", "Keep it")
    assert await state(rig) is State.AWAITING, "a form opens first"
    await rig.submit(MARIA, {})
    assert await state(rig) is State.WITHDRAWN
    assert everywhere(rig, f"Withdrawn by <@{MARIA}>.")
    assert [message.text for message in rig.news(FINANCE) + rig.news(APPROVALS)] == []


async def test_forged_withdrawal_form_is_refused(rig: Rig) -> None:
    """Forged: the form of the requester, submitted by an admin without a reason."""
    await rig.pay()
    await choose(rig, "withdraw", user=OLGA)
    form = there(rig.workspace.modal(OLGA))
    assert forms.REASON in form.values
    await rig.workspace.submit(OLGA, {}, force=True)
    assert await state(rig) is State.AWAITING
    await rig.submit(OLGA, {forms.REASON: "the contract ended"})
    assert await state(rig) is State.WITHDRAWN


@pytest.mark.parametrize(
    ("what", "user"),
    [
        *(("withdraw", user) for user in (ADA, LIN, TOM, ZOE, GUS, EVE)),
        *((what, user) for what in ("history", "recipient") for user in (ZOE, GUS, EVE)),
    ],
)
async def test_menu_refuses_people_without_the_right(rig: Rig, what: str, user: str) -> None:
    await rig.pay()
    before = len(rig.workspace.ephemerals(user))
    await choose(rig, what, user=user)
    [told] = await rig.workspace.until(lambda: rig.workspace.ephemerals(user)[before:] or None)
    assert "ana@example.com" not in told.plain
    assert (rig.workspace.modal(user), await state(rig)) == (None, State.AWAITING)


async def test_history_shows_what_happened_and_who_did_it(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    await choose(rig, "history", user=LIN)
    found, form = await newest(rig), there(rig.workspace.modal(LIN))
    assert form.title == "History"
    assert not lacking(
        form.plain, f"<@{MARIA}> requested", f"<@{ADA}> approved (1 of 2)", found.reference, found.code, found.digest
    )


async def test_account_of_the_recipient_is_shown(rig: Rig) -> None:
    await rig.pay("send luis@example.com 25.00 March")
    await choose(rig, "recipient", user=ADA)
    told = rig.form(ADA).plain
    assert not lacking(told, "Luis Andrade", "*Active*\nYes", "*Verified*\nNo", "Ecuador", "isn't verified")


@pytest.mark.parametrize("value", ["", "nothing", "history", "history:x:1", "pay:ID:1", "withdraw:ID:7"])
async def test_forged_choice_is_outdated(rig: Rig, value: str) -> None:
    await rig.pay()
    found = await newest(rig)
    card = rig.cards(APPROVALS)[-1]
    forged = value.replace("ID", found.id)
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.menu", action={"value": forged}, force=True)
    await heard(rig, LIN, "changed since")
    assert (await state(rig), rig.workspace.modal(LIN)) == (State.AWAITING, None)


async def test_menu_offers_possible_actions_only(rig: Rig) -> None:
    await rig.pay()
    assert menu_of(rig.cards(APPROVALS)[-1]).keys() == CHOICES
    assert menu_of(rig.cards(FINANCE)[-1]) == {}
    await rig.press("approve")
    assert menu_of(rig.cards(APPROVALS)[-1]).keys() == CHOICES - {"withdraw"}
    await rig.payments.advance()
    await rig.pass_time(60)
    assert rig.cards(APPROVALS)[-1].text.startswith("Paid: ")
    assert [menu_of(card) for card in rig.cards(APPROVALS) + rig.cards(FINANCE)] == [{}, {}]


async def test_first_message_says_what_was_decided(rig: Rig) -> None:
    await rig.pay()
    for channel, said in ((FINANCE, "Waiting for approval (0 of 1): "), (APPROVALS, "Approve $25.00 to Ana Maria")):
        [card] = rig.cards(channel)
        assert rig.workspace.versions(channel, card.ts)[0].text.startswith(said)


@pytest.mark.parametrize("restarts", [False, True])
async def test_request_is_posted_once_while_its_recipient_is_looked_up(rig: Rig, restarts: bool) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "account_status", times=None))
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send ana@example.com 25.00 rent")
    if restarts:
        await rig.start_again()
    await rig.pass_time(4)
    assert rig.cards(FINANCE) == []
    await rig.pass_time(1)
    [line] = rig.cards(FINANCE)
    assert "Checking the recipient…" in line.plain
    rig.payments.faults.clear()
    await rig.pass_time(60, steps=4)
    [line], [_] = rig.cards(FINANCE), rig.cards(APPROVALS)
    assert line.text.startswith("Waiting for approval (0 of 1): ")
