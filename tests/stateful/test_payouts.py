"""Random histories of people, a service, faults and crashes over the real application and a real database."""

from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.machine import Payouts
from tests.stateful.process import borders

NORMAL = settings(
    max_examples=25,
    stateful_step_count=30,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    """Both borders of every process are watched, and logs are not written."""
    before = structlog.get_config()
    structlog.configure(processors=[drop], logger_factory=structlog.ReturnLoggerFactory())
    with borders():
        yield
    structlog.configure(**before)


def drop(*_: object) -> str:
    raise structlog.DropEvent


@pytest.mark.timeout(600)
def test_the_promises_hold() -> None:
    run_state_machine_as_test(Payouts, settings=NORMAL)
