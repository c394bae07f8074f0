"""A scene for each test, closed and checked after it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    """One running bot for the tests of a module that leave nothing behind."""
    scene = await Scene.open(tmp_path_factory.mktemp("shared"))
    yield scene
    await scene.close()
