"""Stores, prices, pre-bookings and the checklist: by command and form, through the real stack."""

import re
from pathlib import Path

import aiohttp
import pytest

from bot.clients.delivery import StoreForm
from bot.domain.bookings.record import Point
from bot.playground.faults import Fault, FaultKind
from bot.presentation.bookings import answers, cards
from bot.presentation.bookings import forms as views
from bot.presentation.reasons import worded
from bot.workflows.bookings.observe import gathered
from bot.workflows.bookings.stores import change_store
from tests.support.deliveries import (
    FORM,
    PRE,
    SEARCHING,
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
from tests.support.shown import lacking, shown

STORE = {
    views.NAME: "Harbour",
    views.EMAIL: "harbour@example.com",
    views.PHONE: "+593 2 234 5678",
    views.ADDRESS: "9 Quay",
    views.POSITION: "-0.2000, -78.4900",
    views.PLACE_REFERENCE: "Beside the crane",
}

pytestmark = pytest.mark.rig(opened_by=open_rig)


async def test_deliver_refuses_people_without_the_role(rig: Rig) -> None:
    calls = len(service_of(rig).calls)
    of_all = ("stores", "book", "quote", "prebook", "store add", "webhooks on Centro", "certify")
    of_admins = ("store add", "store add Harbour", "webhooks on Centro", "webhooks off Centro")
    for user, verbs in ((ZOE, of_all), (GUS, of_all), (EVE, of_all), (MARIA, of_admins), (ADA, of_admins)):
        for verb in verbs:
            ack = await rig.workspace.slash(user, FINANCE, "/deliver", verb, force=True)
            assert shown(ack).startswith(":no_entry_sign:") is (user != EVE), (user, verb)
            assert not rig.workspace.modals(user)
    assert len(service_of(rig).calls) == calls


async def test_store_form_is_refused_once_its_admin_lost_the_role(rig: Rig) -> None:
    await deliver(rig, "store add", user=OLGA)
    rig.switchboard.context.policy.people.__dict__["admins"] = ()
    await rig.submit(OLGA, STORE)
    await turned(rig, "You don't have permission", user=OLGA)
    assert not service_of(rig).calls_of("create_store")


async def test_webhooks_of_a_store_are_shown_to_every_role(rig: Rig) -> None:
    told = await deliver(rig, "webhooks Centro", user=ADA)
    assert told.count(": off.") == 2


async def test_customer_address_is_shown_only_to_permitted_people(rig: Rig) -> None:
    booking = await booked(rig)
    personal = ("12 Market Street", "Blue door", "991234567", "99 123 4567", "-78.47", booking.validation_code)
    drawn = card(rig)
    assert [one for one in ("Ana Lopez", *personal) if one in f"{drawn.text} {drawn.blocks}"] == ["Ana Lopez"]
    await choose(rig, cards.DETAILS, user=ADA)
    details = rig.form(ADA)
    assert details is not None
    assert not lacking(
        details.plain, *personal[:3], booking.validation_code, "$1.97", "Ring twice", "10001", "providerFee: 1.91"
    )
    for act in (cards.DETAILS, cards.CANCEL, cards.REFRESH, cards.AGAIN):
        await choose(rig, act, user=ZOE)
        await rig.settle()
    await rig.click(drawn, cards.CONTACT, user=ZOE, value=drawn.buttons[0].value, force=True)
    assert {one.text[:16] for one in rig.workspace.ephemerals(ZOE)} == {":no_entry_sign: "}
    assert not rig.workspace.modals(ZOE)


async def test_button_of_another_booking_is_outdated(rig: Rig) -> None:
    await booked(rig)
    first = card(rig)
    await booked(rig)
    second = card(rig).buttons[0].value
    forged = {
        "selected_option": {"value": f"{cards.CANCEL}:{second}", "text": {"type": "plain_text", "text": "Cancel"}}
    }
    await rig.workspace.click(MARIA, FINANCE, first.ts, cards.MENU, action=forged, value=None, force=True)
    await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[-1:])
    assert "has changed since" in rig.workspace.ephemerals(MARIA)[-1].text
    assert not rig.workspace.modals(MARIA)


async def add(rig: Rig, **changes: str) -> None:
    await deliver(rig, "store add", user=OLGA)
    await rig.submit(OLGA, {**STORE, **changes})


async def added(rig: Rig, **changes: str) -> dict[str, object]:
    """Add the store Harbour; the fields that the service holds of it."""
    await add(rig, **changes)
    await turned(rig, "Store added.", user=OLGA)
    assert STORE[views.ADDRESS] in rig.form(OLGA).plain
    await rig.workspace.close(OLGA)
    return service_of(rig).store("Harbour").fields


async def edited(rig: Rig, store: str, **changes: str) -> str:
    """Change a store; the form that confirms it."""
    await deliver(rig, f"store edit {store}")
    await rig.submit(MARIA, changes)
    await turned(rig, "Saved.")
    told = rig.form().plain
    await rig.workspace.close(MARIA)
    return told


async def test_store_is_added_and_used_by_its_name(rig: Rig) -> None:
    fields = await added(rig)
    assert (fields["countryCode"], fields["email"]) == ("+593", "harbour@example.com")
    assert (await deliver(rig, "store show  hArBouR ")).splitlines()[0] == ":convenience_store: *Harbour*"
    await edited(rig, "harbour", **{**STORE, views.NAME: "Old Harbour", views.ADDRESS: "10 Quay"})
    told = (await deliver(rig, "stores")).splitlines()
    assert told == ["*2 stores*", "• *Centro*: 1 Main Square", "• *Old Harbour*: 10 Quay"]


async def test_store_hint_is_optional(rig: Rig) -> None:
    assert "addressReference" not in await added(rig, **{views.PLACE_REFERENCE: ""})
    await edited(rig, "Centro", **{views.PLACE_REFERENCE: ""})
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


async def test_every_field_of_a_store_can_be_set_and_cleared(rig: Rig) -> None:
    fields = await added(rig, **EXTRAS)
    names = ("exterior", "interior", "addressNumber", "building", "city", "zipCode", "country")
    assert [fields[name] for name in names] == [*EXTRAS.values()]
    told = await deliver(rig, "store show Harbour")
    assert all(f": {value}\n" in told for value in EXTRAS.values())
    await deliver(rig, "store edit Harbour")
    assert "Torre Sur" in form_text(rig)
    await rig.workspace.close(MARIA)
    await edited(rig, "Harbour", building="", city="Loja")
    assert (fields["building"], fields["city"], fields["interior"]) == ("", "Loja", "Floor 3")


async def test_store_without_address_or_number_can_be_saved(rig: Rig) -> None:
    """The service decides what it needs; ours judges only what somebody changed."""
    held = service_of(rig).store("Centro").fields
    for name in ("email", "mobile", "countryCode"):
        held.pop(name)
    await edited(rig, "Centro", **{views.ADDRESS: "2 Main Square"})
    assert (held["fullAddress"], "email" in held, "mobile" in held) == ("2 Main Square", False, False)
    held |= {"email": "nobody at home", "mobile": "22345678"}
    await edited(rig, "Centro", **{views.ADDRESS: "3 Main Square"})
    assert (held["fullAddress"], held["email"], held["mobile"]) == ("3 Main Square", "nobody at home", "22345678")
    await add(rig, **{views.EMAIL: "", views.PHONE: ""})
    await turned(rig, "email is required", user=OLGA)
    assert "9 Quay" in form_text(rig, OLGA)


async def test_price_of_a_delivery_depends_on_the_vehicle(rig: Rig) -> None:
    asked = {views.POSITION: "geo:-0.2,-78.5", views.AMOUNT: "10"}
    for vehicle, told in (
        ("", "$3.65 ($0.48 tax)"),
        ("CAR", "$5.47 "),
        ("BOAT", "must be one of MOTORCYCLE, CAR, VAN"),
    ):
        await deliver(rig, "quote")
        await rig.submit(MARIA, {**asked, **({views.VEHICLE: vehicle} if vehicle else {})})
        await turned(rig, told)
        await rig.workspace.close(MARIA)
    assert ["carName" in str(call.body) for call in service_of(rig).calls_of("quote")] == [False, True, True]
    assert not service_of(rig).bookings


DESK = {
    "delivery_dashboard_url": "https://desk.example.com/#/bookings",
    "delivery_support_url": "https://desk.example.com/chat?team=1",
}


@pytest.mark.rig(opened_by=open_rig, **DESK)
async def test_dashboard_and_support_are_linked_when_needed(rig: Rig) -> None:
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
    assert f"contact its operator: {DESK['delivery_support_url']}" in await deliver(rig, "stores")


async def test_store_change_starts_from_the_current_record(rig: Rig) -> None:
    await deliver(rig, "store show Centro")
    service_of(rig).stores[0].fields["fullAddress"] = "5 New Street"
    told = await edited(rig, "Centro", **{views.PLACE_REFERENCE: "Green door"})
    assert "Address: 5 New Street\nHow to find it: Green door\n" in told


@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_store_form_survives_a_slow_or_absent_service(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.SLOW, "get_store", seconds=0.8))
    await deliver(rig, "store edit Centro")
    assert "Asking Delivery…" in rig.form().plain
    await turned(rig, "1 Main Square")
    await rig.workspace.close(MARIA)
    service_of(rig).faults.arm(Fault(FaultKind.LOST, "get_store"))
    await deliver(rig, "store edit Centro")
    assert "Couldn't reach Delivery" in rig.form().plain


async def test_store_that_cannot_be_read_is_shown_as_stored(rig: Rig) -> None:
    await deliver(rig, "stores")
    service_of(rig).faults.arm(Fault(FaultKind.LOST, "get_store"))
    told = await deliver(rig, "store show Centro")
    assert "Address: 1 Main Square" in told
    assert told.splitlines()[-1].startswith(":warning: May be out of date.")
    service_of(rig).book.change_store(service_of(rig).store("Centro"), {"fullAddress": "2 New Square"})
    assert "Address: 2 New Square" in await deliver(rig, "store show Centro")


@pytest.mark.parametrize(("kind", "stores"), [(FaultKind.DONE_DROPPED, 2), (FaultKind.LOST, 1)])
async def test_store_whose_answer_was_lost_is_found_or_forgotten(rig: Rig, kind: FaultKind, stores: int) -> None:
    service_of(rig).faults.arm(Fault(kind, "create_store"))
    await add(rig)
    await turned(rig, "Checking whether", user=OLGA)
    await rig.workspace.close(OLGA)
    await rig.pass_time(899, steps=7)
    told = await deliver(rig, "stores")
    assert (told.startswith("*2 stores*"), "not confirmed yet" in told) == (True, kind is FaultKind.LOST)
    await rig.pass_time(300, steps=2)
    assert len((await deliver(rig, "stores")).splitlines()) == 1 + stores
    assert len(service_of(rig).calls_of("create_store")) == 1
    seen, _ = await rig.switchboard.context.store.read(gathered)
    assert (Point.STORE in seen) is (stores == 2)


async def test_name_of_a_refused_store_is_free_again(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.REFUSED, "create_store"))
    await add(rig)
    await turned(rig, "Nothing was done", user=OLGA)
    await rig.workspace.close(OLGA)
    assert (await deliver(rig, "stores")).startswith("*1 store*")
    await added(rig)


async def test_store_that_lost_its_key_is_not_changed(rig: Rig) -> None:
    ctx = rig.switchboard.context
    changed = await change_store(ctx, ctx.delivery.required(), "Gone", StoreForm(address="9 Quay"))
    assert "no API key for the store Gone" in worded(changed.trouble)
    assert service_of(rig).calls_of("update_store") == []


async def test_store_name_is_unique(rig: Rig) -> None:
    await add(rig, **{views.NAME: " CENTRO "})
    await turned(rig, "already", user=OLGA)

    assert not service_of(rig).calls_of("create_store")


async def test_errors_are_shown_at_their_fields(rig: Rig) -> None:
    await deliver(rig, "store add", user=OLGA)
    await rig.submit(
        OLGA, STORE | {views.PHONE: "call me", views.POSITION: "https://maps.app.goo.gl/abc", views.EMAIL: "a@b"}
    )
    view = rig.form(OLGA)
    assert set(view.errors) == {views.PHONE, views.EMAIL}, "a short link is opened when the rest is right"


async def test_several_stores_are_named(rig: Rig) -> None:
    assert (await deliver(rig, "store show")).splitlines()[0] == ":convenience_store: *Centro*"
    for name in ("Norte", "Centro"):
        service_of(rig).add_store(name, token=f"another-{name}")
    assert [line.split("*")[1] for line in (await deliver(rig, "stores")).splitlines()[1:]] == [
        *("Centro", "Centro (2)", "Norte")
    ]
    assert (await deliver(rig, "store show")).splitlines()[0] == ":pencil2: Add a store: Centro, Centro (2), Norte."
    assert "No store called “center”. Did you mean Centro?" in await deliver(rig, "store show center")


@pytest.mark.parametrize("text", ["-78.4700, -0.1850", "https://www.google.com/maps/@-0.1850,-78.4700,17z"])
async def test_doubtful_position_is_confirmed_before_booking(rig: Rig, text: str) -> None:
    await deliver(rig, "book")
    await rig.submit(MARIA, {**FORM, views.POSITION: text})
    assert "-0.1850, -78.4700" in rig.form().errors[views.POSITION]
    assert not service_of(rig).calls_of("pre_checkout")
    await rig.submit(MARIA, {**FORM, views.POSITION: "-0.1850, -78.4700"})
    await turned(rig, "Delivery fee")


async def test_show_cancel_and_start_by_command(rig: Rig) -> None:
    booking = await booked(rig, **{views.COOK: "30"})
    [reference] = re.findall(r"B-[2-9A-Z]{6}", card(rig).text)
    assert "Looking for a driver: Ana Lopez" in await deliver(rig, f"start {reference}")
    assert "can't be started now" in await deliver(rig, f"start {reference.lower()}")
    assert "Canceled: Ana Lopez" in await deliver(rig, f'cancel {reference} "not wanted any more"')
    assert booking.cancel_reason == "not wanted any more"
    assert "already canceled" in await deliver(rig, f"cancel {reference} again")


async def test_external_booking_is_shown_from_the_service(rig: Rig) -> None:
    norte = service_of(rig).add_store("Norte")
    await deliver(rig, "stores")
    fields = {"customerName": "Walk", "latitude": "-0.19", "longitude": "-78.47", "address": "5 Other Street"}
    made = service_of(rig).book.create(norte, fields)
    service_of(rig).settle(made, "COMPLETED")
    made.validation_code = "7419"
    told = await deliver(rig, f"show {made.number}")
    assert not lacking(
        told, "Norte: *delivered*", "`COMPLETED`", "Customer: Walk", "5 Other Street", "$1.92", "code: 7419", "/proof/"
    )
    assert not lacking(told, "• *Ciclo* · searching · providerFee: 2.12", "not followed")
    for unknown in ("99999", "../../x"):
        said = (await deliver(rig, f"show {unknown}")).splitlines()[0]
        assert said == f":pencil2: I can't find {unknown}. Check the reference."


async def test_delivery_at_the_door_cannot_be_canceled(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "NOT_DELIVERED")
    [reference] = re.findall(r"B-[2-9A-Z]{6}", card(rig).text)
    said = await deliver(rig, f"cancel {reference} too late")
    assert "The booking is NOT_DELIVERED" in said
    await rig.settle()
    assert "Nobody opened the door" in stands(rig)


# pre-bookings


async def test_prebooking_becomes_a_booking_on_the_same_card(rig: Rig) -> None:
    await prebook(rig)
    made = service_of(rig).prebookings[-1]
    link = f"{service_of(rig).base_url}/address/{made.id}"
    assert f"this link: <{link}>" in card(rig).text
    picture = [message for message in rig.news(FINANCE) if message.files]
    assert len(picture) == 1
    assert link in picture[0].text
    async with aiohttp.ClientSession() as customer:
        fields = {"address": "3 Hill Road", "latitude": "-0.19", "longitude": "-78.47"}
        async with customer.post(link, data=fields) as answer:
            assert answer.status == 200
    await rig.pass_time(46)
    assert stands(rig).startswith(SEARCHING)
    said = await deliver(rig, f"show {reference_of(rig)}")
    assert "\nAddress: 3 Hill Road\n" in said
    service_of(rig).settle(service_of(rig).bookings[-1], "COMPLETED")
    await rig.pass_time(61, steps=2)
    assert stands(rig) == "*Ana Lopez · Delivered*"
    assert len(rig.cards(FINANCE)) == 1


async def test_prebooking_is_shown_and_canceled(rig: Rig) -> None:
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
    assert stands(rig) == "*Ana Lopez · Canceled*"
    assert is_over(rig)
    assert not [line for line in lines(rig) if "canceled" in line], "who did it is told nothing about it"


@pytest.mark.rig(environment="production")
async def test_production_has_no_prebookings(rig: Rig) -> None:
    for text in ("prebook", "prebook show B-222222", "prebook cancel B-222222"):
        assert "only in the provider's sandbox" in await deliver(rig, text)
    assert not service_of(rig).calls_of("create_prebooking")


async def test_prebooking_form_opened_before_production_is_refused(rig: Rig) -> None:
    await deliver(rig, "prebook")
    await rig.switchboard.stop()
    rig.settings = type(rig.settings)(_env_file=None, **{**rig.settings.model_dump(), "environment": "production"})
    await rig.start()
    await rig.submit(MARIA, PRE)
    assert "only in the provider's sandbox" in rig.form().plain
    assert not service_of(rig).calls_of("create_prebooking")


async def test_certification_point_passes_by_the_document(rig: Rig) -> None:
    """From an empty workspace to all of them; the first state of a booking proves nothing."""

    async def met() -> list[str]:
        lines = (await deliver(rig, "certify", user=OLGA)).splitlines()
        return [one.split(": ")[1] for one in lines if one.startswith(":white_check_mark:")]

    service = service_of(rig)
    first = await booked(rig, **{views.PAYMENT: "CARD", views.COOK: "5"})
    assert first.fields["paymentMethod"] == "CARD"
    assert "Card booking" in await met()
    told = await deliver(rig, "certify", user=OLGA)
    assert not lacking(told, "3 of 11 required", "(missing: finished, canceled)")
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
    await added(rig)
    await deliver(rig, "store show Harbour")
    await prebook(rig)
    service.book.enter_address(service.prebookings[-1], {"latitude": "-0.19", "longitude": "-78.47", "address": "1 A"})
    for status in ("ACCEPTED", "WAY_TO_DELIVER", "COMPLETED"):
        service.settle(service.bookings[-1], status)
        await heard(rig)
        await rig.pass_time(60)
    new = [one.split(" ")[0] for one in await met() if one not in before]
    assert new == ["Store", "Store", "Pre-booking", "Address", "Card"]
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
    assert not lacking(text, "customer, amount and payment | yes | yes | once, last 2026", "READY_FOR_PICKUP")


async def test_database_holds_no_plain_keys_or_addresses(rig: Rig, sqlite_url: str) -> None:
    await added(rig)
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
