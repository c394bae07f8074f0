"""The first minute: from the page to an approved payout that has arrived, led by the tour, in six clicks."""

import time

import pytest
from playwright.async_api import Browser, expect

from bot.playground.launch import Playground
from tests.browser.moving import by, shot, window

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CLICKS = 6
COUNTED = """() => {
  window.clicks = [];
  addEventListener('click', (event) => event.isTrusted && window.clicks.push(event.target.textContent), true);
}"""


async def test_six_clicks_lead_to_a_payout_that_is_paid(browser: Browser, playground: Playground) -> None:
    began = time.monotonic()
    async with window(browser, playground.url) as page:
        await page.evaluate(COUNTED)
        offer, approve = by(page, "tour-offer"), page.locator("#middle [data-action-id='payout.approve']")
        await offer.click()
        await by(page, "composer-send").click()
        await expect(by(page, "tour")).to_have_attribute("data-step", "2", timeout=30_000)
        await shot(page, "newcomer-2")
        await offer.click()
        await approve.click()  # refused: it is the requester's own
        await expect(by(page, "tour")).to_have_attribute("data-step", "3", timeout=30_000)
        await shot(page, "newcomer-3")
        await offer.click()
        await expect(by(page, "tour")).to_have_attribute("data-step", "4")
        await approve.click()
        await expect(by(page, "figure-moved")).to_have_text("$25.00", timeout=30_000)
        await expect(by(page, "tour")).to_have_attribute("data-step", "5")
        await expect(approve).to_have_count(0)
        await shot(page, "newcomer-5")
        clicks = await page.evaluate("window.clicks")
        assert len(clicks) == CLICKS, clicks
    print(f"\n{time.monotonic() - began:.1f} s from the page to the payout")  # noqa: T201 - a measurement
    assert [entry.cents for entry in playground.payments.ledger.entries] == [2_500]
