"""The App Home on the page: an approver works there; wide and on a phone, light and dark."""

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, enter, narrow, say

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINANCE, APPROVALS = "C0FINANCE", "C0APPROVE"
LATER = 30_000


def home(page: Page) -> Locator:
    return page.get_by_test_id("home")


async def look(page: Page, name: str) -> None:
    """As it is seen in light and in dark."""
    await narrow(page, f"home-{name}")
    await page.emulate_media(color_scheme="dark")
    await narrow(page, f"home-{name}-dark")
    await page.emulate_media(color_scheme="light")


async def test_an_approver_works_in_the_app_home(visit: Page, playground: Playground) -> None:
    page = visit
    await page.get_by_test_id("panel-close").click()
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Welcome to Switchboard")
    await look(page, "first")
    await enter(page, FINANCE)
    for line in (
        'ana@example.com 25.00 "March translation"',
        'kim@example.com 30.00 "Proofreading"',
        'ben@example.com 1500.00 "A laptop for the new translator"',
    ):
        await say(page, f"/pay send {line}")
    await say(page, "/localize translate from=en to=fr Good morning")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Your requests")
    await expect(home(page).get_by_role("button", name="Withdraw")).to_have_count(3, timeout=LATER)
    await look(page, "requester")
    await become(page, "U0ADA")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("need you", timeout=LATER)
    await look(page, "approver")
    row = home(page).locator(".block[data-block-type=actions]").filter(has_text="Approve").first
    await row.get_by_role("button", name="Open").click()
    await expect(page.locator("#thread")).to_contain_text("$25.00")
    await enter(page, "home")
    before = await home(page).get_by_role("button", name="Approve").count()
    await row.get_by_role("button", name="Approve").click()
    await expect(home(page).get_by_role("button", name="Approve")).to_have_count(before - 1)
    await expect(home(page)).not_to_contain_text("March translation")
    await become(page, "U0OLGA")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Controls")
    await look(page, "admin")
    await become(page, "U0MARIA")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Finished", timeout=LATER)
    await look(page, "finished")
    await home(page).get_by_role("button", name="New payout").click()
    await expect(page.get_by_test_id("modal")).to_be_visible()
    await page.get_by_test_id("modal-close").click()
    await become(page, "U0GUS")
    await enter(page, "home")
    await expect(home(page)).not_to_contain_text("$")
    await expect(home(page).get_by_role("button")).to_have_count(0)
    assert [one for one in playground.payments.ledger.entries if one.email == "ana@example.com"]
