"""Every single fault at every effect point of the payout's flows, on the real product in one process."""

import sys
from collections.abc import Callable
from zlib import crc32

import pytest

from tests.chaos.campaign import Crew, Report, single_faults
from tests.chaos.flows import FLOWS
from tests.chaos.plans import Kind, Plan, Side

MOVES_MONEY = frozenset({"commit_payout", "one_step_payout", "claim_commit", "committed"})
_ONE_IN = 24


def run(crew: Crew, choose: Callable[[list[Plan]], list[Plan]]) -> Report:
    """Run the plans that are chosen."""
    references = crew.run([Plan(flow) for flow in FLOWS])
    assert not references.broken, references.table()
    return crew.run(choose(single_faults(references.outcomes)))


def for_every_run(plans: list[Plan]) -> list[Plan]:
    """Whatever can go wrong with an effect, where the effect is met first; every fault of money; some of the others."""
    seen: set[tuple[Side, str, Kind]] = set()
    chosen = []
    for plan in plans:
        [(point, kind)] = plan.faults
        is_new = (point.side, point.name, kind) not in seen
        seen.add((point.side, point.name, kind))
        if is_new or point.name in MOVES_MONEY or crc32(str(plan).encode()) % _ONE_IN == 0:
            chosen.append(plan)
    return chosen


@pytest.mark.timeout(900)
def test_single_faults(crew: Crew, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(crew, for_every_run)
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken


@pytest.mark.campaign
@pytest.mark.timeout(1_800)
def test_every_single_fault_at_every_point(crew: Crew, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(crew, list)
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken
