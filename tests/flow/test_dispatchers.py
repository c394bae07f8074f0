"""What saves a dispatcher typing: the store used last, known customers, the same once more, short links of maps."""

import pytest

from bot.playground.workspace import View
from bot.playground.workspace.model import elements_of
from bot.presentation.bookings import cards
from bot.presentation.bookings import forms as views
from tests.support.deliveries import (
    CENTRO,
    FORM,
    booked,
    choose,
    deliver,
    form_text,
    heard,
    open_rig,
    service_of,
    turned,
)
from tests.support.rig import FINANCE, MARIA, TOM, ZOE, Rig

pytestmark = pytest.mark.rig(on="both", opened_by=open_rig)

CUSTOMER = (views.NAME, views.LAST_NAME, views.PHONE, views.ADDRESS, views.POSITION, views.PLACE_REFERENCE)
ANA = ("Ana", "Lopez", "+593 991234567", "12 Market Street", "-0.1850, -78.4700", "Blue door")


def shown(view: View) -> dict[str, str]:
    """What stands in each field of a form."""
    found = {}
    for block, held in view.values.items():
        state = next(iter(held.values()), {})
        found[block] = str(state.get("value") or (state.get("selected_option") or {}).get("value") or "")
    return found


async def filled(rig: Rig, name: str) -> View:
    """The form, once it shows the customer of this name."""
    return await rig.workspace.until(lambda: rig.form(TOM) if shown(rig.form(TOM))[views.NAME] == name else None)


async def test_last_used_store_is_preselected(rig: Rig) -> None:
    service_of(rig).add_store("Norte")
    await deliver(rig, "stores")
    await deliver(rig, "book")
    assert shown(rig.form())[views.STORE] == ""
    await rig.workspace.close(MARIA)
    await booked(rig, **{views.STORE: "Norte"})
    for verb in ("book", "prebook", "quote"):
        await deliver(rig, verb, user=TOM)
        assert shown(rig.form(TOM))[views.STORE] == "Norte", "the store of the channel"
        await rig.workspace.close(TOM)
        await deliver(rig, verb, channel=CENTRO)
        assert shown(rig.form())[views.STORE] == "Norte", "the store of the person"
        await rig.workspace.close(MARIA)


async def test_known_number_fills_in_the_customer(rig: Rig) -> None:
    await booked(rig)
    await deliver(rig, "book", user=TOM)
    typed = {views.PHONE: "099 123 4567", views.NAME: "Anna?", views.AMOUNT: "12.00"}
    await rig.workspace.click_in_view(TOM, views.TYPED, value="099 123 4567", values=typed)
    found = shown(await filled(rig, "Ana"))
    assert tuple(found[name] for name in CUSTOMER) == ANA
    assert (found[views.AMOUNT], found[views.STORE]) == ("12.00", "Centro")
    await rig.submit(TOM, {})
    await turned(rig, "Delivery fee", user=TOM)


@pytest.mark.parametrize("number", ["+593 98 000 0000", "12", "who"])
async def test_unknown_number_leaves_the_form_unchanged(rig: Rig, number: str) -> None:
    await booked(rig)
    await deliver(rig, "book")
    before = rig.form()
    ack = await rig.workspace.click_in_view(MARIA, views.TYPED, value=number, values={views.PHONE: number})
    await rig.settle()
    assert ack.ok
    assert (rig.form().hash, shown(rig.form())[views.PHONE]) == (before.hash, number)


async def test_earlier_customer_can_be_chosen(rig: Rig) -> None:
    await booked(rig)
    await booked(rig, **{views.NAME: "Ben", views.PHONE: "098 765 4321"})
    await booked(rig, **{views.ADDRESS: "7 New Street"})
    await deliver(rig, "book", user=TOM)
    menus = [one for _, one in elements_of(rig.form(TOM).blocks) if one["action_id"] == views.KNOWN]
    options = [(one["text"]["text"], one["value"]) for one in menus[0]["options"]]
    assert [label for label, _ in options] == ["Ana Lopez · +593 991234567", "Ben Lopez · +593 987654321"]
    for name, address, (_, value) in (("Ana", "7 New Street", options[0]), ("Ben", "12 Market Street", options[1])):
        await rig.workspace.click_in_view(TOM, views.KNOWN, value=value)
        form = await filled(rig, name)
        assert shown(form)[views.ADDRESS] == address


async def test_customers_of_a_store_are_shown_only_to_its_dispatchers(rig: Rig) -> None:
    await booked(rig)
    assert "You don't have permission" in await deliver(rig, "book", user=ZOE)
    await deliver(rig, "prebook", user=TOM)
    assert "991234567" in form_text(rig, TOM)
    row = (await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=5)))[0]
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.rename_store("Centro", "Gone"))
    await rig.workspace.click_in_view(TOM, views.KNOWN, value=row.id)
    await rig.settle()
    assert shown(rig.form(TOM))[views.NAME] == "", "a store that this person has not is none to fill in from"
    await rig.workspace.close(TOM)
    await deliver(rig, "book", user=TOM)
    assert "991234567" not in form_text(rig, TOM)


async def test_customers_of_other_peoples_channels_are_not_offered(rig: Rig) -> None:
    await booked(rig)
    rig.workspace.invite(CENTRO, TOM)
    row = (await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=5)))[0]
    for user, channel, is_known in ((MARIA, CENTRO, True), (TOM, CENTRO, False), (TOM, FINANCE, True)):
        await deliver(rig, "book", user=user, channel=channel)
        assert ("991234567" in form_text(rig, user)) is is_known, (user, channel)
        # A number that is typed, and the id of a booking, tell no more than the list does.
        for action, value in ((views.TYPED, "099 123 4567"), (views.KNOWN, row.id)):
            await rig.workspace.click_in_view(user, action, value=value, values={views.PHONE: value}, force=True)
            await rig.settle()
            assert (shown(rig.form(user))[views.ADDRESS] == "12 Market Street") is is_known, (user, channel, action)
        await rig.workspace.close(user)


async def test_ended_delivery_is_booked_again_from_its_card(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "COMPLETED")
    await heard(rig)
    await rig.pass_time(31)
    await choose(rig, cards.AGAIN, user=TOM)
    form = await rig.workspace.until(lambda: rig.workspace.modal(TOM))
    found = shown(form)
    assert {name: found[name] for name in (views.AMOUNT, views.PAYMENT, views.NOTES)} == {
        views.AMOUNT: "25.50",
        views.PAYMENT: "CASH",
        views.NOTES: "Ring twice",
    }
    assert tuple(found[name] for name in CUSTOMER) == ANA
    await rig.submit(TOM, {})
    await turned(rig, "Delivery fee", user=TOM)
    await rig.submit(TOM, {})
    assert len(service_of(rig).bookings) == 2
    assert len(rig.cards(FINANCE)) == 2


async def test_short_link_is_resolved_with_the_price(rig: Rig) -> None:
    base = service_of(rig).base_url
    booking = await booked(rig, **{views.POSITION: f"{base}/maps/market"})
    assert (booking.fields["latitude"], booking.fields["longitude"]) == ("-0.2101", "-78.5023")
    await deliver(rig, "book")
    await rig.submit(MARIA, {**FORM, views.POSITION: f"{base}/maps/nowhere"})
    await turned(rig, "That link shows no position.")
    assert shown(rig.form())[views.NAME] == "Ana", "nothing that was typed is lost"
    assert len(service_of(rig).bookings) == 1
    await rig.submit(MARIA, {views.POSITION: f"{base}/maps/park"})
    await turned(rig, "the middle of a map")
    await rig.submit(MARIA, {views.POSITION: "-0.1820, -78.4841"})
    await turned(rig, "Delivery fee")
    await rig.submit(MARIA, {})
    assert service_of(rig).bookings[-1].fields["latitude"] == "-0.1820"


async def test_short_link_works_with_price_and_store(rig: Rig) -> None:
    base = service_of(rig).base_url
    await deliver(rig, "quote")
    await rig.submit(MARIA, {views.POSITION: f"{base}/maps/market", views.AMOUNT: "10"})
    await turned(rig, "Delivery fee")
    await rig.workspace.close(MARIA)
    await deliver(rig, "store edit Centro")
    await turned(rig, "How to find it")
    await rig.submit(MARIA, {views.POSITION: f"{base}/maps/nowhere"})
    await turned(rig, "That link shows no position.")
    await rig.submit(MARIA, {views.POSITION: f"{base}/maps/market"})
    await turned(rig, "Saved.")
    assert "-0.2101, -78.5023" in form_text(rig)
