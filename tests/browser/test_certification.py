"""The operator's certification through the page: every required step is done, and its card is one glance."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import SMALL, WIDE, become, by, enter, height, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DELIVERIES, MARIA, OLGA = "C0DELIVERY", "U0MARIA", "U0OLGA"
LATER = 30_000
ONE_GLANCE = 220
"""Pixels of a card on a phone with its author."""


def private(page: Page) -> Locator:
    return page.locator("[data-testid=message][data-ephemeral=true]").last


async def example(page: Page, command: str) -> None:
    """Send the form of a command as its example fills it in."""
    await say(page, command)
    await by(page, "modal-example").click()
    await by(page, "modal-submit").click()


async def booked(page: Page, *, cash: bool = False) -> str:
    """Book by the form; the reference."""
    form = by(page, "modal")
    await say(page, "/deliver book")
    await by(page, "modal-example").click()
    await form.get_by_label("Prep time (minutes)").fill("")
    if cash:
        await form.get_by_text("Cash: the driver collects it").click()
    await by(page, "modal-submit").click()
    await expect(form).to_contain_text("Delivery fee", timeout=LATER)
    [reference] = re.findall(r"B-[2-9A-Z]{6}", await form.inner_text())
    await by(page, "modal-submit").click()
    await expect(form).to_have_count(0, timeout=LATER)
    await expect(card(page, reference)).to_contain_text("Looking for a driver", timeout=LATER)
    return str(reference)


def card(page: Page, reference: str) -> Locator:
    return page.locator("#middle").get_by_test_id("message").filter(has_text=reference).first


async def test_every_required_step_of_the_certification_is_done(visit: Page, playground: Playground) -> None:
    page, service = visit, playground.delivery
    service.book.step_seconds = None  # it moves when it was seen
    await become(page, OLGA)
    await enter(page, DELIVERIES)
    await example(page, "/deliver store add")
    await expect(by(page, "modal")).to_contain_text("Store added", timeout=LATER)
    await by(page, "modal-close").click()
    await say(page, "/deliver webhooks on Centro")
    await expect(private(page)).to_contain_text("DRIVER_ASSIGNED", timeout=LATER)
    await become(page, MARIA)
    canceled = await booked(page)
    await say(page, f"/deliver cancel {canceled} they called it off")
    await expect(card(page, canceled)).to_contain_text("Canceled", timeout=LATER)
    delivered = await booked(page, cash=True)
    await by(page, "panel-toggle").click()
    await page.set_viewport_size(SMALL)
    for state in ("Driver on the way", "Driver at the store", "On the way", "Driver at the door", "Delivered"):
        service.advance()
        await expect(card(page, delivered)).to_contain_text(state, timeout=LATER)
        await shot(page, f"delivery-{state.casefold().replace(' ', '-')}")
        assert await height(card(page, delivered)) <= ONE_GLANCE
    await page.set_viewport_size(WIDE)
    await say(page, f"/deliver show {delivered}")
    await expect(private(page)).to_contain_text("Calls to couriers", timeout=LATER)
    for words in ("driver.vehicle: motorcycle", "withdrawn"):
        await expect(private(page)).to_contain_text(words)
    await example(page, "/deliver prebook")
    link = page.get_by_role("link", name="/address/")
    await expect(link).to_be_visible(timeout=LATER)
    place = {"latitude": "-0.19", "longitude": "-78.47", "address": "1 A"}
    service.book.enter_address(service.prebookings[-1], place)
    await expect(link).to_have_count(0, timeout=LATER)
    await say(page, "/deliver certify")
    await expect(private(page)).to_contain_text("11 of 11 required steps done", timeout=LATER)
