"""The first row of a dropped table: of whatever file, from its beginning alone, and never waited for long."""

import time

import pytest

from bot.domain.files.dropped import FileInfo
from bot.workflows.slack.dropped_files import first_row
from tests.support.rig import FINANCE, MARIA, Rig
from tests.tables.workbooks import Cell, workbook

HEAD_BYTES = 64 * 1024

PATIENT = 60.0
"""Seconds: a machine may be busy with other things, and a workbook is read by a process of its own."""


async def names(
    rig: Rig, content: bytes, name: str = "a.csv", *, patience: float = PATIENT
) -> tuple[FileInfo, tuple[str, ...] | None]:
    ctx = rig.switchboard.context
    dropped = await rig.workspace.drop(MARIA, FINANCE, name, content, tell=())
    info = await ctx.downloads.info(dropped.files[0])
    head = await ctx.downloads.head(info, most=HEAD_BYTES)
    return info, await first_row(ctx, info, head, patience=patience)


@pytest.mark.parametrize("broken", [b'"never closed', b"one cell too, many, of them\n", "ä".encode()[:1] + b"\n"])
async def test_header_detection_ignores_later_rows(rig: Rig, broken: bytes) -> None:
    rows = b"ana@example.com,1.00\n" * 9_000
    for end in (rows + broken, "é@example.com,2.00\n".encode() * 9_000):
        assert (await names(rig, b"email,amount\nana@example.com,1.00\n" + end))[1] == ("email", "amount")


async def test_large_workbook_is_downloaded_for_its_header(rig: Rig) -> None:
    rows: list[list[Cell]] = [[f"person{n}@example.com", n, f"{n * 7919 % 104_729:x}" * 9] for n in range(1, 4_000)]
    info, found = await names(rig, workbook([["email", "amount", "note"], *rows]), "a.xlsx")
    assert info.size > HEAD_BYTES
    assert found == ("email", "amount", "note")


@pytest.mark.parametrize("content", [
    b"email,amount\n", b"ana@example.com,25.00\nluis@example.com,1.00\n", b"PK\x03\x04 no workbook", b"n" * 200 + b"\n",
])  # fmt: skip
async def test_table_without_usable_header_has_none(rig: Rig, content: bytes) -> None:
    assert (await names(rig, content))[1] is None


async def test_search_of_an_old_post_blocks_nothing(rig: Rig) -> None:
    began = time.monotonic()
    assert (await names(rig, workbook([["email", "amount"], ["ana@example.com", 1]]), patience=0))[1] is None
    assert time.monotonic() - began < PATIENT / 2
