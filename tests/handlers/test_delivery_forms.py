"""The forms of deliveries: a mistake stands at its field, and nothing is asked of the service."""

import pytest
from inline_snapshot import snapshot

from bot.presentation.bookings import forms as views
from tests.support.deliveries import FORM, PRE, booked, card, deliver, open_rig, service_of
from tests.support.rig import FINANCE, MARIA, Rig

pytestmark = pytest.mark.rig(opened_by=open_rig)


async def wrong(rig: Rig, verb: str, values: dict[str, str]) -> dict[str, str]:
    await deliver(rig, verb)
    before = len(service_of(rig).bookings)
    await rig.workspace.submit(MARIA, values, force=True)
    await rig.settle()
    assert len(service_of(rig).bookings) == before
    assert not rig.cards(FINANCE)
    return dict(rig.form().errors)


PHONE = "This is too short or too long for a phone number. For example: +593 99 123 4567"


async def test_of_a_booking(rig: Rig) -> None:
    assert await wrong(rig, "book", {**FORM, views.PHONE: "+593 1", views.NAME: " "}) == {
        views.PHONE: PHONE,
        views.NAME: "It must have 1 to 60 characters; this has 0. For example: Ana",
    }


async def test_of_a_pre_booking(rig: Rig) -> None:
    assert await wrong(rig, "prebook", {**PRE, views.PHONE: "+593 1"}) == {views.PHONE: PHONE}


async def test_of_a_price(rig: Rig) -> None:
    given = {views.STORE: "Norte", views.POSITION: "here", views.AMOUNT: "0"}
    assert await wrong(rig, "quote", given) == snapshot(
        {
            "position": "It must be `lat, lng` or a link to a map. For example: -0.1807, -78.4678",
            "amount": "It must be more than zero. For example: 25.00",
            "store": "It must be the name of a store; there is: Centro.",
        }
    )


async def test_of_a_cancellation(rig: Rig) -> None:
    await booked(rig)
    shown = card(rig)
    await rig.workspace.click(MARIA, FINANCE, shown.ts, "booking.cancel")
    await rig.workspace.submit(MARIA, {views.REASON: "x" * 251}, force=True)
    assert rig.form().errors == snapshot(
        {"reason": "It must have 1 to 250 characters; this has 251. For example: customer called it off"}
    )
    await rig.workspace.submit(MARIA, {views.REASON: " "}, force=True)
    assert rig.form().errors == snapshot(
        {"reason": "It must have 1 to 250 characters; this has 0. For example: customer called it off"}
    )
