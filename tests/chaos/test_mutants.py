"""The campaign can fail: each shortcut in the protocol is found by plans of the campaign."""

import pytest

from tests.chaos.campaign import Crew, Report
from tests.chaos.mutants import MUTANTS


@pytest.fixture(scope="module")
def reports(crew: Crew) -> dict[str, Report]:
    return crew.run_mutants({name: mutant.plans for name, mutant in MUTANTS.items()})


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_shortcut_is_found(name: str, reports: dict[str, Report]) -> None:
    report = reports[name]
    codes = {violation.partition(":")[0] for outcome in report.outcomes for violation in outcome.violations}
    assert MUTANTS[name].breaks in codes, report.table()
