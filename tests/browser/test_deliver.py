"""The operator's certification, point by point, through the playground's page; and what it looks like on a phone."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from bot.domain.bookings.record import Point
from bot.playground.launch import Playground
from tests.browser.moving import become, by, enter, fits, more, narrow, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HERE = "C0DELIVERY"
LATER = 30_000
STEP_SECONDS = 0.5
CENTRO_LINK = "https://www.google.com/maps/place/Ana/@-0.2,-78.5,17z/data=!3d-0.2101!4d-78.5023"


def modal(page: Page) -> Locator:
    return page.get_by_test_id("modal")


def private(page: Page) -> Locator:
    """What only this person is told, oldest first."""
    return page.locator("[data-testid=message][data-ephemeral=true]")


async def submit(page: Page) -> None:
    await page.get_by_test_id("modal-submit").click()


async def close(page: Page) -> None:
    await page.get_by_test_id("modal-close").click()
    await expect(modal(page)).to_have_count(0)


async def fill(page: Page, fields: dict[str, str], *, store: str = "Centro") -> None:
    form = modal(page)
    await form.get_by_label("Store", exact=True).select_option(store)
    for label, text in fields.items():
        await form.get_by_label(label).fill(text)


CUSTOMER = {
    "First name": "Ana",
    "Last name": "Lopez",
    "Phone": "099 123 4567",
    "Order total": "25.50",
}
STEP = r"Preparing|Looking for a driver|Driver on the way|Driver at the (?:store|door)|On the way|Unknown state"
PLACE = {"Delivery address": "12 Market Street, 3rd floor", "Position": CENTRO_LINK, "How to find it": "Blue door"}


async def book(page: Page, *, cash: bool = False, cook: str = "", store: str = "Centro") -> Locator:
    """Form, price, confirmation; the newest card."""
    await say(page, "/deliver book")
    await fill(page, {**CUSTOMER, **PLACE, "Prep time (minutes)": cook}, store=store)
    if cash:
        await modal(page).get_by_text("Cash: the driver collects it").click()
    await shot(page, "deliver-form")
    await submit(page)
    await expect(modal(page)).to_contain_text("Delivery fee", timeout=LATER)
    await shot(page, "deliver-price")
    reference = named_in(await modal(page).inner_text())
    await submit(page)
    await expect(modal(page)).to_have_count(0, timeout=LATER)
    return page.get_by_test_id("message").filter(has_text=reference).filter(has_text=f"{store} ·").first


def named_in(text: str) -> str:
    found = re.search(r"[BV]-[2-9A-Z]{6}", text)
    assert found is not None, text
    return found[0]


async def moved_to(state: str, card: Locator, playground: Playground) -> None:
    """The booking moves one step when the card shows the one before: on a busy machine, too, none is missed."""
    while True:
        await expect(card).to_contain_text(re.compile(rf"{STEP}|{re.escape(state)}"), timeout=LATER)
        before = await card.inner_text()
        if state in before:
            return
        shown = re.search(STEP, before)
        assert shown is not None, before
        playground.delivery.advance()
        await expect(card).not_to_contain_text(shown[0], timeout=LATER)


async def test_the_whole_certification(visit: Page, playground: Playground) -> None:
    page = visit
    playground.delivery.book.step_seconds = STEP_SECONDS
    await enter(page, HERE)
    await a_store(page)
    await webhooks(page)
    await a_price(page)
    await a_restart_and_the_door(page, playground)
    await a_start_and_a_cancellation(page, playground)
    await prebookings(page, playground)
    await the_checklist(page)
    seen = {call.operation for call in playground.delivery.calls}
    assert {"create_store", "get_store", "quote", "create_booking", "start_search", "cancel_booking"} <= seen
    assert {"register_webhook", "list_webhooks", "create_prebooking", "cancel_prebooking", "get_booking"} <= seen


async def a_store(page: Page) -> None:
    """Admins make stores and switch webhooks."""
    await become(page, "U0OLGA")
    await say(page, "/deliver store add")
    fields = {
        "Name": "Harbour",
        "E-mail address (optional)": "harbour@example.com",
        "Phone (optional)": "+593 2 234 5678",
        "Address": "9 Quay",
        "Position": "somewhere",
        "How to find it (optional)": "Beside the crane",
    }
    for label, text in fields.items():
        await modal(page).get_by_label(label, exact=True).fill(text)
    await submit(page)
    await expect(page.get_by_test_id("field-error")).to_contain_text("-0.1807, -78.4678")
    await modal(page).get_by_label("Position").fill("-0.2000, -78.4900")
    await submit(page)
    await expect(modal(page)).to_contain_text("Store added", timeout=LATER)
    await shot(page, "deliver-store")
    await close(page)
    await say(page, "/deliver store show harbour")
    await expect(private(page).last).to_contain_text("Beside the crane", timeout=LATER)
    await say(page, "/deliver stores")
    await expect(private(page).last).to_contain_text("3 stores", timeout=LATER)
    await expect(private(page).last.get_by_role("link", name="Support chat")).to_be_visible()
    await shot(page, "deliver-stores")


async def webhooks(page: Page) -> None:
    await say(page, "/deliver webhooks on Centro")
    await expect(private(page).last).to_contain_text("DRIVER_ASSIGNED", timeout=LATER)
    await expect(private(page).last).to_contain_text("comes here")
    await shot(page, "deliver-webhooks")
    await become(page, "U0MARIA")


async def a_price(page: Page) -> None:
    await say(page, "/deliver quote")
    await modal(page).get_by_label("Store", exact=True).select_option("Centro")
    await modal(page).get_by_label("Position").fill("-2.2, -79.9")
    await modal(page).get_by_label("Order total").fill("10")
    await submit(page)
    await expect(modal(page)).to_contain_text("Not covered", timeout=LATER)
    await shot(page, "deliver-not-covered")
    await modal(page).get_by_label("Position").fill("-0.21, -78.50")
    await submit(page)
    await expect(modal(page)).to_contain_text("Delivery fee", timeout=LATER)
    await close(page)


async def a_restart_and_the_door(page: Page, playground: Playground) -> None:
    """By card, with a driver who gives up, to the end; every state by webhook."""
    playground.delivery.switches.drop_driver = 1
    playground.delivery.book.step_seconds = None
    card = await book(page)
    await moved_to("Diego Paz", card, playground)
    await shot(page, "deliver-driver")
    await moved_to("Delivered", card, playground)
    await expect(card.get_by_role("button", name="Book again")).to_be_visible()
    await card.get_by_test_id("replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("lost the driver")
    await expect(thread).to_contain_text("Delivered to Ana Lopez")
    await shot(page, "deliver-thread")
    await page.get_by_test_id("thread-close").click()


async def a_start_and_a_cancellation(page: Page, playground: Playground) -> None:
    playground.delivery.book.step_seconds = None
    card = await book(page, cash=True, cook="30")
    await expect(card).to_contain_text("Driver search starts", timeout=LATER)
    await shot(page, "deliver-on-hold")
    await more(page, card, "Start the search")
    await expect(card).to_contain_text("Looking for a driver", timeout=LATER)
    await more(page, card, "Cancel")
    await modal(page).get_by_label("Reason").fill("the customer called it off")
    await shot(page, "deliver-cancel")
    await submit(page)
    await expect(modal(page)).to_contain_text("Canceled: Ana Lopez", timeout=LATER)
    await close(page)
    await expect(card).to_contain_text("Ana Lopez · Canceled", timeout=LATER)


async def prebookings(page: Page, playground: Playground) -> None:
    """One link that the customer uses, one that is called off."""
    playground.delivery.book.step_seconds = STEP_SECONDS
    card = await prebook(page)
    await shot(page, "deliver-prebooked")
    link = playground.delivery.prebookings[-1]
    async with page.context.expect_page() as opening:
        await card.get_by_role("link", name=f"/address/{link.id}").click()
    customer = await opening.value
    await customer.get_by_role("button", name="Deliver here").click()
    await expect(customer.locator("h1")).to_have_text("Thank you")
    await customer.close()
    await expect(card).to_contain_text("Delivered", timeout=60_000)
    second = await prebook(page)
    await more(page, second, "Cancel")
    await modal(page).get_by_label("Reason").fill("not wanted any more")
    await submit(page)
    await expect(modal(page)).to_contain_text("Canceled: Ana Lopez", timeout=LATER)
    await close(page)
    await expect(second).to_contain_text("Ana Lopez · Canceled", timeout=LATER)


async def prebook(page: Page) -> Locator:
    cards = page.get_by_test_id("message").filter(has_text="Waiting for the address")
    await say(page, "/deliver prebook")
    await fill(page, CUSTOMER)
    await submit(page)
    await expect(modal(page)).to_have_count(0, timeout=LATER)
    await expect(cards).to_have_count(1, timeout=LATER)
    reference = named_in(await cards.first.inner_text())
    return page.get_by_test_id("message").filter(has_text=reference).filter(has_text="Centro ·").first


async def the_checklist(page: Page) -> None:
    await say(page, "/deliver certify")
    told = private(page).last
    await expect(told).to_contain_text("Certification: 11 of 11 required steps done", timeout=LATER)
    await expect(told.get_by_text("to do", exact=False)).to_have_count(0)
    await shot(page, "deliver-certified")
    assert (await told.inner_text()).count("last ") >= len(Point)
    await told.get_by_role("button", name="Export as a file").click()
    await expect(private(page).last).to_contain_text("direct message", timeout=LATER)


async def test_on_a_phone_nothing_runs_out_of_the_page(phone: Page, playground: Playground) -> None:
    page = phone
    playground.delivery.book.step_seconds = None
    await page.get_by_test_id("menu").tap()
    await enter(page, HERE)
    await say(page, "/deliver stores")
    await expect(private(page).last).to_contain_text("Centro", timeout=LATER)
    await say(page, "/deliver book")
    await shot(page, "deliver-phone-form")
    await close(page)
    await page.set_viewport_size({"width": 360, "height": 740})
    card = await book(page)
    await moved_to("Driver at the store", card, playground)
    await card.evaluate("card => card.scrollIntoView()")
    await shot(page, "deliver-phone-card")
    await fits(page)
    await moved_to("On the way", card, playground)
    assert await height(card) <= SHORT
    await moved_to("Delivered", card, playground)
    await expect(card.get_by_role("button", name="Book again")).to_be_visible()
    await shot(page, "deliver-phone-ended")
    assert await height(card) <= SHORT
    await say(page, "/deliver certify")
    await expect(private(page).last).to_contain_text("Certification", timeout=LATER)
    await shot(page, "deliver-phone-certify")
    await fits(page)


SHORT = 220
"""Pixels of a card on a phone: one glance."""


async def height(card: Locator) -> float:
    """Of a card with its author, without what was said in its thread."""
    whole, replies = [await one.bounding_box() for one in (card, card.get_by_test_id("replies"))]
    assert whole is not None
    assert replies is not None
    return whole["height"] - replies["height"]


WORD = "WAITING_FOR_RAIN_TO_STOP"


async def test_an_unknown_state_is_told_and_the_line_to_add_is_shown(visit: Page, playground: Playground) -> None:
    page = visit
    playground.delivery.book.step_seconds = None
    await enter(page, HERE)
    await page.locator("[data-testid=service-tab][data-service=delivery]").click()
    await by(page, "faults").locator("summary").click()
    await by(page, "fault-operation").select_option("outcome")
    await page.locator("[data-testid=fault][data-kind=odd]").click()
    assert playground.delivery.switches.unknown_status == WORD
    card = await book(page)
    await moved_to("Driver at the store", card, playground)
    playground.delivery.advance()
    await expect(card).to_contain_text("Unknown state", timeout=LATER)
    await by(page, "panel-close").click()
    await more(page, card, "Details")
    await expect(modal(page)).to_contain_text(WORD)
    await close(page)
    await narrow(page, "unknown-state-card")
    await card.get_by_test_id("replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("It may have ended; I keep checking.")
    await page.get_by_test_id("thread-close").click()
    await become(page, "U0OLGA")
    await enter(page, "C0ALERTS")
    alert = page.get_by_test_id("message").filter(has_text="is in the unknown state").last
    await expect(alert).to_contain_text("[delivery.states]", timeout=LATER)
    await narrow(page, "unknown-state-alert")
    await say(page, "/switchboard unread")
    await expect(private(page).last).to_contain_text(f'{WORD} = "…"', timeout=LATER)
    await narrow(page, "unknown-state-unread")
    await become(page, "U0MARIA")
    await enter(page, HERE)
    playground.delivery.advance()
    await expect(card).to_contain_text("On the way", timeout=LATER)
