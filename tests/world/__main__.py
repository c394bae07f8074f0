"""Repeat a plan and print its story: ``python -m tests.world "callback: payments/commit_payout#1=crash_after"``.

Without a plan: the effect points of every flow, with the faults that apply.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from tests.world.campaign import Crew, new_points
from tests.world.flows import FLOWS
from tests.world.mutants import MUTANTS
from tests.world.plans import Plan
from tests.world.run import Run, check
from tests.world.seams import sewn


async def replay(plan: Plan) -> int:
    """Run one plan and print its story; 1 when it violated an invariant."""
    with tempfile.TemporaryDirectory() as folder:
        async with Run(flow=FLOWS[plan.flow](), plan=plan, folder=Path(folder)) as world:
            await world.live()
            violations = [str(violation) for violation in check(world)]
            for line in (*_story(world), *(violations or ["every invariant holds"])):
                sys.stdout.write(f"{line}\n")
            return 1 if violations else 0


def _story(world: Run) -> Iterator[str]:
    """Points met, states of the requests, and what people and the service saw."""
    seen = world.witness.sightings
    start = seen[0].at if seen else 0.0
    yield from world.met()
    yield from (f"{one.at - start:9.1f} s {one.id[-4:]} {one.state}" for one in seen)
    for act in world.witness.acts:
        yield f"{act.at - start:9.1f} s {act.user} {act.what}: {act.ack.status} {act.ack.error} {act.ack.body}"
    yield world.workspace.picture()
    for call in world.payments.calls:
        yield f"{call.at - start:9.1f} s {call.operation} {call.status} {call.fault or ''}"
    yield from (f"trouble: {text}" for text in world.troubles)


def list_points() -> int:
    """Print each flow's points after the part that it shares with an earlier flow."""
    with Crew() as crew:
        references = crew.run([Plan(flow) for flow in FLOWS])
    for flow, points in new_points(references.outcomes).items():
        sys.stdout.write(f"{flow}\n")
        for point in points:
            sys.stdout.write(f"    {point!s:<50} {' '.join(point.kinds)}\n")
    return 0


def main(plan: str = "", mutant: str = "") -> int:
    if not plan:
        return list_points()
    with sewn(), MUTANTS[mutant].change() if mutant else nullcontext():
        return asyncio.run(replay(Plan.parse(plan)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
