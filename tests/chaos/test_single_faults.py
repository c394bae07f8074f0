"""Every single fault at every effect point of the payout's flows, on the real product in one process."""

import sys
from collections.abc import Callable
from zlib import crc32

import pytest

from tests.chaos.campaign import Crew, Report, single_faults
from tests.chaos.flows import FLOWS
from tests.chaos.plans import Plan, is_telling_again

_FIRST = next(iter(FLOWS))


_ONE_IN = 8


def run(crew: Crew, *, chosen: Callable[[Plan], bool]) -> Report:
    """Run the plans that are chosen."""
    references = crew.run([Plan(flow) for flow in FLOWS])
    assert not references.broken, references.table()
    plans = single_faults(references.outcomes)
    return crew.run([plan for plan in plans if chosen(plan)])


def belongs_to_every_run(plan: Plan) -> bool:
    """Every fault of the services and of the database in the first flow, and an eighth of the others."""
    first = plan.flow == _FIRST and not is_telling_again(plan)
    return first or crc32(str(plan).encode()) % _ONE_IN == 0


@pytest.mark.timeout(900)
def test_single_faults(crew: Crew, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(crew, chosen=belongs_to_every_run)
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken


@pytest.mark.campaign
@pytest.mark.timeout(1_800)
def test_every_single_fault_at_every_point(crew: Crew, capsys: pytest.CaptureFixture[str]) -> None:
    report = run(crew, chosen=lambda _: True)
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken
