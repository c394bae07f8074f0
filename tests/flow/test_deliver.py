"""Deliveries from the slash command to the door, through the real stack."""

import pytest
from inline_snapshot import snapshot

from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import forms as views
from tests.support.deliveries import (
    booked,
    card,
    deliver,
    lines,
    open_rig,
    service_of,
    stands,
    step,
)
from tests.support.rig import FINANCE, MARIA, OLGA, Rig
from tests.support.shown import shown

pytestmark = pytest.mark.rig(on="both", opened_by=open_rig)


async def test_from_the_form_to_the_door_by_polling_alone(rig: Rig) -> None:
    booking = await booked(rig)
    assert booking.fields["customerMobile"] == "991234567"
    assert booking.fields["customerCountryCode"] == "+593"
    assert booking.fields["orderAmount"] == "25.50"
    assert shown(card(rig).text) == snapshot("""\
*Delivery B-······ · Centro → Ana Lopez*
:mag: *Searching for a driver* · `READY_FOR_PICKUP`.
Providers: Rapido: searching, MotoYa: searching, Ciclo: searching
Follow it: <http://127.0.0.1/track/······|where it is now>
Booking page: <http://127.0.0.1/detail/······|at the delivery service>
Customer: Ana Lopez · +593 ••••
Address: ••••
Order: $25.50, cash: the driver collects it
Fee: $1.97 ($0.26 tax)
Notes: Ring twice
Delivery code: ••••
Number at the service: 10001
Asked by: <@U0MARIA>""")
    for _ in range(5):
        await step(rig)
    assert booking.status == "COMPLETED"
    assert shown(card(rig).text) == snapshot("""\
*Delivery B-······ · Centro → Ana Lopez*
:white_check_mark: *Completed* · `COMPLETED`.
Driver: Diego Paz · +593987000111 · Rapido · diego@rapido.example · <http://127.0.0.1/driver/······|picture>
Providers: Rapido: accepted, MotoYa: withdrawn, Ciclo: withdrawn
Follow it: <http://127.0.0.1/track/······|where it is now>
Booking page: <http://127.0.0.1/detail/······|at the delivery service>
Customer: Ana Lopez · +593 ••••
Address: ••••
Order: $25.50, cash: the driver collects it
Fee: $1.97 ($0.26 tax)
Notes: Ring twice
Delivery code: ••••
Proof of delivery: <http://127.0.0.1/proof/······.png|see it>
Number at the service: 10001
Asked by: <@U0MARIA>""")
    assert not card(rig).buttons
    assert shown("\n".join(lines(rig))) == snapshot("""\
:mag: B-······ (Centro to Ana Lopez): *searching for a driver*.
:bust_in_silhouette: B-······ (Centro to Ana Lopez): *driver assigned*, Diego Paz · +593987000111 · Rapido.
:convenience_store: B-······ (Centro to Ana Lopez): *driver at the store*.
:motor_scooter: B-······ (Centro to Ana Lopez): *on the way*.
:door: B-······ (Centro to Ana Lopez): *driver at the door*.
:white_check_mark: <@U0MARIA> B-······ (Centro to Ana Lopez) is *completed*: it was delivered. Proof of delivery: \
<http://127.0.0.1/proof/······.png|see it>""")
    assert len(service_of(rig).calls_of("create_booking")) == 1


async def test_the_same_by_webhooks_alone(rig: Rig) -> None:
    await deliver(rig, "webhooks on Centro", user=OLGA)
    booking = await booked(rig)
    reads = len(service_of(rig).calls_of("get_booking"))
    for _ in range(5):
        service_of(rig).advance()
        await service_of(rig).delivered()
        await rig.settle()  # no time passes, so nothing is polled
    assert booking.status == "COMPLETED"
    assert stands(rig) == ":white_check_mark: *Completed* · `COMPLETED`."
    assert sum("is *completed*" in line for line in lines(rig)) == 1
    assert len(service_of(rig).calls_of("get_booking")) > reads


async def test_the_buttons_of_the_card(rig: Rig) -> None:
    booking = await booked(rig, **{views.COOK: "15"})
    assert booking.status == "ON_HOLD"
    assert stands(rig) == snapshot(""":cook: *On hold* · `ON_HOLD`. 15 minutes of cook time left; the search for a \
driver starts <!date^1795166100^{date_short_pretty} {time}|2026-11-20 09:15 UTC>.""")
    assert [button.text for button in card(rig).buttons] == [
        "Track",
        "Start search",
        "Cancel",
        "Refresh",
        "Show contact",
    ]
    await rig.pass_time(5 * 60, steps=5)
    assert stands(rig) == snapshot(""":cook: *On hold* · `ON_HOLD`. 10 minutes of cook time left; the search for a \
driver starts <!date^1795166100^{date_short_pretty} {time}|2026-11-20 09:15 UTC>.""")
    await rig.workspace.click(MARIA, FINANCE, card(rig).ts, booking_cards.START)
    await rig.workspace.until(lambda: "searching" in rig.workspace.ephemerals(MARIA)[-1].text)
    await rig.settle()
    assert booking.status == "READY_FOR_PICKUP"
    assert [button.text for button in card(rig).buttons] == ["Track", "Cancel", "Refresh", "Show contact"]
    await rig.workspace.click(MARIA, FINANCE, card(rig).ts, booking_cards.CANCEL)
    await rig.submit(MARIA, {views.REASON: " "})
    assert rig.workspace.modal(MARIA) is not None
    await rig.submit(MARIA, {views.REASON: "customer called it off"})
    await rig.settle()
    assert (booking.status, booking.cancel_reason) == ("CANCELLED_BY_BUSINESS", "customer called it off")
    assert stands(rig) == snapshot(""":x: *Canceled by the business* · `CANCELLED_BY_BUSINESS`. Reason: customer \
called it off.""")
    assert not card(rig).buttons
    assert shown(lines(rig)[-1]) == snapshot(""":x: B-······ (Centro to Ana Lopez) is *canceled by the business*, \
asked by Maria Silva. Reason: customer called it off.""")


async def test_refresh_reads_at_once(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "WAY_TO_DELIVER")
    await rig.workspace.click(MARIA, FINANCE, card(rig).ts, booking_cards.REFRESH)
    await rig.workspace.until(lambda: "on the way" in rig.workspace.ephemerals(MARIA)[-1].text)
    await rig.settle()
    assert stands(rig) == snapshot(":motor_scooter: *On the way* · `WAY_TO_DELIVER`.")


async def test_when_the_cook_time_is_over_the_search_starts_by_itself(rig: Rig) -> None:
    booking = await booked(rig, **{views.COOK: "2"})
    await rig.pass_time(200, steps=10)
    assert booking.status == "READY_FOR_PICKUP"
    assert stands(rig) == ":mag: *Searching for a driver* · `READY_FOR_PICKUP`."
