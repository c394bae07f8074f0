"""Noise has a budget: how many posts, replies, files, edits, private answers and calls each flow makes."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from tests.flow.localizing import DONE, Localizer
from tests.support import bulk, deliveries, media
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
U0MARIA: called once\
""")


async def test_a_payout_that_is_rejected(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {"reason": "Invoice number is missing"})
    assert noise(rig) == snapshot("""\
#finance: 1 post, 1 reply, 2 edits
#approvals: 1 post, 1 edit
S0TREASURY: called once
U0MARIA: called once\
""")


async def test_a_payout_that_its_requester_withdraws(rig: Rig) -> None:
    await rig.pay()
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 2 edits
#approvals: 1 post, 1 edit
S0TREASURY: called once\
""")


async def test_payments_that_are_frozen_and_unfrozen(rig: Rig) -> None:
    await rig.pay("freeze the bank called", user=ADA)
    await rig.pay("unfreeze", user=ADA)
    await rig.pay("unfreeze", user=LIN)
    assert noise(rig) == snapshot("""\
#approvals: 2 posts
U0ADA: 2 private
U0LIN: 1 private\
""")


async def test_a_bulk_payment(rig: Rig) -> None:
    await bulk.ask(rig, "ana@example.com, 25.00\nluis@example.com, 10.50")
    await bulk.approve(rig)
    await bulk.run(rig)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 1 reply, 4 edits
#approvals: 1 post, 2 edits
S0TREASURY: called once
U0MARIA: called once\
""")


async def test_a_payout_that_needs_a_decision(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, operation="commit_payout"))
    await rig.pay()
    await rig.press("approve")
    await rig.pass_time(1_200, steps=6)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 1 reply, 3 edits
#approvals: 1 post, 2 edits
#alerts: 1 post
S0TREASURY: called 2 times
U0MARIA: called once\
""")
    assert "|Open the card>" in rig.workspace.messages("C0ALERTS")[0].text


@pytest.mark.rig(opened_by=deliveries.open_rig)
async def test_a_booking(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    for status in ("ACCEPTED", "ARRIVED_AT_PICKUP", "WAY_TO_DELIVER", "ARRIVED_AT_DELIVERY", "COMPLETED"):
        deliveries.service_of(rig).settle(booking, status)
        await rig.pass_time(61, steps=2)
    assert noise(rig) == snapshot("""\
#finance: 1 post, 2 replies, 5 edits
U0MARIA: called once\
""")


@pytest.mark.rig(clock=None)
async def test_a_dropped_file(rig: Rig, tmp_path: Path) -> None:
    maria = Localizer(rig)
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", media.make(tmp_path, "wav"))
    await maria.choose("Convert", file=dropped)
    await maria.submit({"option.target_extension": "mp3"})
    board = await maria.board(DONE, "Convert audio")
    await maria.results(board)
    assert ", ".join(noise(rig).split(", ")[:2]) == snapshot("#finance: 1 reply, 1 file")


@pytest.mark.rig(clock=None)
async def test_a_text(rig: Rig) -> None:
    maria = Localizer(rig)
    await maria.type("translate from=en to=fr Where is the station?")
    await rig.workspace.until(lambda: "[en → fr]" in str(rig.workspace.ephemerals(MARIA)))
    assert noise(rig) == snapshot("U0MARIA: 2 private")
