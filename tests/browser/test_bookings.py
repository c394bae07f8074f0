"""Deliveries whole: a link that was lost, the calls to providers, bookings of any store; wide and on a phone."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.faults import Fault, FaultKind
from bot.playground.launch import Playground
from tests.browser.moving import enter, more, narrow, say

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HERE = "C0DELIVERY"
LATER = 30_000
CUSTOMER = {
    "First name": "Ana",
    "Last name": "Lopez",
    "Phone": "099 123 4567",
    "Order total": "25.50",
}
PLACE = {"Delivery address": "12 Market Street", "Position": "-0.2101, -78.5023"}
ELSEWHERE = {"customerName": "Walk", "customerLastName": "In", "orderAmount": "9.90", "paymentMethod": "CASH"}


def modal(page: Page) -> Locator:
    return page.get_by_test_id("modal")


def private(page: Page) -> Locator:
    """What this person was told last."""
    return page.locator("[data-testid=message][data-ephemeral=true]").last


async def ask(page: Page, verb: str, fields: dict[str, str]) -> None:
    await say(page, f"/deliver {verb}")
    await modal(page).get_by_label("Store", exact=True).select_option("Centro")
    for label, text in fields.items():
        await modal(page).get_by_label(label).fill(text)
    await page.get_by_test_id("modal-submit").click()


async def close(page: Page) -> None:
    await page.get_by_test_id("modal-close").click()
    await expect(modal(page)).to_have_count(0)


async def lost(page: Page, playground: Playground) -> Locator:
    """The card of a pre-booking whose answer was lost."""
    playground.delivery.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_prebooking"))
    await ask(page, "prebook", CUSTOMER)
    await expect(modal(page)).to_have_count(0, timeout=LATER)
    card = page.get_by_test_id("message").filter(has_text="Link not confirmed")
    await expect(card).to_have_count(1, timeout=LATER)
    found = re.search(r"V-[2-9A-Z]{6}", await card.inner_text())
    assert found is not None
    return page.get_by_test_id("message").filter(has_text=found[0]).filter(has_text="Centro").first


async def test_a_link_whose_answer_was_lost_is_found_in_the_dashboard(visit: Page, playground: Playground) -> None:
    page = visit
    playground.delivery.book.step_seconds = None
    await enter(page, HERE)
    await page.get_by_test_id("panel-close").click()
    card = await lost(page, playground)
    await narrow(page, "prebooking-lost")
    await card.get_by_role("button", name="I found it").click()
    await modal(page).get_by_label("Id or link of the pre-booking").fill("652f7a1e9b1d")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal(page)).to_contain_text("Centro has no pre-booking with this id", timeout=LATER)
    await narrow(page, "prebooking-found")
    made = playground.delivery.prebookings[-1]
    await modal(page).get_by_label("Id or link of the pre-booking").fill(made.id)
    await page.get_by_test_id("modal-submit").click()
    await expect(modal(page)).to_contain_text("Waiting for the address", timeout=LATER)
    await close(page)
    await expect(card.get_by_role("link", name=f"/address/{made.id}")).to_be_visible(timeout=LATER)
    await narrow(page, "prebooking-taken-in")
    second = await lost(page, playground)
    await second.get_by_role("button", name="It isn't there").click()
    await page.get_by_role("button", name="Close it").click()
    await expect(second).to_contain_text("reported that no link was created", timeout=LATER)
    await narrow(page, "prebooking-closed")
    other = playground.delivery.book.prebook(playground.delivery.store("Norte"), ELSEWHERE)
    await say(page, f"/deliver prebook show {other.id}")
    await expect(private(page)).to_contain_text("waiting for the address", timeout=LATER)
    await expect(private(page).get_by_role("link", name=f"/address/{other.id}")).to_be_visible()
    await narrow(page, "prebooking-elsewhere")


async def test_the_calls_to_providers_the_driver_and_what_proves_a_delivery(
    visit: Page, playground: Playground
) -> None:
    page, service = visit, playground.delivery
    service.book.step_seconds = None
    await enter(page, HERE)
    await page.get_by_test_id("panel-close").click()
    await ask(page, "book", {**CUSTOMER, **PLACE})
    await expect(modal(page)).to_contain_text("Delivery fee", timeout=LATER)
    await page.get_by_test_id("modal-submit").click()
    await expect(modal(page)).to_have_count(0, timeout=LATER)
    card = page.get_by_test_id("message").filter(has_text="Ana Lopez · Looking for a driver")
    await expect(card).to_have_count(1, timeout=LATER)
    found = re.search(r"B-[2-9A-Z]{6}", await card.inner_text())
    assert found is not None
    card = page.get_by_test_id("message").filter(has_text=found[0]).filter(has_text="Centro").first
    service.advance()
    await expect(card).to_contain_text("Driver on the way to the store", timeout=LATER)
    await more(page, card, "Details")
    await expect(modal(page)).to_contain_text("Rapido: accepted, MotoYa: withdrawn", timeout=LATER)
    await expect(modal(page)).to_contain_text("diego@rapido.example")
    await expect(modal(page)).to_contain_text("ACCEPTED")
    await narrow(page, "booking-details")
    async with page.context.expect_page() as opening:
        await modal(page).get_by_role("link", name="picture").first.click()
    opened = await opening.value
    await expect(opened.locator("body, svg").first).to_contain_text("DP")
    await opened.close()
    await close(page)
    service.settle(service.bookings[-1], "COMPLETED")  # nobody has heard of it: show asks
    await say(page, f"/deliver show {found[0]}")
    await expect(private(page)).to_contain_text("Calls to couriers", timeout=LATER)
    await expect(private(page)).to_contain_text("Delivered")
    await narrow(page, "booking-shown")
    await card.get_by_test_id("replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("@Maria Silva", timeout=LATER)
    await expect(thread).to_contain_text("Delivered to Ana Lopez")
    await narrow(page, "booking-called")
    await page.get_by_test_id("thread-close").click()
    stores = [service.add_store(f"Shop {number:02}") for number in range(40)]
    await say(page, "/deliver stores")
    await expect(private(page)).to_contain_text("page 1 of 2", timeout=LATER)
    await private(page).get_by_role("button", name="Next").click()
    await expect(private(page)).to_contain_text("Shop 39", timeout=LATER)
    await narrow(page, "stores-page-two")
    made = service.book.create(stores[39], {**ELSEWHERE, "latitude": "-0.19", "longitude": "-78.47"})
    service.settle(made, "COMPLETED")
    await say(page, f"/deliver show {made.number}")
    await expect(private(page)).to_contain_text(f"Delivery code: {made.validation_code}", timeout=LATER)
    await expect(private(page).get_by_role("link", name="see it")).to_be_visible()
    await narrow(page, "booking-elsewhere")


async def test_a_known_customer_is_filled_in_by_number_or_from_the_list(visit: Page, playground: Playground) -> None:
    page, service = visit, playground.delivery
    service.book.step_seconds = None
    await enter(page, HERE)
    await page.get_by_test_id("panel-close").click()
    link = f"{service.base_url}/maps/market"
    await ask(page, "book", {**CUSTOMER, "First name": "Nora", "Delivery address": "5 Long Lane", "Position": link})
    await expect(modal(page)).to_contain_text("Delivery fee", timeout=LATER)
    await page.get_by_test_id("modal-submit").click()
    await expect(modal(page)).to_have_count(0, timeout=LATER)
    await expect(page.get_by_test_id("message").filter(has_text="Nora Lopez · Looking")).to_have_count(1, timeout=LATER)
    assert service.bookings[-1].fields["latitude"] == "-0.2101"
    await say(page, "/deliver book")
    form = modal(page)
    await expect(form.get_by_label("Store", exact=True).locator("option:checked")).to_have_text("Centro")
    await form.get_by_label("Order total").fill("7.00")
    await form.get_by_label("Phone").fill("099 123 4567")
    await form.get_by_label("Phone").press("Enter")
    await expect(form.get_by_label("First name")).to_have_value("Nora", timeout=LATER)
    await expect(form.get_by_label("Order total")).to_have_value("7.00")
    await expect(form.get_by_label("Position")).to_have_value("-0.2101, -78.5023")
    await form.get_by_label("First name").fill("Somebody")
    await narrow(page, "booking-known-customer")
    await close(page)
    await say(page, "/deliver book")
    await form.get_by_label("Earlier customer").select_option(label="Nora Lopez · +593 991234567")
    await expect(form.get_by_label("Delivery address")).to_have_value("5 Long Lane", timeout=LATER)
    await close(page)
