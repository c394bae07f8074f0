"""E-mail processing in the playground: ask about addresses, drop a list, watch it, pause it, take the result."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, enter, narrow, say

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def people(count: int) -> bytes:
    return b"name,email,note\r\n" + b"".join(b"Ana %d,p%d@example.com,=1+1\r\n" % (n, n) for n in range(count))


async def drop(page: Page, content: bytes, name: str = "people.csv") -> None:
    file: Any = {"name": name, "mimeType": "text/csv", "buffer": content}
    await page.locator("#middle input[type=file]").first.set_input_files(file)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
    await page.get_by_test_id("composer").press("Enter")


async def form_for(page: Page, name: str = "people.csv") -> None:
    """Open the thread of the newest message with this file and choose what to do with it."""
    replies = page.locator("#middle").get_by_test_id("message").filter(has_text=name).last.get_by_test_id("replies")
    await expect(replies).to_be_visible(timeout=20_000)
    await replies.click()
    thread = page.get_by_role("complementary", name="Thread")
    await thread.get_by_role("button", name="Process e-mails").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Column with the addresses", timeout=20_000)


async def test_a_few_addresses_are_answered_as_a_table(visit: Page) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    await say(page, "/email check bounce@example.com ana+news@example.com info@example.com")
    answer = page.get_by_test_id("message").last
    await expect(answer).to_contain_text("undeliverable", timeout=20_000)
    await expect(answer.locator("table tr")).to_have_count(4)
    await narrow(page, "emails-table")


async def test_a_dropped_list_is_watched_paused_and_finished(visit: Page, playground: Playground) -> None:
    page = visit
    playground.emails.manners.latency = 0.4
    await enter(page, "C0FINANCE")
    await drop(page, people(400))
    await form_for(page)
    await narrow(page, "emails-form")
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("400 rows")
    await dialog.get_by_label("Speed (advanced)").fill("20")
    await dialog.get_by_role("button", name="Start").click()
    await expect(dialog).to_have_count(0, timeout=20_000)
    thread = page.get_by_role("complementary", name="Thread")
    board = thread.get_by_test_id("message").filter(has_text="row by row")
    await expect(board).to_contain_text("of 400 addresses", timeout=20_000)
    await expect(board).to_contain_text("In progress")
    await narrow(page, "emails-progress")
    await board.get_by_role("button", name="Pause").click()
    await expect(board).to_contain_text("Paused", timeout=20_000)
    await narrow(page, "emails-paused")
    asked = len(playground.emails.asked)
    assert asked < 400
    playground.emails.manners.latency = 0.01
    await board.get_by_role("button", name="Resume").click()
    await page.get_by_test_id("confirm-yes").click()
    await expect(board).to_contain_text("400 of 400 addresses", timeout=40_000)
    await expect(board).to_contain_text("Done", timeout=20_000)
    for label in ("Pause", "Resume", "Stop"):
        await expect(board.get_by_role("button", name=label)).to_have_count(0)
    result = thread.get_by_test_id("message").filter(has_text="400 addresses checked (400 rows)")
    await expect(result).to_be_visible(timeout=20_000)
    await expect(result).to_contain_text("people-results-")
    await narrow(page, "emails-done")
    assert set(playground.emails.asked.values()) == {1}


async def test_a_whole_file_and_its_receipt(visit: Page, playground: Playground) -> None:
    page = visit
    await page.get_by_role("tab", name="E-mail").click()
    playground.emails.manners.file_shape = type(playground.emails.manners.file_shape)("receipt")
    await enter(page, "C0FINANCE")
    await drop(page, people(3), "receipt.csv")
    await form_for(page, "receipt.csv")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Whole file").check()
    await dialog.get_by_role("button", name="Start").click()
    await expect(dialog).to_have_count(0, timeout=20_000)
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("Sent, receipt", timeout=20_000)
    await narrow(page, "emails-receipt")
    await become(page, "U0GUS")
    await enter(page, "C0FINANCE")
    await say(page, "/email check ana@example.com")
    await expect(page.locator("#middle")).to_contain_text("Guests can't do this")
