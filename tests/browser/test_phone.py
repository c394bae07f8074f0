"""What people read on a phone: nothing runs out of the page, and a card is one glance."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.moving import PHONE, SMALL, by, close_forms, enter, height, narrow, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINANCE, APPROVALS, DELIVERIES = "C0FINANCE", "C0APPROVE", "C0DELIVERY"
LATER = 30_000
ANSWERS = [
    (FINANCE, "/email check bounce@example.com ana+news@example.com info@example.com", "undeliverable"),
    (FINANCE, "/localize help", "extract-text"),
    (FINANCE, "/localize paraphrase The meeting was moved to Friday because the room was taken.", "3. "),
    (FINANCE, "/localize emotion I am so happy that you came", "Joy"),
    (FINANCE, '/pay collect ben@example.com "Spring ads" web=2x10.00 "Print ads=1x99.50" code=SPRING', "Open checkout"),
    (FINANCE, "/pay show spring", "each 10.00"),
    (FINANCE, "/pay list purchases", "Purchases 1 to"),
    (FINANCE, "/pay send ana@example.com 26,10 Comma", "Send $26.10"),
    (DELIVERIES, "/deliver stores", "Norte"),
    (DELIVERIES, "/deliver certify", "Certification"),
]
FORMS = [
    (FINANCE, "/pay collect"),
    (FINANCE, "/pay bulk"),
    (FINANCE, "/localize speak"),
    (DELIVERIES, "/deliver book"),
]
ONE_GLANCE = {"payout": 220, "payout with a warning": 300, "bulk payment with warnings": 390}
"""Pixels of a card with its author."""


def newest(page: Page, words: str) -> Locator:
    return page.locator("#middle").get_by_test_id("message").filter(has_text=words).last


async def test_answers_and_forms_fit_a_phone(visit: Page) -> None:
    for number, (channel, line, words) in enumerate(ANSWERS):
        await enter(visit, channel)
        await say(visit, line)
        await expect(newest(visit, words)).to_be_visible(timeout=LATER)
        if line.startswith("/pay list"):
            await expect(newest(visit, words).locator("td time").first).to_be_visible()  # in the reader's zone
        await narrow(visit, f"phone-answer-{number}")
    for channel, line in FORMS:
        await enter(visit, channel)
        await say(visit, line)
        await expect(by(visit, "modal")).to_be_visible(timeout=LATER)
        await narrow(visit, f"phone-form-{line[1:].replace(' ', '-')}")
        await close_forms(visit)


async def test_card_of_a_payout_is_one_glance_and_has_a_menu(visit: Page) -> None:
    page = visit
    await enter(page, FINANCE)
    await say(page, "/pay send luis@example.com 31.00 Proofreading of the spring catalog")
    await say(page, "/pay send ana@example.com 26.00 March translation")
    await enter(page, APPROVALS)
    await by(page, "panel-toggle").click()
    await page.set_viewport_size(SMALL)
    for title, words, kind in (
        ("$31.00 USD to Luis Andrade", "isn't verified", "payout with a warning"),
        ("$26.00 USD to Ana Maria Lopez", "0 of 1", "payout"),
    ):
        card = newest(page, title)
        await expect(card).to_contain_text(words)
        await shot(page, kind)
        assert await height(card) <= ONE_GLANCE[kind]
    for choice, words in (("Recipient", "Registered name"), ("History", "requested"), ("Withdraw", "Withdraw")):
        await card.locator(".actions .button-icon").click()
        await page.get_by_role("menuitem", name=choice).click()
        form = page.get_by_role("dialog", name=choice)
        await expect(form).to_contain_text(words)
        await shot(page, choice.casefold())
        await by(page, "modal-close").click()
        await expect(form).to_have_count(0)


async def test_card_of_a_bulk_payment_is_one_glance(visit: Page) -> None:
    page = visit
    await enter(page, FINANCE)
    await say(page, "/pay bulk")
    rows = "\n".join(f"person{number}@example.com,100.00,Translation {number}" for number in range(12))
    await by(page, "modal").locator("textarea").fill(rows)
    await by(page, "modal-submit").click()
    await expect(by(page, "modal")).to_contain_text("Request sent", timeout=LATER)
    await close_forms(page)
    await enter(page, APPROVALS)
    await by(page, "panel-toggle").click()
    card = newest(page, "$1,200.00 USD · 12 payments")
    await expect(card).to_be_visible(timeout=LATER)
    await narrow(page, "phone-bulk")
    await page.set_viewport_size(PHONE)
    assert await height(card) <= ONE_GLANCE["bulk payment with warnings"]
