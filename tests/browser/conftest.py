"""Headless Chromium, and a page of the playground opened in it."""

import fcntl
import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from bot.cli.manifest import bot_scopes
from bot.playground import launch
from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.browser import chromium as chromium_here
from tests.browser.moving import PATIENCE_MILLISECONDS, PHONE, window
from tests.playground.console.scene import Scene, open_scene
from tests.process import played
from tests.process.forked import Forked
from tests.support.complete import left_out
from tests.support.databases import lay
from tests.support.replaced import replaced

HASTE = 4.0
"""How many times faster than a person can watch the playground's services are."""


@pytest.fixture(scope="session", autouse=True)
def shows_pages(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> None:
    """Leave the tests of the page out, for one reason, where no browser starts; asked once in a run of all workers."""
    folder = tmp_path_factory.getbasetemp()
    known = (folder if worker_id == "master" else folder.parent) / "chromium"
    with known.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        trouble = file.read()
        if not trouble:
            trouble = chromium_here.trouble() or "none"
            file.write(trouble)
    if trouble != "none":
        pytest.skip(left_out("tests of the page", why=trouble, mend=chromium_here.MEND))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One Chromium for all tests; what belongs to it lives in the session's loop, and so do these tests."""
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    async with async_playwright() as playwright:
        path, flags = chromium_here.installed(), [*chromium_here.FLAGS]
        launched = await playwright.chromium.launch(executable_path=path, args=flags)
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium: Browser) -> AsyncIterator[Browser]:
    """The browser without anybody's windows; whatever a test opens is closed after it."""
    yield chromium
    for context in chromium.contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def scene() -> AsyncIterator[Scene]:
    """Workspace, an easily led bot, payments and console, running."""
    async with open_scene() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, scene: Scene) -> AsyncIterator[Page]:
    """The playground's page at its first visit."""
    async with window(browser, scene.url) as opened:
        yield opened


class ForkedBot(BotProcess):
    """The playground's bot, forked as in :mod:`tests.process.forked`, on a copy of a migrated database."""

    def __init__(self, migrated: bytes, **process: Any) -> None:
        super().__init__(**process)
        lay(Path(self._environment["DATABASE_URL"].partition("///")[2]), migrated)

    async def _spawn(self) -> None:
        environment = {"PATH": os.environ["PATH"], **self._environment}
        self._process = Forked(played.main, environment=environment, folder=Path(self._directory))  # type: ignore[assignment]
        self.starts += 1


@pytest.fixture(scope="module")
def bot_process(migrated_sqlite: bytes) -> Callable[..., BotProcess]:
    """How the playground starts its bot; ``BotProcess`` itself gives it an interpreter and an empty folder."""
    return partial(ForkedBot, migrated_sqlite)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def playground(bot_process: Callable[..., BotProcess]) -> AsyncIterator[Playground]:
    """The whole playground with a bot of its own, for the tests of a module."""
    with replaced(launch, "BotProcess", bot_process):
        playground = Playground(port=0, scopes=bot_scopes(), haste=HASTE)
        try:
            await playground.start()
            yield playground
        finally:
            await playground.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser, playground: Playground) -> AsyncIterator[Page]:
    """Its page at somebody's second visit: the tour is closed."""
    async with window(browser, playground.url) as opened:
        await opened.get_by_test_id("tour-close").click()
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def phone(browser: Browser, playground: Playground) -> AsyncIterator[Page]:
    """The same on a phone."""
    async with window(browser, playground.url, viewport=PHONE, has_touch=True) as opened:
        await opened.get_by_test_id("tour-close").click()
        yield opened
