"""Everybody gets in: axe finds nothing in any state of the page, and the keyboard skips to where things are done."""

import re
from importlib.resources import files
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, expect

from bot.playground.cast import FIRST_COMMAND
from bot.playground.launch import Playground
from tests.browser.moving import PHONE, become, by, close_forms, enter, fits, say, shot, window

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AXE: Final = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
FOUND: Final = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`))"""
MOST_TABS: Final = 6


class Findings:
    """What axe finds, by the name of the state in which it was found; in light and in dark."""

    def __init__(self) -> None:
        self.states: set[str] = set()
        self.found: dict[str, list[str]] = {}

    async def look(self, page: Page, state: str) -> None:
        if not await page.evaluate("'axe' in window"):
            await page.evaluate(f"{AXE}; 0")
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found: list[Any] = await page.evaluate(FOUND)
            if found:
                self.found[f"{state}, {scheme}"] = found
        self.states.add(state)


async def test_axe_finds_nothing(browser: Browser, playground: Playground) -> None:
    findings = Findings()
    async with window(browser, playground.url) as page:
        await findings.look(page, "tour")
        await by(page, "tour-close").click()
        await enter(page, "C0RANDOM")
        await findings.look(page, "start")
        await enter(page, "C0FINANCE")
        await say(page, FIRST_COMMAND)
        await enter(page, "C0APPROVE")
        card = by(page, "message").filter(has=page.get_by_role("button", name="Approve")).first
        await expect(card).to_be_visible()
        await say(page, "A question about this one.")
        await expect(by(page, "message").filter(has_text="A question")).to_be_visible()
        await findings.look(page, "cards")
        await card.hover()
        await by(card, "open-thread").click()
        await expect(by(page, "thread-composer")).to_be_visible()
        await findings.look(page, "thread")
        await by(page, "thread-close").click()
        await enter(page, "C0DELIVERY")
        await say(page, "/deliver book")
        await expect(by(page, "modal")).to_be_visible()
        await findings.look(page, "modal")
        await by(page, "modal-submit").click()
        await expect(by(page, "field-error").first).to_be_visible()
        await findings.look(page, "modal with mistakes")
        await close_forms(page)
        await become(page, "U0ADA")
        await enter(page, "home")
        await expect(by(page, "home").get_by_role("button").first).to_be_visible()
        await findings.look(page, "home")
        await by(page, "faults").locator("summary").click()
        await page.locator("[data-testid=fault][data-kind=done_dropped]").click()
        await expect(by(page, "armed")).to_be_visible()
        await page.locator("[data-testid=call]").first.locator("summary").click()
        await findings.look(page, "panel with faults")
        await by(page, "behave").click()
    async with window(browser, f"{playground.url}/#/U0ADA/C0APPROVE", viewport=PHONE, has_touch=True) as phone:
        await by(phone, "tour-close").click()
        await findings.look(phone, "phone")
        await by(phone, "menu").click()
        await findings.look(phone, "phone with its menu")
    assert findings.found == {}
    assert len(findings.states) == 10


async def tabs_to(page: Page, name: str) -> int:
    """How many presses of Tab lead from the beginning to a link of that name."""
    await page.reload()
    await page.wait_for_selector("body[data-ready=yes]")
    for pressed in range(1, MOST_TABS + 1):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.textContent") == name:
            return pressed
    raise AssertionError(name)


async def test_a_few_tabs_lead_to_people_message_box_and_panel(visit: Page) -> None:
    page = visit
    await enter(page, "C0FINANCE")
    where = page.url
    assert await tabs_to(page, "Skip to the message box") == 1
    await page.keyboard.press("Enter")
    await expect(by(page, "composer")).to_be_focused()
    assert await tabs_to(page, "Skip to the people") == 2
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("radio", checked=True)).to_be_focused()
    await by(page, "panel-close").click()
    assert await tabs_to(page, "Skip to Behind the scenes") == 3
    await page.keyboard.press("Enter")
    await expect(by(page, "service-tab").first).to_be_focused()
    await enter(page, "home")
    assert await tabs_to(page, "Skip to the message box") == 1
    await page.keyboard.press("Enter")
    await expect(by(page, "composer")).to_be_focused()
    assert page.url.partition("#")[0] == where.partition("#")[0]
    assert "composer-text" not in page.url


async def test_on_a_phone_a_skip_link_opens_what_is_put_away(phone: Page) -> None:
    assert await tabs_to(phone, "Skip to the people") == 2
    await phone.keyboard.press("Enter")
    await expect(phone.get_by_role("radio", checked=True)).to_be_focused()
    await expect(phone.get_by_role("radio", checked=True)).to_be_in_viewport()


async def test_enlarged_four_times_the_message_box_is_one_line_and_in_sight(
    browser: Browser, playground: Playground
) -> None:
    url = f"{playground.url}/#/U0MARIA/C0FINANCE"
    async with window(browser, url, viewport={"width": 320, "height": 200}) as page:
        await by(page, "tour-close").click()
        box = by(page, "composer")
        await expect(box).to_be_in_viewport(ratio=1)
        lines = "node => node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)"
        assert await box.evaluate(lines) < 2
        await fits(page)
        await say(page, "Can it be read?")
        await expect(by(page, "message").last).to_contain_text("Can it be read?")
        await expect(box).to_be_in_viewport(ratio=1)


async def test_enlarged_four_times_nothing_of_the_tour_or_a_form_is_out_of_reach(
    browser: Browser, playground: Playground
) -> None:
    url = f"{playground.url}/#/U0MARIA/C0FINANCE"
    async with window(browser, url, viewport={"width": 320, "height": 256}) as page:
        box = by(page, "composer")
        await shot(page, "enlarged-tour")
        for number in range(12):
            await say(page, f"Line {number}")
        await expect(by(page, "tour")).to_have_count(1)
        await expect(box).to_be_in_viewport(ratio=1)
        await by(page, "message").first.scroll_into_view_if_needed()
        await expect(box).to_be_in_viewport(ratio=1)
        await shot(page, "enlarged-tour-scrolled")
        await fits(page)
        await say(page, "/pay send ana@example.com 25.00 May")
        reference = page.locator("#middle .reference").last
        await expect(reference).to_have_text(re.compile(r"^P-\w{6}$"), timeout=20_000)
        assert await reference.evaluate("node => node.getClientRects().length") == 1
        await say(page, "/pay send")
        for button in ("modal-x", "modal-example", "modal-close", "modal-submit"):
            await by(page, button).scroll_into_view_if_needed()
            await expect(by(page, button)).to_be_in_viewport(ratio=1)
            await shot(page, f"enlarged-{button}")
