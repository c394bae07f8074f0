"""What comes to the webhooks of stores: true, doubled, out of order, forged, about unknown bookings, unverifiable."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import Booking
from bot.workflows.bookings import events
from tests.support import deliveries
from tests.support.rig import FINANCE, OLGA, Rig
from tests.support.rows import store_events_of
from tests.support.store_events import FIELDS, made_elsewhere

STATUS = "UPDATE_BOOKING_STATUS"
ON_THE_WAY = "*Ana Lopez · On the way*"
COMPLETED = "*Ana Lopez · Delivered*"


async def with_webhooks(database_url: str) -> Rig:
    opened = await deliveries.open_rig(database_url)
    await deliveries.deliver(opened, "webhooks on Centro", user=OLGA)
    return opened


pytestmark = pytest.mark.rig(on="both", opened_by=with_webhooks)


def address(rig: Rig, kind: str = STATUS) -> str:
    return deliveries.service_of(rig).store("Centro").webhooks[kind]


async def post(url: str, body: object, *, method: str = "POST", **more: Any) -> int:
    data = body if isinstance(body, bytes | str) else json.dumps(body)
    async with aiohttp.ClientSession() as session, session.request(method, url, data=data, **more) as answer:
        await answer.read()
        return answer.status


def event(booking: Booking, status: str) -> dict[str, object]:
    return {"statusText": status, "bookingID": booking.id, "bookingNumericId": booking.number}


async def test_external_booking_appears_in_its_store_channel(rig: Rig) -> None:
    booking = await made_elsewhere(rig)
    assert await deliveries.fact(rig, "Provider ID", deliveries.CENTRO) == f"{booking.number} · ······"
    assert await deliveries.fact(rig, "Booked by", deliveries.CENTRO) == snapshot("")
    assert not rig.cards(FINANCE)
    for _ in range(5):
        deliveries.service_of(rig).advance()
        await deliveries.heard(rig)
    assert deliveries.stands(rig, deliveries.CENTRO) == "*Walk In · Delivered*"
    assert len(rig.cards(deliveries.CENTRO)) == 1


@pytest.mark.parametrize("manner", ["double", "out_of_order", "forged"])
async def test_card_is_right_for_any_order_of_webhooks(rig: Rig, manner: str) -> None:
    setattr(deliveries.service_of(rig).callbacks.switches, manner, True)
    booking = await deliveries.booked(rig)
    await deliveries.heard(rig)
    for _ in range(5):
        deliveries.service_of(rig).advance()
        await deliveries.heard(rig)
        await rig.pass_time(46)
    deliveries.service_of(rig).callbacks.release()
    await deliveries.heard(rig)
    assert booking.status == "COMPLETED"
    assert deliveries.stands(rig) == COMPLETED
    assert await deliveries.fact(rig, "Driver") == snapshot("""Diego Paz · +593987000111 · Rapido · \
diego@rapido.example · \
<http://127.0.0.1/driver/······|picture>""")
    said = deliveries.lines(rig)
    assert sum("*Delivered*" in line for line in said) == 1
    assert len(said) == len(set(said))
    assert not rig.cards(deliveries.CENTRO)


async def test_identical_simultaneous_events_are_one(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    reads = len(deliveries.service_of(rig).calls_of("get_booking"))
    answers = await asyncio.gather(*(post(address(rig), event(booking, "READY_FOR_PICKUP")) for _ in range(8)))
    assert set(answers) == {200}
    kept = await rig.switchboard.context.store.read(lambda tx: store_events_of(tx, "Centro"))
    assert sum("READY" in one.body and one.state.value == "received" for one in kept) == 1
    await deliveries.heard(rig)
    assert len(deliveries.service_of(rig).calls_of("get_booking")) == reads + 1


async def test_large_event_keeps_only_the_needed_fields(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    deliveries.service_of(rig).callbacks.switches.drop = True
    deliveries.service_of(rig).settle(booking, "WAY_TO_DELIVER")
    large = {**event(booking, "WAY_TO_DELIVER"), "more": [{"text": "x" * 2_000}] * 90}
    assert await post(address(rig), large) == 200
    assert await post(address(rig), {f"field{n}": "x" * 400 for n in range(600)}) == 200
    store = rig.switchboard.context.store
    waiting = [
        one for one in await store.read(lambda tx: store_events_of(tx, "Centro")) if one.state.value == "received"
    ]
    assert max(len(one.body) for one in waiting) < 10_000
    await rig.settle()
    assert deliveries.stands(rig) == ON_THE_WAY
    assert not any(one.body for one in await store.read(lambda tx: store_events_of(tx, "Centro")))


async def test_events_beyond_capacity_are_refused(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_MOST_OF_AN_ADDRESS", 10)
    answers = [await post(address(rig), {"bookingID": f"{n}" * 24}) for n in range(12)]
    assert answers == [200] * 10 + [503] * 2
    await rig.pass_time(600, steps=8)
    assert await post(address(rig), {"bookingID": "f" * 24}) == 200
    kept = await rig.switchboard.context.store.read(lambda tx: store_events_of(tx, "Centro"))
    assert len(kept) == 10


async def test_unknown_bookings_and_bad_bodies_change_nothing(rig: Rig) -> None:
    for body in (b"", b"\xff\xfe", "nonsense", "[]", "null", "5", '{"statusText":"COMPLETED"}', "[" * 9_000):
        assert await post(address(rig), body) == 200, body
    theirs = deliveries.service_of(rig).book.create(deliveries.service_of(rig).add_store("Norte"), FIELDS)
    assert await post(address(rig), {"statusText": "COMPLETED", "bookingID": "f" * 24}) == 200
    assert await post(address(rig), event(theirs, "COMPLETED")) == 200
    await rig.pass_time(600, steps=8)
    assert not rig.workspace.messages(deliveries.CENTRO)
    kept = await rig.switchboard.context.store.read(lambda tx: store_events_of(tx, "Centro"))
    assert {one.state.value for one in kept} == {"stale"}


async def test_record_of_another_store_changes_no_booking(rig: Rig) -> None:
    await deliveries.booked(rig)
    store = rig.switchboard.context.store
    (ours,) = await store.read(lambda tx: tx.bookings.open(limit=20))
    await store.write(lambda tx: tx.bookings.touch(ours, store="Norte"))
    fields = {**FIELDS, "externalBookingId": ours.external_id}
    theirs = deliveries.service_of(rig).book.create(deliveries.service_of(rig).store("Centro"), fields)
    deliveries.service_of(rig).settle(theirs, "COMPLETED")
    await deliveries.heard(rig)
    kept = await store.read(lambda tx: tx.bookings.get(ours.id))
    assert kept is not None
    assert (kept.remote_id, kept.status) == (ours.remote_id, ours.status)


@pytest.mark.parametrize("back", ["READY_FOR_PICKUP", "ready_for_pickup", "ON_HOLD", "PROVIDER_NOT_FOUND"])
async def test_reported_driver_is_removed_when_the_search_restarts(rig: Rig, back: str) -> None:
    booking = await deliveries.booked(rig)
    deliveries.service_of(rig).callbacks.switches.drop = True
    deliveries.service_of(rig).settle(booking, "ACCEPTED")
    booking.driver = None
    report = {**event(booking, "ACCEPTED"), "driverName": "Diego Paz", "driverMobile": "+593987000111"}
    assert await post(address(rig, "DRIVER_ASSIGNED"), report) == 200
    await deliveries.heard(rig)
    assert (await deliveries.fact(rig, "Driver")).startswith("Diego Paz · +593987000111")
    deliveries.service_of(rig).settle(booking, back.upper(), force=True)
    booking.driver, booking.status = None, back
    await post(address(rig, "DRIVER_ASSIGNED"), report)  # late; nobody drives
    await deliveries.heard(rig)
    assert await deliveries.fact(rig, "Driver") == ""


async def test_unknown_webhook_address_reveals_nothing(rig: Rig) -> None:
    url = address(rig)
    base = url.rpartition("/")[0]
    for wrong in (f"{base}/{'A' * 43}", f"{base}/short", f"{url}x", url.replace("delivery", "payments")):
        assert await post(wrong, {"bookingID": "1"}) == 404
    assert await post(url, {}, method="GET") == 404
    assert await post(url, b"x" * 300_000) == 413
    kept = await rig.switchboard.context.store.read(lambda tx: store_events_of(tx, "Centro"))
    assert not kept


async def test_unreadable_event_is_posted_as_unverified(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    deliveries.service_of(rig).settle(booking, "ACCEPTED")
    deliveries.service_of(rig).switches.suspended = True
    await deliveries.heard(rig)
    assert (
        deliveries.card(rig)
        .text.splitlines()[-1]
        .endswith("Reported as driver on the way to the store, not confirmed.")
    )
    assert deliveries.stands(rig) == deliveries.SEARCHING  # the state stays what was read
    assert ["Not confirmed" in line for line in sorted(deliveries.lines(rig))] == [True, True]
    deliveries.service_of(rig).switches.suspended = False
    await rig.pass_time(120, steps=4)
    assert "not confirmed" not in deliveries.card(rig).text
    assert "Driver on the way to the store" in deliveries.stands(rig)


async def test_short_outage_is_awaited_before_calling_an_event_unverified(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    deliveries.service_of(rig).faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=2))
    deliveries.service_of(rig).settle(booking, "WAY_TO_DELIVER")
    await deliveries.heard(rig)
    await rig.pass_time(12, steps=6)
    assert deliveries.stands(rig) == ON_THE_WAY
    assert not any("Not confirmed" in line for line in deliveries.lines(rig))


@pytest.mark.rig(on="sqlite", opened_by=deliveries.open_rig, public_url=None)
async def test_without_a_public_address_nothing_is_registered(rig: Rig) -> None:
    assert "PUBLIC_URL is missing" in await deliveries.deliver(rig, "webhooks on Centro", user=OLGA)
    assert not deliveries.service_of(rig).calls_of("register_webhook")
    deliveries.service_of(rig).store("Centro").webhooks[STATUS] = "https://hooks.example.com/secret-path"
    said = await deliveries.deliver(rig, "webhooks Centro")
    assert "goes elsewhere (hooks.example.com)" in said
    assert "secret-path" not in said


async def test_event_of_a_store_without_key_is_posted_in_its_channel(rig: Rig) -> None:
    deliveries.service_of(rig).callbacks.switches.drop = True
    booking = deliveries.service_of(rig).book.create(deliveries.service_of(rig).store("Centro"), FIELDS)
    store = rig.switchboard.context.store
    row = await store.read(lambda tx: tx.stores.get("Centro"))
    assert row is not None
    await store.write(lambda tx: tx.stores.touch(row, sealed_key=""))
    await post(address(rig), event(booking, "ACCEPTED"))
    await rig.settle()
    (said,) = [one for one in rig.workspace.messages(deliveries.CENTRO) if str(booking.id) in one.text]
    assert "Not confirmed" in said.text
    assert "API key for the store Centro" in said.text


async def test_callback_sources_are_listed_per_service(sqlite_url: str) -> None:
    here = "127.0.0.0/8"
    rig = await deliveries.open_rig(
        sqlite_url,
        payments_allowed_sources="198.51.100.7",
        delivery_allowed_sources="203.0.113.9",
        trusted_proxies=here,
    )
    try:
        await deliveries.deliver(rig, "webhooks on Centro", user=OLGA)
        for source, status in (("198.51.100.7", 404), ("192.0.2.1", 404), ("203.0.113.9", 200)):
            assert await post(address(rig), {"bookingID": "1"}, headers={"X-Forwarded-For": source}) == status
        assert await post(address(rig), {"bookingID": "1"}) == 404
    finally:
        await rig.close()


async def test_webhook_addresses_expire_on_new_registration(rig: Rig) -> None:
    old = address(rig)
    await deliveries.deliver(rig, "webhooks on Centro", user=OLGA)
    new = address(rig)
    assert new != old
    assert [await post(url, {"bookingID": "1"}) for url in (old, new)] == [404, 200]
    said = await deliveries.deliver(rig, "webhooks off Centro", user=OLGA)
    assert said.count("`: off.") == 2
    assert await post(new, {"bookingID": "1"}) == 404
    deliveries.service_of(rig).switches.keep_webhooks = True
    await deliveries.deliver(rig, "webhooks on Centro", user=OLGA)
    said = await deliveries.deliver(rig, "webhooks off Centro", user=OLGA)
    assert "are not all off" in said  # the service did not do it, and that is what is said


async def test_late_proof_of_delivery_is_shown(rig: Rig) -> None:
    booking = await deliveries.booked(rig)
    deliveries.service_of(rig).callbacks.switches.drop = True
    deliveries.service_of(rig).settle(booking, "COMPLETED")
    booking.proof = ""
    await rig.pass_time(31)
    assert not await deliveries.fact(rig, "Proof of delivery")
    booking.proof = f"/proof/{booking.id}.png"
    await post(address(rig), event(booking, "COMPLETED"))
    await deliveries.heard(rig)
    assert await deliveries.fact(rig, "Proof of delivery") == snapshot("<http://127.0.0.1/proof/······.png|see it>")
    assert sum("*Delivered*" in line for line in deliveries.lines(rig)) == 1


@pytest.mark.parametrize(("secret", "escaped"), [
    ("partner-secret", ""), ("a-secret-key-for-tests-0123456789", ""), ("centro-store-key-0123456789", ""),
    ("centro-store-key-0123456789", "-"), ("centro-store-key-0123456789", "centro-store-key-0123456789"),
])  # fmt: skip
async def test_secret_in_an_event_is_neither_stored_nor_shown(rig: Rig, secret: str, escaped: str) -> None:
    """However its JSON spells it: some serializers write any character as an escape."""
    booking = await deliveries.booked(rig)
    status = f"see {secret}"
    spelled = "".join(f"\\u{ord(char):04x}" if char in escaped else char for char in secret)
    deliveries.service_of(rig).faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))
    body = json.dumps(event(booking, status)).replace(secret, spelled)
    assert await post(address(rig), body.encode()) == 200
    [kept] = await rig.switchboard.context.store.write(
        lambda tx: tx.store_events.claim_due(now=rig.clock.now(), owner="test", lease_seconds=1, limit=5)
    )
    assert json.loads(kept.body)["statusText"] == "see [hidden]"
    await rig.pass_time(600, steps=12)
    assert "see [hidden]" in "".join(deliveries.lines(rig))
    assert secret not in "".join(deliveries.lines(rig)) + deliveries.card(rig).text


async def test_polling_pace_restarts_with_each_change(rig: Rig) -> None:
    service, booking = deliveries.service_of(rig), await deliveries.booked(rig)
    service.callbacks.switches.drop = True
    await rig.pass_time(3_600, steps=60)
    reads = len(service.calls_of("get_booking"))
    await rig.pass_time(1_200, steps=40)
    assert 1 <= len(service.calls_of("get_booking")) - reads <= 5, "it is read seldom after an hour without a change"
    service.settle(booking, "ACCEPTED")
    while "Driver on the way" not in deliveries.stands(rig):
        await rig.pass_time(30)
    reads = len(service.calls_of("get_booking"))
    await rig.pass_time(90, steps=3)
    assert len(service.calls_of("get_booking")) - reads >= 2
