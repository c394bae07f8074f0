"""Bulk payments in the playground: drop a table, two people approve it, watch it, mend what failed and drop that."""

import csv
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, enter, fits, narrow, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MARIA, ADA, LIN = "U0MARIA", "U0ADA", "U0LIN"
FINANCE, APPROVALS = "C0FINANCE", "C0APPROVE"
LATER = 30_000
SHORT = 390
"""Pixels of a card with three warnings on a phone, its sender and its replies included."""
ROWS = 12
LATECOMER = "newcomer@example.com"
"""Has no account at first: the money waits."""
TABLE = "email,amount,note\n" + "".join(
    f"{LATECOMER if n == 2 else f'person{n}@example.com'},100.00,Translation {n}\n" for n in range(1, ROWS + 1)
)
FAILED = ["person4@example.com", "person8@example.com", "person12@example.com"]
NAMELESS = "Id;Contact;To pay;Why\n1;ana@example.com;7.50;April\n"
BROKEN = "email,amount,note\nana@example.com,25.00,March\nben@example.com,-3,April\n"


@pytest_asyncio.fixture(loop_scope="session")
async def office(playground: Playground) -> Playground:
    """Everybody but one has an account; each fourth payment fails; six are paid at a time."""
    for number in range(1, ROWS + 1):
        playground.payments.add_account(f"person{number}@example.com", full_name=f"Person {number}")
    playground.payments.switches.bulk_fail_every = 4
    playground.payments.switches.bulk_items_a_step = 6
    return playground


async def drop(page: Page, name: str, content: bytes) -> Locator:
    """Give a table to the conversation; the thread of its message, with the offer in it."""
    file: Any = {"name": name, "mimeType": "text/csv", "buffer": content}
    await page.get_by_test_id("composer-attach-input").set_input_files(file)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
    await page.get_by_test_id("composer-send").click()
    message = page.locator("#middle").get_by_test_id("message").filter(has_text=name).last
    await message.get_by_test_id("replies").click(timeout=LATER)
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread.get_by_role("button", name="Pay in bulk")).to_be_visible()
    return thread


async def ask(page: Page, thread: Locator, words: str, name: str) -> None:
    """Press *Pay in bulk* and ask for the sum that the form shows."""
    await thread.get_by_role("button", name="Pay in bulk").click()
    modal = page.get_by_test_id("modal")
    await expect(modal).to_contain_text(words, timeout=LATER)
    await narrow(page, f"{name}-form")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Request sent", timeout=LATER)
    await page.get_by_test_id("modal-x").click()
    await page.get_by_test_id("thread-close").click()


def card(page: Page, words: str = "$1,200.00 USD · 12 payments") -> Locator:
    return page.locator("#middle").get_by_test_id("message").filter(has_text=words).first


async def approve(page: Page, amount: str, words: str) -> None:
    """Approve the card as who is looking, typing the amount."""
    await card(page, words).get_by_role("button", name="Approve").click(timeout=LATER)
    modal = page.get_by_test_id("modal")
    await expect(modal).to_contain_text("type the amount")
    await modal.get_by_label("To approve, type the amount").fill(amount)
    await shot(page, "bulk-typed")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_have_count(0)


def counts(text: str) -> dict[str, int]:
    """How many payments stand where, as a sentence says."""
    return {word: int(number) for number, word in re.findall(r"(\d+) (paid|failed|waiting|not reported)", text)}


async def walk(page: Page, person: str, channel: str) -> None:
    await page.get_by_test_id("menu").tap()
    await become(page, person)
    await expect(page.get_by_role("navigation", name="Workspace")).not_to_be_in_viewport()
    await page.get_by_test_id("menu").tap()
    await enter(page, channel)
    await expect(page.get_by_role("navigation", name="Workspace")).not_to_be_in_viewport()


async def test_from_the_drop_to_what_failed_dropped_again(visit: Page, phone: Page, office: Playground) -> None:
    """One of the two approvers has a phone; nothing runs out of its page."""
    page = visit
    await enter(page, FINANCE)
    thread = await drop(page, "march.csv", TABLE.encode())
    await expect(thread.get_by_role("button", name="Pay in bulk")).to_have_count(1)
    await narrow(page, "bulk-offer")
    await ask(page, thread, "$1,200.00 · 12 payments to 12 people", "bulk")
    await become(page, ADA)
    await enter(page, APPROVALS)
    await walk(phone, LIN, APPROVALS)
    for one, amount, name in ((page, "1200.00", "bulk"), (phone, "1200", "bulk-phone")):
        await expect(card(one)).to_contain_text("$1,200.00")
        await fits(one)
        await shot(one, f"{name}-card")
        if one is phone:
            height = await card(one).evaluate("message => message.getBoundingClientRect().height")
            assert height <= SHORT, "the card of a list is short on a phone, too"
        await approve(one, amount, "$1,200.00 USD · 12 payments")
    await expect(card(page)).to_contain_text("%", timeout=LATER)
    await shot(page, "bulk-progress")
    await expect(card(page)).to_contain_text("1 waiting for sign-up ($100.00)", timeout=LATER)
    await expect(card(page)).to_contain_text("3 failed")
    assert sum(counts(await card(page).inner_text()).values()) == ROWS
    await shot(page, "bulk-pending")
    await fits(phone)
    await shot(phone, "bulk-phone-pending")
    office.payments.add_account(LATECOMER, full_name="New Comer")
    ended = card(page, "9 paid, 3 failed · $1,200.00 USD")
    await expect(ended).to_be_visible(timeout=LATER)
    await expect(ended.get_by_role("button", name="Cancel 1 waiting")).to_have_count(0)
    await expect(ended.get_by_role("button", name="Retry these 3")).to_have_count(1)
    await fits(phone)
    await shot(phone, "bulk-phone-ended")
    await become(page, MARIA)
    await enter(page, FINANCE)
    dropped = page.locator("#middle").get_by_test_id("message").filter(has_text="march.csv").last
    await dropped.get_by_test_id("replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("9 paid ($900.00), 3 failed ($300.00), 0 pending", timeout=LATER)
    file = thread.get_by_test_id("file").filter(has_text="failed")
    await expect(file).to_have_count(1, timeout=LATER)
    await shot(page, "bulk-summary")
    await once_more(page, office, await downloaded(page, file))


async def downloaded(page: Page, file: Locator) -> bytes:
    async with page.expect_download() as loading:
        await file.click()
    return Path(await (await loading.value).path()).read_bytes()  # noqa: ASYNC240 - a few bytes


async def once_more(page: Page, office: Playground, content: bytes) -> None:
    """What failed, as it was handed out, is a request of its own."""
    rows = list(csv.DictReader(StringIO(content.decode("utf-8-sig"))))
    assert [row["email"] for row in rows] == FAILED
    assert all("refused the money" in row["error"] for row in rows)
    office.payments.switches.bulk_fail_every = 0
    await page.get_by_test_id("thread-close").click()
    thread = await drop(page, "mended.csv", content)
    await ask(page, thread, "$300.00 · 3 payments", "bulk-mended")
    again = card(page, "$300.00 USD · 3 payments")
    await become(page, ADA)
    await enter(page, APPROVALS)
    await again.get_by_role("button", name="Approve").click(timeout=LATER)
    await expect(card(page, "All 3 paid · $300.00 USD")).to_be_visible(timeout=60_000)
    assert sum(entry.cents for entry in office.payments.ledger.entries) == 120_000


async def test_a_broken_file_is_answered_with_its_row(visit: Page) -> None:
    page = visit
    await enter(page, FINANCE)
    thread = await drop(page, "broken.csv", BROKEN.encode())
    await thread.get_by_role("button", name="Pay in bulk").click()
    told = page.get_by_test_id("modal")
    await expect(told).to_contain_text("1 of 2 rows needs fixing", timeout=LATER)
    await expect(told).to_contain_text("Row 3: amount is -3")
    await expect(told).not_to_contain_text("Row 2")
    await narrow(page, "bulk-broken")
    await told.get_by_role("button", name="Request the 1 good row").click()
    await expect(told).to_contain_text("$25.00 · 1 payment to 1 person", timeout=LATER)
    await expect(told).to_contain_text("1 row left out: row 3")
    await narrow(page, "bulk-good-rows")
    await page.get_by_test_id("modal-x").click()
    await page.get_by_test_id("thread-close").click()
    await enter(page, APPROVALS)
    await expect(page.locator("#middle").get_by_text("2 payments")).to_have_count(0)


async def test_columns_with_other_names_are_chosen_in_the_form(visit: Page) -> None:
    page, modal = visit, visit.get_by_test_id("modal")
    await enter(page, FINANCE)
    file: Any = {"name": "april.csv", "mimeType": "text/csv", "buffer": NAMELESS.encode()}
    await page.get_by_test_id("composer-attach-input").set_input_files(file)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
    await page.get_by_test_id("composer-send").click()
    message = page.locator("#middle").get_by_test_id("message").filter(has_text="april.csv").last
    await message.get_by_test_id("replies").click(timeout=LATER)
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread.get_by_role("button", name="Process e-mails")).to_be_visible()
    await expect(thread.get_by_role("button", name="Pay in bulk")).to_have_count(0)
    await page.get_by_test_id("thread-close").click()
    await message.hover()
    await message.get_by_test_id("more-actions").click()
    await page.get_by_role("menuitem", name="Use this file").click()
    await modal.get_by_label("Pay in bulk").check(timeout=LATER)
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Which column is which?", timeout=LATER)
    await expect(modal.get_by_label("Amount column")).to_contain_text("To pay")
    await shot(page, "bulk-columns")
    await modal.get_by_label("Note column").select_option(label="Why – April")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("$7.50 · 1 payment to 1 person", timeout=LATER)
    await shot(page, "bulk-columns-sum")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("note from “Why”; not used: “Id”", timeout=LATER)
    await shot(page, "bulk-columns-asked")
