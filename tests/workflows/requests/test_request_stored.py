"""Requests and bookings are made once, also if the database doesn't say whether it stored them."""

import pytest

from storage.errors import CommitUnknown
from tests.support import deliveries
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.workflows.looking import requests
from tests.workflows.stumbling import stumble


async def test_request_whose_commit_has_no_answer_is_made_once(rig: Rig) -> None:
    stumbling = stumble(rig, "request", CommitUnknown("the connection broke"))
    ack = await rig.pay()
    assert not stumbling.errors
    (found,) = await requests(rig)
    assert found.reference in rig.cards(FINANCE)[-1].text
    await rig.workspace.resend(ack)
    assert (len(await requests(rig)), len(rig.cards(APPROVALS))) == (1, 1)


async def test_request_is_refused_while_the_disk_is_short(rig: Rig) -> None:
    rig.switchboard.context.store.disk.usage = lambda: (499_000_000, 100_000_000_000)
    await rig.pay()
    assert await requests(rig) == []


@pytest.mark.rig(opened_by=deliveries.open_rig)
@pytest.mark.parametrize("kind", ["prebooking", "booking"])
async def test_booking_whose_commit_has_no_answer_is_made_once(rig: Rig, kind: str) -> None:
    unit = "claim_booking" if kind == "booking" else "ask_prebooking"
    stumbling = stumble(rig, unit, CommitUnknown("the connection broke"))
    await (deliveries.book if kind == "booking" else deliveries.prebook)(rig)
    view = rig.workspace.modal(MARIA)
    assert "can't tell" not in (view.plain if view else "")
    await rig.pass_time(120, steps=4)
    assert not stumbling.errors
    assert len(rig.cards(FINANCE)) == 1
    assert len(deliveries.service_of(rig).calls_of(f"create_{kind}")) == 1
