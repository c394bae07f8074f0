"""Moving about in the page: to another person, to another channel."""

from pathlib import Path

from playwright.async_api import Locator, Page, expect


async def become(page: Page, user: str) -> None:
    """Switch, and wait for it: what is typed before is still the draft of who one was."""
    await page.click(f"[data-testid=person][data-user={user}]")
    await expect(page.locator(f"[data-testid=person][data-user={user}]")).to_have_attribute("aria-checked", "true")


async def enter(page: Page, channel: str) -> None:
    await page.click(f"[data-testid=channel][data-channel={channel}]")
    await expect(page.locator(f"[data-testid=channel][data-channel={channel}]")).to_have_attribute(
        "aria-current", "page"
    )


def by(page: Page | Locator, name: str) -> Locator:
    return page.get_by_test_id(name)


async def send(page: Page, text: str) -> None:
    await by(page, "composer").fill(text)
    await by(page, "composer").press("Enter")


SHOTS = Path(__file__).parents[2] / "screenshots"


async def say(page: Page, text: str) -> None:
    await page.get_by_test_id("composer").fill(text)
    await page.get_by_test_id("composer").press("Escape")
    await page.get_by_test_id("composer").press("Enter")


async def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png")
