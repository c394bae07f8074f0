"""News while somebody is in the middle of something: what they chose, hold down, opened or selected outlives it."""

import pytest
from playwright.async_api import JSHandle, Page, expect

from tests.browser.moving import PARTS, by, enter
from tests.playground.console.scene import FINANCE, GENERAL, NORA, TOMAS, Scene

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DRAWN = """topic => PARTS.then(({ store }) => new Promise((drawn) => {
  store.store.tell(topic);
  requestAnimationFrame(() => requestAnimationFrame(drawn));
}))""".replace("PARTS", PARTS)


async def news(page: Page, topic: str) -> None:
    """Something is said to have changed, and all that shows it is drawn again."""
    await page.evaluate(DRAWN, topic)


async def press(page: Page, target: JSHandle) -> None:
    element = target.as_element()
    assert element is not None
    await element.scroll_into_view_if_needed()
    box = await element.bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await page.mouse.down()


async def test_a_choice_that_is_not_yet_made_stays_under_the_finger(page: Page) -> None:
    await by(page, "faults").locator("summary").click()
    operation = by(page, "fault-operation")
    await operation.focus()
    chosen = await operation.element_handle()
    await chosen.evaluate("node => { node.value = 'commit_payout'; }")  # moved to, not taken: no change event yet
    await news(page, "services")
    assert await chosen.evaluate("node => node.isConnected && node === document.activeElement")
    await expect(operation).to_have_value("commit_payout")
    await chosen.evaluate("node => node.dispatchEvent(new Event('change', { bubbles: true }))")
    await expect(page.get_by_role("button", name="Do it, then time out")).to_be_visible()


async def test_section_opened_during_a_redraw_stays_open(page: Page) -> None:
    opened = await by(page, "faults").element_handle()
    await opened.evaluate(f"node => {{ node.querySelector('summary').click(); return ({DRAWN})('services'); }}")
    assert await opened.evaluate("node => node.isConnected && node.open")
    await news(page, "services")
    await expect(by(page, "fault-operation")).to_be_visible()


@pytest.mark.parametrize("topic", ["services", "messages"])
async def test_a_button_that_is_held_down_still_works(page: Page, scene: Scene, topic: str) -> None:
    await by(page, "faults").locator("summary").click()
    switch = await page.get_by_role("button", name="Do it, then drop the connection").element_handle()
    channel = await page.locator(f"[data-testid=channel][data-channel={FINANCE}]").element_handle()
    await press(page, switch if topic == "services" else channel)
    await page.evaluate(DRAWN.replace("store.tell(topic)", "store.tell(topic, { channel: '' })"), topic)
    await page.mouse.up()
    if topic == "services":
        await expect(by(page, "armed")).to_have_count(1)
    else:
        await expect(by(page, "channel-name")).to_have_text("finance")


async def test_a_button_of_a_message_still_works_when_a_reply_arrives(page: Page, scene: Scene) -> None:
    await enter(page, FINANCE)
    await scene.workspace.slash(NORA, FINANCE, "/pay", "send it")
    await by(page, "message").first.locator("[data-action-id=approve]").wait_for()
    ts = scene.workspace.messages(FINANCE)[0].ts
    await page.locator("[data-action-id=withdraw]").focus()
    await page.keyboard.down("Space")
    await scene.workspace.say(TOMAS, FINANCE, "and a question", thread_ts=ts)
    await expect(by(page, "replies")).to_contain_text("1 reply")
    await page.keyboard.up("Space")
    await expect(by(page, "confirm")).to_be_visible()


async def test_a_call_that_is_read_stays_open_and_selected_when_the_next_one_comes(page: Page, scene: Scene) -> None:
    await scene.commit()
    call = page.locator("[data-testid=call][data-operation=commit_payout]").last
    await call.locator("summary").click()
    await expect(call.get_by_role("heading", name="Answer")).to_be_visible()
    await call.locator("pre").last.evaluate("node => getSelection().selectAllChildren(node)")
    selected = await page.evaluate("getSelection().toString()")
    assert selected
    await scene.commit(code="c2")
    await expect(page.locator("[data-testid=call][data-operation=commit_payout]")).to_have_count(2)
    await expect(call.get_by_role("heading", name="Answer")).to_be_visible()
    assert await page.evaluate("getSelection().toString()") == selected


async def test_switch_error_is_shown_until_the_next_action(page: Page, scene: Scene) -> None:
    await page.route("**/console/faults", lambda route: route.fulfill(status=400, json={"error": "Not now."}))
    await by(page, "faults").locator("summary").click()
    await page.get_by_role("button", name="Do it, then drop the connection").click()
    await expect(page.get_by_text("Not now.")).to_be_visible()
    await news(page, "services")
    await expect(page.get_by_text("Not now.")).to_be_visible()
    await page.unroute("**/console/faults")
    await page.get_by_role("button", name="Do it, then drop the connection").click()
    await expect(by(page, "armed")).to_have_count(1)
    await expect(page.get_by_text("Not now.")).to_be_hidden()


async def test_the_one_who_reads_channels_by_keyboard_keeps_the_place(page: Page, scene: Scene) -> None:
    general = page.locator(f"[data-testid=channel][data-channel={GENERAL}]")
    held = await general.element_handle()
    await general.focus()
    await scene.workspace.say(TOMAS, FINANCE, "one")
    await expect(page.locator(f"[data-testid=channel][data-channel={FINANCE}]")).to_have_attribute("data-unread", "1")
    await expect(general).to_be_focused()
    assert await held.evaluate("node => node.isConnected")
