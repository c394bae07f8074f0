"""Payouts through the real stack, in two steps and in one."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import asked, state


@pytest.mark.rig(on="both", clock=None)
async def test_over_http(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    told = await rig.workspace.until(lambda: [m for m in rig.news(FINANCE) if "completed" in m.text])
    assert len(told) == 1
    assert shown(told[0].text) == snapshot(""":white_check_mark: <@U0MARIA> $25.00 to ana@example.com (P-······) is \
*completed*: the service confirms that the recipient was credited. Approved by Ada Okafor. Hash `······`.""")
    assert rig.paid == [("ana@example.com", 2500)]
    await rig.workspace.until(lambda: not any(card.buttons for card in rig.cards(APPROVALS) + rig.cards(FINANCE)))


NOW = 'now ana@example.com 25.00 "March translation"'


async def test_nothing_is_at_the_service_before_the_approval(rig: Rig) -> None:
    await rig.pay(NOW)
    assert await state(rig) is State.AWAITING
    assert not rig.payments.operations
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1
    assert await state(rig) is State.COMMITTED
    await rig.payments.advance()
    await rig.pass_time(60)
    assert [shown(m.text) for m in rig.news(FINANCE)] == [
        snapshot(""":white_check_mark: <@U0MARIA> $25.00 to ana@example.com (P-······) is *completed*: the service \
confirms that the recipient was credited. Approved by Ada Okafor. Hash `······`.""")
    ]
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_the_form_asks_for_the_same(rig: Rig) -> None:
    await rig.pay("now")
    await rig.submit(MARIA, {"email": "ana@example.com", "amount": "25.00", "description": "March translation"})
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1
