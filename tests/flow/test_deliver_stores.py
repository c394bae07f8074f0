"""Stores, prices, pre-bookings and the checklist: by command and form, through the real stack."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from inline_snapshot import snapshot

from bot.clients.delivery import StoreForm
from bot.domain.bookings.record import Point, StoreState
from bot.playground.faults import Fault, FaultKind
from bot.presentation.bookings import answers, cards
from bot.presentation.bookings import forms as views
from bot.presentation.reasons import worded
from bot.workflows.bookings.observe import gathered
from bot.workflows.bookings.stores import _row, change_store, settle_due
from tests.support.deliveries import (
    FORM,
    PRE,
    STORE_KEY,
    booked,
    card,
    choose,
    deliver,
    form_text,
    heard,
    is_over,
    lines,
    open_rig,
    prebook,
    reference_of,
    service_of,
    stands,
    turned,
)
from tests.support.rig import ADA, ALERTS, EVE, FINANCE, GUS, MARIA, OLGA, ZOE, Rig
from tests.support.shown import shown

STORE = {
    views.NAME: "Harbour",
    views.EMAIL: "harbour@example.com",
    views.PHONE: "+593 2 234 5678",
    views.ADDRESS: "9 Quay",
    views.POSITION: "-0.2000, -78.4900",
    views.PLACE_REFERENCE: "Beside the crane",
}

pytestmark = pytest.mark.rig(opened_by=open_rig)


async def test_only_people_with_a_role_deliver(rig: Rig) -> None:
    calls = len(service_of(rig).calls)
    said = []
    for user in (ZOE, GUS, EVE):
        for verb in ("stores", "book", "quote", "prebook", "store add", "webhooks on Centro", "certify"):
            ack = await rig.workspace.slash(user, FINANCE, "/deliver", verb, force=True)
            said.append(shown(ack).partition("\n")[0])
            assert not rig.workspace.modals(user)
    assert "\n".join(dict.fromkeys(said)) == snapshot("""\
:no_entry_sign: You don't have permission to book deliveries. Ask an admin to add you.
:no_entry_sign: Guests can't do this. Ask a full member of this workspace.
""")
    assert len(service_of(rig).calls) == calls


async def test_only_admins_make_stores_and_switch_webhooks(rig: Rig) -> None:
    calls = len(service_of(rig).calls)
    for user in (MARIA, ADA):
        for text in ("store add", "store add Harbour", "webhooks on Centro", "webhooks off Centro"):
            assert shown(await deliver(rig, text, user=user)) == snapshot(
                """:no_entry_sign: Only admins can do this."""
            )
            assert not rig.workspace.modals(user)
    assert len(service_of(rig).calls) == calls


async def test_who_is_no_admin_any_more_makes_no_store_by_a_form_opened_before(rig: Rig) -> None:
    await deliver(rig, "store add", user=OLGA)
    rig.switchboard.context.policy.people.__dict__["admins"] = ()
    await rig.submit(OLGA, STORE)
    await turned(rig, "You don't have permission", user=OLGA)
    assert not service_of(rig).calls_of("create_store")


async def test_everybody_with_a_role_sees_what_is_registered(rig: Rig) -> None:
    assert shown(await deliver(rig, "webhooks Centro", user=ADA)) == snapshot("""\
:satellite_antenna: *Webhooks for Centro*
• `UPDATE_BOOKING_STATUS`: off.
• `DRIVER_ASSIGNED`: off.""")


async def test_where_a_customer_lives_is_shown_to_who_may_deliver_and_to_nobody_else(rig: Rig) -> None:
    booking = await booked(rig)
    personal = ("12 Market Street", "Blue door", "991234567", "99 123 4567", "-78.47", booking.validation_code)
    drawn = card(rig)
    assert [one for one in ("Ana Lopez", *personal) if one in f"{drawn.text} {drawn.blocks}"] == ["Ana Lopez"]
    await choose(rig, cards.DETAILS, user=ADA)
    details = rig.form(ADA)
    assert details is not None
    assert shown(details.plain.replace(booking.validation_code, "····")) == snapshot("""\
Delivery B-······
Ana Lopez · Looking for a driver
*Couriers*
Rapido: searching, MotoYa: searching, Ciclo: searching
*Customer*
Ana Lopez · +593 991234567
*Address*
12 Market Street (Blue door) · <https://www.openstreetmap.org/?mlat=-0.1850&mlon=-78.4700#map=17/-0.1850/-78.4700|map>
*Store*
Centro
*Order*
$25.50 in cash, collected by the driver
*Delivery fee*
$1.97 ($0.26 tax)
*Notes*
Ring twice
*Delivery code*
····
*Live map*
<http://127.0.0.1/track/······|open>
*Provider's page*
<http://127.0.0.1/detail/······|open>
*Booked by*
<@U0MARIA>
*Provider status*
`READY_FOR_PICKUP`
*Provider ID*
10001 · ······
*Reference*
B-······ · our ID ······
*History*
• <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC> Looking for a driver
*Calls to couriers*
• *Rapido* · searching · providerFee: 1.71 · searchNumber: 1
• *MotoYa* · searching · providerFee: 1.81 · searchNumber: 1
• *Ciclo* · searching · providerFee: 1.91 · searchNumber: 1""")
    for act in (cards.DETAILS, cards.CANCEL, cards.REFRESH, cards.AGAIN):
        await choose(rig, act, user=ZOE)
        await rig.settle()
    await rig.workspace.click(ZOE, FINANCE, drawn.ts, cards.CONTACT, value=drawn.buttons[0].value, force=True)
    await rig.settle()
    [refused] = {shown(one.text) for one in rig.workspace.ephemerals(ZOE)}
    assert refused == snapshot(":no_entry_sign: You don't have permission to book deliveries. Ask an admin to add you.")
    assert not rig.workspace.modals(ZOE)


async def test_a_button_with_another_bookings_id_is_stale(rig: Rig) -> None:
    await booked(rig)
    first = card(rig)
    await booked(rig)
    second = card(rig).buttons[0].value
    forged = {
        "selected_option": {"value": f"{cards.CANCEL}:{second}", "text": {"type": "plain_text", "text": "Cancel"}}
    }
    await rig.workspace.click(MARIA, FINANCE, first.ts, cards.MENU, action=forged, value=None, force=True)
    await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[-1:])
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot(
        """:no_entry_sign: This request has changed since. Look at its card again."""
    )
    assert not rig.workspace.modals(MARIA)


async def add(rig: Rig, **changes: str) -> str:
    await deliver(rig, "store add", user=OLGA)
    await rig.submit(OLGA, {**STORE, **changes})
    return form_text(rig, OLGA)


async def test_a_store_is_made_and_used_by_name(rig: Rig) -> None:
    await add(rig)
    await turned(rig, "Store added.", user=OLGA)
    assert shown(rig.form(OLGA)) == snapshot("""\
Add a store
:white_check_mark: Store added. Its API key is stored encrypted. *Harbour*
Address: 9 Quay
How to find it: Beside the crane
Position: -0.2000, -78.4900
Phone: +593 22345678
E-mail: harbour@example.com""")
    assert service_of(rig).store("Harbour").fields["countryCode"] == "+593"
    assert (await deliver(rig, "store show  hArBouR ")).splitlines()[0] == ":convenience_store: *Harbour*"
    await rig.workspace.close(OLGA)
    await deliver(rig, "store edit harbour")
    await rig.submit(MARIA, {**STORE, views.NAME: "Old Harbour", views.ADDRESS: "10 Quay"})
    await turned(rig, "Saved.")
    assert shown(await deliver(rig, "stores")) == snapshot("""\
*2 stores*
• *Centro*: 1 Main Square
• *Old Harbour*: 10 Quay""")


async def test_a_store_without_a_hint_how_to_find_it(rig: Rig) -> None:
    await add(rig, **{views.PLACE_REFERENCE: ""})
    await turned(rig, "Store added.", user=OLGA)
    assert "addressReference" not in service_of(rig).store("Harbour").fields
    await deliver(rig, "store edit Centro")
    await rig.submit(MARIA, {views.PLACE_REFERENCE: ""})
    await turned(rig, "Saved.")
    assert service_of(rig).store("Centro").fields["addressReference"] == ""


EXTRAS = {
    "exterior": "24B",
    "interior": "Floor 3",
    "number": "24",
    "building": "Torre Sur",
    "city": "Quito",
    "zip_code": "170150",
    "country": "Ecuador",
}


async def test_every_field_of_a_store_can_be_given_and_taken_back(rig: Rig) -> None:
    await add(rig, **EXTRAS)
    await turned(rig, "Store added.", user=OLGA)
    await rig.workspace.close(OLGA)
    fields = service_of(rig).store("Harbour").fields
    assert [fields[name] for name in ("exterior", "addressNumber", "zipCode", "city")] == [
        "24B",
        "24",
        "170150",
        "Quito",
    ]
    assert shown(await deliver(rig, "store show Harbour")) == snapshot("""\
:convenience_store: *Harbour*
Address: 9 Quay
Street number outside: 24B
Number inside: Floor 3
Address number: 24
Building: Torre Sur
City: Quito
ZIP code: 170150
Country: Ecuador
How to find it: Beside the crane
Position: -0.2000, -78.4900
Phone: +593 22345678
E-mail: harbour@example.com""")
    await deliver(rig, "store edit Harbour")
    assert "Torre Sur" in form_text(rig)
    await rig.submit(MARIA, {"building": "", "city": "Loja"})
    await turned(rig, "Saved.")
    fields = service_of(rig).store("Harbour").fields
    assert (fields["building"], fields["city"], fields["interior"]) == ("", "Loja", "Floor 3")


async def test_a_store_without_an_address_or_a_number_can_be_saved(rig: Rig) -> None:
    """The service decides what it needs; ours judges only what somebody changed."""
    held = service_of(rig).store("Centro").fields
    for name in ("email", "mobile", "countryCode"):
        held.pop(name)
    await deliver(rig, "store edit Centro")
    await rig.submit(MARIA, {views.ADDRESS: "2 Main Square"})
    await turned(rig, "Saved.")
    assert (held["fullAddress"], "email" in held, "mobile" in held) == ("2 Main Square", False, False)
    held |= {"email": "nobody at home", "mobile": "22345678"}
    await rig.workspace.close(MARIA)
    await deliver(rig, "store edit Centro")
    await rig.submit(MARIA, {views.ADDRESS: "3 Main Square"})
    await turned(rig, "Saved.")
    assert (held["fullAddress"], held["email"], held["mobile"]) == ("3 Main Square", "nobody at home", "22345678")
    await rig.workspace.close(MARIA)
    await add(rig, **{views.EMAIL: "", views.PHONE: ""})
    await turned(rig, "email is required", user=OLGA)
    assert "9 Quay" in form_text(rig, OLGA)


async def test_a_price_for_a_vehicle(rig: Rig) -> None:
    asked = {views.POSITION: "-0.1850, -78.4700", views.AMOUNT: "25.50", views.PAYMENT: "CARD"}
    await deliver(rig, "quote")
    await rig.submit(MARIA, {**asked, views.VEHICLE: "CAR"})
    await turned(rig, "Delivery fee")
    assert shown(rig.form()) == snapshot("""\
Price of a delivery
:moneybag: *Delivery fee $2.94 ($0.38 tax)*
About 12 min, 0.54 km
From Centro, CAR""")
    assert "'carName': 'CAR'" in str(service_of(rig).calls_of("quote")[-1].body)
    await rig.workspace.close(MARIA)
    await deliver(rig, "quote")
    await rig.submit(MARIA, {**asked, views.VEHICLE: "BOAT"})
    await turned(rig, "carName must be one of MOTORCYCLE, CAR, VAN")


DESK = {
    "delivery_dashboard_url": "https://desk.example.com/#/bookings",
    "delivery_support_url": "https://desk.example.com/chat?team=1",
}


@pytest.mark.rig(opened_by=open_rig, **DESK)
async def test_the_dashboard_and_the_support_chat_are_linked_where_they_are_needed(rig: Rig) -> None:
    links = (
        "<https://desk.example.com/#/bookings|Delivery dashboard> · <https://desk.example.com/chat?team=1|Support chat>"
    )
    for text in ("stores", "store show Centro", "certify"):
        assert links in await deliver(rig, text), text
    service_of(rig).switches.no_provider = True
    await booked(rig)
    assert links not in card(rig).text
    service_of(rig).advance()
    await rig.pass_time(31)
    assert links in card(rig).text
    assert links in rig.workspace.messages(ALERTS)[-1].text
    service_of(rig).switches.suspended, service_of(rig).switches.suspended_status = True, 402
    assert shown(await deliver(rig, "stores")) == snapshot(
        ":warning: An admin has to fix this: Delivery has suspended the workspace, saying “This workspace is \
suspended”; contact its operator: https://desk.example.com/chat?team=1; nothing is repeated until then."
    )


async def test_a_store_is_changed_from_what_it_is_now_not_from_what_it_was(rig: Rig) -> None:
    await deliver(rig, "store show Centro")
    service_of(rig).stores[0].fields["fullAddress"] = "5 New Street"
    await deliver(rig, "store edit Centro")
    await rig.submit(MARIA, {views.PLACE_REFERENCE: "Green door"})
    await turned(rig, "Saved.")
    assert shown(rig.form()) == snapshot("""\
Edit a store
:white_check_mark: Saved. *Centro*
Address: 5 New Street
How to find it: Green door
Position: -0.1807, -78.4678
Phone: +593 22345678
E-mail: store@example.com""")


@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_a_store_whose_service_takes_its_time_or_is_away(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.SLOW, "get_store", seconds=0.8))
    await deliver(rig, "store edit Centro")
    assert shown(rig.form()) == snapshot("""\
Edit a store
:hourglass_flowing_sand: Asking Delivery…""")
    await turned(rig, "1 Main Square")
    await rig.workspace.close(MARIA)
    service_of(rig).faults.arm(Fault(FaultKind.LOST, "get_store"))
    await deliver(rig, "store edit Centro")
    assert shown(rig.form()) == snapshot("""\
Edit a store
:warning: Couldn't reach Delivery. Try again in a minute.""")


async def test_a_store_that_cannot_be_read_now_is_shown_as_it_is_stored(rig: Rig) -> None:
    await deliver(rig, "stores")
    service_of(rig).faults.arm(Fault(FaultKind.LOST, "get_store"))
    assert shown(await deliver(rig, "store show Centro")) == snapshot("""\
:convenience_store: *Centro*
Address: 1 Main Square
How to find it: Beside the church
Position: -0.1807, -78.4678
Phone: +593 22345678
E-mail: store@example.com
:warning: May be out of date. Couldn't reach Delivery. Try again in a minute.""")
    service_of(rig).book.change_store(service_of(rig).store("Centro"), {"fullAddress": "2 New Square"})
    assert "Address: 2 New Square" in await deliver(rig, "store show Centro")


async def test_a_store_whose_answer_was_lost_is_found_in_the_list(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.DONE_DROPPED, "create_store"))
    await add(rig)
    await turned(rig, "Checking whether", user=OLGA)
    await rig.workspace.close(OLGA)
    await rig.pass_time(60, steps=3)
    assert shown(await deliver(rig, "stores")) == snapshot("*2 stores*\n• *Centro*: 1 Main Square\n• *Harbour*: 9 Quay")
    assert len(service_of(rig).calls_of("create_store")) == 1
    seen, _ = await rig.switchboard.context.store.read(gathered)
    assert seen[Point.STORE].what == "Harbour"


async def test_a_store_that_was_never_made_is_forgotten(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.LOST, "create_store"))
    await add(rig)
    await turned(rig, "Checking whether", user=OLGA)
    await rig.workspace.close(OLGA)
    assert shown(await deliver(rig, "stores")) == snapshot("""\
*2 stores*
• *Centro*: 1 Main Square
• *Harbour* :hourglass_flowing_sand: not confirmed yet; checking""")
    await rig.pass_time(1_200, steps=7)
    assert shown(await deliver(rig, "stores")) == snapshot("""\
*1 store*
• *Centro*: 1 Main Square""")
    assert len(service_of(rig).calls_of("create_store")) == 1


async def test_the_name_of_a_store_that_was_refused_is_free_again(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.REFUSED, "create_store"))
    await add(rig)
    await turned(rig, "Nothing was done", user=OLGA)
    await rig.workspace.close(OLGA)
    assert shown(await deliver(rig, "stores")) == "*1 store*\n• *Centro*: 1 Main Square"
    await add(rig)
    await turned(rig, "Store added.", user=OLGA)


@pytest.mark.parametrize(
    ("younger", "state", "stays"), [(0, "creating", False), (1, "creating", True), (0, "ready", True)]
)
async def test_a_store_that_is_not_listed_after_the_quiet_period_was_never_made(
    rig: Rig, younger: float, state: str, stays: bool
) -> None:
    ctx = rig.switchboard.context
    made = rig.clock.now() - timedelta(seconds=ctx.quiet.seconds - younger)
    row = replace(_row("Norte", made), state=StoreState(state), due_at=made)
    assert await ctx.store.write(lambda tx: tx.stores.add(row))
    await settle_due(ctx)
    assert (await ctx.store.read(lambda tx: tx.stores.by_id(row.id)) is not None) is stays


async def test_a_store_that_lost_its_key_is_not_changed_and_it_is_said_why(rig: Rig) -> None:
    ctx = rig.switchboard.context
    changed = await change_store(ctx, ctx.delivery.required(), "Gone", StoreForm(address="9 Quay"))
    assert worded(changed.trouble) == snapshot("An admin has to fix this: there is no API key for the store Gone.")
    assert service_of(rig).calls_of("update_store") == []


async def test_a_name_is_taken_once(rig: Rig) -> None:
    await add(rig, **{views.NAME: " CENTRO "})
    await turned(rig, "already", user=OLGA)
    assert rig.form(OLGA).plain.splitlines()[1] == snapshot(
        ":warning: There's already a store called CENTRO. Choose another name."
    )
    assert not service_of(rig).calls_of("create_store")


async def test_mistakes_stand_at_their_fields(rig: Rig) -> None:
    await deliver(rig, "store add", user=OLGA)
    await rig.submit(
        OLGA,
        {
            **STORE,
            views.PHONE: "call me",
            views.POSITION: "https://maps.app.goo.gl/abc",
            views.EMAIL: "harbour@example",
        },
    )
    view = rig.form(OLGA)
    assert set(view.errors) == {views.PHONE, views.EMAIL}, "a short link is opened when the rest is right"
    assert shown(view.errors[views.PHONE]) == snapshot("Enter a phone number in digits, for example +593 99 123 4567.")


async def test_two_stores_of_one_name_are_told_apart(rig: Rig) -> None:
    service_of(rig).add_store("Centro", token="another-centro")
    said = await deliver(rig, "stores")
    assert shown(said) == snapshot("*2 stores*\n• *Centro*: 1 Main Square\n• *Centro (2)*: 1 Main Square")


async def test_the_store_need_not_be_named_where_there_is_only_one(rig: Rig) -> None:
    said = (await deliver(rig, "store show")).splitlines()[0]
    assert said == ":convenience_store: *Centro*"
    service_of(rig).add_store("Norte", token="norte")
    await deliver(rig, "stores")
    assert (await deliver(rig, "store show")).splitlines()[0] == ":pencil2: Add a store: Centro, Norte."
    assert "No store called “center”. Did you mean Centro?" in await deliver(rig, "store show center")


@pytest.mark.parametrize("text", ["-78.4700, -0.1850", "https://www.google.com/maps/@-0.1850,-78.4700,17z"])
async def test_doubtful_position_is_asked_about_and_not_booked(rig: Rig, text: str) -> None:
    await deliver(rig, "book")
    await rig.submit(MARIA, {**FORM, views.POSITION: text})
    assert "-0.1850, -78.4700" in rig.form().errors[views.POSITION]
    assert not service_of(rig).calls_of("pre_checkout")
    await rig.submit(MARIA, {**FORM, views.POSITION: "-0.1850, -78.4700"})
    await turned(rig, "Delivery fee")


async def test_a_price(rig: Rig) -> None:
    await deliver(rig, "quote")
    await rig.submit(MARIA, {views.POSITION: "geo:-0.2,-78.5", views.AMOUNT: "10"})
    await turned(rig, "Delivery fee")
    assert shown(rig.form()) == snapshot("""\
Price of a delivery
:moneybag: *Delivery fee $3.65 ($0.48 tax)*
About 27 min, 4.17 km
From Centro""")
    assert not service_of(rig).bookings


async def test_show_cancel_and_start_by_command(rig: Rig) -> None:
    booking = await booked(rig, **{views.COOK: "30"})
    [reference] = re.findall(r"B-[2-9A-Z]{6}", card(rig).text)
    assert shown(await deliver(rig, f"start {reference}")) == snapshot(
        ":ballot_box_with_check: Looking for a driver: Ana Lopez (B-······)."
    )
    assert shown(await deliver(rig, f"start {reference.lower()}")) == snapshot(
        ":warning: Ana Lopez (B-······): The search can't be started now. Now: *Looking for a driver*."
    )
    said = await deliver(rig, f'cancel {reference} "not wanted any more"')
    assert shown(said) == snapshot(":ballot_box_with_check: Canceled: Ana Lopez (B-······).")
    assert booking.cancel_reason == "not wanted any more"
    assert shown(await deliver(rig, f"cancel {reference} again")) == snapshot(
        ":warning: Ana Lopez (B-······) can't be canceled: it's already canceled."
    )


async def test_a_booking_that_only_the_service_knows_is_shown(rig: Rig) -> None:
    norte = service_of(rig).add_store("Norte")
    await deliver(rig, "stores")
    fields = {"customerName": "Walk", "latitude": "-0.19", "longitude": "-78.47", "address": "5 Other Street"}
    made = service_of(rig).book.create(norte, fields)
    service_of(rig).settle(made, "COMPLETED")
    made.validation_code = "7419"
    assert shown(await deliver(rig, f"show {made.number}")) == snapshot("""\
:white_check_mark: *10001* · Norte: *delivered* · `COMPLETED`
Customer: Walk
Address: 5 Other Street
Fee: $1.92
Delivery code: 7419
Proof of delivery: <http://127.0.0.1/proof/······.png|see it>
Live map: <http://127.0.0.1/track/······|open>
Provider's page: <http://127.0.0.1/detail/······|open>
Provider ID: ······
*Calls to couriers*
• *Rapido* · searching · providerFee: 1.92 · searchNumber: 1
• *MotoYa* · searching · providerFee: 2.02 · searchNumber: 1
• *Ciclo* · searching · providerFee: 2.12 · searchNumber: 1
Not booked here, and not followed. Turn the store's webhooks on to follow such bookings.""")
    for unknown in ("99999", "../../x"):
        said = (await deliver(rig, f"show {unknown}")).splitlines()[0]
        assert said == f":pencil2: I can't find {unknown}. Check the reference."


async def test_a_driver_at_the_door_cannot_be_canceled_away(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "NOT_DELIVERED")
    [reference] = re.findall(r"B-[2-9A-Z]{6}", card(rig).text)
    said = await deliver(rig, f"cancel {reference} too late")
    assert shown(said) == snapshot(""":warning: Ana Lopez (B-······): Delivery: The booking is NOT_DELIVERED. Nothing \
was done. Now: *Not delivered*.""")
    await rig.settle()
    assert stands(rig) == snapshot("*Ana Lopez · Not delivered* ⏎ The customer didn't get it: “Nobody opened the door”")


# pre-bookings


async def test_a_prebooking_becomes_a_booking_on_the_same_card(rig: Rig) -> None:
    await prebook(rig)
    made = service_of(rig).prebookings[-1]
    link = f"{service_of(rig).base_url}/address/{made.id}"
    assert shown(card(rig).text) == snapshot("""\
*Ana Lopez · Waiting for the address*
Send the customer this link: <http://127.0.0.1/address/······>
Centro · 25.50 paid · V-······""")
    picture = [message for message in rig.news(FINANCE) if message.files]
    assert len(picture) == 1
    assert link in picture[0].text
    async with aiohttp.ClientSession() as customer:
        fields = {"address": "3 Hill Road", "latitude": "-0.19", "longitude": "-78.47"}
        async with customer.post(link, data=fields) as answer:
            assert answer.status == 200
    await rig.pass_time(46)
    assert stands(rig) == snapshot("*Ana Lopez · Looking for a driver*")
    said = await deliver(rig, f"show {reference_of(rig)}")
    assert "\nAddress: 3 Hill Road\n" in said
    service_of(rig).settle(service_of(rig).bookings[-1], "COMPLETED")
    await rig.pass_time(61, steps=2)
    assert stands(rig) == snapshot("*Ana Lopez · Delivered*")
    assert len(rig.cards(FINANCE)) == 1


async def test_a_prebooking_can_be_shown_and_canceled(rig: Rig) -> None:
    await prebook(rig)
    made = service_of(rig).prebookings[-1]
    said = await deliver(rig, f"prebook show {made.id}")
    assert "Customer: Ana Lopez · +593 991234567" in said
    [reference] = re.findall(r"V-[2-9A-Z]{6}", card(rig).text)
    await deliver(rig, f"prebook cancel {reference}")
    await rig.submit(MARIA, {views.REASON: "not wanted"})
    await turned(rig, "Canceled: Ana Lopez")
    await rig.settle()
    assert made.canceled
    assert stands(rig) == snapshot("*Ana Lopez · Canceled*")
    assert is_over(rig)
    assert not [line for line in lines(rig) if "canceled" in line], "who did it is told nothing about it"


async def test_a_prebooking_whose_answer_was_lost_is_not_made_again(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.DONE_DROPPED, "create_prebooking"))
    await prebook(rig)
    assert stands(rig) == snapshot("""*Ana Lopez · Link not confirmed* ⏎ Look in the delivery dashboard, then press \
*I found it* or *It isn't there*. Don't request another link yet.""")
    await rig.pass_time(1_500, steps=12)
    assert stands(rig) == snapshot("""*Ana Lopez · Link not confirmed* ⏎ Look in the delivery dashboard, then press \
*I found it* or *It isn't there*. Don't request another link yet.""")
    assert len(service_of(rig).prebookings) == 1


@pytest.mark.rig(environment="production")
async def test_in_production_there_are_no_prebookings(rig: Rig) -> None:
    for text in ("prebook", "prebook show B-222222", "prebook cancel B-222222"):
        assert shown(await deliver(rig, text)) == snapshot(""":no_entry_sign: Pre-bookings work only in the \
provider's sandbox. Ask the customer for the address and use `book`.""")
    assert not service_of(rig).calls_of("create_prebooking")


async def test_a_form_for_a_prebooking_that_was_open_before_production_says_the_same(rig: Rig) -> None:
    await deliver(rig, "prebook")
    await rig.switchboard.stop()
    rig.settings = type(rig.settings)(_env_file=None, **{**rig.settings.model_dump(), "environment": "production"})
    await rig.start()
    await rig.submit(MARIA, PRE)
    assert "Pre-bookings work only in the provider's sandbox" in rig.form().plain
    assert not service_of(rig).calls_of("create_prebooking")


async def test_the_checklist_says_what_to_do_and_what_was_seen(rig: Rig) -> None:
    await booked(rig, **{views.COOK: "5"})
    headline, *points, states = (await deliver(rig, "certify")).splitlines()
    assert headline == "*Certification: 3 of 11 required steps done*"
    assert states == "States seen: `ON_HOLD` preparing"
    assert [one.split(": ")[1] for one in points if one.startswith(":white_check_mark:")] == [
        *("Price requested before booking", "Booking created with customer, amount and payment"),
        *("Cash booking", "Prep time"),
    ]
    assert points[3] == snapshot(":white_large_square: Card booking: nothing to collect: `/deliver book` with *Card*")
    assert next(one for one in points if "States read" in one) == snapshot(""":white_large_square: States read: in \
progress, finished, canceled, none unknown: let one booking finish, and cancel one (missing: finished, canceled)""")


async def test_a_point_is_met_by_what_the_document_asks(rig: Rig) -> None:
    """From an empty workspace to all of them; the first state of a booking proves nothing."""

    async def met() -> list[str]:
        lines = (await deliver(rig, "certify", user=OLGA)).splitlines()
        return [one.split(": ")[1] for one in lines if one.startswith(":white_check_mark:")]

    service = service_of(rig)
    first = await booked(rig, **{views.PAYMENT: "CARD", views.COOK: "5"})
    assert await met() == snapshot(
        [
            "Price requested before booking",
            "Booking created with customer, amount and payment",
            "Card booking",
            "Prep time",
        ]
    )
    service.advance()
    await rig.pass_time(31)
    await deliver(rig, f"cancel {first.number} changed their mind", user=OLGA)
    assert first.status == "CANCELLED_BY_BUSINESS"
    assert "Booking canceled, as its record shows _(optional)_" in await met()
    await deliver(rig, "webhooks on Centro", user=OLGA)
    second = await booked(rig)
    for status in ("ACCEPTED", "WAY_TO_DELIVER", "ODD", "COMPLETED"):
        service.settle(second, status, force=True)
        await heard(rig)
    await rig.pass_time(60)
    before = await met()
    assert not [one for one in before if one.startswith(("States read", "Card shows"))]
    await add(rig)
    await turned(rig, "Store added.", user=OLGA)
    await rig.workspace.close(OLGA)
    await deliver(rig, "store show Harbour")
    await prebook(rig)
    service.book.enter_address(service.prebookings[-1], {"latitude": "-0.19", "longitude": "-78.47", "address": "1 A"})
    for status in ("ACCEPTED", "WAY_TO_DELIVER", "COMPLETED"):
        service.settle(service.bookings[-1], status)
        await heard(rig)
        await rig.pass_time(60)
    assert [one for one in await met() if one not in before] == snapshot(
        [
            "Store created, with its key",
            "Store read _(optional)_",
            "Pre-booking created, with its link",
            "Address entered",
            "Card shows status, order and tracking to the end",
        ]
    )
    assert "a line for each unknown one" in await deliver(rig, "certify")


async def test_the_checklist_as_a_file(rig: Rig) -> None:
    await booked(rig)
    await deliver(rig, "certify")
    told = rig.workspace.ephemerals(MARIA)[-1]
    await rig.workspace.click(MARIA, FINANCE, told.ts, answers.EXPORT)
    direct = rig.workspace.open_dm(MARIA).id
    message = await rig.workspace.until(
        lambda: next((one for one in rig.workspace.messages(direct) if one.files), None)
    )
    file = rig.workspace.file(message.files[0])
    assert file is not None
    text = file.content.decode()
    assert text.count("\n| ") >= len(Point)
    assert "customer, amount and payment | yes | yes | once, last 2026" in text
    assert "READY_FOR_PICKUP" in text


async def test_no_key_and_no_address_lies_in_the_database(rig: Rig, sqlite_url: str) -> None:
    await add(rig)
    await turned(rig, "Store added.", user=OLGA)
    await rig.workspace.close(OLGA)
    await deliver(rig, "webhooks on Harbour", user=OLGA)
    await booked(rig)
    made = service_of(rig).store("Harbour")
    secrets = [STORE_KEY, made.token, "master-key", *(url.rpartition("/")[2] for url in made.webhooks.values())]
    folder = Path(sqlite_url.partition("///")[2]).parent
    dump = b"".join(file.read_bytes() for file in folder.glob("switchboard.db*"))
    assert b"Harbour" in dump
    for secret in secrets:
        assert secret.encode() not in dump
    everything = str(rig.workspace.picture())
    assert not [secret for secret in secrets if secret in everything]
