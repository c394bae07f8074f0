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
from tests.browser.moving import PHONE, WIDE, by, close_forms, fits, say, shot, window
from tests.browser.walk import LATER, Task, Walk, named, tasks
from tests.playground.sounds import wav

pytestmark = pytest.mark.browser

TASKS: Final = tasks(Path(__file__).parents[2] / "docs" / "tutorial.md", Path(__file__).with_name("tasks.toml"))
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
REFERENCE: Final = re.compile(r"[PLXCBV]-[2-9A-Z]{6}")
Step = Callable[[Walk, Playground], Awaitable[object]]
Where = Callable[[Walk], Locator]


# places


def part(name: str) -> Where:
    return lambda walk: by(walk.page, name)


def beside(name: str) -> Where:
    return lambda walk: walk.page.get_by_role("complementary", name=name)


def inside(selector: str) -> Where:
    return lambda walk: walk.page.locator(selector)


def card(walk: Walk) -> Locator:
    """The message that was kept last."""
    assert walk.card is not None
    return walk.card


modal, confirm, home = part("modal"), part("confirm"), part("home")
thread, panel = beside("Thread"), beside("Behind the scenes")
middle, private = inside("#middle"), Walk.private
everybody = inside("#middle [data-testid=message]:not([data-ephemeral=true]) >> nth=-1")

# steps


async def go(walk: Walk, _: Playground) -> None:
    await walk.goes()


async def command(walk: Walk, _: Playground) -> None:
    await walk.types()


def press(where: Where) -> Step:
    return lambda walk, _: walk.presses(where(walk))


def fill(where: Where) -> Step:
    return lambda walk, _: walk.fills(where(walk))


def see(where: Where, most: int = 9) -> Step:
    return lambda walk, _: walk.sees(where(walk), most)


def keep(*words: str, button: str = "") -> Step:
    """Look at the newest message with these words, and with this button, from now on."""

    async def step(walk: Walk, _: Playground) -> None:
        walk.card = await walk.kept(walk.newest(*words, holding=named(walk.page, button) if button else None))

    return step


def pending(*words: str) -> Step:
    return keep(*words, button="Approve")


def mine(*words: str) -> Step:
    return keep(*words, button="Withdraw")


async def close(walk: Walk, _: Playground) -> None:
    await close_forms(walk.page)
    await expect(modal(walk)).to_have_count(0)


async def leave(walk: Walk, playground: Playground) -> None:
    """Close a form that says how it went on, if it is still there."""
    await expect(by(walk.page, "modal-submit")).to_have_count(0, timeout=LATER)
    if await modal(walk).count():
        await close(walk, playground)


async def drop(walk: Walk, _: Playground) -> None:
    await walk.drops()


async def record(walk: Walk, _: Playground) -> None:
    await walk.gives("interview.wav", wav(), "audio/wav")


def replies(*words: str) -> Step:
    return lambda walk, _: by(walk.newest(*words), "replies").click(timeout=LATER)


async def buy(walk: Walk, _: Playground) -> None:
    """Pay as the buyer; a press that meets a message being redrawn is lost, and made once more."""
    try:
        async with walk.page.context.expect_page() as opening:
            await walk.presses(card(walk))
    except PressLost:
        async with walk.page.context.expect_page(timeout=60_000) as opening:
            await named(card(walk), "Open checkout").first.click()
    checkout = await opening.value
    await checkout.click("button.pay")
    await expect(checkout.locator("h1")).to_have_text("Thank you")
    await checkout.close()


async def look_up(walk: Walk, _: Playground) -> None:
    """Type a command with the reference of the kept message."""
    found = REFERENCE.search(await card(walk).inner_text())
    assert found is not None
    await say(walk.page, f"{walk.command()} {found[0]}")


async def stand_still(_: Walk, playground: Playground) -> None:
    """Deliveries move only when they were seen."""
    playground.delivery.book.step_seconds = None


async def move(_: Walk, playground: Playground) -> None:
    playground.delivery.advance()


async def book(walk: Walk, playground: Playground) -> None:
    before = len(playground.delivery.book.bookings)
    await walk.presses(modal(walk))
    await leave(walk, playground)
    await playground.workspace.until(lambda: len(playground.delivery.book.bookings) > before, timeout=20)
    walk.card = await walk.kept(walk.newest("Ana Lopez"))


async def enter_address(walk: Walk, _: Playground) -> None:
    link = walk.page.get_by_role("link", name="/address/")
    walk.card = await walk.kept(walk.newest("Ana Lopez", holding=link))
    async with walk.page.context.expect_page() as opening:
        await walk.card.get_by_role("link", name="/address/").click()
    customer = await opening.value
    await walk.presses(customer.locator("body"))
    await expect(customer.locator("h1")).to_have_text("Thank you")
    await customer.close()


async def behind(walk: Walk, _: Playground) -> None:
    """Show the panel, with its faults folded as they are when the page is opened."""
    if not await panel(walk).is_visible():
        await by(walk.page, "panel-toggle").click()
    if await by(walk.page, "fault-operation").is_visible():
        await panel(walk).get_by_text("Make it misbehave").click()


async def be_unsteady(_: Walk, playground: Playground) -> None:
    playground.payments.be_unsteady(UNSTEADY_SECONDS)


async def paid_once(_: Walk, playground: Playground) -> None:
    assert [entry.cents for entry in playground.payments.ledger.entries].count(3_000) == 1


async def told_twice(_: Walk, playground: Playground) -> None:
    told = [attempt.operation_id for attempt in playground.payments.callbacks.deliveries]
    assert told.count(told[-1]) > 1


ask = (go, command, see(private))
request = (go, command, go)
send = (fill(modal), press(modal))
example = (go, command, press(modal), press(modal))
withdraw = (press(card), press(confirm))
STEPS: Final[dict[str, tuple[Step, ...]]] = {
    "Pay someone": (
        *(*request, pending("$25.00", "ana@example.com"), see(card)),
        *(press(card), see(private), go, press(card), see(card)),
    ),
    "Pay a large amount": (
        *(*ask, go, pending("$1,500.00"), press(card), see(modal), *send, see(card)),
        *(go, press(card), *send, see(card)),
    ),
    "Reject a request": (
        *(*request, pending("$40.00"), press(card), *send, see(card)),
        *(go, replies("$40.00"), see(thread)),
    ),
    "Correct a rejected request": (
        *(*request, pending("$41.00"), press(card), *send),
        *(go, replies("$41.00"), press(thread), *send, leave),
        *(go, mine("$14.00"), see(card), *withdraw),
    ),
    "Withdraw a request": (go, command, mine("$12.34"), *withdraw, see(card)),
    "Freeze all payments": (go, command, see(middle), *ask, go, command, see(middle)),
    "Pay in bulk": (
        *(go, drop, press(thread), see(modal), press(modal), leave),
        *(go, pending("$245.00"), see(card), press(card), see(card)),
    ),
    "Drop a file with bad rows": (go, drop, press(thread), see(modal), close),
    "Collect money": (go, command, keep("$119.50", button="Open checkout"), see(card), buy, go, see(card)),
    "Look up a payment": (go, command, mine("$21.00"), look_up, see(private), *withdraw),
    "List payments": ask,
    "Ask for the price of a delivery": (*example, see(modal), close),
    "Book a delivery": (
        *(stand_still, *example, see(modal), book, see(card)),
        *(press(card), see(card, 1), move, see(card)),
    ),
    "Cancel a delivery": (stand_still, *example, book, see(card), press(card), *send, leave, see(card)),
    "Let the customer enter the address": (*example, leave, enter_address, see(card)),
    "Translate a text": (*ask, press(private), press(confirm), see(everybody)),
    "Convert a recording": (go, record, press(thread), press(modal), see(thread)),
    "Check e-mail addresses": ask,
    "Check a list of addresses": (go, drop, press(thread), press(modal), leave, see(thread)),
    "Approve from App Home": (*request, see(home), press(home), go, keep("$33.00"), see(card)),
    "Lose an answer": (
        *(be_unsteady, behind, press(panel), press(panel)),
        *(*request, pending("$30.00"), press(card), see(card, 2), behind, see(panel), paid_once),
    ),
    "Receive every callback twice": (
        *(behind, press(panel), fill(panel), press(panel)),
        *(*request, pending("$31.00"), press(card), see(card)),
        *(go, keep("$31.00"), see(card), behind, press(panel), told_twice),
    ),
    "Get help": (*ask, command, see(private)),
    "Mistype a command": (*ask, press(private), see(private)),
    "See how everything stands": ask,
}


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
    for step in STEPS[task.title]:
        await step(walk, playground)
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
    await expect(by(page, "modal")).to_have_count(0)


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
