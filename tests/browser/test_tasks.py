"""Every task of docs/tutorial.md and tasks.toml, done in Chromium as written: wide and on a phone, light and dark."""

import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final, Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect
from playwright.async_api import TimeoutError as PressLost

from bot.playground.launch import UNSTEADY_SECONDS, Playground
from tests.browser.moving import PHONE, WIDE, by, fits, say, shot, window
from tests.browser.walk import LATER, Task, Walk, named, tasks
from tests.playground.sounds import wav

pytestmark = pytest.mark.browser

TASKS: Final = tasks(Path(__file__).parents[2] / "docs" / "tutorial.md", Path(__file__).with_name("tasks.toml"))
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
REFERENCE: Final = re.compile(r"[PLXCBV]-[2-9A-Z]{6}")
Steps = Callable[[Walk, Playground], Awaitable[None]]
STEPS: Final[dict[str, Steps]] = {}


def does(title: str) -> Callable[[Steps], Steps]:
    def named(steps: Steps) -> Steps:
        STEPS[title] = steps
        return steps

    return named


def modal(page: Page) -> Locator:
    return by(page, "modal")


def middle(page: Page) -> Locator:
    return page.locator("#middle")


async def requested(walk: Walk, *words: str) -> Locator:
    """Request a payment as it is written; its card, once it waits for an approval, where approvers see it."""
    await walk.goes()
    await walk.types()
    await walk.goes()
    return await pending(walk, *words)


async def pending(walk: Walk, *words: str) -> Locator:
    return await walk.kept(walk.newest(*words, holding=named(walk.page, "Approve")))


@does("Pay someone")
async def pay(walk: Walk, _: Playground) -> None:
    card = await requested(walk, "$25.00", "ana@example.com")
    await walk.sees(card)
    await walk.presses(card)
    await walk.sees(walk.private())
    await walk.goes()
    await walk.presses(card)
    await walk.sees(card)


@does("Pay a large amount")
async def pay_much(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    await walk.sees(walk.private())
    await walk.goes()
    card = await pending(walk, "$1,500.00")
    await walk.presses(card)
    await walk.sees(modal(walk.page))
    await sent(walk)
    await walk.sees(card)
    await walk.goes()
    await walk.presses(card)
    await sent(walk)
    await walk.sees(card)


async def sent(walk: Walk) -> None:
    """Fill in the form as it is written and send it."""
    await walk.fills()
    await walk.presses(modal(walk.page))


async def rejected(walk: Walk, *words: str) -> Locator:
    card = await requested(walk, *words)
    await walk.presses(card)
    await sent(walk)
    return card


async def thread_below(walk: Walk, *words: str) -> Locator:
    await by(walk.newest(*words), "replies").click(timeout=LATER)
    return walk.page.get_by_role("complementary", name="Thread")


@does("Reject a request")
async def reject(walk: Walk, _: Playground) -> None:
    await walk.sees(await rejected(walk, "$40.00"))
    await walk.goes()
    await walk.sees(await thread_below(walk, "$40.00"))


@does("Correct a rejected request")
async def correct(walk: Walk, _: Playground) -> None:
    await rejected(walk, "$41.00")
    await walk.goes()
    await walk.presses(await thread_below(walk, "$41.00"))
    await sent(walk)
    await leave(walk)
    await walk.goes()
    line = await waiting(walk, "$14.00")
    await walk.sees(line)
    await withdrawn(walk, line)


async def waiting(walk: Walk, *words: str) -> Locator:
    """The requester's line with these words, while it can be withdrawn."""
    return await walk.kept(walk.newest(*words, holding=named(walk.page, "Withdraw")))


async def withdrawn(walk: Walk, line: Locator) -> None:
    await walk.presses(line)
    await walk.presses(by(walk.page, "confirm"))


@does("Withdraw a request")
async def withdraw(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    line = await waiting(walk, "$12.34")
    await withdrawn(walk, line)
    await walk.sees(line)


@does("Freeze all payments")
async def freeze(walk: Walk, _: Playground) -> None:
    for where in (middle(walk.page), walk.private(), middle(walk.page)):
        await walk.goes()
        await walk.types()
        await walk.sees(where)


@does("Pay in bulk")
async def pay_in_bulk(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.presses(await walk.drops())
    await walk.sees(modal(walk.page))
    await walk.presses(modal(walk.page))
    await leave(walk)
    await walk.goes()
    card = await pending(walk, "$245.00")
    await walk.sees(card)
    await walk.presses(card)
    await walk.sees(card)


async def leave(walk: Walk) -> None:
    """Close a form that says how it went on, if it is still there."""
    await expect(by(walk.page, "modal-submit")).to_have_count(0, timeout=LATER)
    if await modal(walk.page).count():
        await by(walk.page, "modal-x").click()
        await expect(modal(walk.page)).to_have_count(0)


@does("Drop a file with bad rows")
async def bad_rows(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.presses(await walk.drops())
    await walk.sees(modal(walk.page))
    await by(walk.page, "modal-x").click()


async def opened(page: Page, press: Awaitable[None], *, again: Callable[[], Awaitable[None]]) -> Page:
    """Return the page that a press opens; a press that meets a message being redrawn is lost, and made once more."""
    try:
        async with page.context.expect_page() as opening:
            await press
    except PressLost:
        async with page.context.expect_page(timeout=60_000) as opening:
            await again()
    return await opening.value


@does("Collect money")
async def collect(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    card = walk.newest("$119.50")
    await walk.sees(card)
    checkout = await opened(walk.page, walk.presses(card), again=named(card, "Open checkout").first.click)
    await checkout.click("button.pay")
    await expect(checkout.locator("h1")).to_have_text("Thank you")
    await checkout.close()
    await walk.goes()
    await walk.sees(card)


@does("Look up a payment")
async def look_up(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    line = await waiting(walk, "$21.00")
    found = REFERENCE.search(await line.inner_text())
    assert found is not None
    await say(walk.page, f"{walk.command()} {found[0]}")
    await walk.sees(walk.private())
    await withdrawn(walk, line)


@does("List payments")
@does("Check e-mail addresses")
@does("See how everything stands")
@does("Get help")
async def answered(walk: Walk, _: Playground) -> None:
    """Commands that are answered to this person alone."""
    await walk.goes()
    while walk.left:
        await walk.types()
        await walk.sees(walk.private())


@does("Ask for the price of a delivery")
async def price(walk: Walk, _: Playground) -> None:
    await priced(walk)
    await by(walk.page, "modal-x").click()


async def priced(walk: Walk) -> None:
    await walk.goes()
    await walk.types()
    await walk.presses(modal(walk.page))
    await walk.presses(modal(walk.page))
    if walk.left and walk.left[0][0] == "seen":
        await walk.sees(modal(walk.page))


async def booked(walk: Walk, playground: Playground) -> Locator:
    before = len(playground.delivery.book.bookings)
    await priced(walk)
    await walk.presses(modal(walk.page))
    await leave(walk)
    await playground.workspace.until(lambda: len(playground.delivery.book.bookings) > before, timeout=20)
    return await walk.kept(walk.newest("Ana Lopez"))


@does("Book a delivery")
async def book(walk: Walk, playground: Playground) -> None:
    playground.delivery.book.step_seconds = None  # it moves when it was seen
    card = await booked(walk, playground)
    await walk.sees(card)
    await walk.presses(card)
    await walk.sees(card, 1)
    playground.delivery.advance()
    await walk.sees(card)


@does("Cancel a delivery")
async def cancel(walk: Walk, playground: Playground) -> None:
    playground.delivery.book.step_seconds = None
    card = await booked(walk, playground)
    await walk.sees(card)
    await walk.presses(card)
    await sent(walk)
    await leave(walk)
    await walk.sees(card)


@does("Let the customer enter the address")
async def prebook(walk: Walk, playground: Playground) -> None:
    await priced(walk)
    await leave(walk)
    card = await walk.kept(walk.newest("Ana Lopez", holding=walk.page.get_by_role("link", name="/address/")))
    async with walk.page.context.expect_page() as opening:
        await card.get_by_role("link", name="/address/").click()
    customer = await opening.value
    await walk.presses(customer.locator("body"))
    await expect(customer.locator("h1")).to_have_text("Thank you")
    await customer.close()
    await walk.sees(card)


@does("Translate a text")
async def translate(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    await walk.sees(walk.private())
    await walk.presses(walk.private())
    await walk.presses(by(walk.page, "confirm"))
    everybody = walk.page.locator("#middle [data-testid=message]:not([data-ephemeral=true])")
    await walk.sees(everybody.last)


@does("Convert a recording")
async def convert(walk: Walk, _: Playground) -> None:
    await walk.goes()
    thread = await walk.gives("interview.wav", wav(), "audio/wav")
    await walk.presses(thread)
    await walk.presses(modal(walk.page))
    await walk.sees(thread)


@does("Check a list of addresses")
async def check_list(walk: Walk, _: Playground) -> None:
    await walk.goes()
    thread = await walk.drops()
    await walk.presses(thread)
    await walk.presses(modal(walk.page))
    await leave(walk)
    await walk.sees(thread)


@does("Approve from App Home")
async def approve_at_home(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    await walk.goes()
    home = by(walk.page, "home")
    await walk.sees(home)
    await walk.presses(home)
    await walk.goes()
    await walk.sees(await walk.kept(walk.newest("$33.00")))


async def behind(walk: Walk) -> Locator:
    """The panel, with its faults folded as they are when the page is opened."""
    panel = walk.page.get_by_role("complementary", name="Behind the scenes")
    if not await panel.is_visible():
        await by(walk.page, "panel-toggle").click()
    if await by(walk.page, "fault-operation").is_visible():
        await panel.get_by_text("Make it misbehave").click()
    return panel


@does("Lose an answer")
async def lose(walk: Walk, playground: Playground) -> None:
    playground.payments.be_unsteady(UNSTEADY_SECONDS)
    panel = await behind(walk)
    await walk.presses(panel)
    await walk.presses(panel)
    card = await requested(walk, "$30.00")
    await walk.presses(card)
    await walk.sees(card, 2)
    await walk.sees(await behind(walk))
    assert [entry.cents for entry in playground.payments.ledger.entries].count(3_000) == 1


@does("Receive every callback twice")
async def twice(walk: Walk, playground: Playground) -> None:
    panel = await behind(walk)
    await walk.presses(panel)
    await walk.fills(panel)
    await walk.presses(panel)
    card = await requested(walk, "$31.00")
    await walk.presses(card)
    await walk.sees(card)
    await walk.goes()
    line = await walk.kept(walk.newest("$31.00"))
    await walk.sees(line)
    await walk.presses(await behind(walk))
    told = [attempt.operation_id for attempt in playground.payments.callbacks.deliveries]
    assert told.count(told[-1]) > 1


@does("Mistype a command")
async def mistype(walk: Walk, _: Playground) -> None:
    await walk.goes()
    await walk.types()
    await walk.sees(walk.private())
    await walk.presses(walk.private())
    await walk.sees(walk.private())


def test_all_25_written_tasks_have_steps() -> None:
    assert [task.number for task in TASKS] == list(range(1, 26))
    assert sorted(task.title for task in TASKS) == sorted(STEPS)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def windows(chromium: Browser, playground: Playground) -> AsyncIterator[tuple[Page, Page]]:
    """A wide window and a phone, in which one task is done after the other."""
    async with window(chromium, playground.url) as wide, window(chromium, playground.url, viewport=PHONE) as phone:
        for page in (wide, phone):
            await by(page, "tour-close").click()
        yield wide, phone


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.title)
async def test_each_task_shows_what_the_document_says(
    windows: tuple[Page, Page], playground: Playground, task: Task
) -> None:
    page = windows[task.number % 2]
    await page.emulate_media(color_scheme=SCHEMES[task.number // 2 % 2])
    walk = Walk(page, playground.workspace, task)
    await afresh(page, playground)
    await walk.clears()
    await STEPS[task.title](walk, playground)
    walk.ended()
    await fits(page)
    if "SCREENSHOTS" in os.environ:
        await pictures(page, f"task-{task.number:02}")


async def afresh(page: Page, playground: Playground) -> None:
    """Without what a task left open that failed."""
    if await by(page, "confirm").count():
        await by(page, "confirm-no").click()
    for user in playground.workspace.users:
        if playground.workspace.modal(user) is not None:
            await playground.workspace.close(user, clear=True)
    await expect(modal(page)).to_have_count(0)


async def pictures(page: Page, name: str) -> None:
    """What the task ended with, wide and narrow, light and dark."""
    before = page.viewport_size
    assert before is not None
    for viewport in (WIDE, PHONE):
        await page.set_viewport_size(viewport)
        if viewport == PHONE and await by(page, "panel-close").is_visible():
            await by(page, "panel-close").click()
        for scheme in SCHEMES:
            await page.emulate_media(color_scheme=scheme)
            await shot(page, f"{name}-{'phone' if viewport == PHONE else 'wide'}-{scheme}")
    await page.set_viewport_size(before)
