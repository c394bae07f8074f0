"""Where a request is shown: among the approvers and where it was asked for; each copy follows, each end is told."""

import pytest

from bot.domain.payments.instruction import State
from bot.presentation.payments import forms
from tests.support.clock import HOUR, MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, MONEY, RANDOM, Rig
from tests.workflows.looking import (
    alerts,
    approved,
    buttons,
    ephemerals,
    everywhere,
    newest,
    state,
    told,
    told_once,
)


async def complete(rig: Rig) -> None:
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(2)


def shows(rig: Rig, word: str, where: str) -> bool:
    """Whether the newest card there and that of the approvers say it."""
    return all(word.casefold() in rig.cards(channel)[-1].text.casefold() for channel in (where, APPROVALS))


async def test_nonmember_bot_writes_directly_with_an_invite_hint(rig: Rig) -> None:
    ack = await rig.pay(channel=RANDOM)
    assert ack.ok
    assert "To add me: `/invite @Switchboard`" in ephemerals(rig, MARIA)[0]
    direct = rig.workspace.open_dm(MARIA).id
    card = rig.cards(direct)[0]
    assert f"To have this in <#{RANDOM}>, invite me there: `/invite @Switchboard`" in card.plain
    assert rig.workspace.messages(RANDOM, viewer=LIN) == []
    await rig.press("approve")
    await complete(rig)
    told_once(rig, "*paid*", direct)
    assert shows(rig, "Paid", direct)
    assert await state(rig) is State.COMPLETED
    assert buttons(rig, direct, APPROVALS) == set()
    assert rig.workspace.messages(RANDOM, viewer=LIN) == []


async def test_in_a_private_channel_the_bot_cannot_see(rig: Rig) -> None:
    rig.workspace.add_channel("C0SECRET", "secret", members=[MARIA], private=True, bot_member=False)
    await rig.pay(channel="C0SECRET")
    direct = rig.workspace.open_dm(MARIA).id
    assert len(rig.cards(direct)) == 1
    await rig.press("withdraw", user=MARIA, channel=direct)
    assert await state(rig) is State.WITHDRAWN
    assert shows(rig, "Withdrawn", direct), "who withdrew it is told nothing else"
    assert [*rig.news(direct), *rig.news(APPROVALS)] == []


async def test_request_in_the_approvals_channel_has_one_card(rig: Rig) -> None:
    await rig.pay(channel=APPROVALS)
    assert len(rig.cards(APPROVALS)) == 1
    assert buttons(rig, APPROVALS) == {"Approve", "Reject"}
    found = await newest(rig)
    assert found.expires_at is not None
    await rig.press("approve")
    await complete(rig)
    told_once(rig, "*paid*", APPROVALS)
    assert len([m for m in rig.workspace.messages(APPROVALS) if not m.ephemeral_to]) == 2
    assert buttons(rig, APPROVALS) == set()


@pytest.mark.parametrize("lost", [{"bot_member": False}, {"archived": True}], ids=["removed", "archived"])
async def test_lost_channel_is_replaced_by_a_direct_message(rig: Rig, lost: dict[str, bool]) -> None:
    await rig.pay()
    rig.workspace.set_channel(FINANCE, **lost)
    await rig.press("approve")
    await complete(rig)
    await rig.pass_time(10 * MINUTE, steps=10)
    assert shows(rig, "Paid", APPROVALS)
    assert not told(rig, APPROVALS, "*paid*")
    direct = rig.workspace.open_dm(MARIA).id
    assert len([message for message in rig.workspace.messages(direct) if "*Paid*" in message.text]) == 1


async def test_unreachable_approvers_raise_an_alert(rig: Rig) -> None:
    await rig.pay(channel=APPROVALS)
    rig.workspace.set_channel(APPROVALS, bot_member=False)
    await rig.press("reject")
    await rig.submit(ADA, {forms.REASON: "no"})
    await rig.pass_time(HOUR, steps=15)
    assert rig.news(APPROVALS) == []
    (said,) = rig.workspace.messages(MONEY)
    assert "*Rejected*" in said.text
    [alert] = alerts(rig)
    assert "has news that couldn't be posted in <#C0APPROVE>" in alert
    assert "/archives/C0APPROVE/" in alert


async def test_lost_approvals_channel_still_gets_the_final_state(rig: Rig) -> None:
    """Their card is edited where it stands; nothing else was to be said there."""
    await rig.pay()
    rig.workspace.set_channel(APPROVALS, bot_member=False)
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    await rig.pass_time(HOUR, steps=15)
    assert everywhere(rig, "Withdrawn")
    assert buttons(rig) == set()
    assert [*rig.news(FINANCE), *rig.news(APPROVALS), *alerts(rig)] == []


async def test_unpostable_reminder_claims_no_final_state(rig: Rig) -> None:
    await rig.pay()
    rig.workspace.set_channel(APPROVALS, bot_member=False)
    await rig.pass_time(13 * HOUR, steps=150)
    assert await state(rig) is State.AWAITING
    [alert] = alerts(rig)
    assert "has news that couldn't be posted in <#C0APPROVE>" in alert
    assert "ended" not in alert


async def test_undeliverable_news_go_to_the_payments_channel(rig: Rig) -> None:
    """Somebody asked in a channel that lost the bot, and left the company: neither there nor directly can be told."""
    await approved(rig)
    rig.workspace.set_channel(FINANCE, bot_member=False)
    rig.workspace.set_user(MARIA, deleted=True)
    await complete(rig)
    await rig.pass_time(HOUR, steps=15)
    assert everywhere(rig, "Paid")
    assert [*rig.news(FINANCE), *rig.news(APPROVALS)] == []
    (said,) = rig.workspace.messages(MONEY)
    assert "*Paid*" in said.text
