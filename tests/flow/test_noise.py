"""Noise has a budget: how many posts, replies, files, edits, private answers and calls each flow makes."""

from inline_snapshot import snapshot

from tests.support import bulk
from tests.support.noise import noise
from tests.support.rig import ADA, FINANCE, LIN, MARIA, Rig


async def test_a_payout(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(60)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 1 reply, 3 edits
#approvals: 1 post, 2 edits
S0TREASURY: called once
U0MARIA: 1 private, called once\
""")


async def test_a_payout_that_is_rejected(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {"reason": "Invoice number is missing"})
    assert noise(rig) == snapshot("""\
#finance: 1 post, 1 reply, 2 edits
#approvals: 1 post, 1 edit
S0TREASURY: called once
U0MARIA: 1 private, called once\
""")


async def test_a_payout_that_its_requester_withdraws(rig: Rig) -> None:
    await rig.pay()
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 2 edits
#approvals: 1 post, 1 edit
S0TREASURY: called once
U0MARIA: 1 private\
""")


async def test_payments_that_are_frozen_and_unfrozen(rig: Rig) -> None:
    await rig.pay("freeze the bank called", user=ADA)
    await rig.pay("unfreeze", user=ADA)
    await rig.pay("unfreeze", user=LIN)
    assert noise(rig) == snapshot("""\
#approvals: 2 posts
U0ADA: 2 private, called 2 times
U0LIN: 1 private\
""")


async def test_a_bulk_payment(rig: Rig) -> None:
    await bulk.ask(rig)
    await bulk.approve(rig)
    await bulk.run(rig)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 4 edits
#approvals: 1 post, 1 file, 2 edits
S0TREASURY: called once\
""")
