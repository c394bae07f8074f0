"""Deliveries from the slash command to the door, through the real stack."""

from collections.abc import AsyncIterator

import pytest

from bot.playground.simulators.delivery import Booking, DeliverySimulator
from bot.playground.workspace import Message
from bot.presentation import booking_cards
from bot.presentation import delivery_views as views
from tests.support.clock import ManualClock
from tests.support.rig import FINANCE, MARIA, Rig

FORM = {
    views.STORE: "Centro",
    views.NAME: "Ana",
    views.LAST_NAME: "Lopez",
    views.PHONE: "099 123 4567",
    views.ADDRESS: "12 Market Street",
    views.POSITION: "https://www.google.com/maps/@-0.1850,-78.4700,17z",
    views.PLACE_REFERENCE: "Blue door",
    views.PAYMENT: "CASH",
    views.AMOUNT: "25.50",
    views.NOTES: "Ring twice",
}


@pytest.fixture
async def rig(sqlite_url: str) -> AsyncIterator[Rig]:
    clock = ManualClock()
    service = DeliverySimulator(clock=clock.seconds)
    service.add_store("Centro", token="centro-key")
    opened = await Rig.open(database_url=sqlite_url, clock=clock, delivery=service)
    await opened.settle()
    yield opened
    await opened.close()


def service_of(rig: Rig) -> DeliverySimulator:
    assert rig.delivery is not None
    return rig.delivery


async def deliver(rig: Rig, text: str, *, user: str = MARIA, channel: str = FINANCE) -> str:
    """Type it; what was answered to this person."""
    assert rig.clock is not None
    rig.clock.advance(0.001)
    before = len(rig.workspace.ephemerals(user))
    await rig.workspace.slash(user, channel, "/deliver", text)
    await rig.settle()
    await rig.workspace.until(
        lambda: len(rig.workspace.ephemerals(user)) > before or rig.workspace.modal(user) is not None
    )
    await rig.settle()
    said = rig.workspace.ephemerals(user)[before:]
    return said[-1].text if said else ""


async def fill(rig: Rig, values: dict[str, str], *, user: str = MARIA) -> None:
    await rig.submit(user, values)


async def book(rig: Rig, *, user: str = MARIA, **changes: str) -> Booking:
    """The whole way: form, price, confirmation; the booking at the service."""
    await deliver(rig, "book", user=user)
    await fill(rig, {**FORM, **changes}, user=user)
    await rig.workspace.until(lambda: _titled(rig, user, "Book it at this price?"))
    await fill(rig, {}, user=user)
    await rig.settle()
    await rig.workspace.close(user)
    return service_of(rig).bookings[-1]


def _titled(rig: Rig, user: str, title: str) -> bool:
    view = rig.workspace.modal(user)
    return view is not None and view.title == title


def card(rig: Rig, channel: str = FINANCE) -> Message:
    return rig.cards(channel)[-1]


def lines(rig: Rig, channel: str = FINANCE) -> list[str]:
    return [message.text for message in rig.news(channel)]


async def step(rig: Rig) -> None:
    service_of(rig).advance()
    await service_of(rig).delivered()
    await rig.pass_time(31)


async def test_from_the_form_to_the_door_by_polling_alone(rig: Rig) -> None:
    booking = await book(rig)
    assert booking.fields["customerMobile"] == "991234567"
    assert booking.fields["customerCountryCode"] == "+593"
    assert booking.fields["orderAmount"] == "25.50"
    shown = card(rig)
    for words in (
        "Centro → Ana Lopez",
        "READY_FOR_PICKUP",
        "12 Market Street",
        "Blue door",
        "cash: the driver collects",
    ):
        assert words in shown.text, shown.text
    for _ in range(5):
        await step(rig)
    assert booking.status == "COMPLETED"
    shown = card(rig)
    assert "*Completed*" in shown.text
    assert "Diego Paz" in shown.text
    assert not shown.buttons
    said = lines(rig)
    assert [
        any(word in line for line in said) for word in ("searching", "driver assigned", "at the store", "on the way")
    ] == [True] * 4
    assert sum("is *completed*" in line for line in said) == 1
    assert len(service_of(rig).calls_of("create_booking")) == 1


async def test_buttons(rig: Rig) -> None:
    booking = await book(rig, **{views.COOK: "15"})
    assert booking.status == "ON_HOLD"
    assert "15 minutes of cook time left" in card(rig).text
    assert {button.text for button in card(rig).buttons} == {"Follow on the map", "Start search", "Cancel", "Refresh"}
    await rig.workspace.click(MARIA, FINANCE, card(rig).ts, booking_cards.START)
    await rig.settle()
    assert booking.status == "READY_FOR_PICKUP"
    assert "Start search" not in {button.text for button in card(rig).buttons}
    await rig.workspace.click(MARIA, FINANCE, card(rig).ts, booking_cards.CANCEL)
    await fill(rig, {views.REASON: "customer called it off"})
    await rig.settle()
    assert booking.status == "CANCELLED_BY_BUSINESS"
    assert booking.cancel_reason == "customer called it off"
    assert "canceled by the business" in card(rig).text.casefold()
    assert not card(rig).buttons
    assert any("asked by <@U0MARIA>" in line for line in lines(rig))
