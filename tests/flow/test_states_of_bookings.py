"""A service with its own words: an unknown state from the card to the line that explains it; kinds of events; units."""

from functools import partial

import pytest

from tests.support import answers
from tests.support.deliveries import (
    SEARCHING,
    booked,
    card,
    deliver,
    fact,
    heard,
    is_over,
    lines,
    open_rig,
    prebook,
    service_of,
    stands,
)
from tests.support.rig import ALERTS, MARIA, OLGA, Rig
from tests.support.shown import lacking, shown
from tests.workflows.looking import alerts

pytestmark = pytest.mark.rig(opened_by=open_rig, services="")
ask = partial(answers.ask, command="/switchboard", user=OLGA)
RAIN = "WAITING_FOR_RAIN"


async def in_the_rain(rig: Rig) -> None:
    service_of(rig).settle(service_of(rig).bookings[-1], RAIN, force=True)
    await rig.pass_time(31)


async def test_unknown_state_is_reported_once_with_its_settings_line(rig: Rig) -> None:
    await booked(rig)
    await in_the_rain(rig)
    assert "Unknown state" in stands(rig)
    assert "*unknown state* `WAITING_FOR_RAIN`" in lines(rig)[-1]
    [alert] = alerts(rig)
    for told in (alert, (await ask(rig, "unread")).text):
        assert '```\n[delivery.states]\nWAITING_FOR_RAIN = "…"\n```' in told
        assert "`PROVIDER_NOT_FOUND`, `CANCELLED_BY_BUSINESS`" in told, "the states to choose from"
    assert "`WAITING_FOR_RAIN` unknown" in await deliver(rig, "certify")
    before = len(alerts(rig)), len(lines(rig))
    await rig.pass_time(3_600, steps=6)
    await rig.start_again()
    await rig.pass_time(3_600, steps=2)
    assert (len(alerts(rig)), len(lines(rig))) == before
    await booked(rig)
    await in_the_rain(rig)
    assert RAIN in lines(rig)[-1]
    assert len(alerts(rig)) == before[0], "each booking tells it, the admins hear of the word once"


@pytest.mark.parametrize(
    ("begin", "seconds", "end"),
    [
        (RAIN, 60, "WAY_TO_DELIVER"),
        (RAIN, 90_000, "CANCELLED_BY_ADMIN"),
        ("PROVIDER_NOT_FOUND", 60, "ACCEPTED"),
    ],
)
async def test_alert_about_a_state_is_closed(rig: Rig, begin: str, seconds: int, end: str) -> None:
    await booked(rig)
    service_of(rig).settle(service_of(rig).bookings[-1], begin, force=True)
    await rig.pass_time(seconds, steps=20)
    before = len(alerts(rig))
    assert before > 0
    service_of(rig).settle(service_of(rig).bookings[-1], end, force=True)
    await rig.pass_time(7_200, steps=20)
    assert ["there's nothing more to do" in one for one in alerts(rig)[before:]] == [True]


async def test_after_a_day_a_person_is_asked_once(rig: Rig) -> None:
    await booked(rig)
    await in_the_rain(rig)
    await rig.pass_time(80_000, steps=20)
    assert len(alerts(rig)) == 1
    await rig.pass_time(90_000, steps=25)
    [_, asked] = rig.workspace.messages(ALERTS)
    assert "has been in the unknown state `WAITING_FOR_RAIN` for a day" in asked.text
    assert [button.text for button in asked.buttons] == ["Track", "Cancel", "Refresh"]
    assert "*Needs a decision*" in stands(rig)
    reads = len(service_of(rig).calls_of("get_booking"))
    await rig.click(asked, "booking.refresh", user=OLGA)
    assert len(service_of(rig).calls_of("get_booking")) == reads + 1
    await rig.click(asked, "booking.cancel")
    assert "This can't be undone." in shown(rig.form(MARIA))
    await rig.workspace.close(MARIA)
    await booked(rig)
    await rig.click(asked, "booking.refresh", user=OLGA, value=card(rig).buttons[0].value)
    assert "has changed since" in rig.workspace.ephemerals(OLGA)[-1].text
    assert len(alerts(rig)) == 2


async def test_after_a_day_without_answer_a_person_is_asked(rig: Rig) -> None:
    await booked(rig)
    await in_the_rain(rig)
    service_of(rig).switches.suspended = True
    await rig.pass_time(90_000, steps=25)
    assert len(alerts(rig)) == 2
    assert "Action needed" in alerts(rig)[-1]
    assert "*Needs a decision*" in stands(rig)
    await rig.pass_time(90_000, steps=3)
    assert len(alerts(rig)) == 2


async def test_waiting_prebooking_has_no_unknown_state(rig: Rig) -> None:
    """A link that waits has a stage of ours, and no state of the service."""
    await prebook(rig)
    assert "Waiting for the address" in (await ask(rig, "jobs")).text


@pytest.mark.parametrize(("ours", "words"), [("COMPLETED", "Delivered"), ("ARRIVED_AT_PICKUP", "Driver at the store")])
async def test_settings_line_and_restart_resume_the_booking(rig: Rig, ours: str, words: str) -> None:
    await booked(rig)
    await in_the_rain(rig)
    await rig.pass_time(7_200, steps=4)
    written = next(line for line in (await ask(rig, "unread")).text.splitlines() if line.startswith(RAIN))
    assert rig.settings.services_file is not None
    rig.settings.services_file.write_text("[delivery.states]\n" + written.replace("…", ours), encoding="utf-8")
    told = len(lines(rig))
    await rig.start_again()
    await rig.pass_time(1)
    assert f"· {words}*" in stands(rig)
    assert len(lines(rig)) == told + 1, "a delivery, or a driver that was found, is told"
    assert await fact(rig, "Provider status") == f"`{RAIN}`"
    assert is_over(rig) is (ours == "COMPLETED")
    assert "No unread answers" in (await ask(rig, "unread")).text


@pytest.mark.rig(opened_by=open_rig, services='[delivery.states]\nCANCEL_ASKED = "READY_FOR_PICKUP"\n')
async def test_state_that_begins_with_cancel_means_canceled_unless_configured(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "CANCEL_ASKED", force=True)
    await rig.pass_time(31)
    assert stands(rig).startswith(SEARCHING)
    assert await fact(rig, "Provider status") == "`CANCEL_ASKED`"
    service_of(rig).settle(booking, "CANCELED_BY_WEATHER", force=True)
    await rig.pass_time(120)
    assert is_over(rig)
    assert not alerts(rig)


THEIRS = """
[delivery.states]
DELIVERED = "COMPLETED"
FOUND = "ACCEPTED"
[delivery.events]
BOOKING_STATUS_CHANGED = "UPDATE_BOOKING_STATUS"
[delivery.units]
cook_time = "minutes"
"""


@pytest.mark.rig(opened_by=open_rig, services=THEIRS)
async def test_services_file_alone_translates_foreign_states(rig: Rig) -> None:
    switches = service_of(rig).switches
    switches.words = {"COMPLETED": "DELIVERED", "ACCEPTED": "FOUND", "UPDATE_BOOKING_STATUS": "BOOKING_STATUS_CHANGED"}
    switches.cook_unit = 60.0
    assert (await deliver(rig, "webhooks on Centro", user=OLGA)).count(": comes here (127.0.0.1).") == 2
    assert set(service_of(rig).store("Centro").webhooks) == {"BOOKING_STATUS_CHANGED", "DRIVER_ASSIGNED"}
    booking = await booked(rig, cook="15")
    assert booking.fields["cookTime"] == 15
    assert booking.due == rig.clock.now().timestamp() + 900
    service_of(rig).advance()
    for status in ("ACCEPTED", "COMPLETED"):
        service_of(rig).settle(booking, status)
        await heard(rig)
    assert ["Driver found" in lines(rig)[-2], "*Delivered*" in lines(rig)[-1]] == [True, True]
    assert stands(rig) == "*Ana Lopez · Delivered*"
    routes = (await ask(rig, "routes")).text
    assert not lacking(
        routes, "FOUND = ACCEPTED", "BOOKING_STATUS_CHANGED = UPDATE_BOOKING_STATUS", "cook_time = minutes"
    )
    await deliver(rig, "webhooks off Centro", user=OLGA)
    assert not service_of(rig).store("Centro").webhooks
