"""Run many plans in one process per core, and sum up the results."""

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.crews import Processes, only_work
from tests.support.scratch import scratch
from tests.world.flows import FLOWS
from tests.world.mutants import MUTANTS
from tests.world.plans import Plan, Point, singles
from tests.world.run import Run, check
from tests.world.seams import sewn

_BATCH = 8
_PLAN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    plan: str
    violations: tuple[str, ...]
    states: tuple[str, ...]
    trace: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def broken(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.violations]

    @property
    def plans(self) -> list[Plan]:
        return [Plan.parse(outcome.plan) for outcome in self.outcomes]

    @property
    def with_a_person(self) -> int:
        return sum("needs_human" in outcome.states for outcome in self.outcomes)

    def table(self) -> str:
        points = {(plan.flow, point) for plan in self.plans for point, _ in plan.faults}
        ends = Counter(state for outcome in self.outcomes for state in outcome.states)
        lines = [
            f"{len(points)} points, {len(self.outcomes)} plans, {len(self.broken)} with violations, "
            f"{self.with_a_person} end with a person, {self.seconds:.0f} s",
            ", ".join(f"{state} {count}" for state, count in ends.most_common()),
        ]
        for outcome in self.broken[:40]:
            lines.append(f'python -m tests.world "{outcome.plan}"')
            lines += [f"    {violation}" for violation in outcome.violations[:6]]
        return "\n".join(lines)


class Crew(Processes):
    """Worker processes, one a core unless told otherwise, for as long as the ``with`` block lasts."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers or os.cpu_count() or 1, prepare=_prepare)

    def run(self, plans: Sequence[Plan]) -> Report:
        texts = [str(plan) for plan in plans]
        return self.gather(run_batch, [(texts[at : at + _BATCH], "") for at in range(0, len(texts), _BATCH)])

    def run_mutants(self, mutants: Mapping[str, Sequence[str]]) -> dict[str, Report]:
        pending = {name: self.submit(run_batch, list(plans), name) for name, plans in mutants.items()}
        return {name: Report(outcomes=future.result()) for name, future in pending.items()}

    def gather(self, work: Callable[..., list[Outcome]], batches: Iterable[tuple[Any, ...]]) -> Report:
        """Call ``work(*batch)`` for each batch in the workers and collect the results."""
        started = time.monotonic()
        report = Report()
        for future in [self.submit(work, *batch) for batch in batches]:
            report.outcomes += future.result()
        report.seconds = time.monotonic() - started
        return report


def _prepare() -> None:
    only_work(sewn())


def run_batch(texts: list[str], mutant: str = "") -> list[Outcome]:
    with MUTANTS[mutant].change() if mutant else nullcontext():
        return [asyncio.run(run_plan(Plan.parse(text))) for text in texts]


async def run_plan(plan: Plan) -> Outcome:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        return await run_world(Run(flow=FLOWS[plan.flow](), plan=plan, folder=Path(folder)))


async def run_world(opened: Run) -> Outcome:
    async with opened as world:
        broken = ""
        try:
            async with asyncio.timeout(_PLAN_SECONDS):
                await world.live()
        except Exception as error:  # noqa: BLE001 - a run that breaks is a finding like any other
            broken = f"X: the run broke: {error!r}"
        return Outcome(
            plan=str(world.plan),
            violations=(*([broken] if broken else []), *(str(violation) for violation in check(world))),
            states=tuple(row["state"] for row in world.books.instructions()),
            trace=world.met(),
        )


def new_points(outcomes: Iterable[Outcome]) -> dict[str, list[Point]]:
    """From fault-free runs: the points of each flow after the part that it shares with an earlier flow."""
    found: dict[str, list[Point]] = {}
    earlier: list[tuple[str, ...]] = []
    for outcome in outcomes:
        shared = max((_common(outcome.trace, other) for other in earlier), default=0)
        found[outcome.plan.partition(":")[0]] = [Point.parse(text) for text in outcome.trace[shared:]]
        earlier.append(outcome.trace)
    return found


def single_faults(outcomes: Iterable[Outcome]) -> list[Plan]:
    """Every single fault at the points of the fault-free runs; a flow's own fault occurs in each of its runs."""
    plans = []
    for flow, points in new_points(outcomes).items():
        base = FLOWS[flow]().base
        plans += singles(flow, [point for point in points if point not in base])
    return plans


def unmet(outcomes: Iterable[Outcome]) -> list[Plan]:
    """The faults whose points were not met, because another fault of the run prevented it; each alone."""
    return [
        Plan(plan.flow, (fault,))
        for outcome in outcomes
        for plan in [Plan.parse(outcome.plan)]
        for fault in plan.faults
        if str(fault[0]) not in outcome.trace
    ]


def second_faults(outcomes: Iterable[Outcome]) -> list[Plan]:
    """From runs with one fault: that fault with every other at every point met after it."""
    plans = []
    for outcome in outcomes:
        first = Plan.parse(outcome.plan)
        [(point, _)] = first.faults
        # A point that the fault made idle is not in the trace: then every point may come after it.
        behind = outcome.trace[outcome.trace.index(str(point)) + 1 :] if str(point) in outcome.trace else outcome.trace
        for text in behind:
            second = Point.parse(text)
            plans += [Plan(first.flow, (*first.faults, (second, kind))) for kind in second.kinds]
    return plans


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
