"""Tools of the campaigns: the file of results, the gauge, and random plans that can be repeated."""

from pathlib import Path

import pytest

from tests.campaigns.gauge import Arrival, Stop, pace_of
from tests.campaigns.plans import Drawn, flow_of
from tests.campaigns.results import Ledger, Piece, table
from tests.world.campaign import run_plan, run_world
from tests.world.flows import FLOWS
from tests.world.plans import Plan
from tests.world.seams import sewn

TEN = [Arrival(n * 0.05, 0.0, n % 2) for n in range(10)]


def test_campaign_resumes_from_its_results(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "results.jsonl")
    assert ledger.done("plans") == set()
    ledger.add(Piece(campaign="plans", first=0, runs=3, seconds=1.0, counts={"paid": 2, "most at once": 4}))
    ledger.add(Piece(campaign="plans", first=7, runs=1, seconds=1.0, counts={"paid": 1, "most at once": 2}))
    ledger.add(Piece(campaign="kills", first=0, runs=9, seconds=1.0, violations=("paid twice",)))
    assert ledger.done("plans") == {0, 1, 2, 7}
    assert table(ledger.pieces()).splitlines()[3:] == ["plans: paid 3, most at once 4", "kills: ", "    paid twice"]


@pytest.mark.parametrize(
    ("arrivals", "seen", "certain", "too_many"),
    [
        ([*TEN, Arrival(1.0, 0.0), Arrival(1.05, 0.0)], 10, 10, 0),
        ([*TEN, Arrival(0.99, 0.0)], 11, 11, 1),
        ([*(Arrival(one.at, 0.02) for one in TEN), Arrival(0.99, 0.02)], 11, 10, 0),  # they may have come earlier
    ],
)
def test_gauge_counts_eleven_in_a_second(arrivals: list[Arrival], seen: int, certain: int, too_many: int) -> None:
    pace = pace_of(arrivals)
    assert (pace.seen, pace.certain, pace.too_many) == (seen, certain, too_many)


@pytest.mark.parametrize(
    ("stop", "apart"), [(Stop(1, 0.8), 1), (Stop(1, 0.7), 0), (Stop(0, 0.8), 0), (Stop(1, 0.91), 0)]
)
def test_gauge_leaves_out_what_a_paused_process_was_about_to_send(stop: Stop, apart: int) -> None:
    pace = pace_of([*TEN, Arrival(0.9, 0.0, 1)], [stop])
    assert (pace.stopped, pace.too_many, pace.requests) == (apart, 1 - apart, 11)


async def test_random_plan_can_be_repeated(tmp_path: Path) -> None:
    seed = 1
    with sewn():
        plain = await run_plan(Plan(flow_of(seed)))
        drawn = await run_world(Drawn(seed=seed, flow=flow_of(seed), length=len(plain.trace), folder=tmp_path))
        again = await run_plan(Plan.parse(drawn.plan))
    assert Plan.parse(drawn.plan).faults
    assert drawn.violations == ()
    assert (again.plan, again.states, again.trace) == (drawn.plan, drawn.states, drawn.trace)
    assert {flow_of(one) for one in range(len(FLOWS))} == set(FLOWS)
