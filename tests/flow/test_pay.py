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
    told = await rig.workspace.until(lambda: [m for m in rig.news(FINANCE) if "Paid" in m.text])
    assert len(told) == 1
    assert shown(told[0].text) == snapshot("""\
*Paid*: $25.00 to Ana Maria Lopez (ana@example.com) (P-······). Approved by Ada Okafor. <@U0MARIA>""")
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
        snapshot("*Paid*: $25.00 to Ana Maria Lopez (ana@example.com) (P-······). Approved by Ada Okafor. <@U0MARIA>")
    ]
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_the_form_asks_for_the_same(rig: Rig) -> None:
    await rig.pay("now")
    await rig.submit(MARIA, {"email": "ana@example.com", "amount": "25.00", "description": "March translation"})
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1
