"""The first minute with the bot as it is started: from the page to a payout that has arrived, led in six clicks."""

from collections.abc import Callable

import pytest
from playwright.async_api import Browser, expect

from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.browser.moving import by, shot, window

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CLICKS = 6
COUNTED = """() => {
  window.clicks = [];
  addEventListener('click', (event) => event.isTrusted && window.clicks.push(event.target.textContent), true);
}"""


@pytest.fixture(scope="module")
def bot_process() -> Callable[..., BotProcess]:
    """With an interpreter of its own, in an empty folder."""
    return BotProcess


async def test_six_clicks_lead_to_a_payout_that_is_paid(browser: Browser, playground: Playground) -> None:
    async with window(browser, playground.url) as page:
        await page.evaluate(COUNTED)
        offer, tour = by(page, "tour-offer"), by(page, "tour")
        approve = page.locator("#middle [data-action-id='payout.approve']")
        await expect(tour).to_have_attribute("data-step", "1")
        await offer.click()
        await by(page, "composer-send").click()
        await expect(tour).to_have_attribute("data-step", "2", timeout=30_000)
        await shot(page, "newcomer-2")
        await offer.click()
        await approve.click()  # refused: it is the requester's own
        await expect(tour).to_have_attribute("data-step", "3", timeout=30_000)
        await shot(page, "newcomer-3")
        await offer.click()
        await expect(tour).to_have_attribute("data-step", "4")
        await approve.click()
        await expect(by(page, "figure-moved")).to_have_text("$25.00", timeout=30_000)
        await expect(tour).to_have_attribute("data-step", "5")
        await expect(approve).to_have_count(0)
        await shot(page, "newcomer-5")
        clicks = await page.evaluate("window.clicks")
        assert len(clicks) == CLICKS, clicks
    assert [entry.cents for entry in playground.payments.ledger.entries] == [2_500]
