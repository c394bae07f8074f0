"""Who is called in the thread of a booking: its requester, once for each end, never for what they did themselves."""

import asyncio

import pytest

from bot.domain.bookings.booking import Booking
from bot.playground.faults import Fault, FaultKind
from bot.workflows.bookings.observe import observe
from bot.workflows.context import Unit
from tests.support.deliveries import (
    booked,
    deliver,
    heard,
    lines,
    open_rig,
    prebook,
    reference_of,
    service_of,
)
from tests.support.rig import MARIA, OLGA, TOM, Rig
from tests.workflows.bookings.made import planted, record

pytestmark = pytest.mark.rig(on="both", opened_by=open_rig)

CALLED = f"<@{MARIA}>"


def calls(rig: Rig, who: str = CALLED) -> list[str]:
    """The lines that call somebody, each by its words in bold."""
    return [line.split("*")[1] for line in lines(rig) if who in line and "*" in line]


@pytest.mark.parametrize(
    ("walk", "called"),
    [
        ("ACCEPTED WAY_TO_DELIVER COMPLETED", ["Delivered"]),
        ("PROVIDER_NOT_FOUND CANCELLED_BY_ADMIN", ["No driver found", "canceled by the provider"]),
        ("ACCEPTED PROVIDER_NOT_FOUND", ["No driver found"]),
        ("ACCEPTED CANCELLED_BY_DELIVERY_PROVIDER", ["canceled by the courier"]),
        ("CANCELLED_BY_BUSINESS", ["canceled by the store"]),
        ("CANCELED_BY_WEATHER", ["canceled (CANCELED_BY_WEATHER)"]),
        ("NOT_DELIVERED RETURNING RETURNED", ["Not delivered", "Returned to the store"]),
        ("ACCEPTED READY_FOR_PICKUP WAITING_FOR_RAIN", []),
    ],
)
async def test_requester_is_mentioned_once_per_final_state(rig: Rig, walk: str, called: list[str]) -> None:
    """By a webhook that comes twice, by polling, and again after a restart in between."""
    await deliver(rig, "webhooks on Centro", user=OLGA)
    service = service_of(rig)
    service.callbacks.switches.double = True
    booking = await booked(rig)
    for status in walk.split():
        service.settle(booking, status, force=True)
        await service.delivered()
        await rig.start_again()
        await heard(rig)
        await rig.pass_time(61, steps=2)
    assert calls(rig) == called


async def test_concurrent_readers_of_a_final_state_mention_once(rig: Rig) -> None:
    ctx, booking = rig.switchboard.context, await planted(rig, status="ACCEPTED")

    async def read() -> Booking | None:
        now = rig.clock.now()
        return await ctx.store.write(lambda tx: observe(Unit(tx, ctx, now=now), booking, record(booking, "COMPLETED")))

    first, second = await asyncio.gather(read(), read())
    assert [one is None for one in (first, second)].count(True) == 1
    await rig.settle()
    assert calls(rig) == ["Delivered"]


@pytest.mark.parametrize(("user", "called", "named"), [(MARIA, [], ""), (TOM, ["canceled"], "Tom Berg *canceled*")])
@pytest.mark.parametrize("fault", [None, FaultKind.DONE_DROPPED])
async def test_people_are_not_mentioned_for_their_own_actions(
    rig: Rig, user: str, called: list[str], named: str, fault: FaultKind | None
) -> None:
    await booked(rig)
    if fault is not None:
        service_of(rig).faults.arm(Fault(fault, "cancel_booking"))
    await deliver(rig, f"cancel {reference_of(rig)} customer called it off", user=user)
    await rig.pass_time(61, steps=2)
    assert calls(rig) == called
    assert calls(rig, f"<@{TOM}>") == []
    assert "".join(lines(rig)).count("canceled") == len(called)
    assert named in "".join(lines(rig))


async def test_refused_cancellation_cancels_nothing(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).faults.arm(Fault(FaultKind.REFUSED, "cancel_booking"))
    await deliver(rig, f"cancel {reference_of(rig)} customer called it off")
    service_of(rig).settle(booking, "CANCELLED_BY_BUSINESS", reason="the shop is closed")
    await rig.pass_time(61, steps=2)
    assert calls(rig) == ["canceled by the store"]
    assert "Maria" not in lines(rig)[-1]


async def test_prebooking_ended_elsewhere_mentions_its_requester(rig: Rig) -> None:
    service = service_of(rig)
    await prebook(rig)
    service.book.cancel_prebooking(service.prebookings[-1])
    await rig.pass_time(46)
    assert calls(rig)[-1] == "canceled"
