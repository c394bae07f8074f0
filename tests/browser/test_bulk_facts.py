"""What bulk payments are told as, through the page: queued, failed, left out, made elsewhere; and paid again."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.playground.launch import Playground
from bot.playground.simulators.payments.bulk import BulkOrder
from tests.browser.moving import become, enter, fits, narrow, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MARIA, ADA = "U0MARIA", "U0ADA"
FINANCE, APPROVALS = "C0FINANCE", "C0APPROVE"
LATER = 30_000
SIX = "\n".join(f"person{n}@example.com,10.0{n},Translation {n}" for n in (1, 3, 4, 5, 6))
WHOLE = "$60.20"


@pytest_asyncio.fixture(loop_scope="session")
async def office(playground: Playground) -> Playground:
    """Each of six people has an account, and of six others, whose payments repeat no others."""
    for number in range(1, 7):
        playground.payments.add_account(f"person{number}@example.com", full_name=f"Person {number}")
        playground.payments.add_account(f"other{number}@example.com", full_name=f"Other {number}")
    return playground


def card(page: Page, words: str) -> Locator:
    """The card with these words in its headline, or the line of this amount."""
    amount = re.escape(words)
    told = re.compile(f"{amount} USD|· {amount} ·") if words.startswith("$") else words
    return page.locator("#middle").get_by_test_id("message").filter(has_text=told).first


async def ask(page: Page, rows: str) -> None:
    """Type the rows into the form of ``/pay bulk`` and ask for them, with nothing beside the conversation."""
    await page.get_by_test_id("panel-toggle").click()
    await enter(page, FINANCE)
    await say(page, "/pay bulk")
    modal = page.get_by_test_id("modal")
    await modal.locator("textarea").fill(rows)
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Request sent", timeout=LATER)
    await page.get_by_test_id("modal-x").click()


async def approve(page: Page, words: str, user: str = ADA) -> None:
    await become(page, user)
    await enter(page, APPROVALS)
    shown, modal = card(page, words), page.get_by_test_id("modal")
    await shown.get_by_role("button", name="Approve").click(timeout=LATER)
    await expect(modal.or_(shown.get_by_text("approved by")).first).to_be_visible(timeout=LATER)
    if await modal.count():  # what may be wrong is confirmed
        await page.get_by_test_id("modal-submit").click()


async def answer(page: Page, text: str, words: str) -> Locator:
    """Type a command; the answer with these words."""
    await say(page, text)
    told = page.locator("#middle").get_by_test_id("message").filter(has_text=words).last
    await expect(told).to_be_visible(timeout=LATER)
    return told


async def reference(message: Locator, *, but: str = "") -> str:
    names: list[str] = re.findall(r"L-[0-9A-Z]{6}", await message.inner_text())
    return next(one for one in names if one != but)


async def test_queued_failed_left_out_and_made_elsewhere(visit: Page, office: Playground) -> None:
    page, switches = visit, office.payments.switches
    switches.bulk_fail_every, switches.bulk_items_a_step, switches.bulk_breaks_after = 0, 4, 4
    switches.bulk_stuck = switches.bulk_hides_failed = True
    rows = SIX.replace("person3@", "stranger@").replace("person", "other")
    await ask(page, f"{rows}\nnewcomer@example.com,10.01,Waits")
    await approve(page, WHOLE)
    await become(page, MARIA)
    await enter(page, FINANCE)
    await expect(card(page, WHOLE)).to_contain_text("6 queued", timeout=LATER)
    name = await reference(card(page, WHOLE))
    await expect(await answer(page, f"/pay bulk items {name}", "Payments of")).to_contain_text("queued")
    await narrow(page, "facts-queued")
    switches.bulk_stuck = False
    await expect(card(page, WHOLE)).to_contain_text("Something went wrong processing", timeout=LATER)
    await expect(card(page, WHOLE)).to_contain_text("You can retry the 2 that failed.")
    await expect(card(page, WHOLE)).to_contain_text("1 payment may still arrive: don't send it again.")
    await narrow(page, "facts-failed")
    told = await answer(page, f"/pay bulk failed {name}", "Failed payments of")
    await expect(told).to_contain_text("The bulk payment failed before this payment")
    switches.bulk_breaks_after, switches.bulk_hides_failed, switches.bulk_page_size = 0, False, 3
    orders = [BulkOrder(email=f"waits{n}@example.com", cents=100 * n) for n in range(1, 8)]
    job = office.payments.bulk.create(orders)
    while job.status != "done":
        await office.payments.advance()
    told = await answer(page, f"/pay bulk items {job.id} 2", "page 2 of 3")
    await expect(told).to_contain_text("waits5@example.com")
    await narrow(page, "facts-elsewhere")
    for command in (f"bulk show {job.id}", "bulk history"):
        await expect(await answer(page, f"/pay {command}", job.id)).to_contain_text(
            re.compile("waiting for sign-up", re.IGNORECASE)
        )
    await say(page, f"/pay bulk cancel {job.id} 5")
    await approve(page, "Cancel 1 waiting payment ($5.00)")
    await expect(card(page, "Cancel 1 waiting payment ($5.00)")).to_contain_text("1 payment canceled", timeout=LATER)
    assert [n for n, item in enumerate(job.items, 1) if item.status == "canceled"] == [5]


async def test_the_failed_ones_are_paid_again_from_the_card(visit: Page, phone: Page, office: Playground) -> None:
    page, switches, before = visit, office.payments.switches, len(office.payments.ledger.entries)
    switches.bulk_fail_every = 2
    await ask(page, SIX)
    await approve(page, "$50.19")
    await become(page, MARIA)
    await enter(page, FINANCE)
    first, second = card(page, "$50.19"), card(page, "$20.08")
    await expect(first).to_contain_text("2 failed", timeout=LATER)
    await narrow(page, "again-button")
    switches.bulk_fail_every = 0
    await first.get_by_role("button", name="Retry these 2").click(timeout=LATER)
    dialog = page.get_by_test_id("confirm")
    await expect(dialog).to_contain_text("2 payments, $20.08, as a new request")
    await narrow(page, "again-question")
    await page.get_by_test_id("confirm-yes").click()
    await expect(second).to_contain_text("Waiting for approval", timeout=LATER)
    name = await reference(second, but=await reference(first))
    await expect(first).to_contain_text(f"requested again as {name}", timeout=LATER)
    await expect(first.get_by_role("button", name="Retry these 2")).to_have_count(0)
    await approve(page, "$20.08")
    await expect(card(page, "$50.19")).to_contain_text("both paid", timeout=LATER)
    await shot(page, "again-paid")
    await phone.get_by_test_id("menu").tap()
    await enter(phone, FINANCE)
    await expect(card(phone, "$50.19")).to_contain_text("requested again as")
    await fits(phone)
    await shot(phone, "again-phone")
    paid = sorted(entry.cents for entry in office.payments.ledger.entries[before:])
    assert paid == [1001, 1003, 1004, 1005, 1006]
