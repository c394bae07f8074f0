"""The playground as a newcomer meets it: the page, the local workspace, the simulator and the real bot as a process."""

from collections.abc import Callable

import pytest
from playwright.async_api import Page, expect

from bot.playground.cast import FIRST_COMMAND
from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.browser.moving import become, enter, say, shot

DOTS = ".actions .button-icon"
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def bot_process() -> Callable[..., BotProcess]:
    """As it is started: with an interpreter of its own, in an empty folder."""
    return BotProcess


async def test_pay_refused_self_approval_approve_completed(visit: Page, playground: Playground) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, FIRST_COMMAND)
    line = page.get_by_test_id("message").filter(has_text="$25.00 to Ana Maria Lopez").first
    await expect(line).to_contain_text("Waiting for approval (0 of 1)")
    await enter(page, "C0APPROVE")
    card = page.get_by_test_id("message").filter(has_text="$25.00 USD to Ana Maria Lopez").first
    await expect(card).to_contain_text("March translation")
    await expect(card).to_contain_text(
        "ana@example.com, verified, Ecuador · requested by Maria Silva (maria) · 0 of 1 approvals · expires"
    )
    await card.get_by_role("button", name="Approve").click()
    await expect(page.get_by_test_id("message").last).to_contain_text("You can't approve your own request")
    await shot(page, "refused")
    await become(page, "U0ADA")
    await enter(page, "C0APPROVE")
    await card.get_by_role("button", name="Approve").click()
    await expect(card).to_contain_text("Paid · $25.00 USD to Ana Maria Lopez", timeout=30_000)
    await expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    await expect(card.locator(DOTS)).to_have_count(0)
    await expect(page.get_by_test_id("figure-moved")).to_have_text("$25.00")
    await shot(page, "completed")
    await become(page, "U0MARIA")
    await enter(page, "C0FINANCE")
    await page.get_by_test_id("replies").first.click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("Paid: $25.00 to Ana Maria Lopez")
    await expect(thread).to_contain_text("Approved by Ada Okafor")
    await shot(page, "told")
    assert [entry.cents for entry in playground.payments.ledger.entries] == [2_500]


async def test_a_card_that_waits_fits_a_phone_and_its_menu_tells_the_rest(visit: Page) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, "/pay send luis@example.com 31.00 Proofreading of the spring catalog")
    await say(page, FIRST_COMMAND.replace("25.00", "26.00"))
    await enter(page, "C0APPROVE")
    await page.get_by_test_id("panel-toggle").click()
    await page.set_viewport_size({"width": 360, "height": 760})
    for title, told, most in (
        ("$31.00 USD to Luis Andrade", "isn't verified", 300),  # with a warning and a long purpose
        ("$26.00 USD to Ana Maria Lopez", "0 of 1", 220),
    ):
        card = page.get_by_test_id("message").filter(has_text=title).first
        await expect(card).to_contain_text(told)
        box = await card.bounding_box()
        assert box is not None
        await shot(page, "phone")
        assert box["height"] <= most
    menu = card.locator(DOTS)
    for choice, told in (("Recipient", "Registered name"), ("History", "requested")):
        await menu.click()
        await page.get_by_role("menuitem", name=choice).click()
        form = page.get_by_role("dialog", name=choice)
        await expect(form).to_contain_text(told)
        await shot(page, choice.casefold())
        await page.get_by_test_id("modal-close").click()
        await expect(form).to_have_count(0)
    await menu.click()
    await page.get_by_role("menuitem", name="Withdraw").click()
    await expect(page.get_by_role("dialog")).to_contain_text("You can send it again later.")
    await shot(page, "withdraw")
    await page.get_by_test_id("modal-close").click()
    await page.set_viewport_size({"width": 1280, "height": 800})
