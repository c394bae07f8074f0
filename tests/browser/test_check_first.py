"""A payment file is checked before it is paid: what is undeliverable is left out, taken in, told to the approvers."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, enter, fits, narrow, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ADA = "U0ADA"
FINANCE, APPROVALS = "C0FINANCE", "C0APPROVE"
LATER = 30_000
TABLE = (
    "email,amount,note,name\n"
    "ana@example.com,25.00,March,Ana Lopez\n"
    "bounce1@example.com,10.00,April,Bo Unce\n"
    "mia@example.com,4.00,May,Mia Keller\n"
    "luis@example.com,1.00,June,Pedro Costa\n"
    "bounce2@example.com,2.00,July,\n"
)


async def test_a_checked_file_is_paid_without_what_is_undeliverable(
    visit: Page, phone: Page, playground: Playground
) -> None:
    page, modal = visit, visit.get_by_test_id("modal")
    await enter(page, FINANCE)
    file: Any = {"name": "march.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    await page.get_by_test_id("composer-attach-input").set_input_files(file)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
    await page.get_by_test_id("composer-send").click()
    message = page.locator("#middle").get_by_test_id("message").filter(has_text="march.csv").last
    await message.get_by_test_id("replies").click(timeout=LATER)
    thread = page.get_by_role("complementary", name="Thread")
    await thread.get_by_role("button", name="Check first").click(timeout=LATER)
    await expect(modal).to_contain_text("$42.00 · 5 payments", timeout=LATER)
    await narrow(page, "check-form")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Checking the file", timeout=LATER)
    await page.get_by_test_id("modal-x").click()

    board = thread.get_by_test_id("message").filter(has_text="This check pays nothing")
    await expect(board).to_contain_text("2 undeliverable, left out: row 3, row 6", timeout=LATER)
    await expect(board).to_contain_text("1 account registered under another name: luis@example.com")
    await expect(thread.get_by_test_id("file").filter(has_text="recipients")).to_have_count(1, timeout=LATER)
    await narrow(page, "check-board")
    await board.get_by_role("button", name="Pay in bulk").click()
    await take_in(page)
    await approved_by(page, phone)
    paid = await playground.payments.until(lambda: playground.payments.bulk_payments or None)
    people = ["ana@example.com", "luis@example.com", "bounce2@example.com"]
    assert [item.order.email for item in paid[0].items] == people


async def take_in(page: Page) -> None:
    """Row 6 although it is undeliverable; row 4, which has no account, is left out."""
    modal = page.get_by_test_id("modal")
    await expect(modal).to_contain_text("$30.00 · 3 payments", timeout=LATER)
    await modal.get_by_text("Row 6: $2.00 to bounce2@example.com").click()
    await modal.get_by_text("Leave out 1 row that can't receive money yet").click()
    await narrow(page, "check-choices")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("$28.00 · 3 payments", timeout=LATER)
    await expect(modal).to_contain_text("1 undeliverable, will be paid: row 6")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Left out: row 3, row 4", timeout=LATER)
    await page.get_by_test_id("modal-x").click()
    await page.get_by_test_id("thread-close").click()


async def approved_by(page: Page, phone: Page) -> None:
    await become(page, ADA)
    await enter(page, APPROVALS)
    card = page.locator("#middle").get_by_test_id("message").filter(has_text="$28.00 USD · 3 payments").first
    await expect(card).to_contain_text("Will be paid despite an undeliverable address: row 6")
    await card.get_by_text("View list").click()
    listed = page.locator("#middle").get_by_test_id("message").filter(has_text="page 1 of 1").last
    await expect(listed).to_contain_text("Only visible to you", timeout=LATER)
    await shot(page, "check-card")
    await phone.get_by_test_id("menu").tap()
    await become(phone, ADA)
    await phone.get_by_test_id("menu").tap()
    await enter(phone, APPROVALS)
    await expect(phone.locator("#middle")).to_contain_text("Will be paid despite an undeliverable address: row 6")
    await fits(phone)
    await shot(phone, "check-phone-card")
    await card.get_by_role("button", name="Approve").click()
    await expect(page.get_by_test_id("modal")).to_contain_text("Will be paid despite an undeliverable address: row 6")
    await shot(page, "check-approve")
    await page.get_by_test_id("modal-submit").click()
    await expect(card).to_contain_text("approved by", timeout=LATER)
    await expect(card).to_contain_text("1 account registered under another name: luis@example.com", timeout=LATER)


async def test_a_dropped_result_leaves_out_what_is_undeliverable(visit: Page) -> None:
    page, modal = visit, visit.get_by_test_id("modal")
    await enter(page, FINANCE)
    result = "email,amount,processing,result\nana@example.com,7.25,answered,deliverable\n"
    result += "bounce3@example.com,9.00,answered,undeliverable\n"
    file: Any = {"name": "may-results.csv", "mimeType": "text/csv", "buffer": result.encode()}
    await page.get_by_test_id("composer-attach-input").set_input_files(file)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
    await page.get_by_test_id("composer-send").click()
    message = page.locator("#middle").get_by_test_id("message").filter(has_text="may-results.csv").last
    await message.get_by_test_id("replies").click(timeout=LATER)
    thread = page.get_by_role("complementary", name="Thread")
    await thread.get_by_role("button", name="Pay in bulk").click(timeout=LATER)
    await expect(modal).to_contain_text("$7.25 · 1 payment", timeout=LATER)
    await expect(modal).to_contain_text("1 undeliverable, left out: row 3")
    await narrow(page, "check-result")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Left out: row 3", timeout=LATER)
