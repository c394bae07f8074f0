"""Random histories of people, a service, faults and crashes over the real application and a real database."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.figures import NORMAL
from tests.stateful.machine import Payouts


@pytest.mark.timeout(600)
def test_the_promises_hold() -> None:
    run_state_machine_as_test(Payouts, settings=NORMAL)
