"""T1: a request is stored whole, or not at all, before anything is sent to anybody."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import CallbackKind
from bot.domain.references import callback_token, derived_key, token_hash
from bot.presentation.payments import forms
from tests.support.rig import APPROVALS, FINANCE, MARIA, RANDOM, SECRET_KEY, TOM, Rig
from tests.support.shown import shown
from tests.workflows.looking import actions, ephemerals, newest, read, requests, there

SEND = 'send ana@example.com 25.00 "March translation"'
ASKED = ":memo: Request sent: $25.00 to ana@example.com. Needs 1 approval · P-······"


async def test_it_is_complete_before_anybody_else_hears_of_it(rig: Rig) -> None:
    ack = await rig.workspace.slash(MARIA, FINANCE, "/pay", SEND)
    assert ack.ok
    assert not rig.payments.calls
    found = await newest(rig)
    assert found.intact()
    assert len(found.code) == 26
    assert await actions(rig) == ["requested"]
    kinds = (CallbackKind.CONFIRMATION, CallbackKind.CANCEL, CallbackKind.FAILURE)
    key = derived_key(SECRET_KEY, "callbacks")
    tokens = [callback_token(key=key, instruction_id=found.id, kind=kind) for kind in kinds]
    held = await read(rig, lambda tx: [there(tx.tokens.find(token_hash(one), rig.clock.now())) for one in tokens])
    assert [(one.instruction_id, one.kind) for one in held] == [(found.id, kind) for kind in kinds]


async def test_asker_is_answered_alone_only_if_the_line_does_not_say_the_same(rig: Rig) -> None:
    ack = await rig.pay()
    assert (ack.body, ephemerals(rig, MARIA), len(rig.cards(FINANCE))) == ("", [], 1)
    await rig.pay()
    await rig.pay("send luis@example.com 3.00 x", channel=RANDOM)
    repeated, elsewhere = ephemerals(rig, MARIA)
    assert "because it repeats" in repeated
    assert "/invite" in elsewhere


async def test_the_card_shows_amount_recipient_with_account_purpose_and_requester(rig: Rig) -> None:
    await rig.pay()
    card, copy = rig.cards(APPROVALS)[0], rig.cards(FINANCE)[0]
    assert shown(card) == snapshot(
        """\
Approve $25.00 to Ana Maria Lopez (ana@example.com)? March translation, requested by Maria Silva (maria) · verified · \
Ecuador · P-······. 0 of 1 approvals · expires <!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. \
<!subteam^S0TREASURY>
$25.00 USD to Ana Maria Lopez
March translation
ana@example.com, verified, Ecuador · requested by Maria Silva (maria) · 0 of 1 approvals · expires \
<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC> · P-······ · <!subteam^S0TREASURY>
Approve
Reject
Withdraw
History
Recipient\
"""
    )
    assert shown(copy.plain) == snapshot("""\
Waiting for approval (0 of 1): $25.00 to Ana Maria Lopez (ana@example.com). March translation, requested by Maria \
Silva · verified · Ecuador · P-······. 0 of 1 approvals · expires <!date^1795251600^{date_short_pretty} \
{time}|2026-11-21 09:00 UTC>.
:hourglass_flowing_sand: *Waiting for approval (0 of 1)* in <#C0APPROVE> · $25.00 to Ana Maria Lopez · P-······
Withdraw""")


PURPOSE = "pay &lt;the (https://evil.example/login) usual invoice&gt;"


async def test_a_link_keeps_its_address_wherever_the_purpose_is_shown(rig: Rig) -> None:
    await rig.pay('send ana@example.com 25.00 "pay <https://evil.example/login|the usual invoice>"')
    for channel in (FINANCE, APPROVALS):
        (card,) = rig.cards(channel)
        assert "? " + PURPOSE in card.text or ". " + PURPOSE in card.text
    assert PURPOSE in rig.cards(APPROVALS)[0].plain.splitlines()[2]
    assert not rig.payments.ledger.entries


async def test_the_same_again_needs_one_more_approver(rig: Rig) -> None:
    await rig.pay()
    await rig.pay("send ANA@example.com 25 again")
    first, second = await requests(rig)
    assert (first.requirement.quorum, second.requirement.quorum) == (1, 2)
    told = rig.cards(APPROVALS)[1].text.partition("UTC>. ")[2]
    assert told == f":warning: Needs 2 approvers because it repeats {first.reference}. <!subteam^S0TREASURY>"
    await rig.press("approve")
    assert not rig.paid


async def test_a_form_that_is_submitted_twice_asks_once(rig: Rig) -> None:
    await rig.pay("send")
    values = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March translation"}
    assert rig.workspace.modal(MARIA) is not None
    first = await rig.workspace.submit(MARIA, values)
    again = await rig.workspace._delivery.send("interactive", first.request.payload if first.request else {})
    await rig.settle()
    assert again.ok
    assert len(await requests(rig)) == 1
    assert len(rig.cards(APPROVALS)) == 1


async def test_the_form_asks_like_the_command(rig: Rig) -> None:
    await rig.pay("send", user=TOM)
    await rig.submit(TOM, {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March"})
    assert shown(rig.workspace.modal(TOM)) == f"New payout\n{ASKED}"
    assert (await newest(rig)).requester == TOM
    await rig.press("approve")
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.rig(payments_partner_secret=None)
async def test_without_a_configured_service_the_command_says_what_is_missing(rig: Rig) -> None:
    for text in (SEND, "send"):
        await rig.pay(text)
        assert shown(ephemerals(rig, MARIA)[-1]) == snapshot("""\
:electric_plug: Payments isn't set up yet. An admin has to set `PAYMENTS_PARTNER_SECRET`.""")
    assert not await requests(rig)
