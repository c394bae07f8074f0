"""Lines that are nearly right on the playground's page: the buttons of their answers are pressed."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.moving import become, enter, narrow, say

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MARIA, FINANCE = "U0MARIA", "C0FINANCE"
LATER = 30_000


def told(page: Page, words: str) -> Locator:
    return page.get_by_test_id("message").filter(has_text=words)


async def offers(page: Page, line: str, said: str, button: str) -> Locator:
    """Type a line and find its answer, with the button that it offers."""
    await say(page, line)
    answer = told(page, said)
    await expect(answer.get_by_role("button", name=button)).to_be_visible(timeout=LATER)
    await answer.scroll_into_view_if_needed()
    return answer


async def test_what_was_meant_is_one_press_away(visit: Page) -> None:
    page = visit
    await become(page, MARIA)
    await enter(page, FINANCE)
    answer = await offers(page, "/pay send ana@example.com 26,10 Comma", "Use a point for cents: 26.10.", "Send $26.10")
    await narrow(page, "mistake-amount")
    await answer.get_by_role("button", name="Send $26.10").click()
    await expect(told(page, "Use a point for cents: 26.10.")).to_have_count(0, timeout=LATER)
    await expect(told(page, "$26.10").first).to_be_visible(timeout=LATER)

    answer = await offers(page, "/pay sned kim@example.com 27.20 Verb", "Did you mean /pay send?", "Use /pay send")
    await narrow(page, "mistake-verb")
    await answer.get_by_role("button", name="Use /pay send").click()
    await expect(told(page, "Did you mean /pay send?")).to_have_count(0, timeout=LATER)
    await expect(told(page, "$27.20").first).to_be_visible(timeout=LATER)

    await say(page, "/pay send help")
    await expect(told(page, "a code of your own, used once")).to_be_visible(timeout=LATER)
    await narrow(page, "mistake-help")


async def test_a_person_is_paid_by_name(visit: Page) -> None:
    page = visit
    await become(page, MARIA)
    await enter(page, FINANCE)
    await say(page, "/pay send @lin 28.30 Lunch")
    await expect(told(page, "lin@example.com").first).to_contain_text("$28.30", timeout=LATER)
    await say(page, "/pay send @eve 29.40 Lunch")
    await expect(told(page, "@eve belongs to another workspace.")).to_be_visible(timeout=LATER)


async def test_a_payout_named_as_a_bulk_payment_is_shown(visit: Page) -> None:
    page = visit
    await become(page, MARIA)
    await enter(page, FINANCE)
    await say(page, "/pay send ana@example.com 31.50 Kind")
    asked = told(page, "$31.50").first
    await expect(asked).to_be_visible(timeout=LATER)
    reference = (await asked.inner_text()).split("P-")[1][:6]
    answer = await offers(page, f"/pay bulk show p-{reference.lower()}.", "is a single payout.", "Show it")
    await answer.get_by_role("button", name="Show it").click()
    await expect(told(page, "is a single payout.")).to_have_count(0, timeout=LATER)
