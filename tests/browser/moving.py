"""Moving about in the page: to another person, to another channel."""

from playwright.async_api import Page, expect


async def become(page: Page, user: str) -> None:
    """Switch, and wait for it: what is typed before is still the draft of who one was."""
    await page.click(f"[data-testid=person][data-user={user}]")
    await expect(page.locator(f"[data-testid=person][data-user={user}]")).to_have_attribute("aria-checked", "true")


async def enter(page: Page, channel: str) -> None:
    await page.click(f"[data-testid=channel][data-channel={channel}]")
    await expect(page.locator(f"[data-testid=channel][data-channel={channel}]")).to_have_attribute(
        "aria-current", "page"
    )
