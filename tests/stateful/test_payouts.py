"""Random histories of people, a service, faults and crashes over the real application and a real database."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.figures import LONG, NORMAL
from tests.stateful.machine import Payouts
from tests.support.threadless import without_threads


@pytest.mark.timeout(600)
def test_the_promises_hold() -> None:
    with without_threads():
        run_state_machine_as_test(Payouts, settings=NORMAL)


@pytest.mark.campaign
@pytest.mark.timeout(1_800)
def test_the_promises_hold_for_long() -> None:
    run_state_machine_as_test(Payouts, settings=LONG)
