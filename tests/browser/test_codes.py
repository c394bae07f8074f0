"""A code of one's own in the playground: given in the form, found again. A payout of elsewhere: taken in and paid."""

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from bot.playground.simulators.payments.records import PayoutOrder
from tests.browser.moving import become, enter, fits, narrow, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ADA, FINANCE, APPROVALS = "U0ADA", "C0FINANCE", "C0APPROVE"
LATER = 30_000


async def test_a_payout_with_a_code_is_asked_for_in_the_form_and_found_by_it(visit: Page) -> None:
    page = visit
    await enter(page, FINANCE)
    await say(page, "/pay send")
    modal = page.get_by_test_id("modal")
    await modal.get_by_label("Recipient's e-mail address").fill("ana@example.com")
    await modal.get_by_label("Amount in USD").fill("25.00")
    await modal.get_by_label("What is it for?").fill("March translation")
    await modal.get_by_label("Your reference").fill("P-4F7K2M")
    await page.get_by_test_id("modal-submit").click()
    await expect(page.get_by_test_id("field-error")).to_contain_text("look like a reference")
    await modal.get_by_label("Your reference").fill("INV-2026/17")
    await narrow(page, "code-form")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_contain_text("Request sent: $25.00")
    await page.get_by_test_id("modal-close").click()
    await enter(page, APPROVALS)
    card = page.get_by_test_id("message").filter(has_text="$25.00 USD to Ana Maria Lopez").last
    await expect(card).to_contain_text("INV-2026/17", timeout=LATER)
    await narrow(page, "code-card")
    await enter(page, FINANCE)
    await say(page, '/pay now ana@example.com 25.00 "Again" code=inv-2026/17')
    await expect(page.get_by_test_id("message").filter(has_text="a code is used once")).to_be_visible(timeout=LATER)
    await say(page, "/pay show INV-2026/17")
    told = page.get_by_test_id("message").filter(has_text="Provider record")
    await expect(told).to_be_visible(timeout=LATER)
    await told.scroll_into_view_if_needed()
    await narrow(page, "code-show")
    await say(page, "/pay list payouts page=1 per=25")
    await expect(page.locator("[data-testid=message] td time").first).to_be_visible(
        timeout=LATER
    )  # in the reader's zone
    await narrow(page, "code-list")


async def test_a_payout_of_elsewhere_is_taken_in_approved_and_paid(visit: Page, playground: Playground) -> None:
    order = PayoutOrder(
        email="ana@example.com",
        description="Invoice 7",
        cents=1_234,
        code="PO-7",
        confirmation_uri="https://elsewhere.example/done",
        failure_uri="https://elsewhere.example/failed",
    )
    record, page = playground.payments.add_payout(order), visit
    await enter(page, FINANCE)
    await say(page, "/pay show PO-7")
    await expect(page.get_by_role("button", name="Import $12.34 to ana@example.com")).to_be_visible(timeout=LATER)
    await narrow(page, "taken-show")
    await page.get_by_role("button", name="Import $12.34 to ana@example.com").click()
    await expect(page.get_by_test_id("confirm")).to_contain_text(
        "It was made elsewhere. Nothing is paid until it's approved here."
    )
    await shot(page, "taken-confirm")
    await page.get_by_test_id("confirm-yes").click()
    await expect(page.locator("#middle")).to_contain_text("Request sent: $12.34", timeout=LATER)
    await become(page, ADA)
    await enter(page, APPROVALS)
    card = page.get_by_test_id("message").filter(has_text="$12.34").last
    await expect(card).to_contain_text("created outside Switchboard", timeout=LATER)
    await narrow(page, "taken-card")
    assert record.status == "created"
    await card.get_by_role("button", name="Approve").click()
    await expect(card).to_contain_text("Paid", timeout=LATER)
    assert [entry.cents for entry in playground.payments.ledger.entries if entry.operation_id == record.id] == [1_234]


async def test_on_a_phone_a_purchase_of_elsewhere_has_its_items_and_checkout(phone: Page) -> None:
    page = phone
    await say(page, '/pay collect ben@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50" code=SPRING')
    card = page.get_by_test_id("message").filter(has_text="Waiting for payment")
    await expect(card.first).to_be_visible(timeout=LATER)
    await say(page, "/pay show spring")
    told = page.get_by_test_id("message").filter(has_text="quantity 2 · each 10.00 · together 20.00")
    await expect(told.first).to_be_visible(timeout=LATER)
    await shot(page, "purchase-phone")
    await fits(page)
