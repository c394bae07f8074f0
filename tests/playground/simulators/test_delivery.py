"""The delivery service in a box: its rules, how bookings move, its webhooks and manners."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.playground.console.delivery_panel import DeliveryPanel
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.delivery.records import PROVIDERS, STATUSES
from tests.support.clock import ManualClock

KEY = "store-key"
BOOKING: dict[str, Any] = {
    "latitude": -0.185,
    "longitude": -78.47,
    "address": "12 Market Street",
    "customerName": "Ana",
    "customerLastName": "Lopez",
    "customerCountryCode": "+593",
    "customerMobile": "991234567",
    "paymentMethod": "CASH",
    "orderAmount": 25.5,
    "externalBookingId": "ours-1",
}


@pytest.fixture
async def service() -> AsyncIterator[DeliverySimulator]:
    clock = ManualClock()
    async with DeliverySimulator(clock=clock.seconds) as running:
        running.add_store("Centro", token=KEY)
        yield running


async def ask(
    service: DeliverySimulator, method: str, path: str, body: object = None, *, key: str = KEY, **headers: str
) -> tuple[int, Any]:
    sent = {"Authorization": f"Bearer {key}", "content-language": "en", "Content-Type": "application/json", **headers}
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"{service.base_url}/api/{path}", json=body, headers=sent) as answer,
    ):
        return answer.status, await answer.json()


async def test_it_has_a_dashboard_and_a_chat_for_people(service: DeliverySimulator) -> None:
    number = (await book(service))["bookingNumericId"]
    async with aiohttp.ClientSession() as session:
        for page, words in (("dashboard", f"{number} · Centro · READY_FOR_PICKUP"), ("support", "nobody answers")):
            async with session.get(f"{service.base_url}/{page}") as answer:
                assert words in await answer.text()


async def book(service: DeliverySimulator, **changes: object) -> Any:
    status, body = await ask(service, "POST", "createBooking", {**BOOKING, **changes})
    assert status == 200, body
    return body["data"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"customerMobile": "0991234567"}, "leading 0"),
        ({"customerCountryCode": "593"}, "+593"),
        ({"paymentMethod": "CRYPTO"}, "CASH or CARD"),
        ({"orderAmount": 0}, "above zero"),
        ({"orderAmount": "25.5"}, "above zero"),
        ({"bookingNotes": "x"}, "3 to 250"),
        ({"bookingNotes": "x" * 251}, "3 to 250"),
        ({"cookTime": 1.5}, "milliseconds"),
        ({"latitude": 91}, "-90 to 90"),
        ({"latitude": "-0.1"}, "-90 to 90"),
        ({"customerName": ""}, "required"),
        ({"latitude": -2.2, "longitude": -79.9}, "not covered"),
    ],
)
async def test_wrong_booking_requests_are_refused(
    service: DeliverySimulator, changes: dict[str, object], words: str
) -> None:
    status, body = await ask(service, "POST", "createBooking", {**BOOKING, **changes})
    assert status in (400, 404)
    assert words in body["message"]
    assert not service.bookings


async def test_each_operation_takes_its_own_key(service: DeliverySimulator) -> None:
    assert (await ask(service, "GET", "getStores"))[0] == 401
    assert (await ask(service, "GET", "getStores", key="master-key"))[0] == 200
    assert (await ask(service, "GET", "getStore", key="master-key"))[0] == 401
    assert (await ask(service, "GET", "getStore"))[0] == 200


async def test_it_wants_a_language_and_json(service: DeliverySimulator) -> None:
    assert (await ask(service, "GET", "getStore", **{"content-language": ""}))[0] == 400
    assert (await ask(service, "GET", "getStore", **{"Content-Type": "text/plain"}))[0] == 400


async def test_booking_runs_from_provider_calls_to_the_door(service: DeliverySimulator) -> None:
    await book(service)
    booking = service.bookings[-1]
    assert [order.provider for order in booking.orders] == [provider.name for provider in PROVIDERS]
    places = []
    for _ in range(5):
        service.advance()
        places.append(booking.at)
    assert booking.history == list(STATUSES[1:7])
    assert len(set(places)) >= 4  # the driver moved
    assert [order.state for order in booking.orders].count("accepted") == 1


async def test_driver_giving_up_restarts_the_search(service: DeliverySimulator) -> None:
    service.switches.drop_driver = 1
    await book(service)
    booking = service.bookings[-1]
    for _ in range(2):
        service.advance()
    assert booking.history == ["READY_FOR_PICKUP", "ACCEPTED", "READY_FOR_PICKUP"]
    assert booking.driver is None
    assert len(booking.orders) == 2 * len(PROVIDERS)


@pytest.mark.parametrize(
    ("switch", "value", "end"),
    [
        ("no_provider", True, "PROVIDER_NOT_FOUND"),
        ("undelivered", True, "RETURNED"),
        ("unknown_status", "ODD", "COMPLETED"),
    ],
)
async def test_other_ends(service: DeliverySimulator, switch: str, value: object, end: str) -> None:
    setattr(service.switches, switch, value)
    await book(service)
    for _ in range(12):
        service.advance()
    assert service.bookings[-1].status == end


async def test_cook_time_delays_the_search(service: DeliverySimulator) -> None:
    body = await book(service, cookTime=60_000)
    assert body["statusText"] == "ON_HOLD"
    assert (await ask(service, "POST", "startSearch", {"bookingID": body["_id"]}))[0] == 200
    assert (await ask(service, "POST", "startSearch", {"bookingID": body["_id"]}))[0] == 409
    assert (await ask(service, "POST", "startSearch", {"bookingID": "nobody's"}))[0] == 404


async def test_bookings_are_not_idempotent_and_found_by_newest(service: DeliverySimulator) -> None:
    await book(service)
    second = await book(service)
    assert len(service.bookings) == 2
    status, body = await ask(service, "GET", "getBookingDetails?externalID=ours-1")
    assert (status, body["data"]["_id"]) == (200, second["_id"])
    assert (await ask(service, "GET", "getBookingDetails?externalID="))[0] == 404


async def test_webhooks_are_sent_for_each_kind_and_replaced(service: DeliverySimulator) -> None:
    got: list[tuple[str, Any]] = []

    async def take(request: web.Request) -> web.Response:
        got.append((request.path, await request.json()))
        return web.Response()

    app = web.Application()
    app.router.add_post("/{kind}", take)
    async with TestServer(app) as listener:
        for kind in ("UPDATE_BOOKING_STATUS", "DRIVER_ASSIGNED"):
            url = str(listener.make_url(f"/{kind}"))
            assert (await ask(service, "POST", "webhooks", {"type": kind, "url": "http://127.0.0.1:1/old"}))[0] == 200
            assert (await ask(service, "POST", "webhooks", {"type": kind, "url": url}))[0] == 200
        assert (await ask(service, "POST", "webhooks", {"type": "ODD", "url": "http://x"}))[0] == 400
        await book(service)
        service.advance()
        await service.delivered()
        assert (await ask(service, "DELETE", "webhooks", {"type": "DRIVER_ASSIGNED"}))[0] == 200
        _, body = await ask(service, "GET", "webhooks")
        assert [one["type"] for one in body["data"]] == ["UPDATE_BOOKING_STATUS"]
    kinds = sorted(path for path, _ in got)
    assert kinds == ["/DRIVER_ASSIGNED", "/UPDATE_BOOKING_STATUS", "/UPDATE_BOOKING_STATUS"]
    driver = next(body for path, body in got if path == "/DRIVER_ASSIGNED")
    assert driver["driverName"] == "Diego Paz"
    assert driver["deliveryProvider"] == "Rapido"


async def test_prebooking_waits_for_its_customer(service: DeliverySimulator) -> None:
    wanted = {name: BOOKING[name] for name in BOOKING if name not in ("latitude", "longitude", "address")}
    assert (await ask(service, "POST", "pre-booking", BOOKING))[0] == 400
    status, body = await ask(service, "POST", "pre-booking", wanted)
    assert status == 200
    made = body["data"]
    async with aiohttp.ClientSession() as customer:
        async with customer.get(made["url"]) as page:
            assert "Deliver here" in await page.text()
        async with customer.post(made["url"], data={"address": "x", "latitude": "a", "longitude": "b"}) as page:
            assert page.status == 400
        async with customer.post(made["url"], data={"address": "x", "latitude": "-0.1", "longitude": "-78"}) as page:
            assert page.status == 200
        async with customer.post(made["url"], data={"address": "x", "latitude": "-0.1", "longitude": "-78"}) as page:
            assert page.status == 409
    status, body = await ask(service, "GET", f"pre-booking/{made['_id']}")
    assert body["data"]["deliveryAddressExists"] is True
    assert (await ask(service, "POST", f"pre-booking/{made['_id']}/cancel", {}))[0] == 409
    service.switches.production = True
    assert (await ask(service, "POST", "pre-booking", wanted))[0] == 404


async def test_panel_hides_keys_and_secret_addresses(service: DeliverySimulator) -> None:
    panel = DeliveryPanel(simulator=service)

    async def follow() -> None:
        async for _ in panel.follow():
            continue

    following = asyncio.create_task(follow())
    await asyncio.sleep(0)  # it subscribes
    secret = f"http://127.0.0.1:9/callbacks/delivery/{'s' * 43}"
    await ask(service, "GET", "getStores", key="master-key")
    await ask(service, "POST", "webhooks", {"type": "DRIVER_ASSIGNED", "url": secret})
    await service.until(lambda: len([line for line in panel.calls() if line.status == 200]) == 2 or None)
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    shown = str(panel.calls())
    assert "getStores" in shown
    assert KEY not in shown
    assert "s" * 43 not in shown
