"""The tour with the bot as it is started: to a payout that has arrived in six clicks, and its further steps."""

import re
from collections.abc import Callable

import pytest
from playwright.async_api import Browser, Page, expect

from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.browser.moving import become, by, close_forms, shot, window

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


async def test_tour_continues_to_files_bookings_and_faults(visit: Page) -> None:
    page, tour = visit, by(visit, "tour")
    await by(page, "tour-restart").click()
    for user, name in (("U0ADA", "Ada"), ("U0MARIA", "Maria")):
        await become(page, user)
        await expect(tour).to_contain_text(f"You are {name}")
    for step in range(1, 5):
        await expect(tour).to_have_attribute("data-step", str(step))
        await by(page, "tour-next").click()
    await expect(tour).to_contain_text("Watch the money move")
    await by(page, "tour-offer").click()
    await expect(tour).to_contain_text("Drop a file")
    await by(page, "tour-offer").click()
    await page.wait_for_selector("[data-testid=pending-file][data-state=ready]")
    await shot(page, "tour-drop")
    await by(page, "composer").press("Enter")
    await expect(page.locator(".file-table tbody tr")).to_have_count(3)
    await expect(tour).to_contain_text("See what it offers", timeout=20_000)
    await by(page, "tour-offer").click()
    offer = page.locator("#thread [data-action-id^='use.']")
    await expect(offer.first).to_be_visible()
    assert sorted(await offer.all_text_contents()) == ["Check first", "Pay in bulk", "Process e-mails"]
    await shot(page, "tour-offer")
    await by(page, "thread-close").click()
    await expect(tour).to_contain_text("Book a delivery")
    await by(page, "tour-offer").click()
    await expect(by(page, "channel-name")).to_have_text("deliveries")
    await expect(by(page, "composer")).to_have_value("/deliver book")
    await by(page, "composer").press("Escape")
    await by(page, "composer").press("Enter")
    await expect(by(page, "modal")).to_be_visible(timeout=20_000)
    await shot(page, "tour-book")
    await close_forms(page)
    await by(page, "tour-next").click()
    await expect(tour).to_contain_text("misbehave")
    await page.locator("[data-testid=service-tab][data-service=payments]").click()
    await by(page, "faults").locator("summary").click()
    await page.locator("[data-testid=fault][data-kind=done_dropped]").click()
    await expect(tour).to_contain_text("Armed")
    await by(page, "tour-offer").click()
    await expect(by(page, "composer")).to_have_value(re.compile("^/pay send kim@"))
    await by(page, "composer").press("Enter")
    await page.locator(".person[data-user=U0ADA]").click()
    await page.locator("[data-testid=channel][data-channel=C0APPROVE]").click()
    await page.locator("#middle [data-action-id='payout.approve']").click()
    await expect(tour).to_have_count(0, timeout=20_000)
    await page.reload()
    await page.wait_for_selector("body[data-ready=yes]")
    await expect(tour).to_have_count(0)
