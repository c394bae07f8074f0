"""The playground in trouble: a bot that dies."""

from contextlib import suppress

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.cast import FIRST_COMMAND, SAMPLE
from bot.playground.launch import Playground
from tests.browser.moving import become, by, enter, say

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def press_until(card: Locator, button: str, word: str) -> None:
    """Press again where the answer of a bot that has just started took longer than Slack waits, as people do."""
    for patience in (15_000, 15_000, 30_000):
        pressed = card.get_by_role("button", name=button)
        if await pressed.count():
            await pressed.click()
        with suppress(AssertionError):
            return await expect(card).to_contain_text(word, timeout=patience)
    raise AssertionError(await card.inner_text())


async def test_killed_bot_is_told_of_comes_back_and_pays(visit: Page, playground: Playground) -> None:
    await enter(visit, "C0FINANCE")
    await say(visit, FIRST_COMMAND)
    await become(visit, "U0ADA")
    await enter(visit, "C0APPROVE")
    card = by(visit, "message").filter(has_text="$25.00 USD to Ana Maria Lopez").first
    await expect(card.get_by_role("button", name="Approve")).to_be_visible()
    trouble, started = by(visit, "trouble"), playground.bot.starts
    await expect(trouble).to_be_hidden()
    assert playground.bot.kill()
    await expect(trouble).to_contain_text("The bot was ended by signal 9")
    await visit.reload()
    await visit.wait_for_selector("body[data-ready=yes]")
    await expect(trouble).to_be_hidden(timeout=30_000)
    assert playground.bot.starts > started
    await playground.until_ready()
    await press_until(card, "Approve", "Paid")
    assert [entry.cents for entry in playground.payments.ledger.entries] == [2_500]


async def test_everybody_in_the_sample_can_be_paid(playground: Playground) -> None:
    addresses = [line.partition(",")[0] for line in SAMPLE.splitlines()[1:]]
    accounts = [playground.payments.accounts[address] for address in addresses]
    assert [account.status for account in accounts] == ["active"] * len(addresses)
