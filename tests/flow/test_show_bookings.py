"""``/deliver show`` says how a booking is now; those of any store are found; stores are listed page by page."""

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.presentation.bookings import answers
from tests.support.deliveries import (
    book,
    booked,
    deliver,
    fact,
    open_rig,
    reference_of,
    service_of,
    stands,
)
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.shown import shown

pytestmark = pytest.mark.rig(opened_by=open_rig)

FIELDS = {"customerName": "Walk", "latitude": "-0.19", "longitude": "-78.47", "address": "5 Other Street"}


async def test_show_reads_the_current_state_once(rig: Rig) -> None:
    booking = await booked(rig)
    reference, service = reference_of(rig), service_of(rig)
    service.settle(booking, "WAY_TO_DELIVER")
    reads = len(service.calls_of("get_booking"))
    told = await deliver(rig, f"show {reference}")
    assert "*Ana Lopez · On the way*" in told
    assert booking.orders[0].provider in told
    assert len(service.calls_of("get_booking")) == reads + 1
    assert stands(rig) == "*Ana Lopez · On the way*"  # what was read is stored
    service.settle(booking, "COMPLETED")
    await rig.pass_time(61)
    booking.proof = "/proof/late.png"
    assert "/proof/late.png|see it>" in await deliver(rig, f"show {reference}")


@pytest.mark.parametrize(
    ("lost", "stands"), [(False, "*Ana Lopez · Looking"), (True, "*Ana Lopez · Not confirmed yet")]
)
async def test_show_falls_back_to_the_stored_state(rig: Rig, lost: bool, stands: str) -> None:
    service = service_of(rig)
    if lost:
        service.faults.arm(Fault(FaultKind.LOST, "create_booking"))
    await book(rig)
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))
    told = shown(await deliver(rig, f"show {reference_of(rig)}")).splitlines()
    assert told[0].startswith(stands)
    assert told[-1].startswith(":warning: May be out of date. ")


async def test_booking_is_searched_in_every_store_despite_a_silent_one(rig: Rig) -> None:
    service = service_of(rig)
    stores = [service.add_store(f"Store {number:02}") for number in range(25)]
    await deliver(rig, "stores")
    made = service.book.create(stores[24], FIELDS)
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking"))
    assert "*10001* · Store 24: *looking for a driver*" in await deliver(rig, f"show {made.number}")
    assert len(service.calls_of("get_booking")) == 26  # each store once
    near = service.book.create(service.store("Centro"), FIELDS)
    assert "*10002* · Centro" in await deliver(rig, f"show {near.number}")
    assert len(service.calls_of("get_booking")) == 36  # and no more than are asked at a time once it is found
    # Nobody has it, and one store did not say.
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking"))
    assert "having problems" in await deliver(rig, "show 99999")
    assert "I can't find 99999" in await deliver(rig, "show 99999")


async def test_prep_time_of_an_external_booking_is_shown(rig: Rig) -> None:
    made = service_of(rig).book.create(service_of(rig).store("Centro"), {**FIELDS, "cookTime": 900_000})
    assert "Prep time: 15 minutes" in (await deliver(rig, f"show {made.number}")).splitlines()


async def test_stores_page_by_page(rig: Rig) -> None:
    service = service_of(rig)
    for number in range(34):
        service.add_store(f"Store {number:02}")
    told = (await deliver(rig, "stores")).splitlines()
    assert (told[0], told[-1], len(told)) == ("*35 stores*, page 1 of 2", "• *Store 28*: 1 Main Square", 31)
    calls, message = len(service.calls), rig.workspace.ephemerals(MARIA)[-1]
    await rig.workspace.click(MARIA, FINANCE, message.ts, answers.NEXT)
    turned = await rig.workspace.until(
        lambda: [one for one in rig.workspace.ephemerals(MARIA) if "page 2 of 2" in one.text]
    )
    assert turned[-1].text.splitlines() == [
        "*35 stores*, page 2 of 2",
        *(f"• *Store {number}*: 1 Main Square" for number in range(29, 34)),
    ]
    assert len(service.calls) == calls
    assert (await deliver(rig, "stores 2")).splitlines()[0] == "*35 stores*, page 2 of 2"
    assert "`two` isn't a page number" in await deliver(rig, "stores two")
    assert "Did you mean Store 07?" in await deliver(rig, "store show Sotre 07")


async def test_driver_picture_stays_until_replaced(rig: Rig) -> None:
    """The service shows it in one state only; the same driver is on the way afterwards."""
    booking = await booked(rig)
    seen = []
    for status in ("ACCEPTED", "WAY_TO_DELIVER"):
        service_of(rig).settle(booking, status)
        await rig.pass_time(46)
        seen.append(await fact(rig, "Driver"))
    assert seen[0] == seen[1]
    assert (seen[0].split(" · ")[0], "|picture>" in seen[0]) == ("Diego Paz", True)
    service_of(rig).settle(booking, "ACCEPTED")
    service_of(rig).book.restart(booking)
    service_of(rig).advance()
    service_of(rig).settle(booking, "WAY_TO_DELIVER")
    await rig.pass_time(46)
    assert (await fact(rig, "Driver")).split(" · ")[0] == "Luz Mora"
    assert "|picture>" not in await fact(rig, "Driver")
    assert await fact(rig, "Providers") == ""
