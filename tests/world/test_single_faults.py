"""Every kind of fault at every kind of effect of the payout's flows, on the real product in one process."""

import sys
from collections.abc import Callable

import pytest

from tests.world.campaign import Crew, Report, single_faults, unmet
from tests.world.flows import FLOWS
from tests.world.plans import Plan, covering, together


def run(crew: Crew, choose: Callable[[list[Plan]], list[Plan]]) -> Report:
    references = crew.run([Plan(flow) for flow in FLOWS])
    assert not references.broken, references.table()
    return crew.run(choose(single_faults(references.outcomes)))


@pytest.mark.timeout(900)
def test_single_faults(crew: Crew, capsys: pytest.CaptureFixture[str]) -> None:
    """Three of them a run, far from each other: a third of the runs; the campaign has each alone."""
    report = run(crew, lambda plans: together(covering(plans), at_once=3))
    report.outcomes += crew.run(unmet(report.outcomes)).outcomes
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
