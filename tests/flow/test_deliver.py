"""Deliveries from the slash command to the door, through the real stack."""

import pytest

from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import forms as views
from tests.support.deliveries import (
    SEARCHING,
    booked,
    card,
    choose,
    deliver,
    lines,
    offered,
    open_rig,
    service_of,
    stands,
    step,
)
from tests.support.rig import MARIA, OLGA, Rig

pytestmark = pytest.mark.rig(on="both", opened_by=open_rig)


async def test_from_the_form_to_the_door_by_polling_alone(rig: Rig) -> None:
    booking = await booked(rig)
    assert booking.fields["customerMobile"] == "991234567"
    assert booking.fields["customerCountryCode"] == "+593"
    assert booking.fields["orderAmount"] == "25.50"
    assert stands(rig) == SEARCHING
    for _ in range(5):
        await step(rig)
    assert booking.status == "COMPLETED"
    assert "/proof/" in card(rig).text
    assert offered(rig) == ["Proof", "Book again", "Details"]
    assert ["Driver found" in lines(rig)[0], "*Delivered*" in lines(rig)[1]] == [True, True]
    assert len(service_of(rig).calls_of("create_booking")) == 1


@pytest.mark.parametrize(
    ("field", "text", "sent"),
    [
        (
            views.POSITION,
            "\uff0d\uff10.\uff11\uff18\uff15\uff10\uff0c\uff0d\uff17\uff18.\uff14\uff17",
            ("-0.1850", "-78.47"),
        ),
        (views.POSITION, "-0.1850\ufe0d, -78.47", ("-0.1850", "-78.47")),
        (views.POSITION, "waze://?ll=-0.1850,-78.47&navigate=yes", ("-0.1850", "-78.47")),
        (views.POSITION, "0 deg 11' 6.00\" S, 78 deg 28' 12.00\" W", ("-0.1850000", "-78.4700000")),
        (views.PHONE, "+593\ufe0d-99-123-4567", ("+593", "991234567")),
        (views.PHONE, "593991234567.0", ("+593", "991234567")),
        (views.PHONE, "+48 (0) 22 512 34 56", ("+48", "225123456")),
    ],
)
async def test_pasted_values_are_booked_correctly(rig: Rig, field: str, text: str, sent: tuple[str, str]) -> None:
    booking = (await booked(rig, **{field: text})).fields
    names = ("latitude", "longitude") if field == views.POSITION else ("customerCountryCode", "customerMobile")
    assert tuple(booking[name] for name in names) == sent


async def test_states_advance_by_webhooks_alone(rig: Rig) -> None:
    await deliver(rig, "webhooks on Centro", user=OLGA)
    booking = await booked(rig)
    reads = len(service_of(rig).calls_of("get_booking"))
    for _ in range(5):
        service_of(rig).advance()
        await service_of(rig).delivered()
        await rig.settle()  # no time passes, so nothing is polled
    assert booking.status == "COMPLETED"
    assert stands(rig) == "*Ana Lopez · Delivered*"
    assert sum("*Delivered*" in line for line in lines(rig)) == 1
    assert len(service_of(rig).calls_of("get_booking")) > reads


async def test_the_buttons_of_the_card(rig: Rig) -> None:
    booking = await booked(rig, **{views.COOK: "15"})
    assert booking.status == "ON_HOLD"
    assert stands(rig).startswith("*Ana Lopez · Preparing* ⏎ Driver search starts")
    assert offered(rig) == ["Track", "Start the search", "Refresh", "Cancel", "Book again", "Details"]
    await rig.pass_time(5 * 60, steps=5)
    assert stands(rig).startswith("*Ana Lopez · Preparing*")
    await choose(rig, booking_cards.START)
    await rig.workspace.until(lambda: "Looking for" in rig.workspace.ephemerals(MARIA)[-1].text)
    await rig.settle()
    assert booking.status == "READY_FOR_PICKUP"
    assert offered(rig) == ["Track", "Refresh", "Cancel", "Book again", "Details"]
    await choose(rig, booking_cards.CANCEL)
    await rig.submit(MARIA, {views.REASON: " "})
    assert rig.workspace.modal(MARIA) is not None
    await rig.submit(MARIA, {views.REASON: "customer called it off"})
    assert (booking.status, booking.cancel_reason) == ("CANCELLED_BY_BUSINESS", "customer called it off")
    assert stands(rig) == "*Ana Lopez · Canceled*"
    assert offered(rig) == ["Book again", "Details"]
    assert lines(rig) == [], "who cancels reads it on the card"


async def test_refresh_reads_at_once(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "WAY_TO_DELIVER")
    await choose(rig, booking_cards.REFRESH)
    await rig.workspace.until(lambda: "On the way" in rig.workspace.ephemerals(MARIA)[-1].text)
    await rig.settle()
    assert stands(rig) == "*Ana Lopez · On the way*"


async def test_when_the_cook_time_is_over_the_search_starts_by_itself(rig: Rig) -> None:
    booking = await booked(rig, **{views.COOK: "2"})
    await rig.pass_time(200, steps=10)
    assert booking.status == "READY_FOR_PICKUP"
    assert stands(rig).startswith(SEARCHING)
