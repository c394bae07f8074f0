"""Noise has a budget: how many posts, replies, files, edits, private answers and calls each flow makes."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.flow.localizing import DONE, Localizer
from tests.support import bulk, deliveries, media
from tests.support.noise import noise
from tests.support.rig import ADA, ALERTS, FINANCE, LIN, MARIA, Rig

APPROVERS, REQUESTER = "S0TREASURY: called once", "U0MARIA: called once"


async def paid(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(60)


async def rejected(rig: Rig) -> None:
    await rig.pay()
    await rig.reject()


async def withdrawn(rig: Rig) -> None:
    await rig.pay()
    await rig.press("withdraw", user=MARIA, channel=FINANCE)


async def frozen(rig: Rig) -> None:
    await rig.pay("freeze the bank called", user=ADA)
    await rig.pay("unfreeze", user=ADA)
    await rig.pay("unfreeze", user=LIN)


async def paid_in_bulk(rig: Rig) -> None:
    await bulk.finished(rig, "ana@example.com, 25.00\nluis@example.com, 10.50")


async def undecided(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, operation="commit_payout"))
    await rig.pay()
    await rig.press("approve")
    await rig.pass_time(1_200, steps=6)
    assert "|Open the card>" in rig.workspace.messages(ALERTS)[0].text


BUDGETS = [
    (paid, ["#finance: 1 post, 1 reply, 3 edits", "#approvals: 1 post, 2 edits", APPROVERS, REQUESTER]),
    (rejected, ["#finance: 1 post, 1 reply, 2 edits", "#approvals: 1 post, 1 edit", APPROVERS, REQUESTER]),
    (withdrawn, ["#finance: 1 post, 2 edits", "#approvals: 1 post, 1 edit", APPROVERS]),
    (frozen, ["#approvals: 2 posts", "U0ADA: 2 private", "U0LIN: 1 private"]),
    (paid_in_bulk, ["#finance: 1 post, 1 reply, 4 edits", "#approvals: 1 post, 2 edits", APPROVERS, REQUESTER]),
    (undecided, ["#finance: 1 post, 1 reply, 3 edits", "#approvals: 1 post, 2 edits", "#alerts: 1 post",
                 "S0TREASURY: called 2 times", REQUESTER]),
]  # fmt: skip


@pytest.mark.parametrize(("flow", "budget"), BUDGETS)
async def test_payment_makes_no_more_noise(rig: Rig, flow: Callable[[Rig], Awaitable[None]], budget: list[str]) -> None:
    await flow(rig)
    assert noise(rig).splitlines() == budget


@pytest.mark.rig(opened_by=deliveries.open_rig)
async def test_booking_makes_no_more_noise(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    for status in ("ACCEPTED", "ARRIVED_AT_PICKUP", "WAY_TO_DELIVER", "ARRIVED_AT_DELIVERY", "COMPLETED"):
        deliveries.service_of(rig).settle(booking, status)
        await rig.pass_time(61, steps=2)
    assert noise(rig).splitlines() == ["#finance: 1 post, 2 replies, 5 edits", REQUESTER]


@pytest.mark.rig(clock=None)
async def test_dropped_file_makes_no_more_noise(rig: Rig, tmp_path: Path) -> None:
    maria = Localizer(rig)
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", media.make(tmp_path, "wav"))
    await maria.choose("Convert", file=dropped)
    await maria.submit({"option.target_extension": "mp3"})
    await maria.results(await maria.board(DONE, "Convert audio"))
    assert noise(rig).startswith("#finance: 1 reply, 1 file")


@pytest.mark.rig(clock=None)
async def test_text_makes_no_more_noise(rig: Rig) -> None:
    maria = Localizer(rig)
    await maria.type("translate from=en to=fr Where is the station?")
    await rig.workspace.until(lambda: "[en → fr]" in str(rig.workspace.ephemerals(MARIA)))
    assert noise(rig) == "U0MARIA: 2 private"
