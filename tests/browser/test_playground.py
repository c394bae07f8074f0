"""The playground in trouble: a bot that dies, a payment whose answer is lost."""

from contextlib import suppress

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.cast import FIRST_COMMAND, SAMPLE
from bot.playground.faults import Fault, FaultKind
from bot.playground.launch import UNSTEADY_SECONDS, Playground
from tests.browser.moving import become, enter, say, shot

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


def moved(playground: Playground) -> list[int]:
    return [entry.cents for entry in playground.payments.ledger.entries]


async def test_a_killed_bot_comes_back_and_goes_on(visit: Page, playground: Playground) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, FIRST_COMMAND)
    await become(page, "U0ADA")
    await enter(page, "C0APPROVE")
    card = page.get_by_test_id("message").filter(has_text="$25.00 USD to Ana Maria Lopez").first
    await expect(card.get_by_role("button", name="Approve")).to_be_visible()
    started = playground.bot.starts
    assert playground.bot.kill()
    await playground.workspace.until(lambda: playground.bot.starts > started, timeout=20)
    await playground.until_ready()
    await press_until(card, "Approve", "Paid")
    assert moved(playground) == [2_500]


async def test_a_bot_that_died_is_told_of_until_it_is_back(visit: Page, playground: Playground) -> None:
    told = visit.get_by_test_id("trouble")
    await expect(told).to_be_hidden()
    assert playground.bot.kill()
    await expect(told).to_contain_text("The bot was ended by signal 9")
    await visit.reload()
    await visit.wait_for_selector("body[data-ready=yes]")
    await expect(told).to_be_hidden(timeout=30_000)
    await playground.until_ready()
    await say(visit, FIRST_COMMAND.replace("25.00", "5.00"))
    await expect(visit.get_by_test_id("message").last).to_contain_text("$5.00 to Ana Maria Lopez")


async def test_unknown_lasts_long_enough_to_be_read(visit: Page, playground: Playground) -> None:
    playground.payments.be_unsteady(UNSTEADY_SECONDS)
    playground.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "commit_payout"))
    await enter(visit, "C0FINANCE")
    await say(visit, FIRST_COMMAND.replace("25.00", "7.50"))
    await become(visit, "U0ADA")
    await enter(visit, "C0APPROVE")
    card = visit.get_by_test_id("message").filter(has_text="$7.50 USD to Ana Maria Lopez").first
    before = moved(playground)
    await card.get_by_role("button", name="Approve").click()
    await expect(card).to_contain_text("Not confirmed yet")
    await shot(visit, "unknown")
    await expect(card).to_contain_text("Paid", timeout=30_000)
    assert moved(playground) == [*before, 750]


async def test_everybody_in_the_sample_can_be_paid(playground: Playground) -> None:
    addresses = [line.partition(",")[0] for line in SAMPLE.splitlines()[1:]]
    accounts = [playground.payments.accounts[address] for address in addresses]
    assert [account.status for account in accounts] == ["active"] * len(addresses)
