"""Both borders of every process are watched, and logs are not written."""

from collections.abc import Iterator

import pytest
import structlog

from tests.stateful.process import borders


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
