"""From the slash command to the posted completion, through the real stack."""

import pytest
from inline_snapshot import snapshot

from tests.support.rig import APPROVALS, FINANCE, Rig
from tests.support.shown import shown


@pytest.mark.rig(on="both", clock=None)
async def test_over_http(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    told = await rig.workspace.until(lambda: [m for m in rig.news(FINANCE) if "completed" in m.text])
    assert len(told) == 1
    assert shown(told[0].text) == snapshot(""":white_check_mark: <@U0MARIA> 25.00 USD to ana@example.com (P-······) is \
*completed*: the service confirms that the recipient was credited. Approved by Ada Okafor. Hash `······`.""")
    assert rig.paid == [("ana@example.com", 2500)]
    await rig.workspace.until(lambda: not any(card.buttons for card in rig.cards(APPROVALS) + rig.cards(FINANCE)))


@pytest.mark.parametrize("callbacks", [True, False], ids=["callback", "polling alone"])
async def test_on_a_clock_that_is_moved(rig: Rig, callbacks: bool) -> None:
    rig.payments.callbacks.switches.drop = not callbacks
    await rig.pay()
    await rig.press("approve")
    assert not rig.news(FINANCE)
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(1 if callbacks else 60)
    for channel in (FINANCE, APPROVALS):
        assert ["completed" in m.text for m in rig.news(channel)] == [True]
