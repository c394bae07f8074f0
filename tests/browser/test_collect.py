"""Collecting money in the playground: ask, look at the link, pay as the buyer, hear of it."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.moving import enter, fits, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LINE = 'collect ben@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"'


async def opened(page: Page, amount: str) -> None:
    """The newest card of this amount with its checkout button, as the person sees it."""
    card = page.get_by_test_id("message").filter(has_text=f"{amount} from ben@example.com").last
    await expect(card).to_contain_text("Waiting for payment", timeout=20_000)
    await expect(card.get_by_role("button", name="Open checkout")).to_be_visible()


async def paid(page: Page, name: str) -> Page:
    """Press the button of the newest card, and pay on the page that opens."""
    async with page.context.expect_page() as opening:
        await page.get_by_role("button", name="Open checkout").first.click()
    checkout = await opening.value
    await checkout.wait_for_selector("button.pay")
    await shot(checkout, f"{name}-checkout")
    await checkout.click("button.pay")
    await expect(checkout.locator("h1")).to_have_text("Thank you")
    await shot(checkout, f"{name}-thanks")
    return checkout


async def test_ask_in_one_line_pay_as_the_buyer_and_hear_of_it(visit: Page) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, f"/pay {LINE}")
    await opened(page, "$119.50")
    card = page.get_by_test_id("message").last
    for words in ("$119.50 from ben@example.com", "Print ads", "99.50", "Spring campaign"):
        await expect(card).to_contain_text(words)
    await shot(page, "collect-open")
    await page.get_by_test_id("replies").first.click()
    thread = page.get_by_role("complementary", name="Thread")
    picture = thread.locator("img.file-picture")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.complete && image.naturalWidth") > 100
    await shot(page, "collect-picture")
    await paid(page, "collect")
    await expect(thread).to_contain_text("Paid: $119.50", timeout=20_000)
    await expect(page.get_by_role("button", name="Open checkout")).to_have_count(0)
    await shot(page, "collect-completed")


async def test_the_form_names_each_bad_line(visit: Page) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, "/pay collect")
    modal = page.get_by_test_id("modal")
    await modal.get_by_label("Buyer's e-mail address").fill("ben@example.com")
    await modal.get_by_label("What is it for?").fill("Spring campaign")
    await modal.get_by_label("Items").fill("Web design = 2 x 10.00\nHosting")
    await shot(page, "collect-form")
    await page.get_by_test_id("modal-submit").click()
    await expect(page.get_by_test_id("field-error")).to_contain_text("Line 2")
    await shot(page, "collect-form-mistake")
    await modal.get_by_label("Items").fill("Web design = 2 x 10.00\nHosting = 12 x 4.50")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("$74.00 from ben@example.com")
    await page.get_by_test_id("modal-close").click()
    await opened(page, "$74.00")


async def test_on_a_phone_nothing_runs_out_of_the_page(phone: Page) -> None:
    page = phone
    await say(page, f"/pay {LINE}")
    await opened(page, "$119.50")
    await shot(page, "collect-phone")
    await fits(page)
    await page.get_by_test_id("replies").first.click()
    await expect(page.locator("img.file-picture")).to_be_visible()
    await shot(page, "collect-phone-thread")
