"""Files in the page: dropped, attached, shown, put into forms; and the real bot's offers on what was dropped."""

import wave
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import FileKind, true_name
from bot.playground.console import Console, Guide
from bot.presentation.blocks.text import message
from handlers.files import FileAction
from handlers.incoming import Click
from handlers.replies import Private, Reply
from handlers.router import Dependencies
from tests.browser.moving import PHONE, become, by, enter, fits, send, shot, window
from tests.playground.console.scene import GENERAL, NORA, TOMAS, Scene
from tests.support import rig as office
from tests.support.rig import Rig

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CSV = "email,amount,note\nana@example.com,1.00,March\nben@example.com,2.50,April\n"


def wav(seconds: float = 1.0) -> bytes:
    kept = BytesIO()
    with wave.open(kept, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(b"\x10\x20" * int(8000 * seconds))
    return kept.getvalue()


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
    await send(page, "please pay these")
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


async def test_several_files_are_attached_and_one_is_taken_away(page: Page, scene: Scene) -> None:
    await enter(page, GENERAL)
    await by(page, "composer-attach-input").set_input_files(
        [payload("a.wav", "audio/wav", wav(1.5)), payload("b.txt", "text/plain", b"hi"), payload("c.bin", "", b"\0")]
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
    await expect(by(page, "pending-file")).to_have_count(0)
    stored = scene.workspace.file(scene.workspace.messages(GENERAL)[-1].files[0])
    assert stored is not None
    assert stored.duration_ms == 1_500
    await shot(page, "files-sent")


async def test_a_file_stands_in_a_thread_when_it_is_dropped_there(page: Page, scene: Scene) -> None:
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
    await send(page, "/pay bulk")
    await expect(by(page, "composer-error")).to_contain_text("Commands carry no files")
    await attached(page)
    await expect(by(page, "composer")).to_have_value("/pay bulk")


async def test_what_is_one_s_own_can_be_deleted(page: Page, scene: Scene) -> None:
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


async def test_a_form_refuses_what_it_does_not_take(page: Page, scene: Scene) -> None:
    await scene.workspace.drop(NORA, GENERAL, "rows.csv", CSV.encode())
    await enter(page, GENERAL)
    await by(page, "message").last.hover()
    await by(page, "more-actions").last.click()
    await page.get_by_role("menuitem", name="Use this file").click()
    await by(page, "file-input-input").first.set_input_files([payload("virus.exe", "", b"MZ")])
    await attached(page)
    await by(page, "modal-submit").click()
    await expect(page.locator(".modal-problem")).to_contain_text("csv")


async def test_the_app_is_invited_by_a_command(page: Page, scene: Scene) -> None:
    scene.workspace.kick(GENERAL, "U0BOT")
    await enter(page, GENERAL)
    await send(page, "/invite @Switchboard")
    await scene.workspace.until(lambda: scene.workspace.channel(GENERAL).bot_member)


# with the real bot


async def start(_: Dependencies, click: Click, file: DroppedFile) -> Reply:
    return Private(message(f"Converting {true_name(file.name, file.format)} for <@{click.user}>"))


ACTIONS = (
    FileAction(name="gender", label="Detect gender", fits=lambda file: file.kind is FileKind.AUDIO, start=start),
    FileAction(
        name="separate", label="Separate vocals and music", fits=lambda file: file.kind is FileKind.AUDIO, start=start
    ),
    FileAction(name="convert", label="Convert", fits=lambda file: file.kind is FileKind.AUDIO, start=start),
    FileAction(name="transcribe", label="Transcribe", fits=lambda file: file.kind is FileKind.AUDIO, start=start),
    FileAction(name="emotion", label="Emotion", fits=lambda file: file.kind is FileKind.AUDIO, start=start),
)


@pytest_asyncio.fixture(loop_scope="session")
async def rig(sqlite_url: str) -> AsyncIterator[Rig]:
    def prepare(workspace: Any) -> None:
        workspace.add_shortcut("use_file", "Use this file")
        guide = Guide(person=office.MARIA, channel=office.FINANCE)
        Console(workspace=workspace, guide=guide).mount(workspace.app)

    opened = await Rig.open(database_url=sqlite_url, around={"file_actions": ACTIONS}, prepare=prepare)
    yield opened
    await opened.close()


@pytest_asyncio.fixture(loop_scope="session")
async def office_page(browser: Browser, rig: Rig) -> AsyncIterator[Page]:
    async with window(browser, rig.workspace.url) as page:
        yield page


async def test_a_dropped_file_is_offered_once_and_a_press_is_answered(office_page: Page, rig: Rig) -> None:
    page = office_page
    await drag(page, "#middle", "talk.mp3", "audio/wav", wav(2.0))
    await attached(page)
    await by(page, "composer").press("Enter")
    await by(page, "replies").click()
    thread = page.locator("#thread")
    await expect(thread.locator("[data-action-id='use.convert']")).to_have_text("Convert")
    offer = by(thread, "message").last
    await expect(offer).to_contain_text("talk.mp3 · WAV audio (named .mp3), 32 KB, 0:02")
    assert await offer.get_by_role("button").all_text_contents() == [action.label for action in ACTIONS]
    await shot(page, "offer-wide")
    await thread.locator("[data-action-id='use.convert']").click()
    await expect(by(thread, "message").last).to_contain_text("Converting talk.wav")
    await page.set_viewport_size(PHONE)
    await page.wait_for_function("() => document.querySelector('#sidebar').getBoundingClientRect().right <= 0")
    await fits(page)
    await shot(page, "offer-phone")
    offers = [message for message in rig.workspace.messages(office.FINANCE) if message.buttons]
    assert len(offers) == 1


async def test_the_shortcut_tells_how_to_invite_and_then_offers(office_page: Page, rig: Rig) -> None:
    page = office_page
    await rig.workspace.drop(office.MARIA, office.RANDOM, "talk.wav", wav())
    await enter(page, office.RANDOM)

    async def use_it() -> None:
        await page.locator("[data-testid=message]:has(audio)").hover()
        await page.locator("[data-testid=message]:has(audio)").get_by_test_id("more-actions").click()
        await page.get_by_role("menuitem", name="Use this file").click()

    await use_it()
    await expect(by(page, "modal")).to_contain_text("/invite @Switchboard")
    await shot(page, "shortcut-invite")
    await by(page, "modal-close").click()
    await expect(by(page, "modal")).to_have_count(0)
    await send(page, "/invite @Switchboard")
    await rig.workspace.until(lambda: rig.workspace.channel(office.RANDOM).bot_member)
    await use_it()
    await expect(by(page, "modal")).to_contain_text("Detect gender")
    await shot(page, "shortcut-offer")
    await by(page, "modal").get_by_text("Convert", exact=True).click()
    await by(page, "modal-submit").click()
    await expect(by(page, "modal")).to_contain_text("Converting talk.wav")
