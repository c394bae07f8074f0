"""One file of each kind as people's programs write it, dropped on the page: its offer, and the form behind it."""

import io
from zipfile import ZipFile

import pytest
from playwright.async_api import Page, expect

from bot.playground.launch import Playground
from bot.tables.prose import write_document
from tests.browser.moving import PHONE, WIDE, by, close_forms, enter, fits, shot
from tests.browser.walk import LATER, Task, Walk, named
from tests.tables.workbooks import packed, parts

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROWS = "Payroll March,,\n,,\nemail,amount,note\nana@example.com\u200b,25.00,March\n\ufeffluis@example.com,\uff110.00\n"
COMMAS = "email;amount;note\nana@example.com;25,00;Año\nbad;1.655,60;Peña\n"
CUES = "1\r\r\n\u200f00:00:20 --> 00:00:24\r\r\n\r\r\nThe fruits.\r\r\n2\r\r\n00:00:24 --> 00:00:27\r\r\nBye.\r\r\n"
SHEET = {name.replace("/", "\\"): part for name, part in parts([["email", "amount"], ["ana@example.com", 25]]).items()}


def word_online() -> bytes:
    """A document whose main part has another name."""
    with ZipFile(io.BytesIO(write_document("The meeting was moved to Friday."))) as archive:
        written = {name: archive.read(name).decode() for name in archive.namelist()}
    return packed(
        {
            name.replace("document.xml", "document2.xml"): part.replace("document.xml", "document2.xml")
            for name, part in written.items()
        }
    )


FILES = [
    ("payroll.csv", ROWS.encode(), "Pay in bulk", "$35.00 · 2 payments"),
    ("payroll.xlsx", packed(SHEET), "Pay in bulk", "$25.00 · 1 payment"),
    ("año.csv", COMMAS.encode("cp1252"), "Pay in bulk", "25,00 = $25.00"),
    ("people.txt", b"ana@example.com\nluis@example.com\n", "Process e-mails", "people.txt · 2 rows"),
    ("film.srt", CUES.encode(), "Translate", "2 subtitles"),
    ("word.docx", word_online(), "Translate", "word.docx"),
    ("song.mp3", b"ID3\4\0\0\0\0\0\x0a" + bytes(10) + b"fLaC\0\0\0\x22" + bytes(400), "Convert", "song.mp3"),
    ("photo.avif", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(400), "Extract text", "photo.avif"),
]  # fmt: skip


async def test_each_kind_of_file_opens_its_form(visit: Page, playground: Playground) -> None:
    page, form = visit, by(visit, "modal")
    walk = Walk(page, playground.workspace, Task(0, "files", ()))
    await enter(page, "C0FINANCE")
    for name, content, label, words in FILES:
        thread = await walk.gives(name, content, "")
        choices = thread.get_by_role("combobox")
        await expect(named(thread, label).or_(choices)).to_be_visible(timeout=LATER)
        await shot(page, f"people-{name}-offer")
        if await choices.count():
            await choices.select_option(label=label)
        else:
            await named(thread, label).click()
        await expect(form).to_contain_text(words, timeout=LATER)
        for size in (PHONE, WIDE):
            await page.set_viewport_size(size)
            await fits(page)
            await shot(page, f"people-{name}-{size['width']}")
        await close_forms(page)
        await by(page, "thread-close").click()
