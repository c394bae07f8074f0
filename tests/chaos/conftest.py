"""Worker processes for every test of this folder: starting them takes longer than most of what they are asked."""

from collections.abc import Iterator

import pytest

from tests.chaos.campaign import Crew


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    with Crew() as hired:
        yield hired
