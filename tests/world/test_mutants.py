"""The campaigns can fail: each shortcut in the protocol is found, by plans, by random histories, or by both."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.world.campaign import Crew, Report
from tests.world.history import Broken
from tests.world.machine import FIGURES, Payouts
from tests.world.mutants import HUNTED, MUTANTS, Hunt
from tests.world.seams import sewn

HUNT = settings(FIGURES, max_examples=150, stateful_step_count=15, phases=[Phase.generate])
"""Several times what it takes to find any of them; a hunt ends at the first find."""


@pytest.fixture(scope="module")
def reports(crew: Crew) -> dict[str, Report]:
    return crew.run_mutants({name: mutant.plans for name, mutant in MUTANTS.items()})


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_shortcut_is_found(name: str, reports: dict[str, Report]) -> None:
    report = reports[name]
    codes = {violation.partition(":")[0] for outcome in report.outcomes for violation in outcome.violations}
    assert MUTANTS[name].breaks in codes, report.table()


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("silence")
@pytest.mark.parametrize("name", HUNTED)
def test_a_mistake_is_found(name: str) -> None:
    hunt: Hunt = HUNTED[name]
    # A rule that is None is drawn no more.
    hunted = type("Hunted", (Payouts,), {"takes_to_the_end": False, **dict.fromkeys(hunt.without)})
    with sewn(), hunt.change(), pytest.raises((Broken, BaseExceptionGroup)) as found:
        run_state_machine_as_test(hunted, settings=HUNT)
    assert any(f"{hunt.breaks}: " in told for told in broken(found.value)), found.value


def broken(error: BaseException) -> list[str]:
    """The promises an error tells of; Hypothesis wraps one whose repetition went another way."""
    own = [str(error)] if isinstance(error, Broken) else []
    return own + [told for inner in getattr(error, "exceptions", ()) for told in broken(inner)]
