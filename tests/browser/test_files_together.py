"""Several files dropped at once on the page: one offer, one progress, one archive; wide and on a phone."""

import io
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from tests.browser.moving import become, enter, fits, narrow, shot
from tests.support import media

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FINANCE = "C0FINANCE"
LATER = 30_000


def takes(tmp_path: Path, count: int) -> list[Path]:
    content = media.make(tmp_path, "wav", seconds=0.5).read_bytes()
    made = [tmp_path / f"take-{number}.wav" for number in range(1, count + 1)]
    for path in made:
        path.write_bytes(content)
    return made


async def test_many_files_are_converted_with_one_press(playground: Playground, visit: Page, tmp_path: Path) -> None:
    page = visit
    playground.localization.work_seconds = {"*": 0.3}
    await enter(page, FINANCE)
    flac = media.make(tmp_path, "flac", seconds=0.5)
    notes = tmp_path / "notes.txt"
    notes.write_text("The meeting was moved to Friday because the room was taken.", encoding="utf-8")
    paths = [*takes(tmp_path, 7), flac, notes]
    await page.get_by_test_id("composer-attach-input").set_input_files(paths)
    await expect(page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(len(paths))
    await page.get_by_test_id("composer-send").click()
    message = page.locator("#middle").get_by_test_id("message").filter(has_text="take-7.wav").last
    await message.get_by_test_id("replies").click(timeout=LATER)
    thread = page.get_by_role("complementary", name="Thread")
    offer = thread.get_by_test_id("message").filter(has_text="8 audio files · ")
    await expect(offer).to_contain_text("notes.txt", timeout=LATER)
    await narrow(page, "together-offer")
    await offer.get_by_role("button", name="Detect gender (all)").click()
    await expect(offer).to_contain_text("of 8 done", timeout=LATER)
    await narrow(page, "together-progress")
    await expect(offer).to_contain_text("Archive in thread", timeout=LATER)
    await expect(offer).to_contain_text("7 of 8 done · 1 failed")
    await narrow(page, "together-done")
    await fits(page)
    await offer.get_by_role("combobox").first.select_option(label="Convert all")
    form = page.get_by_test_id("modal")
    await expect(form).to_contain_text("8 audio files", timeout=LATER)
    await shot(page, "together-form")
    await page.get_by_test_id("modal-submit").click()
    await expect(offer).to_contain_text("8 of 8 done", timeout=LATER)
    link = thread.get_by_test_id("file").filter(has_text="convert-8-files")
    await expect(link).to_have_count(1, timeout=LATER)
    async with page.expect_download() as loading:
        await link.click()
    content = Path(await (await loading.value).path()).read_bytes()  # noqa: ASYNC240 - a second of sound each
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert len(packed.namelist()) == 8
    await narrow(page, "together-both")
    await become(page, "U0MARIA")
