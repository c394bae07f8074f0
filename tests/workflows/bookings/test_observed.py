"""What a record of the delivery service changes in a booking, what is told of it, and when it is read again."""

from functools import partial
from typing import Any

import pytest

from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import BookingRecord, Point
from bot.workflows.bookings import observe
from bot.workflows.bookings.observe import gathered
from bot.workflows.context import Unit
from tests.support.rig import Rig
from tests.workflows.bookings.made import planted, record
from tests.workflows.looking import read


async def observed(rig: Rig, booking: Booking, status: str, *, report: BookingRecord | None = None, **told: Any) -> Any:
    ctx, now = rig.switchboard.context, rig.clock.now()
    return await ctx.store.write(
        lambda tx: observe.observe(Unit(tx, ctx, now=now), booking, record(booking, status, **told), report=report)
    )


# reading


async def test_certification_point_passes_when_all_states_are_read(rig: Rig) -> None:
    for status, missing in (("ACCEPTED", True), ("COMPLETED", True), ("CANCELLED_BY_ADMIN", False), ("ODD", True)):
        await observed(rig, await planted(rig, status=""), status)
        assert (Point.STATES not in (await read(rig, gathered))[0]) is missing, status
    points, states = await read(rig, partial(gathered, ours=lambda word: "RETURNING" if word == "ODD" else word))
    assert (Point.STATES in points, [one.status for one in states][-1]) == (True, "RETURNING")


@pytest.mark.parametrize(
    ("states", "like", "evidence"),
    [
        (["READY_FOR_PICKUP"], {}, True),
        ([], {}, False),
        (["ODD"], {}, False),
        (["READY_FOR_PICKUP"], {"tracking_url": ""}, False),
    ],
)
async def test_card_shows_every_stage_of_a_delivery(
    rig: Rig, states: list[str], like: dict[str, str], evidence: bool
) -> None:
    detail = {"history": [["t", state] for state in states], "tracking_url": "https://d.example/t", **like}
    booking = await planted(rig, status=states[-1] if states else "", detail=detail)
    await observed(rig, booking, "COMPLETED")
    assert (Point.VIEW in (await read(rig, gathered))[0]) is evidence
