"""Payouts through the real stack, in two steps and in one."""

import pytest

from tests.support.rig import APPROVALS, FINANCE, Rig


@pytest.mark.rig(on="both", clock=None)
async def test_over_http(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    told = await rig.workspace.until(lambda: [m for m in rig.news(FINANCE) if "Paid" in m.text])
    assert len(told) == 1
    assert told[0].text.startswith("*Paid*: $25.00 to Ana Maria Lopez")
    assert rig.paid == [("ana@example.com", 2500)]
    await rig.workspace.until(lambda: not any(card.buttons for card in rig.cards(APPROVALS) + rig.cards(FINANCE)))
