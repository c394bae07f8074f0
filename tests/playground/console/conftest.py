"""A scene for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.playground.console.scene import Scene, open_scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with open_scene() as opened:
        yield opened
