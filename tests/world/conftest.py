"""What tests of this folder share."""

from collections.abc import Iterator

import pytest
import structlog

from tests.world.campaign import Crew


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    """Worker processes: their start takes longer than most of their work."""
    with Crew() as hired:
        yield hired


@pytest.fixture
def silence() -> Iterator[None]:
    before = structlog.get_config()
    structlog.configure(processors=[drop], logger_factory=structlog.ReturnLoggerFactory())
    yield
    structlog.configure(**before)


def drop(*_: object) -> str:
    raise structlog.DropEvent
