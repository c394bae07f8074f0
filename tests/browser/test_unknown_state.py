"""A state that nobody knows, through the panel's switch: the card, its thread, the alert, the line that explains it."""

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, by, enter, narrow, say
from tests.browser.test_deliver import HERE, LATER, book, moved_to, private

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
WORD = "WAITING_FOR_RAIN_TO_STOP"


async def test_an_unknown_state_is_told_and_the_line_to_add_is_shown(visit: Page, playground: Playground) -> None:
    page = visit
    playground.delivery.book.step_seconds = None
    await enter(page, HERE)
    await page.locator("[data-testid=service-tab][data-service=delivery]").click()
    await by(page, "faults").locator("summary").click()
    await by(page, "fault-operation").select_option("outcome")
    await page.locator("[data-testid=fault][data-kind=odd]").click()
    assert playground.delivery.switches.unknown_status == WORD
    card = await book(page)
    await moved_to("Driver at the store", card, playground)
    playground.delivery.advance()
    await expect(card).to_contain_text("Unknown state", timeout=LATER)
    await expect(card).to_contain_text(WORD)
    await expect(card.get_by_role("button", name="Refresh")).to_be_visible()
    await by(page, "panel-close").click()
    await narrow(page, "unknown-state-card")
    await card.get_by_test_id("replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("It may have ended; I keep checking.")
    await page.get_by_test_id("thread-close").click()
    await become(page, "U0OLGA")
    await enter(page, "C0ALERTS")
    alert = page.get_by_test_id("message").filter(has_text="unknown state").last
    await expect(alert).to_contain_text("[delivery.states]", timeout=LATER)
    await narrow(page, "unknown-state-alert")
    await say(page, "/switchboard unread")
    await expect(private(page).last).to_contain_text(f'{WORD} = "…"', timeout=LATER)
    await narrow(page, "unknown-state-unread")
    await become(page, "U0MARIA")
    await enter(page, HERE)
    playground.delivery.advance()
    await expect(card).to_contain_text("On the way", timeout=LATER)
