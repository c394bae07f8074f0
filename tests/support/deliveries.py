"""Deliveries on a rig: a store, the form, the steps of a booking, and the messages about it."""

import re
from itertools import takewhile
from typing import Any

from bot.playground.simulators.delivery import Booking, DeliverySimulator
from bot.playground.workspace import Message
from bot.playground.workspace.model import elements_of
from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import forms as views
from tests.support.clock import ManualClock
from tests.support.rig import FINANCE, MARIA, POLICY, Rig
from tests.support.shown import shown

STORE_KEY = "centro-store-key-0123456789"
DELIVERIES = "C0DELIVERY"
CENTRO = "C0CENTRO"
"""The channel of the store Centro."""

DELIVERY_POLICY = POLICY.replace(
    'alerts = "C0ALERTS"\n', 'alerts = "C0ALERTS"\nbookings = "C0DELIVERY"\n\n[channels.stores]\nCentro = "C0CENTRO"\n'
)
FORM = {
    views.STORE: "Centro",
    views.NAME: "Ana",
    views.LAST_NAME: "Lopez",
    views.PHONE: "099 123 4567",
    views.ADDRESS: "12 Market Street",
    views.POSITION: "https://www.google.com/maps?q=-0.1850,-78.4700",
    views.PLACE_REFERENCE: "Blue door",
    views.PAYMENT: "CASH",
    views.AMOUNT: "25.50",
    views.NOTES: "Ring twice",
}
SEARCHING = "*Ana Lopez · Looking for a driver*"
"""What ``stands`` reads of a booking that the service took."""
PRE = {name: FORM[name] for name in (views.STORE, views.NAME, views.LAST_NAME, views.PHONE, views.AMOUNT)}


async def open_rig(database_url: str, **settings: Any) -> Rig:
    """A rig with one store, on a manual clock."""
    clock = ManualClock()
    service = DeliverySimulator(clock=clock.seconds)
    service.add_store("Centro", token=STORE_KEY)
    rig = await Rig.open(
        database_url=database_url, clock=clock, policy=DELIVERY_POLICY, delivery=service, start=False, **settings
    )
    for channel, name in ((DELIVERIES, "deliveries"), (CENTRO, "centro")):
        rig.workspace.add_channel(channel, name, members=[MARIA])
    await rig.start()
    await rig.settle()
    return rig


def service_of(rig: Rig) -> DeliverySimulator:
    assert rig.delivery is not None
    return rig.delivery


async def deliver(rig: Rig, text: str, *, user: str = MARIA, channel: str = FINANCE) -> str:
    """Type ``/deliver``; returns the answer to this person, or nothing if a form opened."""
    rig.clock.advance(0.001)
    before, form = len(rig.workspace.ephemerals(user)), rig.workspace.modal(user)
    await rig.workspace.slash(user, channel, "/deliver", text)
    await rig.workspace.until(lambda: _answered(rig, user, before) or rig.workspace.modal(user) is not form)
    await rig.settle()
    said = rig.workspace.ephemerals(user)[before:]
    return said[-1].text if said else ""


def _answered(rig: Rig, user: str, before: int) -> bool:
    """Whether there is more than the notice that the service is being asked."""
    said = rig.workspace.ephemerals(user)[before:]
    return bool(said) and "Asking the delivery service" not in said[-1].text


def form_text(rig: Rig, user: str = MARIA) -> str:
    view = rig.workspace.modal(user)
    return "" if view is None else str(view.blocks)


async def turned(rig: Rig, words: str, *, user: str = MARIA) -> str:
    return await rig.workspace.until(lambda: form_text(rig, user) if words in form_text(rig, user) else None)


async def ask_price(rig: Rig, *, user: str = MARIA, channel: str = FINANCE, **changes: str) -> None:
    await deliver(rig, "book", user=user, channel=channel)
    await rig.submit(user, {**FORM, **changes})
    await turned(rig, "Delivery fee", user=user)


async def book(rig: Rig, *, user: str = MARIA, channel: str = FINANCE, **changes: str) -> None:
    await ask_price(rig, user=user, channel=channel, **changes)
    await rig.submit(user, {})
    await rig.settle()
    assert rig.workspace.modal(user) is None, "the form closes: the card says the rest"


async def booked(rig: Rig, **changes: str) -> Booking:
    await book(rig, **changes)
    return service_of(rig).bookings[-1]


async def prebook(rig: Rig, **changes: str) -> None:
    await deliver(rig, "prebook")
    await rig.submit(MARIA, {**PRE, **changes})
    await rig.settle()


def card(rig: Rig, channel: str = FINANCE) -> Message:
    return rig.cards(channel)[-1]


def stands(rig: Rig, channel: str = FINANCE) -> str:
    """What the newest card says above its grey line: who and where it stands, and why."""
    title, *told = shown(card(rig, channel).text).splitlines()
    above = takewhile(lambda line: not re.search(r" · [BV]-······", line), told)
    why = [line for line in above if " · " not in line and not line.startswith(("Since ", "<http"))]
    return " ⏎ ".join([title, *why])


def reference_of(rig: Rig, channel: str = FINANCE) -> str:
    """The reference on the newest card."""
    [*_, found] = re.findall(r"[BV]-[2-9A-Z]{6}", card(rig, channel).text)
    return str(found)


async def fact(rig: Rig, label: str, channel: str = FINANCE) -> str:
    """What the details behind the newest card say beside a label; nothing if they have no such label."""
    await choose(rig, booking_cards.DETAILS, channel=channel)
    view = await rig.workspace.until(lambda: rig.workspace.modal(MARIA))
    told = [field["text"].partition("*\n") for block in view.blocks for field in block.get("fields", [])]
    await rig.workspace.close(MARIA)
    return shown(next((value for name, _, value in told if name == f"*{label}"), ""))


async def choose(rig: Rig, act: str, *, user: str = MARIA, channel: str = FINANCE) -> None:
    """Press a button of the newest card, or choose it in the card's menu."""
    one = card(rig, channel)
    if any(button.action_id == act for button in one.buttons):
        await rig.workspace.click(user, channel, one.ts, act)
        return
    value = next(value for value in _options(one) if value.startswith(f"{act}:"))
    await rig.workspace.click(user, channel, one.ts, booking_cards.MENU, value=value)


def offered(rig: Rig, channel: str = FINANCE) -> list[str]:
    """What can be pressed on the newest card: its buttons, then what its menu offers."""
    return [*(button.text for button in card(rig, channel).buttons), *_options(card(rig, channel), "text")]


def is_over(rig: Rig, channel: str = FINANCE) -> bool:
    """Whether the newest card offers nothing any more that acts on its booking."""
    return not {"Track", "Start the search", "Refresh", "Cancel"} & {*offered(rig, channel)}


def _options(message: Message, part: str = "value") -> list[str]:
    menus = [element for _, element in elements_of(message.all_blocks) if element["type"] == "overflow"]
    options = [option for element in menus for option in element["options"]]
    return [option["text"]["text"] if part == "text" else option["value"] for option in options]


def lines(rig: Rig, channel: str = FINANCE) -> list[str]:
    return [message.text for message in rig.news(channel)]


async def step(rig: Rig) -> None:
    """Advance the service by one step, deliver its webhooks, and run due polls."""
    service_of(rig).advance()
    await heard(rig)
    await rig.pass_time(31)


async def heard(rig: Rig) -> None:
    """Wait until all webhooks of the service were delivered and processed."""
    await service_of(rig).delivered()
    await rig.settle()
