"""The three dots of a card: withdraw, what happened, the recipient's account; the first message of a request."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, OLGA, TOM, ZOE, Rig, menu_of
from tests.support.shown import shown
from tests.workflows.looking import everywhere, heard, newest, state, there

CHOICES = {"withdraw", "history", "recipient"}


async def choose(rig: Rig, what: str, *, user: str) -> None:
    card = rig.cards(APPROVALS)[-1]
    await rig.workspace.click(user, APPROVALS, card.ts, "payout.menu", value=menu_of(card)[what])


async def test_the_requester_withdraws_after_a_question_and_nobody_else_is_asked_it(rig: Rig) -> None:
    await rig.pay()
    await choose(rig, "withdraw", user=MARIA)
    form = there(rig.workspace.modal(MARIA))
    assert (form.plain, form.submit, form.close) == snapshot(
        (
            "Withdraw a payout\nWithdraw this $25.00 request? You can send it again later.",
            "Withdraw",
            "Keep it",
        )
    )
    assert await state(rig) is State.AWAITING, "a form opens first"
    await rig.submit(MARIA, {})
    assert await state(rig) is State.WITHDRAWN
    assert everywhere(rig, f"Withdrawn by <@{MARIA}>.")
    assert [message.text for message in rig.news(FINANCE) + rig.news(APPROVALS)] == []


async def test_a_form_that_asks_nothing_withdraws_nothing_of_somebody_else(rig: Rig) -> None:
    """Forged: the form of the requester, submitted by an admin without a reason."""
    await rig.pay()
    await choose(rig, "withdraw", user=OLGA)
    form = there(rig.workspace.modal(OLGA))
    assert forms.REASON in form.values
    await rig.workspace.submit(OLGA, {}, force=True)
    assert await state(rig) is State.AWAITING
    await rig.submit(OLGA, {forms.REASON: "the contract ended"})
    assert await state(rig) is State.WITHDRAWN


@pytest.mark.parametrize("user", [ADA, LIN, TOM, ZOE, GUS, EVE])
async def test_nobody_else_withdraws_it(rig: Rig, user: str) -> None:
    await rig.pay()
    before = len(rig.workspace.ephemerals(user))
    await choose(rig, "withdraw", user=user)
    await rig.workspace.until(lambda: len(rig.workspace.ephemerals(user)) > before or None)
    assert rig.workspace.modal(user) is None
    assert await state(rig) is State.AWAITING


async def test_what_happened_and_who_did_it(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    await choose(rig, "history", user=LIN)
    found, form = await newest(rig), there(rig.workspace.modal(LIN))
    assert form.title == "History"
    for part in (
        "$1,500.00 to Ana Maria Lopez (ana@example.com) · Waiting for approval",
        f"<@{MARIA}> requested",
        f"<@{ADA}> approved (1 of 2)",
        found.reference,
        str(found.remote_id),
        found.code,
        found.digest,
    ):
        assert part in form.plain


async def test_the_whole_account_of_the_recipient(rig: Rig) -> None:
    await rig.pay("send luis@example.com 25.00 March")
    await choose(rig, "recipient", user=ADA)
    assert shown(rig.form(ADA).plain) == snapshot("""\
Recipient
luis@example.com
*Registered name*
Luis Andrade
*Active*
Yes
*Verified*
No
*Primary address*
Yes
*Country*
Ecuador
:warning: The account of luis@example.com isn't verified.\
""")


@pytest.mark.parametrize("what", ["history", "recipient"])
@pytest.mark.parametrize("user", [ZOE, GUS, EVE])
async def test_who_has_no_role_reads_nothing_behind_it(rig: Rig, what: str, user: str) -> None:
    await rig.pay()
    before = len(rig.workspace.ephemerals(user))
    await choose(rig, what, user=user)
    await rig.workspace.until(lambda: len(rig.workspace.ephemerals(user)) > before or None)
    assert rig.workspace.modal(user) is None
    assert "ana@example.com" not in rig.workspace.ephemerals(user)[-1].plain


@pytest.mark.parametrize("value", ["", "nothing", "history", "history:x:1", "pay:ID:1", "withdraw:ID:7"])
async def test_a_forged_choice_is_out_of_date(rig: Rig, value: str) -> None:
    await rig.pay()
    found = await newest(rig)
    card = rig.cards(APPROVALS)[-1]
    forged = value.replace("ID", found.id)
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.menu", action={"value": forged}, force=True)
    await heard(rig, LIN, "changed since")
    assert (await state(rig), rig.workspace.modal(LIN)) == (State.AWAITING, None)


async def test_it_offers_what_can_be_done_and_a_finished_card_has_none(rig: Rig) -> None:
    await rig.pay()
    assert menu_of(rig.cards(APPROVALS)[-1]).keys() == CHOICES
    assert menu_of(rig.cards(FINANCE)[-1]) == {}
    await rig.press("approve")
    assert menu_of(rig.cards(APPROVALS)[-1]).keys() == CHOICES - {"withdraw"}
    await rig.payments.advance()
    await rig.pass_time(60)
    assert rig.cards(APPROVALS)[-1].text.startswith("Paid: ")
    assert [menu_of(card) for card in rig.cards(APPROVALS) + rig.cards(FINANCE)] == [{}, {}]


async def test_the_first_message_says_what_is_decided(rig: Rig) -> None:
    await rig.pay()
    for channel, said in (
        (FINANCE, "Waiting for approval (0 of 1): "),
        (APPROVALS, "Approve $25.00 to Ana Maria Lopez"),
    ):
        [card] = rig.cards(channel)
        assert rig.workspace.versions(channel, card.ts)[0].text.startswith(said)


async def test_while_the_recipient_cannot_be_looked_up_the_request_is_seen_all_the_same(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "account_status", times=None))
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send ana@example.com 25.00 rent")
    await rig.pass_time(4)
    assert rig.cards(FINANCE) == []
    await rig.pass_time(1)
    [line] = rig.cards(FINANCE)
    assert "Checking the recipient…" in line.plain
    rig.payments.faults.clear()
    await rig.pass_time(60, steps=4)
    [line] = rig.cards(FINANCE)
    assert line.text.startswith("Waiting for approval (0 of 1): ")


async def test_a_start_while_it_is_prepared_posts_it_once(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "account_status", times=None))
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send ana@example.com 25.00 rent")
    await rig.start_again()
    await rig.pass_time(5)
    assert len(rig.cards(FINANCE)) == 1
    rig.payments.faults.clear()
    await rig.pass_time(60, steps=4)
    assert (len(rig.cards(FINANCE)), len(rig.cards(APPROVALS))) == (1, 1)
