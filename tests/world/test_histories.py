"""Random histories of people, a service, faults and crashes over the real application and a real database."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.world.machine import FIGURES, Payouts
from tests.world.seams import sewn

pytestmark = pytest.mark.usefixtures("silence")


@pytest.mark.timeout(600)
def test_the_promises_hold() -> None:
    with sewn():
        run_state_machine_as_test(Payouts, settings=FIGURES)


@pytest.mark.campaign
@pytest.mark.timeout(1_800)
def test_the_promises_hold_for_long() -> None:
    with sewn(threads=True):
        run_state_machine_as_test(Payouts, settings=settings(FIGURES, max_examples=200))
