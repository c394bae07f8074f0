"""A window of the page, and moving about in it: to another person, to another channel."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

PATIENCE_MILLISECONDS: Final = 15_000
WIDE: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
SMALL: Final[ViewportSize] = {"width": 360, "height": 760}
PARTS: Final = "import(document.querySelector('script[type=module]').src)"
"""The modules of the page, by name, as it has them itself."""
EXPECTED: Final = ("Failed to load resource", "ERR_")
"""Refused actions and lost connections are part of some tests."""


@asynccontextmanager
async def window(browser: Browser, url: str, *, viewport: ViewportSize = WIDE, **context: Any) -> AsyncIterator[Page]:
    """A person's own window of the page, without motion: drawing it takes long. Any error in it fails the test."""
    opened = await browser.new_context(
        viewport=viewport, locale="en-GB", timezone_id="UTC", reduced_motion="reduce", **context
    )
    opened.set_default_timeout(PATIENCE_MILLISECONDS)
    page = await opened.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    await page.goto(url)
    await page.wait_for_selector("body[data-ready=yes]")
    yield page
    await opened.close()
    assert [trouble for trouble in troubles if not any(word in trouble for word in EXPECTED)] == []


async def become(page: Page, user: str) -> None:
    """Switch to another person and wait for it: text typed earlier goes into the draft of the person before."""
    await page.click(f"[data-testid=person][data-user={user}]")
    await expect(page.locator(f"[data-testid=person][data-user={user}]")).to_have_attribute("aria-checked", "true")


async def enter(page: Page, channel: str) -> None:
    await page.click(f"[data-testid=channel][data-channel={channel}]")
    await expect(page.locator(f"[data-testid=channel][data-channel={channel}]")).to_have_attribute(
        "aria-current", "page"
    )


async def close_forms(page: Page) -> None:
    """Close the form, and those below it, and wait for it: one left open would cover the next window of this person."""
    await by(page, "modal-x").click()
    await expect(by(page, "modal")).to_have_count(0)


def by(page: Page | Locator, name: str) -> Locator:
    return page.get_by_test_id(name)


async def say(page: Page, text: str) -> None:
    await expect(by(page, "modal")).to_have_count(0)
    await by(page, "composer").fill(text)
    await by(page, "composer").press("Escape")
    await by(page, "composer").press("Enter")


async def shot(page: Page, name: str) -> None:
    """Keep a picture for people to look at, where ``SCREENSHOTS`` names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        await page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled")


async def fits(page: Page) -> None:
    """Nothing runs out of the page, nor out of the middle or the thread of it."""
    over = await page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll("#middle, #thread, [data-testid=message]")]
            .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
            .map((one) => `${one.id || one.className || one.tagName}: ${one.scrollWidth} of ${one.clientWidth}`)"""
    )
    assert over == []


async def narrow(page: Page, name: str) -> None:
    """Take a screenshot on a wide screen, and one on a phone, where nothing may be cut off."""
    await shot(page, name)
    await page.set_viewport_size(PHONE)
    await fits(page)
    await shot(page, f"{name}-phone")
    await page.set_viewport_size(WIDE)


async def height(message: Locator) -> float:
    """Return the height of a message with its author in pixels, without the replies in its thread."""
    whole, replies = await message.bounding_box(), by(message, "replies")
    assert whole is not None
    below = await replies.bounding_box() if await replies.count() else None
    return whole["height"] - (below["height"] if below else 0)
