"""The first visit on a slow line, 40 KB and 0.8 s a round trip: eight seconds follow from bytes and round trips.

Both are counted rather than timed, so that a busy machine changes nothing. What Chromium measures with its own
emulation of such a line: ``make bench``, ``bench_page``.
"""

from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page

from tests.browser.moving import WIDE
from tests.playground.console.scene import Scene

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BYTES_A_SECOND: Final = 40_000
LATENCY_SECONDS: Final = 0.8
GOAL_SECONDS: Final = 8.0


class Loaded:
    """What came over the line until the page could be used, and after how many answers each was asked for."""

    def __init__(self) -> None:
        self.bytes: dict[str, int] = {}
        self.depths: dict[str, int] = {}
        self._paths: dict[str, str] = {}
        self._asked: list[tuple[str, str]] = []

    def asked(self, event: dict[str, Any]) -> None:
        path = event["request"]["url"].partition("?")[0]
        first = event["initiator"]
        stack = first.get("stack")
        while stack and not stack.get("callFrames") and stack.get("parent"):
            stack = stack["parent"]
        because = stack["callFrames"][0]["url"] if stack and stack.get("callFrames") else first.get("url", "")
        self._paths[event["requestId"]] = path
        self.depths[path] = self.depths.get(because.partition("#")[0], 0) + 1

    def ended(self, event: dict[str, Any]) -> None:
        self.bytes[self._paths[event["requestId"]]] = event["encodedDataLength"]


async def opened(browser: Browser, url: str, *, again: bool = False) -> Loaded:
    context = await browser.new_context(viewport=WIDE, reduced_motion="reduce")
    page = await context.new_page()
    if again:
        await ready(page, url)
    loaded = Loaded()
    session = await context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", loaded.asked)
    session.on("Network.loadingFinished", loaded.ended)
    await session.send("Network.enable")
    await ready(page, url)
    await session.detach()
    await context.close()
    return loaded


async def ready(page: Page, url: str) -> None:
    await page.goto(url)
    await page.wait_for_selector("body[data-ready=yes]")


async def test_the_first_visit_takes_less_than_eight_seconds_on_a_slow_line(browser: Browser, scene: Scene) -> None:
    loaded = await opened(browser, f"{scene.url}/")
    trips = max(depth for path, depth in loaded.depths.items() if "/console/stream" not in path)
    assert trips == 3, loaded.depths  # the document, then style sheet and script, then the picture
    whole = sum(loaded.bytes.values())
    assert trips * LATENCY_SECONDS + whole / BYTES_A_SECOND < GOAL_SECONDS / 2, loaded.bytes
    assert not [path for path in loaded.depths if path.endswith(".woff2")]  # the font waits for the first emoji


async def test_a_second_visit_loads_no_style_sheet_and_no_script_again(browser: Browser, scene: Scene) -> None:
    loaded = await opened(browser, f"{scene.url}/", again=True)
    kept = {path: size for path, size in loaded.bytes.items() if path.endswith((".css", ".js"))}
    assert set(kept.values()) <= {0}, kept
    assert sum(loaded.bytes.values()) < BYTES_A_SECOND / 2, loaded.bytes
