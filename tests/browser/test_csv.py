"""*Send as CSV* on the playground's page: the file is in the direct messages, and holds every page."""

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from bot.playground.simulators.payments.records import PayoutOrder
from tests.browser.moving import enter, narrow, say

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_whole_list_comes_as_a_file(visit: Page, playground: Playground) -> None:
    page = visit
    for number in range(25):
        order = PayoutOrder(
            email=f"p{number}@example.com",
            description="made elsewhere",
            cents=100 + number,
            code=f"csv-{number}",
            confirmation_uri="",
            failure_uri="",
        )
        playground.payments.add_payout(order)
    await enter(page, "C0FINANCE")
    await say(page, "/pay list payouts")
    listed = page.get_by_test_id("message").filter(has_text="page 1 of")
    await listed.get_by_role("button", name="Send as CSV").click()
    told = page.get_by_test_id("message").filter(has_text="in your direct messages")
    await expect(told).to_contain_text("Payouts: ", timeout=20_000)
    await narrow(page, "csv")
    await page.locator("[data-testid=channel][data-channel^=D]").first.click()
    await expect(page.get_by_test_id("message").filter(has_text="payouts-").first).to_be_visible(timeout=20_000)
