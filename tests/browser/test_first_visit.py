"""The playground as a newcomer meets it: the page, the local workspace, the simulator and the real bot as a process."""

from collections.abc import Callable

import pytest
from playwright.async_api import Page, expect

from bot.playground.cast import FIRST_COMMAND
from bot.playground.launch import Playground
from bot.playground.process import BotProcess
from tests.browser.moving import become, enter, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def bot_process() -> Callable[..., BotProcess]:
    """As it is started: with an interpreter of its own, in an empty folder."""
    return BotProcess


async def test_pay_refused_self_approval_approve_completed(visit: Page, playground: Playground) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, FIRST_COMMAND)
    await expect(page.get_by_text("Only visible to you")).to_be_visible()
    await enter(page, "C0APPROVE")
    card = page.get_by_test_id("message").filter(has_text="$25.00 to ana@example.com").first
    await expect(card).to_contain_text("Ana Maria Lopez")
    await card.get_by_role("button", name="Approve").click()
    await expect(page.get_by_test_id("message").last).to_contain_text("You can't approve your own request")
    await shot(page, "refused")
    await become(page, "U0ADA")
    await enter(page, "C0APPROVE")
    await card.get_by_role("button", name="Approve").click()
    await expect(card).to_contain_text("completed", timeout=30_000)
    await expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    await expect(card.get_by_role("button", name="Withdraw")).to_have_count(0)
    await expect(page.get_by_test_id("figure-moved")).to_have_text("$25.00")
    await shot(page, "completed")
    await become(page, "U0MARIA")
    await enter(page, "C0FINANCE")
    await page.get_by_test_id("replies").first.click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("is completed")
    await expect(thread).to_contain_text("@Ada Okafor")
    await shot(page, "told")
    assert [entry.cents for entry in playground.payments.ledger.entries] == [2_500]
