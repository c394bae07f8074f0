"""A scene for each test, closed and checked after it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.process.scene import Scene
from tests.support.databases import lay

Opening = Callable[..., Awaitable[Scene]]


@pytest.fixture
async def open_scene(tmp_path: Path, migrated_sqlite: bytes) -> AsyncIterator[Opening]:
    """``Scene.open`` in the test's folder. A bot with an interpreter of its own finds no database, any other does."""
    opened: list[Scene] = []

    async def open_it(**differences: Any) -> Scene:
        if "program" not in differences and not opened:
            lay(tmp_path / "switchboard.db", migrated_sqlite)
        scene = await Scene.open(tmp_path, **differences)
        opened.append(scene)
        return scene

    yield open_it
    for scene in opened:
        await scene.close()
