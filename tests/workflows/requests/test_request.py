"""T1: a request is stored whole, or not at all, before anything is sent to anybody."""

from datetime import datetime
from functools import partial

import pytest

from bot.domain.payments.instruction import CallbackKind, State
from bot.domain.references import callback_token, derived_key, token_hash
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from storage.rows import CallbackToken
from storage.transaction import Tx
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, SECRET_KEY, TOM, Rig
from tests.workflows.looking import DAY, HOUR, actions, ephemerals, newest, read, requests, state

SEND = 'send ana@example.com 25.00 "March translation"'


def find_token(tx: Tx, *, hashed: str, now: datetime) -> CallbackToken | None:
    return tx.tokens.find(hashed, now)


async def test_it_is_complete_before_anybody_else_hears_of_it(rig: Rig) -> None:
    ack = await rig.workspace.slash(MARIA, FINANCE, "/pay", SEND)
    assert ack.ok
    assert not rig.payments.calls
    found = await newest(rig)
    assert (found.state, found.round, found.requester, found.origin_channel) == (State.NEW, 1, MARIA, FINANCE)
    assert (found.payload.email, found.cents, found.payload.description) == (
        "ana@example.com",
        2500,
        "March translation",
    )
    assert found.intact()
    assert len(found.code) == 26
    assert await actions(rig) == ["requested"]
    for kind in (CallbackKind.CONFIRMATION, CallbackKind.CANCEL, CallbackKind.FAILURE):
        token = callback_token(key=derived_key(SECRET_KEY, "callbacks"), instruction_id=found.id, kind=kind)
        hashed, now = token_hash(token), rig.switchboard.context.clock.now()
        held = await read(rig, partial(find_token, hashed=hashed, now=now))
        assert held is not None
        assert (held.instruction_id, held.kind) == (found.id, kind)


async def test_the_asker_alone_is_told_that_it_is_taken(rig: Rig) -> None:
    await rig.pay()
    assert len(ephemerals(rig, MARIA)) == 1
    assert "25.00 USD to ana@example.com" in ephemerals(rig, MARIA)[0]
    assert (await newest(rig)).reference in ephemerals(rig, MARIA)[0]


async def test_the_card_shows_amount_recipient_with_account_purpose_and_requester(rig: Rig) -> None:
    await rig.pay()
    for channel in (FINANCE, APPROVALS):
        card = rig.cards(channel)[0]
        for fact in ("25.00 USD", "ana@example.com", "Ana Maria Lopez", "active", "verified", "March translation"):
            assert fact in card.text
            assert fact in card.plain.removeprefix(card.text)
        assert "Maria Silva" in card.text
        assert f"<@{MARIA}>" not in card.text + str(card.blocks)


@pytest.mark.parametrize(
    ("email", "said"),
    [
        (
            "mia@example.com",
            "Mia Keller, not active (no account, signup not completed, or it cannot receive money now), verified",
        ),
        ("luis@example.com", "Luis Andrade, active, not verified, primary address"),
        ("joana.silva@example.com", "Joana Silva, active, verified, not the primary address"),
        ("nobody@example.com", "no registered name, not active"),
    ],
)
async def test_what_the_service_says_of_the_account_is_on_the_card(rig: Rig, email: str, said: str) -> None:
    await rig.pay(f"send {email} 25.00 rent")
    assert said in rig.cards(APPROVALS)[0].text


async def test_a_link_keeps_its_address_wherever_the_purpose_is_shown(rig: Rig) -> None:
    await rig.pay('send ana@example.com 25.00 "pay <https://evil.example/login|the usual invoice>"')
    for channel in (FINANCE, APPROVALS):
        (card,) = rig.cards(channel)
        assert card.plain.count("(https://evil.example/login)") >= 2  # the message and its text
        assert "<https://evil" not in card.text
    assert not rig.payments.ledger.entries


async def test_an_account_that_cannot_be_read_is_tried_again_and_then_said(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=None))
    await rig.pay()
    assert await state(rig) is State.NEW
    await rig.pass_time(120, steps=12)
    assert "account could not be read" in rig.cards(APPROVALS)[0].text
    assert len(rig.payments.calls_of("account_status")) == 4
    await rig.press("approve")
    assert rig.paid == [("ana@example.com", 2500)]


async def test_the_same_again_needs_one_more_approver(rig: Rig) -> None:
    await rig.pay()
    await rig.pay("send ANA@example.com 25 again")
    first, second = await requests(rig)
    assert (first.requirement.quorum, second.requirement.quorum) == (1, 2)
    assert "same recipient and amount within a day" in rig.cards(APPROVALS)[1].text
    await rig.press("approve")
    assert not rig.paid


async def test_another_amount_recipient_or_day_is_not_the_same(rig: Rig) -> None:
    await rig.pay()
    await rig.pay("send ana@example.com 25.01 other")
    await rig.pay("send luis@example.com 25.00 other")
    await rig.pass_time(DAY + HOUR)
    await rig.pay()
    assert [one.requirement.quorum for one in await requests(rig)] == [1, 1, 1, 1]


async def test_what_was_rejected_is_no_earlier_payment(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {forms.REASON: "the amount is wrong"})
    await rig.pay()
    assert (await newest(rig)).requirement.quorum == 1


async def test_an_identical_signed_command_asks_once(rig: Rig) -> None:
    ack = await rig.pay()
    again = await rig.workspace.resend(ack)
    await rig.settle()
    assert again.ok
    assert len(await requests(rig)) == 1


async def test_a_form_that_is_submitted_twice_asks_once(rig: Rig) -> None:
    await rig.pay("send")
    values = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March translation"}
    view = rig.workspace.modal(MARIA)
    assert view is not None
    first = await rig.workspace.submit(MARIA, values)
    again = await rig.workspace._delivery.send("interactive", first.request.payload if first.request else {})
    await rig.settle()
    assert again.ok
    assert len(await requests(rig)) == 1
    assert len(rig.cards(APPROVALS)) == 1


async def test_the_form_asks_like_the_command(rig: Rig) -> None:
    await rig.pay("send", user=TOM)
    await rig.submit(TOM, {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March"})
    notice = rig.workspace.modal(TOM)
    assert notice is not None
    assert (await newest(rig)).reference in notice.plain
    assert (await newest(rig)).requester == TOM
    await rig.press("approve")
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.rig(payments_partner_secret=None)
async def test_without_a_configured_service_the_command_says_what_is_missing(rig: Rig) -> None:
    for text in (SEND, "send"):
        await rig.pay(text)
        assert "`PAYMENTS_PARTNER_SECRET`" in ephemerals(rig, MARIA)[-1]
    assert not await requests(rig)
