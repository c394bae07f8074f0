"""``kill -9`` of the real process around the creation of a booking: booked once, and the card says so."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from tests.process.scene import Scene
from tests.support.deliveries import FORM, STORE_KEY
from tests.support.rig import FINANCE, MARIA

PATIENCE = 40.0


@pytest.fixture
async def service() -> AsyncIterator[DeliverySimulator]:
    async with DeliverySimulator() as running:
        running.add_store("Centro", token=STORE_KEY)
        yield running


@pytest.fixture
async def scene(tmp_path: Path, service: DeliverySimulator) -> AsyncIterator[Scene]:
    opened = await Scene.open(
        tmp_path, DELIVERY_BASE_URL=service.base_url, DELIVERY_MASTER_KEY=service.master_key, QUIET_SECONDS="3"
    )
    yield opened
    await opened.close()


async def to_the_price(scene: Scene, service: DeliverySimulator) -> None:
    await service.until(lambda: service.calls_of("list_stores"), timeout=PATIENCE)
    await scene.workspace.slash(MARIA, FINANCE, "/deliver", "stores")
    await scene.workspace.until(lambda: any("Centro" in said for said in scene.ephemerals(MARIA)), timeout=PATIENCE)
    await scene.workspace.slash(MARIA, FINANCE, "/deliver", "book")
    await scene.workspace.submit(MARIA, FORM)
    await scene.workspace.until(lambda: "Delivery fee" in str(scene.workspace.modal(MARIA)), timeout=PATIENCE)


async def told(scene: Scene, *words: str) -> str:

    def found() -> str | None:
        cards = scene.cards(FINANCE)
        return next((card.text for card in cards if any(word in card.text for word in words)), None)

    return await scene.workspace.until(found, timeout=PATIENCE)


async def test_killed_while_the_answer_is_on_its_way(scene: Scene, service: DeliverySimulator) -> None:
    await to_the_price(scene, service)
    service.faults.arm(Fault(FaultKind.DONE_HANGS, "create_booking", seconds=60))
    await scene.workspace.submit(MARIA, {})
    await service.until(lambda: service.bookings, timeout=PATIENCE)
    await scene.restart()
    await told(scene, "Looking for a driver")
    assert len(service.bookings) == 1
    assert len(service.calls_of("create_booking")) == 1
    assert len(scene.cards(FINANCE)) == 1


async def test_killed_right_after_the_answer_to_the_form(scene: Scene, service: DeliverySimulator) -> None:
    await to_the_price(scene, service)
    ack = await scene.workspace.submit(MARIA, {})
    assert ack.ok
    await scene.restart()
    card = await told(scene, "Looking for a driver", "ot booked*")
    sent = len(service.calls_of("create_booking"))
    assert sent <= 1
    assert len(service.bookings) == sent
    assert ("Looking for a driver" in card) is bool(sent)
    assert len(scene.cards(FINANCE)) == 1
