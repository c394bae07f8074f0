"""A mistake in a form of deliveries stands at its field; a button that names what is gone changes nothing."""

import pytest

from bot.presentation.bookings import forms as views
from handlers.registry import FILE_ACTIONS, make_router
from tests.support.deliveries import FORM, PRE, booked, choose, deliver, open_rig, service_of
from tests.support.rig import FINANCE, MARIA, TOM, Rig
from tests.workflows.looking import requests

pytestmark = pytest.mark.rig(opened_by=open_rig)


async def pressed(rig: Rig, action: str, value: str) -> str:
    """What somebody who may ask and decide is told; nothing where nothing is said."""
    rig.clock.advance(60)
    before = len(rig.workspace.ephemerals(TOM))
    message = await rig.workspace.say(TOM, FINANCE, "anything")
    ack = await rig.workspace.click(TOM, FINANCE, message.ts, action, value=value, force=True)
    assert ack.status == 200
    await rig.settle()
    return "\n".join(said.text for said in rig.workspace.ephemerals(TOM)[before:])


SILENT = {
    "booking.proof", "booking.track", "home.back", "home.on", "home.open", "home.refresh", "localization.to_english",
}  # fmt: skip
"""Actions without an answer: links, and buttons of views that are drawn again or gone."""


async def test_forged_button_changes_nothing(rig: Rig) -> None:
    silent = set()
    for action in sorted(make_router(FILE_ACTIONS, prefix="").actions):
        if not action.startswith("use."):
            said = await pressed(rig, action, "nothing:x")
            assert said == "" or said.startswith(":"), action
            silent |= {action} - ({action} if said else set())
    assert silent == SILENT
    assert not await requests(rig)
    assert not [call for call in rig.payments.calls if call.effect]


@pytest.mark.parametrize("value", ["nothing|1.2", "nothing", "|", "nothing|1.2|3.4|5.6"])
async def test_incomplete_or_changed_offer_is_outdated(rig: Rig, value: str) -> None:
    for action, named in (("use.bulk", value), ("use", f"bulk|{value}")):
        assert (await pressed(rig, action, named)).startswith(":shrug: This button is out of date.")


PHONE = "Enter a full phone number, for example +593 99 123 4567."
NAME = "Enter 1 to 60 characters. Example: Ana"
PRICE = {
    views.POSITION: "Paste a map link or coordinates like -0.1807, -78.4678.",
    views.AMOUNT: "It must be more than 0. Example: 25.00",
    views.STORE: "No store called “Norte”. There is: Centro.",
}


@pytest.mark.parametrize(
    ("verb", "values", "errors"),
    [
        ("book", {**FORM, views.PHONE: "+593 1", views.NAME: " "}, {views.PHONE: PHONE, views.NAME: NAME}),
        ("prebook", {**PRE, views.PHONE: "+593 1"}, {views.PHONE: PHONE}),
        ("quote", {views.STORE: "Norte", views.POSITION: "here", views.AMOUNT: "0"}, PRICE),
    ],
)
async def test_error_is_shown_at_its_field(rig: Rig, verb: str, values: dict[str, str], errors: dict[str, str]) -> None:
    await deliver(rig, verb)
    before = len(service_of(rig).bookings)
    await rig.workspace.submit(MARIA, values, force=True)
    await rig.settle()
    assert rig.form().errors == errors
    assert len(service_of(rig).bookings) == before
    assert not rig.cards(FINANCE)


async def test_cancellation_reason_has_1_to_250_characters(rig: Rig) -> None:
    await booked(rig)
    await choose(rig, "booking.cancel")
    for reason, length in (("x" * 251, 251), (" ", 0)):
        await rig.workspace.submit(MARIA, {views.REASON: reason}, force=True)
        has = f"; this has {length}" if length else ""
        said = f"Enter 1 to 250 characters{has}. Example: customer called it off"
        assert rig.form().errors == {views.REASON: said}
