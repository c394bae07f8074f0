"""The page with its real bot: one that dies, new names of its services, and fields that ask it while one types."""

from contextlib import suppress
from functools import partial

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.cast import FIRST_COMMAND
from bot.playground.console.localization_panel import OTHER_NAMES
from bot.playground.launch import Playground
from tests.browser.moving import become, by, close_forms, enter, say
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINANCE, DELIVERIES, APPROVALS = "C0FINANCE", "C0DELIVERY", "C0APPROVE"
MARIA, OLGA, ADA = "U0MARIA", "U0OLGA", "U0ADA"
LATER = 30_000


async def press_until(card: Locator, button: str, word: str) -> None:
    """Press again where the answer of a bot that has just started took longer than Slack waits, as people do."""
    for patience in (15_000, 15_000, 30_000):
        pressed = card.get_by_role("button", name=button)
        if await pressed.count():
            await pressed.click()
        with suppress(AssertionError):
            return await expect(card).to_contain_text(word, timeout=patience)
    raise AssertionError(await card.inner_text())


async def test_killed_bot_is_shown_restarts_and_pays(visit: Page, playground: Playground) -> None:
    await enter(visit, FINANCE)
    await say(visit, FIRST_COMMAND)
    await become(visit, ADA)
    await enter(visit, APPROVALS)
    card = by(visit, "message").filter(has_text="$25.00 USD to Ana Maria Lopez").first
    await expect(card.get_by_role("button", name="Approve")).to_be_visible()
    trouble, started = by(visit, "trouble"), playground.bot.starts
    await expect(trouble).to_be_hidden()
    assert playground.bot.kill()
    await expect(trouble).to_contain_text("The bot was ended by signal 9")
    await visit.reload()
    await visit.wait_for_selector("body[data-ready=yes]")
    await expect(trouble).to_be_hidden(timeout=LATER)
    assert playground.bot.starts > started
    await playground.until_ready()
    await press_until(card, "Approve", "Paid")
    assert [entry.cents for entry in playground.payments.ledger.entries] == [2_500]


async def test_known_customer_is_filled_in_by_number_or_from_the_list(visit: Page, playground: Playground) -> None:
    page, form = visit, by(visit, "modal")
    await enter(page, DELIVERIES)
    await say(page, "/deliver book")
    await by(page, "modal-example").click()
    await form.get_by_label("First name").fill("Nora")
    await by(page, "modal-submit").click()
    await expect(form).to_contain_text("Delivery fee", timeout=LATER)
    await by(page, "modal-submit").click()
    await expect(form).to_have_count(0, timeout=LATER)
    await say(page, "/deliver book")
    await form.get_by_label("Order total").fill("7.00")
    await form.get_by_label("Phone").fill("099 123 4567")
    await form.get_by_label("Phone").press("Enter")
    await expect(form.get_by_label("First name")).to_have_value("Nora", timeout=LATER)
    await expect(form.get_by_label("Order total")).to_have_value("7.00")
    await close_forms(page)
    await say(page, "/deliver book")
    await form.get_by_label("Earlier customer").select_option(label="Nora Lopez · +593 991234567")
    await expect(form.get_by_label("First name")).to_have_value("Nora", timeout=LATER)
    await close_forms(page)
    assert len(playground.delivery.bookings) == 1


async def says(page: Page, command: str, answer: Locator) -> bool:
    await say(page, command)
    with suppress(AssertionError):
        await expect(answer).to_be_visible()
    return await answer.is_visible()


async def started_again(playground: Playground, starts: int) -> bool:
    return playground.bot.starts > starts


async def test_bot_restarts_with_new_names_and_reads_an_answer_again(visit: Page, playground: Playground) -> None:
    page, starts, service = visit, playground.bot.starts, playground.localization
    service.work_seconds = {"*": 0.1}
    service.switches.names = OTHER_NAMES
    await enter(page, FINANCE)
    await say(page, "/localize separate https://files.example.com/ballad.mp3")
    board = by(page, "message").filter(has_text="ballad.mp3").last
    again = board.get_by_role("button", name="Read again")
    await expect(again).to_be_visible(timeout=LATER)
    await become(page, OLGA)
    await enter(page, FINANCE)
    listing = by(page, "message").filter(has_text="vocals_stem").last
    await until(partial(says, page, "/switchboard unread", listing))
    lines = (await listing.locator("pre").first.inner_text()).strip()
    playground.services_file.write_text(f"{lines}\n", encoding="utf-8")
    await until(partial(started_again, playground, starts))
    await playground.until_ready()
    await become(page, MARIA)
    await enter(page, FINANCE)
    await again.click()
    await expect(again).to_have_count(0, timeout=LATER)
    await by(board, "replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(by(thread, "player")).to_have_count(2, timeout=LATER)
    assert [call.operation for call in service.calls].count("music_source_separation") == 1
