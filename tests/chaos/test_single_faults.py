"""Every single fault at every effect point of the payout's flows, on the real product in one process."""

import sys

import pytest

from tests.chaos.campaign import Crew, single_faults
from tests.chaos.flows import FLOWS
from tests.chaos.plans import Plan


@pytest.mark.timeout(900)
def test_every_single_fault_at_every_point(capsys: pytest.CaptureFixture[str]) -> None:
    with Crew() as crew:
        references = crew.run([Plan(flow) for flow in FLOWS])
        assert not references.broken, references.table()
        report = crew.run(single_faults(references.outcomes))
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken
