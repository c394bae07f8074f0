"""A scene for each test, closed and checked after it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.process.scene import Scene
from tests.support.databases import lay

Opening = Callable[..., Awaitable[Scene]]


def at_commits(names: str, *, always: Collection[str]) -> pytest.MarkDecorator:
    """The instants before and after these commits. ``always``: those of every run; the others are for the campaign."""
    instants = [f"write.{side}:{name}" for name in names.split() for side in ("before", "after")]
    marked = [pytest.param(at, marks=() if at in always else pytest.mark.campaign) for at in instants]
    return pytest.mark.parametrize("at", marked)


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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    """One running bot for the tests of a module that leave nothing behind."""
    scene = await Scene.open(tmp_path_factory.mktemp("shared"))
    yield scene
    await scene.close()
