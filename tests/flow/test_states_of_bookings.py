"""A service with its own words: an unknown state from the card to the line that explains it; kinds of events; units."""

from functools import partial

import pytest
from inline_snapshot import snapshot

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
from tests.support.shown import shown
from tests.workflows.looking import alerts

pytestmark = pytest.mark.rig(opened_by=open_rig, services="")
ask = partial(answers.ask, command="/switchboard", user=OLGA)
RAIN = "WAITING_FOR_RAIN"


async def in_the_rain(rig: Rig) -> None:
    service_of(rig).settle(service_of(rig).bookings[-1], RAIN, force=True)
    await rig.pass_time(31)


def explain(rig: Rig, line: str) -> None:
    assert rig.settings.services_file is not None
    rig.settings.services_file.write_text(line, encoding="utf-8")


async def test_an_unknown_state_is_told_once_with_the_line_to_add(rig: Rig) -> None:
    await booked(rig)
    await in_the_rain(rig)
    assert stands(rig) == snapshot("""*Ana Lopez · Unknown state* ⏎ It may have ended. An admin can add this state: \
use the switchboard command with `unread`.""")
    assert [shown(line) for line in lines(rig)[-1:]] == snapshot(
        [
            ":grey_question: Ana Lopez (B-······): *unknown state* `WAITING_FOR_RAIN`. It may have ended; I keep "
            "checking."
        ]
    )
    assert [shown(text) for text in alerts(rig)] == snapshot(
        [
            """\
:grey_question: Ana Lopez (B-······) is in the unknown state `WAITING_FOR_RAIN`. It may have ended. To fix it:
```
[delivery.states]
WAITING_FOR_RAIN = "…"
```
An admin adds this to the file that SERVICES_FILE names, with the right state, and restarts. One of `ON_HOLD`, \
`READY_FOR_PICKUP`, `ACCEPTED`, `ARRIVED_AT_PICKUP`, `WAY_TO_DELIVER`, `ARRIVED_AT_DELIVERY`, `COMPLETED`, \
`PROVIDER_NOT_FOUND`, `CANCELLED_BY_BUSINESS`, `CANCELLED_BY_ADMIN`, `CANCELLED_BY_DELIVERY_PROVIDER`, \
`NOT_DELIVERED`, `RETURNING`, `RETURNED`.\
"""
        ]
    )
    assert shown((await ask(rig, "unread")).text) == snapshot("""\
*1 state of bookings is unknown*: `WAITING_FOR_RAIN` (B-······). To fix it:
```
[delivery.states]
WAITING_FOR_RAIN = "…"
```
An admin adds this to the file that SERVICES_FILE names, with the right state, and restarts. One of `ON_HOLD`, \
`READY_FOR_PICKUP`, `ACCEPTED`, `ARRIVED_AT_PICKUP`, `WAY_TO_DELIVER`, `ARRIVED_AT_DELIVERY`, `COMPLETED`, \
`PROVIDER_NOT_FOUND`, `CANCELLED_BY_BUSINESS`, `CANCELLED_BY_ADMIN`, `CANCELLED_BY_DELIVERY_PROVIDER`, \
`NOT_DELIVERED`, `RETURNING`, `RETURNED`.""")
    assert "`WAITING_FOR_RAIN` unknown" in await deliver(rig, "certify")
    told = len(alerts(rig)), len(lines(rig))
    await rig.pass_time(3_600, steps=6)
    await rig.start_again()
    await rig.pass_time(3_600, steps=2)
    assert (len(alerts(rig)), len(lines(rig))) == told
    await booked(rig)
    await in_the_rain(rig)
    assert RAIN in lines(rig)[-1]
    assert len(alerts(rig)) == told[0], "each booking tells it, the admins hear of the word once"


@pytest.mark.parametrize(
    ("begin", "seconds", "end"),
    [
        (RAIN, 60, "WAY_TO_DELIVER"),
        (RAIN, 90_000, "CANCELLED_BY_ADMIN"),
        ("PROVIDER_NOT_FOUND", 60, "ACCEPTED"),
    ],
)
async def test_an_alert_about_a_state_is_said_to_be_over(rig: Rig, begin: str, seconds: int, end: str) -> None:
    await booked(rig)
    service_of(rig).settle(service_of(rig).bookings[-1], begin, force=True)
    await rig.pass_time(seconds, steps=20)
    before = len(alerts(rig))
    assert before > 0
    service_of(rig).settle(service_of(rig).bookings[-1], end, force=True)
    await rig.pass_time(7_200, steps=20)
    assert [shown(one) for one in alerts(rig)[before:]] == snapshot(
        [":sunny: Ana Lopez (B-······): there's nothing more to do."]
    )


async def test_after_a_day_somebody_is_asked_once_and_can_press(rig: Rig) -> None:
    await booked(rig)
    await in_the_rain(rig)
    await rig.pass_time(80_000, steps=20)
    assert len(alerts(rig)) == 1
    await rig.pass_time(90_000, steps=25)
    [_, asked] = rig.workspace.messages(ALERTS)
    assert shown(asked) == snapshot("""\
:rotating_light: Action needed: Ana Lopez (B-······) has been in the unknown state `WAITING_FOR_RAIN` for a day. \
Check it in the delivery dashboard.
Still going: press *Refresh* later, or *Cancel*. Ended:
```
[delivery.states]
WAITING_FOR_RAIN = "…"
```
An admin adds this to the file that SERVICES_FILE names, with the right state, and restarts. One of `ON_HOLD`, \
`READY_FOR_PICKUP`, `ACCEPTED`, `ARRIVED_AT_PICKUP`, `WAY_TO_DELIVER`, `ARRIVED_AT_DELIVERY`, `COMPLETED`, \
`PROVIDER_NOT_FOUND`, `CANCELLED_BY_BUSINESS`, `CANCELLED_BY_ADMIN`, `CANCELLED_BY_DELIVERY_PROVIDER`, \
`NOT_DELIVERED`, `RETURNING`, `RETURNED`.
:rotating_light: Action needed: Ana Lopez (B-······) has been in the unknown state `WAITING_FOR_RAIN` for a day. \
Check it in the delivery dashboard.
Still going: press *Refresh* later, or *Cancel*. Ended:
```
[delivery.states]
WAITING_FOR_RAIN = "…"
```
An admin adds this to the file that SERVICES_FILE names, with the right state, and restarts. One of `ON_HOLD`, \
`READY_FOR_PICKUP`, `ACCEPTED`, `ARRIVED_AT_PICKUP`, `WAY_TO_DELIVER`, `ARRIVED_AT_DELIVERY`, `COMPLETED`, \
`PROVIDER_NOT_FOUND`, `CANCELLED_BY_BUSINESS`, `CANCELLED_BY_ADMIN`, `CANCELLED_BY_DELIVERY_PROVIDER`, \
`NOT_DELIVERED`, `RETURNING`, `RETURNED`.
Track
Cancel
Refresh""")
    assert stands(rig) == snapshot("""\
*Ana Lopez · Unknown state* ⏎ *Needs a decision*: no change for a day. Check it in the delivery dashboard.""")
    reads = len(service_of(rig).calls_of("get_booking"))
    await rig.workspace.click(OLGA, ALERTS, asked.ts, "booking.refresh")
    await rig.settle()
    assert len(service_of(rig).calls_of("get_booking")) == reads + 1
    await rig.workspace.click(MARIA, ALERTS, asked.ts, "booking.cancel")
    await rig.settle()
    assert "This can't be undone." in shown(rig.form(MARIA))
    await rig.workspace.close(MARIA)
    await booked(rig)
    await rig.workspace.click(OLGA, ALERTS, asked.ts, "booking.refresh", value=card(rig).buttons[0].value)
    await rig.settle()
    assert "has changed since" in rig.workspace.ephemerals(OLGA)[-1].text
    assert len(alerts(rig)) == 2


async def test_after_a_day_without_an_answer_somebody_is_asked_too(rig: Rig) -> None:
    await booked(rig)
    await in_the_rain(rig)
    service_of(rig).switches.suspended = True
    await rig.pass_time(90_000, steps=25)
    assert len(alerts(rig)) == 2
    assert "Action needed" in alerts(rig)[-1]
    assert "*Needs a decision*" in stands(rig)
    await rig.pass_time(90_000, steps=3)
    assert len(alerts(rig)) == 2


async def test_what_the_service_has_not_seen_is_in_no_unknown_state(rig: Rig) -> None:
    """A link that waits has a stage of ours, and no state of the service."""
    await prebook(rig)
    assert "Waiting for the address" in (await ask(rig, "jobs")).text


ENDS = [("COMPLETED", "Delivered"), ("ARRIVED_AT_PICKUP", "Driver at the store")]


@pytest.mark.parametrize(("ours", "words"), ENDS)
async def test_with_the_line_and_a_restart_it_goes_on(rig: Rig, ours: str, words: str) -> None:
    await booked(rig)
    await in_the_rain(rig)
    await rig.pass_time(7_200, steps=4)
    written = next(line for line in (await ask(rig, "unread")).text.splitlines() if line.startswith(RAIN))
    explain(rig, "[delivery.states]\n" + written.replace("…", ours))
    told = len(lines(rig))
    await rig.start_again()
    await rig.pass_time(1)
    assert f"· {words}*" in stands(rig)
    assert len(lines(rig)) == told + 1, "a delivery, or a driver that was found, is told"
    assert await fact(rig, "Provider status") == f"`{RAIN}`"
    assert is_over(rig) is (ours == "COMPLETED")
    assert shown((await ask(rig, "unread")).text) == ":white_check_mark: No unread answers."


@pytest.mark.rig(opened_by=open_rig, services='[delivery.states]\nCANCEL_ASKED = "READY_FOR_PICKUP"\n')
async def test_a_word_that_begins_with_cancel_means_canceled_unless_a_line_says_otherwise(rig: Rig) -> None:
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
async def test_a_service_with_its_own_words_is_understood_by_the_file_alone(rig: Rig) -> None:
    switches = service_of(rig).switches
    switches.words = {"COMPLETED": "DELIVERED", "ACCEPTED": "FOUND", "UPDATE_BOOKING_STATUS": "BOOKING_STATUS_CHANGED"}
    switches.cook_unit = 60.0
    assert shown(await deliver(rig, "webhooks on Centro", user=OLGA)) == snapshot("""\
:satellite_antenna: *Webhooks for Centro* are on.
• `BOOKING_STATUS_CHANGED`: comes here (127.0.0.1).
• `DRIVER_ASSIGNED`: comes here (127.0.0.1).""")
    assert set(service_of(rig).store("Centro").webhooks) == {"BOOKING_STATUS_CHANGED", "DRIVER_ASSIGNED"}
    booking = await booked(rig, cook="15")
    assert booking.fields["cookTime"] == 15
    assert booking.due == rig.clock.now().timestamp() + 900
    service_of(rig).advance()
    for status in ("ACCEPTED", "COMPLETED"):
        service_of(rig).settle(booking, status)
        await heard(rig)
    assert [shown(line) for line in lines(rig)[-2:]] == snapshot(
        [
            ":bust_in_silhouette: Driver found for Ana Lopez (B-······): Diego Paz · +593987000111 · Rapido",
            ":white_check_mark: <@U0MARIA> *Delivered* to Ana Lopez (B-······). Proof of delivery: "
            "<http://127.0.0.1/proof/······.png|see it>",
        ]
    )
    assert stands(rig) == snapshot("*Ana Lopez · Delivered*")
    assert shown((await ask(rig, "routes")).text).splitlines()[-3:] == snapshot(
        [
            (
                "Delivery states: ON_HOLD, READY_FOR_PICKUP, ACCEPTED, ARRIVED_AT_PICKUP, WAY_TO_DELIVER, "
                "ARRIVED_AT_DELIVERY, COMPLETED, PROVIDER_NOT_FOUND, CANCELLED_BY_BUSINESS, CANCELLED_BY_ADMIN, "
                "CANCELLED_BY_DELIVERY_PROVIDER, NOT_DELIVERED, RETURNING, RETURNED, DELIVERED = COMPLETED, FOUND "
                "= ACCEPTED."
            ),
            "Delivery events: DRIVER_ASSIGNED, BOOKING_STATUS_CHANGED = UPDATE_BOOKING_STATUS.",
            "Delivery units: cook_time = minutes.",
        ]
    )
    await deliver(rig, "webhooks off Centro", user=OLGA)
    assert not service_of(rig).store("Centro").webhooks
