"""Tools of the campaigns: the file, the bound, the gauge and the balancer."""

import asyncio
import socket
import time
from pathlib import Path

from tests.campaigns.gauge import Arrival, Counting, Gauge, Stop, pace_of
from tests.campaigns.plans import Drawn, flow_of
from tests.campaigns.results import Ledger, Piece, table
from tests.world.campaign import run_plan, run_world
from tests.world.flows import FLOWS
from tests.world.plans import Plan
from tests.world.seams import sewn


def test_a_campaign_goes_on_where_it_was(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "results.jsonl")
    assert ledger.done("plans") == set()
    ledger.add(Piece(campaign="plans", first=0, runs=3, seconds=1.0, counts={"paid": 2, "most at once": 4}))
    ledger.add(Piece(campaign="plans", first=7, runs=1, seconds=1.0, counts={"paid": 1, "most at once": 2}))
    ledger.add(Piece(campaign="kills", first=0, runs=9, seconds=1.0, violations=("paid twice",)))
    assert ledger.done("plans") == {0, 1, 2, 7}
    told = table(ledger.pieces()).splitlines()
    assert told[3:] == ["plans: paid 3, most at once 4", "kills: ", "    paid twice"]


def arrivals(*instants: float, late: float = 0.0) -> list[Arrival]:
    return [Arrival(at, late) for at in instants]


def test_eleven_in_a_second_are_too_many_unless_somebody_was_late_to_count() -> None:
    ten = [n * 0.05 for n in range(10)]
    assert pace_of(arrivals(*ten, 1.0, 1.05)).too_many == 0
    crowded = pace_of(arrivals(*ten, 0.99))
    assert (crowded.seen, crowded.certain, crowded.too_many) == (11, 11, 1)
    doubtful = pace_of(arrivals(*ten, 0.99, late=0.02))
    assert (doubtful.seen, doubtful.certain, doubtful.too_many) == (11, 10, 0)


def test_what_left_a_moment_after_its_process_stood_still_is_counted_apart() -> None:
    ten = [Arrival(n * 0.05, 0.0, n % 2) for n in range(10)]
    eleven = [*ten, Arrival(0.9, 0.0, 1)]
    for stop, apart in ((Stop(1, 0.8), 1), (Stop(1, 0.7), 0), (Stop(0, 0.8), 0), (Stop(1, 0.91), 0)):
        found = pace_of(eleven, [stop])
        assert (found.stopped, found.too_many, found.requests) == (apart, 1 - apart, 11)


async def test_a_byte_that_came_while_the_gauge_was_held_up_may_be_as_old_as_that() -> None:
    """Its connection came meanwhile, too, so that it is read some rounds after the loop goes on."""
    service = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    gauge, loop = Gauge(service.sockets[0].getsockname()[1]), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Counting(gauge, 0), "127.0.0.1", 0)
    beating = asyncio.create_task(gauge.beat())
    await asyncio.sleep(0)
    with socket.create_connection(server.sockets[0].getsockname()) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        sent = time.monotonic()
        while time.monotonic() < sent + 0.2:  # the loop is held up
            pass
        async with asyncio.timeout(20):
            while not gauge.arrivals:  # noqa: ASYNC110 - what a socket brought is told nobody
                await asyncio.sleep(0)
    beating.cancel()
    server.close()
    service.close()
    [arrival] = gauge.arrivals
    assert arrival.at - arrival.late <= sent


async def test_what_was_drawn_can_be_repeated(tmp_path: Path) -> None:
    seed = 1
    with sewn():
        plain = await run_plan(Plan(flow_of(seed)))
        drawn = await run_world(Drawn(seed=seed, flow=flow_of(seed), length=len(plain.trace), folder=tmp_path))
        again = await run_plan(Plan.parse(drawn.plan))
    assert Plan.parse(drawn.plan).faults
    assert drawn.violations == ()
    assert (again.plan, again.states, again.trace) == (drawn.plan, drawn.states, drawn.trace)
    assert {flow_of(one) for one in range(len(FLOWS))} == set(FLOWS)
