"""Every single fault at every effect point of the payout's flows, on the real product in one process."""

import sys

import pytest

from tests.chaos.campaign import Crew, Report, single_faults
from tests.chaos.flows import FLOWS
from tests.chaos.plans import Plan, is_telling_again

_FIRST = next(iter(FLOWS))


def run(crew: Crew, *, rest: bool) -> Report:
    """Run what belongs to every test run, or what is left of it."""
    references = crew.run([Plan(flow) for flow in FLOWS])
    assert not references.broken, references.table()
    plans = single_faults(references.outcomes)
    return crew.run([plan for plan in plans if rest == (plan.flow != _FIRST and is_telling_again(plan))])


@pytest.mark.timeout(900)
def test_every_single_fault_at_every_point(capsys: pytest.CaptureFixture[str]) -> None:
    with Crew() as crew:
        report = run(crew, rest=False)
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken


@pytest.mark.campaign
@pytest.mark.timeout(900)
def test_every_way_of_slack_to_fail_in_every_flow(capsys: pytest.CaptureFixture[str]) -> None:
    with Crew() as crew:
        report = run(crew, rest=True)
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken
