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

from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.playground.console.scene import Scene, open_scene
from tests.process import played
from tests.process.forked import Forked
from tests.support.databases import lay

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
PATIENCE_MILLISECONDS = 15_000


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
    """The playground's page at its first visit. Any error or refused script in it fails the test."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", timezone_id="UTC")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = await context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    await page.goto(scene.url)
    await page.wait_for_selector("body[data-ready=yes]")
    yield page
    await context.close()
    expected = ("Failed to load resource", "ERR_")  # refused actions and lost connections are part of some tests
    assert [trouble for trouble in troubles if not any(word in trouble for word in expected)] == []


class ForkedBot(BotProcess):
    """The playground's bot, forked as in :mod:`tests.process.forked`, on a copy of a migrated database."""

    def __init__(self, migrated: bytes, **process: Any) -> None:
        super().__init__(**process)
        lay(Path(self._environment["DATABASE_URL"].partition("///")[2]), migrated)

    async def _spawn(self) -> None:
        environment = {"PATH": os.environ["PATH"], **self._environment}
        self._process = Forked(played.main, environment=environment, folder=Path(self._directory))  # type: ignore[assignment]
        self.starts += 1


@pytest.fixture
def bot_process(migrated_sqlite: bytes) -> Callable[..., BotProcess]:
    """How the playground starts its bot; ``BotProcess`` itself gives it an interpreter and an empty folder."""
    return partial(ForkedBot, migrated_sqlite)


@pytest.fixture
def haste() -> float:
    """How many times faster than a person can watch; a module about what a person sees in time has 1."""
    return 4.0


@pytest_asyncio.fixture(loop_scope="session")
async def playground(
    monkeypatch: pytest.MonkeyPatch, bot_process: Callable[..., BotProcess], haste: float
) -> AsyncIterator[Playground]:
    """The whole playground with a bot of its own."""
    monkeypatch.setattr("bot.playground.launch.BotProcess", bot_process)
    playground = Playground(port=0, haste=haste)
    try:
        await playground.start()
        yield playground
    finally:
        await playground.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser, playground: Playground) -> AsyncIterator[Page]:
    """Its page at somebody's second visit: the tour is closed."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", timezone_id="UTC")
    page = await context.new_page()
    await page.goto(playground.url)
    await page.wait_for_selector("body[data-ready=yes]")
    await page.get_by_test_id("tour-close").click()
    yield page
    await context.close()
