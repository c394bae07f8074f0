"""Approved requests that are held: card, thread and story say why, and unfreezing shows what it sends."""

import re

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.payments import cards, forms
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, OLGA, POLICY, Rig
from tests.support.shown import shown
from tests.workflows.looking import alerts, newest, state

LIMITED = POLICY.replace('daily_limit = "25000.00"', 'daily_limit = "30.00"')


async def held(rig: Rig) -> Message:
    """A payout of $25.00 that was approved after payments were frozen."""
    await rig.pay()
    await rig.pay("freeze the bank called", user=OLGA)
    await rig.press("approve")
    return await rig.card()


def thread(rig: Rig) -> list[str]:
    line = rig.cards(FINANCE)[-1]
    return [one.text for one in rig.workspace.messages(FINANCE) if one.thread_ts == line.ts and one.ts != line.ts]


async def test_frozen_request_shows_who_why_and_until_when(rig: Rig) -> None:
    card = await held(rig)
    assert (await newest(rig)).state is State.APPROVED
    assert card.plain.startswith("On hold")
    await rig.pay(f"show {(await newest(rig)).reference}")
    answer = rig.workspace.ephemerals(MARIA)[-1]
    for message in (card, rig.cards(FINANCE)[-1], answer):
        for fact in ("the bank called", "U0OLGA", "unfreezes payments", "can be sent until"):
            assert fact in message.text + str(message.blocks), (fact, message.plain)
    await rig.press("menu", user=ADA, value=f"{cards.HISTORY}:{(await newest(rig)).id}:1")
    assert "On hold, frozen by" in shown(rig.form(ADA))


async def test_only_the_requester_is_notified_once(rig: Rig) -> None:
    await held(rig)
    await rig.pass_time(1_200, steps=5)
    [line] = thread(rig)
    assert MARIA in line
    assert re.findall(r"<@(\w+)>", line) == [MARIA], "who froze payments is named, not called"
    notice = next(one for one in rig.workspace.messages(APPROVALS) if "froze all" in one.text)
    assert "<@" not in notice.text


async def test_unfreezing_shows_what_is_sent_before_it_is(rig: Rig) -> None:
    await held(rig)
    await rig.pay("unfreeze", user=ADA)
    form = rig.form(ADA)
    reference = (await newest(rig)).reference
    assert "$25.00" in form.plain
    assert reference in form.plain
    assert await state(rig) is State.APPROVED
    assert form.callback_id == forms.UNFREEZE
    await rig.submit(ADA, {})
    assert await state(rig) in (State.COMMITTED, State.COMPLETED)
    await rig.pay("freeze again", user=OLGA)
    await rig.pay("unfreeze", user=ADA)
    assert "unfrozen" in rig.workspace.ephemerals(ADA)[-1].text, "at once: nothing is held"


@pytest.mark.rig(policy=LIMITED)
async def test_request_over_the_daily_limit_is_on_hold_until_tomorrow(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    await rig.pay("send luis@example.com 10.00 April")
    await rig.press("approve")
    card = await rig.card()
    assert card.plain.startswith("On hold")
    assert len(thread(rig)) == 1
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert await state(rig) is State.WITHDRAWN


@pytest.mark.rig(policy=POLICY.replace("quorum = 1\n", "quorum = 2\n", 1))
async def test_each_vote_to_unfreeze_counts_once_and_the_last_one_sends(rig: Rig) -> None:
    await rig.pay()
    await rig.pay("freeze careful", user=OLGA)
    for user in (ADA, LIN):
        await rig.press("approve", user=user)
    votes = [(ADA, "Vote 1 of 2", State.APPROVED), (ADA, "", State.APPROVED), (LIN, "This sends", State.COMMITTED)]
    for user, vote, after in votes:
        await rig.pay("unfreeze", user=user)
        assert vote in rig.form(user).plain
        await rig.submit(user, {})
        assert await state(rig) is after


@pytest.mark.parametrize("end", [State.AWAITING, State.REFUSED])
async def test_alert_about_a_stuck_request_is_followed_by_its_end(rig: Rig, end: State) -> None:
    if end is State.AWAITING:
        rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, operation="create_payout"))
        await rig.pay()
    rig.payments.switches.forbidden = True
    if end is State.REFUSED:
        await rig.pay()
    await rig.pass_time(3_600, steps=20)
    reference = (await newest(rig)).reference
    assert ["is blocked" in one for one in alerts(rig) if reference in one] == [True]
    rig.payments.switches.forbidden = False
    await rig.pass_time(3_600, steps=20)
    assert await state(rig) is end
    assert ["no longer held" in one for one in alerts(rig) if reference in one] == [False, True]
