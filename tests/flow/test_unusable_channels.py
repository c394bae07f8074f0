"""Channels of the policy in which nothing can be posted: what helps, who hears of it, and what follows."""

from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from tests.support.clock import HOUR, MINUTE
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, MARIA, OLGA, POLICY, Rig
from tests.workflows.looking import alerts, newest, state

DAY = 24 * HOUR


def direct(rig: Rig, user: str) -> list[Message]:
    return rig.workspace.messages(rig.workspace.open_dm(user).id)


@pytest.mark.parametrize(
    ("lost", "found", "helps"),
    [
        ({"archived": True}, {"archived": False}, "Unarchive it, or name another channel in policy.toml"),
        ({"bot_member": False}, {"bot_member": True}, "Invite me there"),
        ({"bot_member": False, "private": True}, {"bot_member": True}, "Invite me there"),
    ],
    ids=["archived", "removed", "made private"],
)
async def test_approvals_channel_that_is_unusable_is_explained_until_it_works(
    rig: Rig, lost: dict[str, Any], found: dict[str, Any], helps: str
) -> None:
    rig.workspace.set_channel(APPROVALS, **lost)
    await rig.pay()
    await rig.pass_time(HOUR, steps=20)
    (alert,) = alerts(rig)
    assert helps in alert
    assert "`channels.approvals`" in alert
    assert len([one for one in rig.news(FINANCE) if "can't be shown to the approvers" in one.text]) == 1

    rig.workspace.set_channel(APPROVALS, **found)
    await rig.pass_time(2 * MINUTE, steps=2)
    assert "can be used again" in alerts(rig)[-1]
    posted = (await newest(rig)).posted_at
    assert posted is not None
    await rig.pass_time(DAY - HOUR)
    await rig.press("approve")
    assert len(rig.paid) == 1


@pytest.mark.parametrize("channel", [FINANCE, APPROVALS])
async def test_request_without_a_card_expires_after_its_time(rig: Rig, channel: str) -> None:
    rig.workspace.set_channel(APPROVALS, archived=True)
    await rig.pay(channel=channel)
    await rig.pass_time(DAY - MINUTE, steps=24)
    assert await state(rig) is State.AWAITING
    await rig.pass_time(2 * MINUTE, steps=2)
    one = await newest(rig)
    assert (one.state, one.reason and one.reason.code) == (State.EXPIRED, OfRequest.NOT_SHOWN)
    told = direct(rig, MARIA) if channel == APPROVALS else rig.news(FINANCE)
    assert ["*Expired*" in message.text for message in told] == [False, True]

    rig.workspace.set_channel(APPROVALS, archived=False)
    await rig.pass_time(HOUR, steps=10)
    assert rig.cards(APPROVALS) == []


async def test_request_without_a_card_expires(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=1))
    rig.workspace.set_channel(APPROVALS, archived=True)
    await rig.pay()
    await rig.pass_time(8 * DAY, steps=100)
    assert await state(rig) is State.EXPIRED


async def test_card_goes_to_the_current_policy_channel(rig: Rig) -> None:
    rig.workspace.set_channel(APPROVALS, archived=True)
    await rig.pay()
    rig.workspace.add_channel("C0OTHER", "approvals-2", members=[ADA])
    rig.settings.policy_file.write_text(POLICY.replace("C0APPROVE", "C0OTHER"))
    await rig.start_again()
    await rig.pass_time(2 * MINUTE, steps=4)
    assert len(rig.cards("C0OTHER")) == 1
    await rig.press("approve", channel="C0OTHER")
    assert len(rig.paid) == 1


async def test_alerts_go_to_admins_while_the_alerts_channel_is_unusable(rig: Rig) -> None:
    rig.workspace.set_channel(ALERTS, archived=True)
    rig.workspace.set_channel(APPROVALS, archived=True)
    await rig.pay()
    await rig.pass_time(MINUTE, steps=5)
    said = [message.text for message in direct(rig, OLGA)]
    assert len([text for text in said if "can't be shown to the approvers" in text]) == 1
    assert len([text for text in said if "`channels.alerts`" in text]) == 1
    rig.workspace.set_channel(ALERTS, archived=False)
    rig.workspace.set_channel(APPROVALS, archived=False)
    await rig.pass_time(10 * MINUTE, steps=10)
    assert ["can be used again" in text for text in alerts(rig)] == [True, True]
    assert len(direct(rig, OLGA)) == 2
