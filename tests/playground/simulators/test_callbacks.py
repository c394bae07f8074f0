"""What the service tells the partner, and how that goes wrong."""

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.callbacks import Callback
from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, Shop
from tests.support.clock import SecondsClock


async def completed(simulator: PaymentsSimulator, partner: Partner, shop: Shop, **changes: object) -> str:
    """A payout that has just completed, its callbacks on their way."""
    payout = await partner.pay(**shop.urls(), **changes)
    await simulator.advance()
    await simulator.delivered()
    return payout


async def test_completion_posts_the_bare_operation(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    payout = await completed(simulator, partner, shop)
    ((path, body),) = shop.received
    assert (path, body["id"], body["status"].lower()) == ("/confirmed", payout, "completed")
    assert body["svc_operation_hash"]
    (delivery,) = simulator.deliveries
    assert (delivery.url, delivery.status, delivery.operation_id) == (shop.url("/confirmed"), 200, payout)


async def test_cancel_and_failure_have_addresses(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    canceled = await partner.create(**shop.urls(), email="mia@example.com")
    failed = await partner.create(**shop.urls())
    for payout in (canceled, failed):
        await partner.commit(payout)
    await simulator.settle(failed, "failed", reason="Account closed")
    await simulator.advance()
    await simulator.settle(canceled, "canceled")
    await simulator.delivered()
    assert sorted((path, body["id"]) for path, body in shop.received) == [("/canceled", canceled), ("/failed", failed)]


async def test_no_address_no_callback(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    payout = await partner.pay(**(shop.urls() | {"cancel_uri": None}), email="mia@example.com")
    await simulator.advance()
    await simulator.settle(payout, "canceled")
    await simulator.delivered()
    assert not simulator.deliveries


@pytest.mark.parametrize("by_switch", [True, False])
@pytest.mark.parametrize(
    ("switch", "value", "fault", "at_once", "after_an_hour"),
    [
        ("drop", True, Fault(FaultKind.LOST, "callback"), 0, 0),
        ("double", True, Fault(FaultKind.DONE_DROPPED, "callback"), 2, 2),
        ("late_seconds", 3600, Fault(FaultKind.SLOW, "callback", seconds=3600), 0, 1),
    ],
    ids=["dropped", "doubled", "late"],
)
async def test_callbacks_go_wrong_as_told(
    simulator: PaymentsSimulator,
    partner: Partner,
    shop: Shop,
    clock: SecondsClock,
    by_switch: bool,
    switch: str,
    value: object,
    fault: Fault,
    at_once: int,
    after_an_hour: int,
) -> None:
    if by_switch:
        setattr(simulator.callbacks.switches, switch, value)
    else:
        simulator.faults.arm(fault)
    payout = await completed(simulator, partner, shop)
    for seconds, count in ((3599, at_once), (1, after_an_hour)):
        clock.now += seconds
        simulator.tick()
        await simulator.delivered()
        assert [body["id"] for _, body in shop.received] == [payout] * count


async def test_out_of_order(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    simulator.callbacks.switches.out_of_order = True
    first = await completed(simulator, partner, shop)
    assert not shop.received
    second = await completed(simulator, partner, shop)
    assert [body["id"] for _, body in shop.received] == [second, first]


async def test_last_callback_held_back_is_delivered(
    simulator: PaymentsSimulator, partner: Partner, shop: Shop, clock: SecondsClock
) -> None:
    simulator.callbacks.switches.out_of_order = True
    await completed(simulator, partner, shop)
    clock.now += 5
    simulator.tick()
    await simulator.delivered()
    assert len(shop.received) == 1


async def test_forged(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    simulator.callbacks.switches.forged = True
    payout = await completed(simulator, partner, shop)
    ((_, body),) = shop.received
    assert body["id"] != payout
    assert (body["amount"], body["svc_user_email"]) == ("999999.00", "mallory@example.com")
    assert (await partner("GET", f"/operations/{payout}")).body["amount"] == "25.00"


async def test_garbage(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    simulator.faults.arm(Fault(FaultKind.GARBAGE, "callback"))
    await completed(simulator, partner, shop)
    ((_, body),) = shop.received
    assert body.startswith("<html>")


async def test_refused_callbacks_are_sent_again_only_when_switched(
    simulator: PaymentsSimulator, partner: Partner, shop: Shop, clock: SecondsClock
) -> None:
    shop.answer = lambda _path: 503
    await completed(simulator, partner, shop)
    simulator.callbacks.switches.retries = 2
    await completed(simulator, partner, shop)
    for _ in range(4):
        clock.now += 5
        simulator.tick()
        await simulator.delivered()
    assert [delivery.callback.attempt for delivery in simulator.deliveries] == [1, 1, 2, 3]
    assert {delivery.status for delivery in simulator.deliveries} == {503}


async def test_partner_outage_costs_one_failed_callback(simulator: PaymentsSimulator, partner: Partner) -> None:
    await partner.pay()
    await simulator.advance()
    await simulator.delivered()
    (delivery,) = simulator.deliveries
    assert (delivery.status, delivery.delivered) == (None, False)
    assert "ClientConnectorError" in (delivery.error or "")


async def test_redirects_are_not_followed(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    shop.answer = lambda _path: 307
    await completed(simulator, partner, shop)
    assert [path for path, _ in shop.received] == ["/confirmed"]
    assert not simulator.deliveries[0].delivered


async def test_nothing_is_sent_while_the_service_is_down(clock: SecondsClock, shop: Shop) -> None:
    simulator = PaymentsSimulator(clock=clock)
    simulator.callbacks.send_now(Callback(operation_id="x", kind="confirmation_uri", url=shop.url("/any"), body={}))
    assert [delivery.error for delivery in simulator.deliveries] == ["the simulator is not running"]
