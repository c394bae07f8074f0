"""A refund from the command to its end; run in a copy of the tree that knows refunds."""

from tests.support.rig import FINANCE, Rig
from tests.support.shown import shown
from tests.workflows.looking import asked


async def test_a_refund_is_sent_once_after_its_approval(rig: Rig) -> None:
    await rig.pay('refund ana@example.com 25.00 "Order 7"')
    (card,) = rig.cards()
    assert "Refund: Order 7, requested by Maria Silva" in card.text
    assert " · R-" in card.text
    assert not rig.payments.operations
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1
    await rig.payments.advance()
    await rig.pass_time(60)
    (news,) = [shown(one.text) for one in rig.news(FINANCE)]
    assert news.startswith("*Paid*: $25.00 to ana@example.com (R-")
    assert rig.paid == [("ana@example.com", 2_500)]
