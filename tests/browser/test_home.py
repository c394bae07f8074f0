"""The App Home on the page: an approver works there; wide and on a phone, light and dark."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, enter, narrow, say, shot

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINANCE, APPROVALS = "C0FINANCE", "C0APPROVE"
LATER = 30_000


def home(page: Page) -> Locator:
    return page.get_by_test_id("home")


async def refresh_until(page: Page, wanted: Locator) -> None:
    """Press Refresh until it is there: meanwhile new rows are only counted, and rows that end stay in place."""
    while not await wanted.is_visible():
        await home(page).get_by_role("button", name="Refresh").click()
        await page.wait_for_timeout(200)


async def look(page: Page, name: str) -> None:
    """As it is seen in light and in dark."""
    await narrow(page, f"home-{name}")
    await page.emulate_media(color_scheme="dark")
    await narrow(page, f"home-{name}-dark")
    await page.emulate_media(color_scheme="light")


async def test_an_approver_works_in_the_app_home(visit: Page, playground: Playground) -> None:
    page = visit
    await page.get_by_test_id("panel-close").click()
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Welcome to Switchboard")
    await look(page, "first")
    await enter(page, FINANCE)
    for line in (
        'ana@example.com 25.00 "March translation"',
        'kim@example.com 30.00 "Proofreading"',
        'ben@example.com 1500.00 "A laptop for the new translator"',
    ):
        await say(page, f"/pay send {line}")
    await say(page, "/localize translate from=en to=fr Good morning")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Your requests")
    withdraw = home(page).get_by_role("button", name="Withdraw")
    await refresh_until(page, withdraw.nth(2))
    await expect(withdraw).to_have_count(3)
    await look(page, "requester")
    await become(page, "U0ADA")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("need you", timeout=LATER)
    await look(page, "approver")
    row = home(page).locator(".block[data-block-type=actions]").filter(has_text="Approve").first
    await row.get_by_role("button", name="Open").click()
    await expect(page.locator("#thread")).to_contain_text("$25.00")
    await enter(page, "home")
    before = await home(page).get_by_role("button", name="Approve").count()
    await row.get_by_role("button", name="Approve").click()
    await expect(home(page).get_by_role("button", name="Approve")).to_have_count(before - 1)
    await expect(home(page)).to_contain_text("It stays here until you refresh.")
    await look(page, "decided")
    await home(page).get_by_role("button", name="Refresh").click()
    await expect(home(page)).not_to_contain_text("March translation")
    await become(page, "U0OLGA")
    await enter(page, "home")
    await expect(home(page)).to_contain_text("Controls")
    await look(page, "admin")
    await become(page, "U0MARIA")
    await enter(page, "home")
    await refresh_until(page, home(page).get_by_text("Finished", exact=True))
    await look(page, "finished")
    await home(page).get_by_role("button", name="New payout").click()
    await expect(page.get_by_test_id("modal")).to_be_visible()
    await page.get_by_test_id("modal-close").click()
    await become(page, "U0GUS")
    await enter(page, "home")
    await expect(home(page)).not_to_contain_text("$")
    await expect(home(page).get_by_role("button")).to_have_count(0)
    assert [one for one in playground.payments.ledger.entries if one.email == "ana@example.com"]


GAPS = (150, 400, 700, 1_300)
"""Milliseconds between the two taps of a finger that trembles or is impatient."""
_STIRS = 12
"""Pixels by which the other rows may move, far less than a button."""


async def middles(found: Locator) -> list[tuple[float, float]]:
    """Their middles, once scrolling has ended."""
    while True:
        boxes = [await one.bounding_box() for one in await found.all()]
        await found.page.wait_for_timeout(50)
        if boxes == [await one.bounding_box() for one in await found.all()]:
            break
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box is not None]


async def test_second_tap_at_one_place_approves_nothing_else(visit: Page, phone: Page, playground: Playground) -> None:
    await enter(visit, FINANCE)
    for number in range(2 * len(GAPS) + 1):
        await say(visit, f"/pay send ana@example.com {60 + number}.00 Rent {number}")
    asked = visit.get_by_test_id("message").filter(has_text="$6").filter(has_text="Waiting for approval")
    await expect(asked).to_have_count(2 * len(GAPS) + 1, timeout=LATER)
    for page, tap in ((visit, visit.mouse.click), (phone, phone.touchscreen.tap)):
        await page.evaluate("location.hash = '#/U0ADA/home'")
        decided = home(page).get_by_text("It stays here")
        approve = home(page).get_by_role("button", name="Approve the payout of $6")
        for gap in GAPS:
            await home(page).get_by_role("button", name="Refresh").click()
            await expect(decided).to_have_count(0)
            await expect(approve.first).to_be_visible(timeout=LATER)
            await approve.first.scroll_into_view_if_needed()
            [pressed, *others] = await middles(approve)
            await tap(*pressed)
            await page.wait_for_timeout(gap)
            await tap(*pressed)
            await expect(home(page)).to_contain_text(re.compile("(Sent|Paid) · approved by"), timeout=LATER)
            await expect(decided).to_have_count(1)
            moved = [abs(now[1] - was[1]) for now, was in zip(await middles(approve), others, strict=True)]
            assert max(moved, default=0) <= _STIRS
            await expect(page.get_by_test_id("modal")).to_have_count(0)
        await shot(page, f"home-tapped-{'phone' if page is phone else 'wide'}")
    paid = [one.cents // 100 for one in playground.payments.ledger.entries if one.cents >= 60_00]
    assert paid == [*range(60, 60 + 2 * len(GAPS))]
