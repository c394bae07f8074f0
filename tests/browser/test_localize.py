"""Localization in the page: real files, dropped, worked on, downloaded and decoded again.

Every documented format takes this way without a page in tests/flow/test_localize_files.py.
"""

import re
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bot.playground.console.localization_panel import OTHER_NAMES
from bot.playground.launch import Playground
from tests.browser.moving import PHONE, become, enter, fits, narrow, say, shot, window
from tests.support import media
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINANCE = "C0FINANCE"
MARIA, OLGA = "U0MARIA", "U0OLGA"
ENGLISH = "The meeting was moved to Friday because the room was taken. Everybody was told in time. Nobody minded."


async def attach(page: Page, path: Path) -> None:
    await page.get_by_test_id("composer-attach-input").set_input_files(path)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
    await page.get_by_test_id("composer-send").click()
    await expect(page.locator("[data-testid=pending-file]")).to_have_count(0)


async def thread_of(page: Page, path: Path) -> Locator:
    """The thread of the message with this file, once the bot has answered in it."""
    message = page.locator("#middle").get_by_test_id("message").filter(has_text=path.name).last
    await message.get_by_test_id("replies").click(timeout=20_000)
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread).to_contain_text(path.name)
    return thread


async def choose(page: Page, thread: Locator, label: str) -> None:
    button = thread.get_by_role("button", name=label, exact=True)
    await expect(thread).to_contain_text(label, timeout=20_000)
    await button.first.click()


async def pick(page: Page, label: str, option: str) -> None:
    await page.get_by_test_id("modal").get_by_label(label, exact=True).select_option(label=option)


async def fetched(thread: Locator, page: Page, ending: str) -> bytes:
    """The newest file of the thread, downloaded through the page."""
    link = thread.get_by_test_id("file").last
    await expect(link).to_have_attribute("download", _ends(ending), timeout=30_000)
    async with page.expect_download() as loading:
        await link.click()
    path = Path(await (await loading.value).path())
    return path.read_bytes()  # noqa: ASYNC240 - a second of sound


def _ends(ending: str) -> re.Pattern[str]:
    return re.compile(rf"-audio-\w+\.{ending}$")


@pytest_asyncio.fixture(loop_scope="session")
async def quick(playground: Playground) -> Playground:
    playground.localization.work_seconds = {"*": 0.1}
    playground.localization.switches.names = {}
    playground.localization.calls.clear()
    return playground


async def test_a_sound_through_the_page(quick: Playground, visit: Page, tmp_path: Path) -> None:
    page = visit
    await enter(page, FINANCE)
    sample = media.make(tmp_path, "flac")
    await attach(page, sample)
    thread = await thread_of(page, sample)
    await choose(page, thread, "Convert")
    await pick(page, "Convert to", ".mp3")
    await shot(page, "localize-convert-form")
    await page.get_by_test_id("modal-submit").click()
    heard = media.heard(await fetched(thread, page, "mp3"), tmp_path)
    assert (heard.codec, heard.rate, heard.channels) == ("mp3float", 44_100, 2)
    assert heard.seconds == pytest.approx(1.0, abs=0.1)
    await expect(thread.get_by_test_id("player").last).to_be_visible()
    await shot(page, "localize-converted")
    assert [call.status for call in quick.localization.calls] == [200]


async def test_the_sound_of_a_film_through_the_page(quick: Playground, visit: Page, tmp_path: Path) -> None:
    page = visit
    await enter(page, FINANCE)
    sample = media.make(tmp_path, "mov")
    await attach(page, sample)
    thread = await thread_of(page, sample)
    await choose(page, thread, "Extract audio")
    await pick(page, "Sample rate", "22050")
    await pick(page, "Bit depth", "16 bit")
    await pick(page, "Channels", "2 (stereo)")
    await shot(page, "localize-extract-form")
    await page.get_by_test_id("modal-submit").click()
    heard = media.heard(await fetched(thread, page, "wav"), tmp_path)
    assert (heard.rate, heard.width, heard.channels) == (22_050, 16, 2)
    assert heard.seconds == pytest.approx(1.0, abs=0.1)
    await shot(page, "localize-extracted")


async def test_two_tracks_play_and_a_call_is_canceled(quick: Playground, visit: Page, tmp_path: Path) -> None:
    page = visit
    await enter(page, FINANCE)
    sample = media.make(tmp_path, "mp3", seconds=2.0)
    await attach(page, sample)
    thread = await thread_of(page, sample)
    await shot(page, "localize-offer")
    await choose(page, thread, "Separate vocals and music")
    await expect(thread.get_by_test_id("player")).to_have_count(3, timeout=30_000)
    await page.wait_for_function(
        "() => [...document.querySelectorAll('#thread audio')].every(one => one.duration > 1.8)"
    )
    await shot(page, "localize-tracks")
    quick.localization.work_seconds = {"*": 120.0}
    await say(page, "/localize separate https://files.example.com/song.mp3")
    running = page.get_by_test_id("message").filter(has_text="Separating vocals and music…").last
    await expect(running).to_be_visible(timeout=20_000)
    await shot(page, "localize-running")
    await running.get_by_role("button", name="Stop").click()
    await page.get_by_test_id("confirm-yes").click()
    await expect(page.get_by_test_id("message").filter(has_text="Stopped by").last).to_be_visible(timeout=20_000)
    await shot(page, "localize-canceled")


async def test_mistakes_stand_at_their_fields(quick: Playground, visit: Page, tmp_path: Path) -> None:
    page = visit
    await enter(page, FINANCE)
    await say(page, "/localize extract-audio")
    modal = page.get_by_test_id("modal")
    await page.get_by_test_id("modal-submit").click()
    await expect(page.get_by_test_id("field-error")).to_contain_text("Add a link to a video, or a file")
    await shot(page, "localize-form-mistake")
    await modal.get_by_label("Or a link to a video").fill("https://files.example.com/film.pdf")
    await page.get_by_test_id("modal-submit").click()
    await expect(page.get_by_test_id("field-error")).to_contain_text(".mp4, .mov, .mkv")
    await modal.get_by_label("Or a link to a video").fill("https://files.example.com/film.mp4")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal).to_have_count(0)
    await expect(page.get_by_test_id("message").filter(has_text="File in thread.")).to_be_visible(timeout=20_000)
    assert len(quick.localization.calls) == 1


async def started_again(playground: Playground, starts: int) -> bool:
    return playground.bot.starts > starts


async def test_what_was_made_under_other_names_is_read_again(quick: Playground, visit: Page, browser: Browser) -> None:
    """The answer is kept; an admin reads the lines, the file gets them, the bot restarts; nothing is made twice."""
    page, starts = visit, quick.bot.starts
    quick.localization.switches.names = OTHER_NAMES
    await enter(page, FINANCE)
    await say(page, "/localize separate https://files.example.com/ballad.mp3")
    board = page.locator("#middle").get_by_test_id("message").filter(has_text="I can't read the answer yet").last
    await expect(board.get_by_role("button", name="Read again")).to_be_visible(timeout=20_000)
    await shot(page, "localize-unread")
    await become(page, OLGA)
    await enter(page, FINANCE)
    await say(page, "/switchboard unread")
    listing = page.get_by_test_id("message").filter(has_text="vocals_stem").last
    await expect(listing).to_be_visible(timeout=20_000)
    await shot(page, "localize-unread-lines")
    lines = (await listing.locator("pre").first.inner_text()).strip()
    quick.services_file.write_text(f"{lines}\n", encoding="utf-8")
    await until(partial(started_again, quick, starts))
    await quick.until_ready()
    await become(page, MARIA)
    await enter(page, FINANCE)
    await board.get_by_role("button", name="Read again").click()
    await expect(page.get_by_test_id("message").filter(has_text="2 files in thread.").last).to_be_visible(
        timeout=30_000
    )
    await expect(board.get_by_role("button", name="Read again")).to_have_count(0)
    await page.get_by_test_id("message").filter(has_text="ballad.mp3").last.get_by_test_id("replies").click()
    thread = page.get_by_role("complementary", name="Thread")
    await expect(thread.get_by_test_id("player")).to_have_count(2, timeout=30_000)
    await shot(page, "localize-read-again")
    assert [call.operation for call in quick.localization.calls].count("music_source_separation") == 1
    async with window(browser, quick.url, viewport=PHONE, has_touch=True) as small:
        await small.get_by_test_id("tour-close").click()
        quick.localization.switches.names = {"summary": "digest"}
        await say(small, f"/localize summarize {ENGLISH}")
        unread = small.get_by_test_id("message").filter(has_text="I can't read the answer yet").last
        await expect(unread.get_by_role("button", name="Read again")).to_be_visible(timeout=20_000)
        await unread.get_by_role("button", name="Read again").click()
        told = small.get_by_test_id("message").filter(has_text="I still can't read this answer").last
        await expect(told).to_be_visible(timeout=20_000)
        await shot(small, "localize-phone-unread")
        await fits(small)


async def test_on_a_phone_nothing_runs_out_of_the_page(quick: Playground, phone: Page) -> None:
    page = phone
    await say(page, "/localize help")
    await expect(page.get_by_test_id("message").last).to_contain_text("extract-text", timeout=20_000)
    await shot(page, "localize-phone-help")
    await say(page, "/localize paraphrase The meeting was moved to Friday because the room was taken.")
    await expect(page.get_by_test_id("message").filter(has_text="3. ").last).to_be_visible(timeout=20_000)
    await say(page, "/localize emotion I am so happy that you came")
    await expect(page.get_by_test_id("message").filter(has_text="Joy").last).to_be_visible(timeout=20_000)
    await shot(page, "localize-phone")
    await fits(page)
    await say(page, "/localize speak")
    await expect(page.get_by_test_id("modal")).to_be_visible()
    await shot(page, "localize-phone-form")
    await fits(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("modal")).to_be_hidden()


async def test_subtitles_into_another_language_through_the_page(quick: Playground, visit: Page, tmp_path: Path) -> None:
    page = visit
    await enter(page, FINANCE)
    film = tmp_path / "film.srt"
    said = "1\n00:00:01,000 --> 00:00:02,500\nWhere is the station?\n\n2\n00:00:03,000 --> 00:00:04,000\nThank you.\n"
    film.write_text(said, encoding="utf-8")
    await attach(page, film)
    thread = await thread_of(page, film)
    await shot(page, "localize-subtitles-offer")
    await thread.get_by_role("combobox").first.select_option(label="Translate")
    form = page.get_by_test_id("modal")
    source = form.get_by_label(re.compile("^From"))
    await expect(source.locator("option:checked")).to_have_text("English", timeout=10_000)
    await pick(page, "To", "French")
    await shot(page, "localize-subtitles-form")
    await page.get_by_test_id("modal-submit").click()
    await expect(thread).to_contain_text("Done", timeout=20_000)
    link = thread.get_by_test_id("file").last
    await expect(link).to_have_attribute("download", re.compile(r"^film-fr-\w+\.srt$"), timeout=30_000)
    async with page.expect_download() as loading:
        await link.click()
    translated = Path(await (await loading.value).path()).read_text(encoding="utf-8")  # noqa: ASYNC240 - four lines
    assert translated == said.replace("Where", "[en → fr] Where").replace("Thank", "[en → fr] Thank")
    await narrow(page, "localize-subtitles-done")
