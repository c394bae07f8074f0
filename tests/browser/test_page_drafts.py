"""What somebody typed and where they were outlives a look elsewhere, a reload and the Back button."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.moving import PARTS, become, by, enter, say
from tests.playground.console.scene import FINANCE, GENERAL, NORA, TOMAS, TRY_IT

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def reload(page: Page) -> None:
    await page.reload()
    await page.wait_for_selector("body[data-ready=yes]")


async def test_a_draft_belongs_to_a_person_and_a_conversation(page: Page) -> None:
    box = by(page, "composer")
    await enter(page, FINANCE)
    await box.fill("half a sentence")
    await enter(page, GENERAL)
    await expect(box).to_have_value("")
    await box.fill("another")
    await become(page, TOMAS)
    await expect(box).to_have_value("")
    await become(page, NORA)
    await expect(box).to_have_value("another")
    await enter(page, FINANCE)
    await reload(page)
    await expect(box).to_have_value("half a sentence")
    await box.press("Enter")
    await expect(by(page, "message").last).to_contain_text("half a sentence")
    await reload(page)
    await expect(box).to_have_value("")


async def test_back_leads_back(page: Page) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await by(page, "message").first.hover()
    await by(page, "message").first.get_by_test_id("open-thread").click()
    await expect(by(page, "thread-composer")).to_be_visible()
    await enter(page, GENERAL)
    await expect(by(page, "thread-composer")).to_be_hidden()
    await become(page, TOMAS)
    await page.go_back()
    await expect(page.locator(f"[data-testid=person][data-user={NORA}]")).to_have_attribute("aria-checked", "true")
    await expect(by(page, "channel-name")).to_have_text("general")
    await page.go_back()
    await expect(by(page, "channel-name")).to_have_text("finance")
    await expect(by(page, "thread-composer")).to_be_visible()
    await page.go_back()
    await expect(by(page, "thread-composer")).to_be_hidden()
    await expect(by(page, "channel-name")).to_have_text("finance")
    await page.go_forward()
    await expect(by(page, "thread-composer")).to_be_visible()
    await reload(page)
    await expect(by(page, "thread-composer")).to_be_visible()


async def test_a_form_keeps_what_was_typed(page: Page) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await by(page, "message").first.locator("[data-action-id=reject]").click()
    modal = by(page, "modal")
    await modal.get_by_label("Reason").fill("no invoice yet")
    await modal.get_by_label("Who helps").select_option(TOMAS)
    await page.evaluate(f"{PARTS}.then(({{ store }}) => store.store.tell('all'))")
    await expect(modal.get_by_label("Reason")).to_have_value("no invoice yet")
    await reload(page)
    await expect(modal.get_by_label("Reason")).to_have_value("no invoice yet")
    await expect(modal.get_by_label("Who helps")).to_have_value(TOMAS)
    await page.goto(page.url.replace(NORA, TOMAS))
    await expect(modal).to_have_count(0)
    await page.goto(page.url.replace(TOMAS, NORA))
    await expect(modal.get_by_label("Reason")).to_have_value("no invoice yet")
