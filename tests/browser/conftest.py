"""Headless Chromium, and a page of the playground opened in it."""

import os
import shutil
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from bot.playground import launch
from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.browser.moving import PATIENCE_MILLISECONDS, PHONE, window
from tests.playground.console.scene import Scene, open_scene
from tests.process import played
from tests.process.forked import Forked
from tests.support.databases import lay
from tests.support.replaced import replaced

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one is the same engine without windows; it takes half the processor time of the second."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HASTE = 4.0
"""How many times faster than a person can watch the playground's services are."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One Chromium for all tests; what belongs to it lives in the session's loop, and so do these tests."""
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    async with async_playwright() as playwright:
        installed = next((path for name in BROWSERS if (path := shutil.which(name))), None)
        if installed is None and not Path(playwright.chromium.executable_path).exists():  # noqa: ASYNC240 - once
            pytest.fail("There is no Chromium on this machine; Debian has it as chromium-headless-shell and chromium.")
        launched = await playwright.chromium.launch(executable_path=installed, args=FLAGS)
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
        playground = Playground(port=0, haste=HASTE)
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
