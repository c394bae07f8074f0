"""The playground's page on a slow line, as Chromium emulates one: seconds until it can be used, first and second visit.

Run with ``python -m tests.benchmarks.bench_page``. The line: 40 KB and 0.8 s a round trip, unless said otherwise.
"""

import asyncio
import statistics
import sys
import time

from playwright.async_api import Browser, async_playwright

from tests.benchmarks.processes import quiet
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.browser import chromium
from tests.playground.console.scene import open_scene

FIRST_GOAL, SECOND_GOAL = 8.0, 5.0


async def visited(browser: Browser, url: str, *, rate: int, latency: float) -> tuple[float, float]:
    context = await browser.new_context()
    page = await context.new_page()
    line = await context.new_cdp_session(page)
    await line.send("Network.enable")
    slow = {"offline": False, "latency": latency * 1000, "downloadThroughput": rate, "uploadThroughput": rate}
    await line.send("Network.emulateNetworkConditions", slow)
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        await page.goto(url, wait_until="commit", timeout=120_000)
        await page.wait_for_selector("body[data-ready=yes]", timeout=120_000)
        seconds.append(time.perf_counter() - began)
        await page.goto("about:blank")
    await context.close()
    return seconds[0], seconds[1]


async def measure(*, rounds: int, rate: int, latency: float) -> int:
    async with open_scene() as scene, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.installed(), args=[*chromium.FLAGS])
        visits = [await visited(browser, f"{scene.url}/", rate=rate, latency=latency) for _ in range(rounds)]
        await browser.close()
    first, second = (statistics.median(one) for one in zip(*visits, strict=True))
    return verdict(
        [
            Ratio("first visit on a slow line, seconds until it can be used", first, FIRST_GOAL, at_least=False),
            Ratio("second visit", second, SECOND_GOAL, at_least=False),
        ]
    )


if __name__ == "__main__":
    quiet()
    if trouble := chromium.trouble():
        sys.exit(f"{trouble} → {chromium.MEND}")
    asked = options(__doc__, rounds=3, rate=40_000, latency=0.8)
    sys.exit(asyncio.run(measure(rounds=asked.rounds, rate=asked.rate, latency=asked.latency)))
