"""Every kind of fault stands on the right side of the effect."""

import asyncio

import aiohttp
import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, order

EXPECTED: dict[FaultKind, tuple[int | None, bool]] = {
    FaultKind.LOST: (None, False),
    FaultKind.DONE_DROPPED: (None, True),
    FaultKind.DONE_HANGS: (None, True),
    FaultKind.DONE_500: (500, True),
    FaultKind.ERROR_500: (500, False),
    FaultKind.TOO_MANY: (429, False),
    FaultKind.REFUSED: (422, False),
    FaultKind.DONE_REFUSED: (422, True),
    FaultKind.GARBAGE: (200, True),
    FaultKind.NO_CODES: (200, True),
    FaultKind.SLOW: (200, True),
}


@pytest.mark.parametrize("kind", FaultKind)
async def test_commit_behaves_under_each_fault(simulator: PaymentsSimulator, partner: Partner, kind: FaultKind) -> None:
    status, effect = EXPECTED[kind]
    payout = await partner.create(code="C1")
    simulator.faults.arm(Fault(kind, "commit_payout", seconds=0.01))
    if status is None:
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await partner.commit(payout)
    else:
        assert (await partner.commit(payout)).status == status
    call = simulator.calls[-1]
    assert (call.status, call.effect, call.fault) == (status, effect, kind)
    assert simulator.ledger.executions("C1") == int(effect)
    assert (simulator.operations[payout].status == "committed") is effect
    assert (await partner.commit(payout)).status == 200, "the switch is used up"


async def test_garbage_is_a_page_with_status_200(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.faults.arm(Fault(FaultKind.GARBAGE, "create_payout"))
    reply = await partner("POST", "/payouts", order())
    assert (reply.status, reply.headers["Content-Type"].partition(";")[0]) == (200, "text/html")
    assert reply.body.startswith("<!doctype html>")


async def test_too_many_says_when_to_come_back(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.faults.arm(Fault(FaultKind.TOO_MANY))
    assert (await partner("GET", "/operations")).headers["Retry-After"] == "1"


async def test_hanging_request_has_its_effect_and_ends(simulator: PaymentsSimulator, partner: Partner) -> None:
    payout = await partner.create(code="C1")
    simulator.faults.arm(Fault(FaultKind.DONE_HANGS, "commit_payout", seconds=3600))
    waiting = asyncio.create_task(partner.commit(payout))
    assert await simulator.until(lambda: simulator.ledger.executions("C1") == 1)
    assert not waiting.done()
    await simulator.stop()
    with pytest.raises(aiohttp.ClientError):
        await waiting


async def test_fault_of_one_operation_affects_no_other(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.faults.arm(Fault(FaultKind.ERROR_500, "list_operations", times=None, skip=1))
    assert [(await partner("GET", "/operations")).status for _ in range(3)] == [200, 500, 500]
    assert (await partner("GET", "/partners/me")).status == 200
    simulator.faults.clear()
    assert (await partner("GET", "/operations")).status == 200


async def test_restarted_service_keeps_its_records(simulator: PaymentsSimulator, partner: Partner) -> None:
    payout, port = await partner.create(code="C1"), simulator.port
    await simulator.stop()
    with pytest.raises(aiohttp.ClientConnectorError):
        await partner.commit(payout)
    await simulator.start(port=port)
    assert (await partner.commit(payout)).status == 200
    assert simulator.ledger.executions("C1") == 1
