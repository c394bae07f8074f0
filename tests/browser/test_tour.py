"""The further steps of the tour, in the playground itself: a file, a delivery, a service that misbehaves."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.moving import become, by, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_tour_goes_on_to_files_bookings_and_misbehaviour(visit: Page) -> None:
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
    await by(page, "modal-x").click()
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
