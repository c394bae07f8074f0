"""A scene for each test, closed and checked after it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.process.scene import Scene

Opening = Callable[..., Awaitable[Scene]]


@pytest.fixture
async def open_scene(tmp_path: Path) -> AsyncIterator[Opening]:
    """``Scene.open`` in the test's folder."""
    opened: list[Scene] = []

    async def open_it(**differences: Any) -> Scene:
        scene = await Scene.open(tmp_path, **differences)
        opened.append(scene)
        return scene

    yield open_it
    for scene in opened:
        await scene.close()
