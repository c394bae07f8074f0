"""People at work in the page: talk, pay, switch, approve, fill in forms, look behind the scenes."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.moving import PARTS, PHONE, become, by, enter, fits, say, window
from tests.playground.console.scene import APPROVALS, EVE, FINANCE, GENERAL, NORA, TOMAS, TRY_IT, Scene
from tests.support.proxy import Proxy

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_asking_approving_and_the_thread(page: Page) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    card = by(page, "message").first
    await expect(card.get_by_role("heading", name="Pay $25.00")).to_be_visible()
    await expect(card.locator(".app-badge")).to_have_text("APP")
    await card.locator("[data-action-id=approve]").click()
    await expect(page.get_by_text("Only visible to you")).to_be_visible()
    await expect(by(page, "message").last).to_contain_text("Somebody else must approve it.")
    await become(page, TOMAS)
    await expect(page.get_by_text("Only visible to you")).to_have_count(0)
    await card.locator("[data-action-id=approve]").click()
    await expect(card.get_by_text("Completed")).to_be_visible()
    await expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    await expect(by(card, "replies")).to_contain_text("1 reply")
    await by(card, "replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text("approved by @Tomás Berg")
    await by(thread, "thread-composer").fill("thanks")
    await by(thread, "thread-composer").press("Enter")
    await expect(thread.get_by_test_id("message")).to_have_count(3)
    await expect(by(card, "replies").first).to_contain_text("2 replies")
    await page.keyboard.press("Escape")
    await expect(thread).to_be_hidden()


async def test_unread_messages_are_counted_until_they_are_seen(page: Page, scene: Scene) -> None:
    finance = page.locator(f"[data-testid=channel][data-channel={FINANCE}]")
    await scene.workspace.say(TOMAS, FINANCE, "one")
    await scene.workspace.say(TOMAS, FINANCE, "two")
    await scene.workspace.say(NORA, FINANCE, "mine does not count")
    await expect(finance).to_have_attribute("data-unread", "2")
    await expect(by(page, "announcer")).to_have_text("Tomás Berg in finance: two")
    await enter(page, FINANCE)
    await expect(finance).not_to_have_attribute("data-unread", re.compile(".*"))
    await become(page, TOMAS)
    await enter(page, GENERAL)
    await become(page, NORA)
    await expect(finance).not_to_have_attribute("data-unread", re.compile(".*"))


async def test_commands_complete_and_tell_their_usage(page: Page) -> None:
    composer = by(page, "composer")
    await composer.press_sequentially("/")
    options = by(page, "completion").get_by_role("option")
    await expect(options).to_have_count(3)
    await composer.press("ArrowDown")
    await expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    await composer.press("ArrowUp")
    await composer.press("Tab")
    await expect(composer).to_have_value("/pay ")
    await expect(by(page, "completion")).to_be_hidden()
    await expect(by(page, "usage-hint")).to_contain_text("send <email> <amount> <description>")
    await composer.fill("/nothing")
    await expect(by(page, "completion")).to_be_hidden()
    await composer.press("Enter")
    await expect(by(page, "composer-error")).to_have_text(
        "/nothing is not a command here. There is /pay, /switchboard."
    )
    await expect(composer).to_have_value("/nothing")


async def test_enter_sends_and_shift_enter_breaks_the_line(page: Page, scene: Scene) -> None:
    composer = by(page, "composer")
    await composer.press_sequentially("first")
    await composer.press("Shift+Enter")
    await composer.press_sequentially("second")
    await composer.press("Enter")
    await expect(by(page, "message").locator(".text")).to_have_text("first\nsecond")
    await expect(composer).to_have_value("")
    await composer.press("ArrowUp")
    await expect(composer).to_have_value("first\nsecond")
    assert [message.text for message in scene.workspace.messages(GENERAL)] == ["first\nsecond"]


async def test_quick_messages_arrive_in_order_from_their_senders(page: Page, scene: Scene) -> None:
    for text in ("one", "two", "three"):
        await say(page, text)
    await become(page, TOMAS)
    await say(page, "four")
    await expect(by(page, "message")).to_have_count(4)
    said = [(message.user, message.text) for message in scene.workspace.messages(GENERAL)]
    assert said == [(NORA, "one"), (NORA, "two"), (NORA, "three"), (TOMAS, "four")]


async def test_missing_permission_is_shown_beside_the_message_box(page: Page) -> None:
    await become(page, EVE)
    await say(page, TRY_IT)
    await expect(by(page, "composer-error")).to_contain_text("another workspace")


async def test_commands_are_refused_in_threads_with_a_reason(page: Page, scene: Scene) -> None:
    await scene.bot.client.chat_postMessage(channel=GENERAL, text="parent")
    message = by(page, "message").first
    await message.hover()
    await by(message, "open-thread").click()
    await by(page, "thread-composer").fill("/pay send")
    await by(page, "thread-composer").press("Enter")
    await expect(page.get_by_role("complementary", name="Thread")).to_contain_text("Commands do not work in threads")
    assert scene.bot.heard == []


async def test_a_form_shows_errors_at_the_field_and_keeps_what_was_typed(page: Page, scene: Scene) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await page.click("[data-action-id=reject]")
    modal = by(page, "modal")
    await expect(modal.get_by_role("heading", name="Reject it")).to_be_visible()
    await expect(modal.get_by_label("Reason")).to_be_focused()
    await by(modal, "modal-submit").click()
    await expect(by(modal, "field-error")).to_have_text(["Please fill in this field."] * 2)
    await modal.get_by_label("Reason").fill("short")
    await modal.get_by_label("No", exact=True).check()
    await modal.get_by_label("Who helps").select_option(TOMAS)
    await by(modal, "modal-submit").click()
    await expect(by(modal, "field-error")).to_have_text(["Say more than that."])
    await expect(modal.get_by_label("Reason")).to_be_focused()
    await expect(modal.get_by_label("Reason")).to_have_attribute("aria-invalid", "true")
    await expect(modal.get_by_label("No", exact=True)).to_be_checked()
    await expect(modal.get_by_label("Who helps")).to_have_value(TOMAS)
    await modal.get_by_label("Reason").fill("push")
    await by(modal, "modal-submit").click()
    await expect(modal.get_by_role("heading", name="One more")).to_be_visible()
    await expect(modal.get_by_label("Reason")).to_have_value("")
    await by(modal, "modal-back").click()
    await expect(modal.get_by_role("heading", name="Reject it")).to_be_visible()
    await modal.get_by_label("Reason").fill("good enough")
    await by(modal, "modal-submit").click()
    await expect(modal).to_have_count(0)
    state = scene.bot.heard[-1]["view"]["state"]["values"]
    assert state["why"]["text"]["value"] == "good enough"
    assert state["kind"]["k"]["selected_option"]["value"] == "no"
    assert state["helper"]["u"]["selected_user"] == TOMAS


async def test_escape_closes_a_form_and_the_workspace_knows(page: Page, scene: Scene) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await page.click("[data-action-id=reject]")
    await expect(by(page, "modal")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(by(page, "modal")).to_have_count(0)
    assert scene.workspace.modal(NORA) is None


async def test_a_consequential_button_asks_first(page: Page, scene: Scene) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await page.click("[data-action-id=withdraw]")
    await expect(by(page, "confirm")).to_contain_text("It is gone then.")
    await by(page, "confirm-no").click()
    await page.click("[data-action-id=withdraw]")
    await page.keyboard.press("Escape")
    await expect(by(page, "confirm")).to_have_count(0)
    assert not [body for body in scene.bot.heard if body.get("actions")]
    await page.click("[data-action-id=withdraw]")
    await by(page, "confirm-yes").click()
    await scene.workspace.until(lambda: [body for body in scene.bot.heard if body.get("actions")])


async def test_card_menus_send_the_choice(page: Page, scene: Scene) -> None:
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await page.locator("[data-action-id=page]").select_option(label="Two")
    await page.locator("[data-action-id=who]").select_option(TOMAS)
    await page.click("[data-action-id=more]")
    await page.get_by_role("menuitem", name="Hide").click()
    clicks = await scene.workspace.until(lambda: len(told := _actions(scene)) == 3 and told)
    assert isinstance(clicks, list)
    assert clicks[0]["selected_option"]["value"] == "2"
    assert clicks[1]["selected_user"] == TOMAS
    assert clicks[2]["selected_option"]["value"] == "hide"


def _actions(scene: Scene) -> list[dict[str, Any]]:
    return [body["actions"][0] for body in scene.bot.heard if body.get("actions")]


async def test_arrow_keys_lead_to_another_person(page: Page) -> None:
    people = page.get_by_role("radiogroup", name="You act as")
    await people.get_by_role("radio", checked=True).focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(people.get_by_role("radio", checked=True)).to_contain_text("Tomás Berg")
    await expect(people.get_by_role("radio", checked=True)).to_be_focused()


async def test_calls_appear_with_their_money_and_can_be_opened(page: Page, scene: Scene) -> None:
    await scene.commit()
    await expect(by(page, "figure-moved")).to_have_text("$25.00")
    call = page.locator("[data-testid=call][data-operation=commit_payout]")
    await expect(call).to_have_attribute("data-moved", "yes")
    await call.locator("summary").click()
    await expect(call.get_by_role("heading", name="Answer")).to_be_visible()
    await page.get_by_label("only what changed something").check()
    await expect(page.locator("[data-testid=call]")).to_have_count(2)
    await page.click("[data-testid=service-tab][data-service=slack]")
    await expect(by(page, "figure-calls")).to_be_visible()


async def test_a_fault_is_armed_seen_and_taken_back(page: Page, scene: Scene) -> None:
    await by(page, "faults").locator("summary").click()
    await by(page, "fault-operation").select_option("commit_payout")
    await page.get_by_role("button", name="Do it, then time out").click()
    await expect(by(page, "armed")).to_contain_text("Do it, then time out – Commit payout, next time")
    assert [fault.operation for fault in scene.payments.faults.armed] == ["commit_payout"]
    await by(page, "fault-times").select_option("")
    await by(page, "fault-operation").select_option("callback")
    await expect(by(page, "fault-times")).to_have_count(0)  # what becomes of callbacks stays so until told
    await page.get_by_role("button", name="Drop callbacks").click()
    await expect(by(page, "armed")).to_have_count(2)
    await by(page, "behave").click()
    await expect(by(page, "manners")).to_have_text("Works normally")
    assert scene.payments.faults.armed == []


async def test_the_switches_stay_under_the_pointer_when_one_is_used(page: Page) -> None:
    await by(page, "faults").locator("summary").click()
    switch = page.get_by_role("button", name="Do it, then drop the connection")
    before = await switch.bounding_box()
    await switch.click()
    await expect(by(page, "armed")).to_have_count(1)
    assert await switch.bounding_box() == before


async def test_late_growth_keeps_the_newest_message_visible(page: Page, scene: Scene) -> None:
    await enter(page, GENERAL)
    for number in range(12):
        await scene.bot.client.chat_postMessage(channel=GENERAL, text=f"line {number}")
    await expect(by(page, "message").last).to_contain_text("line 11")
    await by(page, "message").nth(3).evaluate("node => { node.style.minHeight = '900px'; }")
    await expect(by(page, "message").last).to_be_in_viewport()


async def test_two_windows_are_two_people(page: Page, browser: Browser, scene: Scene) -> None:
    other = await browser.new_page()
    await other.goto(f"{scene.url}/#/{TOMAS}/{APPROVALS}")
    await expect(by(other, "channel-name")).to_have_text("approvals")
    await enter(page, FINANCE)
    await say(page, TRY_IT)
    await other.click("[data-action-id=approve]")
    await expect(other.get_by_text("Completed", exact=True)).to_be_visible()
    await expect(page.get_by_test_id("person-switch").get_by_role("radio", checked=True)).to_contain_text("Nora")


async def test_an_edited_message_is_marked(page: Page, scene: Scene) -> None:
    posted = await scene.bot.client.chat_postMessage(channel=GENERAL, text="before")
    await expect(by(page, "message")).to_contain_text("before")
    await scene.bot.client.chat_update(channel=GENERAL, ts=posted["ts"], text="after")
    await expect(by(page, "message")).to_contain_text("after(edited)")


class Line(Proxy):
    """The connection between a page and the workspace, until it is cut."""

    is_cut = False

    def cut(self) -> None:
        """Break every connection and refuse new ones."""
        self.is_cut = True
        for pipe in self._pipes:
            pipe.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.close()
        else:
            await super()._accept(reader, writer)


async def test_a_page_that_lost_its_connection_catches_up(browser: Browser, scene: Scene) -> None:
    async with Line(int(scene.url.rpartition(":")[2])) as line:
        page = await browser.new_page()
        await page.goto(f"http://127.0.0.1:{line.port}")
        await page.wait_for_selector("body[data-ready=yes]")
        await enter(page, FINANCE)
        await scene.workspace.say(TOMAS, FINANCE, "before")
        await expect(by(page, "message")).to_have_count(1)
        line.cut()
        await expect(by(page, "trouble")).to_contain_text("Connection lost.")
        await scene.workspace.say(TOMAS, FINANCE, "while you were away")
        line.is_cut = False
        await expect(by(page, "message").last).to_contain_text("while you were away")
        await expect(by(page, "message")).to_have_count(2)
        await expect(by(page, "trouble")).to_be_hidden()
        await page.close()


async def test_lost_connection_is_shown_after_the_first_second(browser: Browser, scene: Scene) -> None:
    async with window(browser, scene.url) as page:
        told = by(page, "trouble")
        await expect(told).to_be_hidden()
        await page.context.set_offline(True)
        await expect(told).to_have_text("Connection lost. Reconnecting…")
        await fits(page)
        await page.context.set_offline(False)
        await expect(told).to_be_hidden()
    async with window(browser, scene.url) as page:
        await page.route("**/console/say", lambda route: route.abort())
        await say(page, "Is anybody there?")
        await expect(by(page, "composer-error")).to_have_text("The playground doesn't answer. Is it still running?")
        await expect(by(page, "composer")).to_have_value("Is anybody there?")
        await expect(by(page, "trouble")).to_be_hidden()  # the stream was opened anew, and it answers
    async with window(browser, scene.url) as page:
        await page.evaluate(f"{PARTS}.then(({{ store }}) => {{ store.store.met = store.store.online = false; }})")
        await page.evaluate(f"{PARTS}.then(({{ store }}) => store.store.tell('online'))")
        await expect(by(page, "trouble")).to_have_text("Connecting…")


async def test_on_a_phone_everything_is_one_tap_away(browser: Browser, scene: Scene) -> None:
    url = f"{scene.url}/#/{TOMAS}/{FINANCE}"
    async with window(browser, url, viewport=PHONE, has_touch=True, is_mobile=True) as phone:
        await by(phone, "tour-close").tap()
        await scene.workspace.slash(NORA, FINANCE, "/pay", "send it")
        await expect(phone.locator("[data-action-id=approve]")).to_be_in_viewport()
        await fits(phone)
        await by(phone, "menu").tap()
        await phone.locator(f"[data-testid=channel][data-channel={APPROVALS}]").tap()
        await expect(by(phone, "channel-name")).to_have_text("approvals")
        await expect(phone.get_by_role("navigation", name="Workspace")).not_to_be_in_viewport()
        await by(phone, "panel-toggle").tap()
        await expect(by(phone, "manners")).to_be_in_viewport()
        await by(phone, "panel-close").tap()
        await expect(by(phone, "composer")).to_be_in_viewport()
