"""Runs of the whole product in one process: faults drawn during a run, and every pair around money."""

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.campaigns.results import Ledger, Piece
from tests.support.scratch import scratch
from tests.world.campaign import Crew, Outcome, Report, run_world, second_faults, single_faults
from tests.world.flows import FLOWS
from tests.world.plans import MOVES_MONEY, Kind, Plan, Point, Side, singles
from tests.world.run import Run

PIECE = 200
_BATCH = 10
_FAULTS = (1, 2, 2, 3)
_LONGER = 1.25
"""Factor of points: a run with faults meets more points than one without."""


class Drawn(Run):
    """A run whose faults are drawn by a seed as it meets its points; its ``plan`` names them, to be repeated."""

    def __init__(self, *, seed: int, flow: str, length: int, folder: Path) -> None:
        super().__init__(flow=FLOWS[flow](), plan=Plan(flow), folder=folder)
        self._chance = random.Random(seed)  # noqa: S311 - it is to be repeatable
        first, further = self._chance.randrange(length), range(int(length * _LONGER))
        self._places = frozenset([first, *self._chance.sample(further, self._chance.choice(_FAULTS) - 1)])

    def meet(self, side: Side, name: str) -> tuple[Point, Kind | None]:
        place = len(self.trace)
        point, kind = super().meet(side, name)
        if kind is not None or self.is_closing or place not in self._places:
            return point, kind
        # A full time-out must be known before the run begins; a dropped answer replaces it.
        drawn = self._chance.choice([one for one in point.kinds if one is not Kind.TIMED_OUT])
        self.plan = Plan(self.plan.flow, (*self.plan.faults, (point, drawn)))
        self.hits.append(point)
        self.disturbed_at = self.clock.seconds()
        return point, drawn

    async def live(self) -> None:
        await super().live()
        self.flow.base = {point: kind for point, kind in self.flow.base.items() if point in self.hits}


def flow_of(seed: int) -> str:
    names = tuple(FLOWS)
    return names[seed % len(names)]


def run_seeds(seeds: Sequence[int], lengths: dict[str, int]) -> list[Outcome]:
    outcomes = []
    for seed in seeds:
        flow = flow_of(seed)
        with tempfile.TemporaryDirectory(dir=scratch()) as folder:
            drawn = Drawn(seed=seed, flow=flow, length=lengths[flow], folder=Path(folder))
            outcomes.append(asyncio.run(run_world(drawn)))
    return outcomes


def random_plans(ledger: Ledger, *, first: int, count: int, workers: int | None) -> None:
    wanted = missing(range(first, first + count), ledger.done("plans"))
    with Crew(workers) as crew:
        references = crew.run([Plan(flow) for flow in FLOWS])
        assert not references.broken, references.table()
        lengths = {one.plan.partition(":")[0]: len(one.trace) for one in references.outcomes}
        for piece in pieces(wanted):
            batches = [(piece[at : at + _BATCH], lengths) for at in range(0, len(piece), _BATCH)]
            _keep(ledger, "plans", piece[0], crew.gather(run_seeds, batches))


def every_single(ledger: Ledger, *, workers: int | None) -> None:
    with Crew(workers) as crew:
        references = crew.run([Plan(flow) for flow in FLOWS])
        _run_listed(ledger, crew, "singles", single_faults(references.outcomes))


def every_pair(ledger: Ledger, *, flows: Sequence[str], workers: int | None) -> None:
    """Of each flow: every fault of the request that moves money, with every fault at every point after it."""
    with Crew(workers) as crew:
        for flow in flows:
            [reference] = crew.run([Plan(flow)]).outcomes
            points = [point for text in reference.trace if (point := Point.parse(text)).name in MOVES_MONEY]
            pairs = second_faults(crew.run(singles(flow, points)).outcomes)
            _run_listed(ledger, crew, f"pairs of {flow}", pairs)


def _run_listed(ledger: Ledger, crew: Crew, campaign: str, plans: Sequence[Plan]) -> None:
    for piece in pieces(missing(range(len(plans)), ledger.done(campaign))):
        _keep(ledger, campaign, piece[0], crew.run([plans[number] for number in piece]))


def _keep(ledger: Ledger, campaign: str, first: int, report: Report) -> None:
    counts = Counter(f"{len(plan.faults)} faults" for plan in report.plans)
    counts.update(f"ends {state}" for one in report.outcomes for state in one.states)
    counts["with a person"] = report.with_a_person
    broken = tuple(f'python -m tests.world "{one.plan}"  {"; ".join(one.violations)}' for one in report.broken)
    ledger.add(
        Piece(
            campaign=campaign,
            first=first,
            runs=len(report.outcomes),
            seconds=report.seconds,
            violations=broken,
            counts=dict(counts),
        )
    )


def missing(wanted: range, done: set[int]) -> list[int]:
    return [number for number in wanted if number not in done]


def pieces(numbers: Sequence[int], size: int = PIECE) -> Iterator[list[int]]:
    piece: list[int] = []
    for number in numbers:
        if piece and (len(piece) == size or number != piece[-1] + 1):
            yield piece
            piece = []
        piece.append(number)
    if piece:
        yield piece
