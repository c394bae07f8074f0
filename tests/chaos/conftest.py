"""Worker processes shared by the tests of this folder: their start takes longer than most of their work."""

from collections.abc import Iterator

import pytest

from tests.chaos.campaign import Crew


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    with Crew() as hired:
        yield hired
