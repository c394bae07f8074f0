"""Files in the page: dropped, attached, shown, put into forms."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.moving import become, by, enter, say, shot
from tests.playground.console.scene import GENERAL, NORA, TOMAS, Scene
from tests.playground.sounds import wav

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CSV = "email,amount,note\nana@example.com,1.00,March\nben@example.com,2.50,April\n"
PICTURE = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAMAAAABCAAAAAA+i0toAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC")
"""Three pixels wide."""


def payload(name: str, kind: str, content: bytes) -> Any:
    return {"name": name, "mimeType": kind, "buffer": content}


async def drag(page: Page, pane: str, name: str, kind: str, content: bytes) -> None:
    transfer = await page.evaluate_handle(
        """([name, type, bytes]) => {
            const carried = new DataTransfer();
            carried.items.add(new File([new Uint8Array(bytes)], name, { type }));
            return carried;
        }""",
        [name, kind, list(content)],
    )
    for event in ("dragenter", "dragover"):
        await page.dispatch_event(pane, event, {"dataTransfer": transfer})
    await expect(page.locator(f"{pane} [data-testid=drop-zone]")).to_be_visible()
    await shot(page, "files-dragging")
    await page.dispatch_event(pane, "drop", {"dataTransfer": transfer})
    await expect(page.locator(f"{pane} [data-testid=drop-zone]")).to_be_hidden()


async def attached(page: Page, count: int = 1) -> Locator:
    chips = page.locator("[data-testid=pending-file][data-state=ready]")
    await expect(chips).to_have_count(count)
    return chips


async def test_a_file_is_dropped_on_the_conversation_and_sent_with_words(page: Page, scene: Scene) -> None:
    await enter(page, GENERAL)
    await drag(page, "#middle", "rows.csv", "text/csv", CSV.encode())
    await attached(page)
    await say(page, "please pay these")
    message = by(page, "message").last
    await expect(message).to_contain_text("please pay these")
    await expect(message.locator(".file-table th").first).to_have_text("email")
    await expect(message.locator(".file-table tbody tr")).to_have_count(2)
    async with page.expect_download() as loading:
        await by(message, "file").click()
    kept = Path(await (await loading.value).path())
    assert kept.read_text() == CSV  # noqa: ASYNC240 - a few bytes
    said = scene.workspace.messages(GENERAL)[-1]
    stored = scene.workspace.file(said.files[0])
    assert stored is not None
    assert (stored.content.decode(), stored.user, said.text) == (CSV, NORA, "please pay these")


async def test_several_files_can_be_attached_and_one_removed(page: Page, scene: Scene) -> None:
    await enter(page, GENERAL)
    await by(page, "composer-attach-input").set_input_files(
        [payload("a.wav", "audio/wav", wav(1.5)), payload("b.txt", "text/plain", b"hi"), payload("c.png", "", PICTURE)]
    )
    chips = await attached(page, 3)
    await chips.nth(1).get_by_role("button", name="Remove b.txt").click()
    await attached(page, 2)
    await by(page, "composer-send").click()
    message = by(page, "message").last
    await expect(by(message, "file")).to_have_count(2)
    player = by(message, "player")
    await expect(player).to_be_visible()
    await page.wait_for_function("() => document.querySelector('audio').duration > 1.4")
    await page.wait_for_function("() => document.querySelector('img.file-picture').naturalWidth === 3")
    await expect(by(page, "pending-file")).to_have_count(0)
    stored = scene.workspace.file(scene.workspace.messages(GENERAL)[-1].files[0])
    assert stored is not None
    assert stored.duration_ms == 1_500
    await shot(page, "files-sent")


async def test_file_dropped_in_a_thread_appears_there(page: Page, scene: Scene) -> None:
    root = await scene.workspace.say(TOMAS, GENERAL, "root")
    await enter(page, GENERAL)
    await by(page, "message").last.hover()
    await by(page, "open-thread").last.click()
    await drag(page, "#thread", "rows.csv", "text/csv", CSV.encode())
    await attached(page)
    await by(page, "thread-composer").press("Enter")
    await expect(page.locator("#thread [data-testid=file]")).to_have_count(1)
    assert scene.workspace.messages(GENERAL, thread_ts=root.ts)[1].files


async def test_commands_carry_no_files(page: Page) -> None:
    await by(page, "composer-attach-input").set_input_files([payload("a.csv", "text/csv", CSV.encode())])
    await attached(page)
    await say(page, "/pay bulk")
    await expect(by(page, "composer-error")).to_contain_text("Commands carry no files")
    await attached(page)
    await expect(by(page, "composer")).to_have_value("/pay bulk")


async def test_own_files_can_be_deleted(page: Page, scene: Scene) -> None:
    message = await scene.workspace.drop(NORA, GENERAL, "rows.csv", CSV.encode())
    await enter(page, GENERAL)
    await by(page, "message").last.hover()
    await by(page, "more-actions").last.click()
    await page.get_by_role("menuitem", name="Delete rows.csv").click()
    await expect(by(page, "message").last).to_contain_text("This file was deleted.")
    await become(page, TOMAS)
    await by(page, "message").last.hover()
    await by(page, "more-actions").last.click()
    await expect(page.get_by_role("menuitem")).to_have_text(["Use this file"])
    stored = scene.workspace.file(message.files[0])
    assert stored is not None
    assert stored.odd == "deleted"


@pytest.mark.parametrize("width", [1280, 390])
async def test_files_and_several_choices_are_given_in_a_form(page: Page, scene: Scene, width: int) -> None:
    await scene.workspace.drop(NORA, GENERAL, "rows.csv", CSV.encode())
    await enter(page, GENERAL)
    await by(page, "panel-close").click()
    await page.set_viewport_size({"width": width, "height": 800})
    await by(page, "message").last.hover()
    await by(page, "more-actions").last.click()
    await page.get_by_role("menuitem", name="Use this file").click()
    modal = by(page, "modal")
    await expect(modal).to_be_visible()
    await by(page, "modal-submit").click()
    await expect(by(page, "field-error")).to_have_text("Please fill in this field.")
    chosen = by(modal, "file-input-input")
    await chosen.nth(0).set_input_files([payload("pay.csv", "text/csv", CSV.encode())])
    await chosen.nth(1).set_input_files([payload("a.txt", "", b"a"), payload("b.txt", "", b"b")])
    await attached(page, 3)
    await modal.locator("[data-value=U0IDA]").check()
    await modal.locator("[data-value='1']").check()
    await shot(page, f"files-form-{width}")
    await by(page, "modal-submit").click()
    await expect(modal).to_have_count(0)
    state = scene.bot.heard[-1]["view"]["state"]["values"]
    assert [file["name"] for file in state["table"]["f"]["files"]] == ["pay.csv"]
    assert [file["name"] for file in state["more"]["f"]["files"]] == ["a.txt", "b.txt"]
    assert sorted(state["people"]["p"]["selected_users"]) == ["U0IDA", "U0TOMAS"]
    assert [one["value"] for one in state["parts"]["m"]["selected_options"]] == ["1", "2"]
