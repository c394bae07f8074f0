"""Reading in a process of its own: the same table, nothing of our environment, and an end for what takes too much."""

import asyncio
import io
import os
import signal
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.domain.files.tables import MEBIBYTE, Flaw, Limits, TableProblem
from bot.presentation.table_problems import table_problem
from bot.tables.apart import Bounds, read_apart
from bot.tables.reading import read_table
from tests.support.waiting import until
from tests.tables.workbooks import workbook as book


def _text(rows: int) -> bytes:
    return ("email,amount,note\n" + "".join(f"p{n}@example.com,{n}.00,é {n}\n" for n in range(rows))).encode()


def _with_attributes(count: int) -> bytes:
    """A workbook with one cell that has so many attributes."""
    cell = "<c " + " ".join(f'a{number}=""' for number in range(count)) + "/>"
    made, out = io.BytesIO(book([["email"], ["ana@example.com"]])), io.BytesIO()
    with zipfile.ZipFile(made) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as after:
        for part in before.namelist():
            content = before.read(part)
            if part == "xl/worksheets/sheet1.xml":
                content = content.replace(b"</row>", cell.encode() + b"</row>", 1)
            after.writestr(part, content)
    return out.getvalue()


@pytest.mark.parametrize("content", [_text(20_000), book([["email", "amount"], ["ana@example.com", "25.00"]])])
async def test_reader_process_returns_the_same_table(content: bytes) -> None:
    here = read_table(io.BytesIO(content), name="people")
    apart = await read_apart(io.BytesIO(content), name="people")
    assert list(apart.rows) == list(here.rows)
    assert (apart.header, apart.encoding, apart.delimiter) == (here.header, here.encoding, here.delimiter)
    assert apart.sheet == here.sheet
    clocks = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    assert all(one.finished.is_set() for one in clocks), "the clock of a read does not outlive it"


async def test_a_problem_comes_out_whole() -> None:
    content = _text(20_000) + b"ana@example.com,1.00,x,y,z,more,cells,than,names\n" * 12
    with pytest.raises(TableProblem) as here:
        read_table(io.BytesIO(content), name="people")
    with pytest.raises(TableProblem) as apart:
        await read_apart(io.BytesIO(content), name="people")
    assert vars(apart.value) == vars(here.value)
    assert (here.value.flaw, here.value.more) == (Flaw.RAGGED, 2)
    with pytest.raises(TableProblem) as large:
        await read_apart(io.BytesIO(content), name="people", limits=Limits(size=600_000))
    assert large.value.flaw is Flaw.TOO_LARGE


@pytest.mark.parametrize(("attributes", "bounds"), [
    (300_000, Bounds(memory=56 * MEBIBYTE)), (900_000, Bounds(cpu=1)),
], ids=["memory", "time"])  # fmt: skip
async def test_reader_over_its_limits_is_ended(attributes: int, bounds: Bounds) -> None:
    content = _with_attributes(attributes)
    with pytest.raises(TableProblem) as refused:
        await read_apart(io.BytesIO(content), name="people.xlsx", bounds=bounds)
    assert refused.value.flaw is Flaw.TOO_COMPLEX
    assert table_problem(refused.value) == snapshot("""The file is too complicated to read. Copy the rows, as values \
only, into a new workbook, or save the sheet as CSV (UTF-8), then upload it again.""")
    assert (await read_apart(io.BytesIO(_text(20_000)), name="people")).rows


def _in_its_place(monkeypatch: pytest.MonkeyPatch, script: Path, does: str) -> None:
    script.write_text(f"#!/bin/sh\n{does}\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))


async def test_reader_process_gets_no_secrets_and_is_killed_when_hanging(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_KEY", "the-canary")
    _in_its_place(monkeypatch, tmp_path / "python", f'env > "{tmp_path}/env"; exec sleep 600')
    with pytest.raises(TableProblem) as refused:
        await read_apart(io.BytesIO(_text(20_000)), name="people", bounds=Bounds(wall=3.0))
    assert refused.value.flaw is Flaw.TOO_COMPLEX
    told = (tmp_path / "env").read_text()
    assert "PYTHONPATH=" in told
    assert "the-canary" not in told


async def test_abandoned_reading_ends_at_once() -> None:
    """A stop of the program waits for its threads, and a file may take a minute."""
    readings = [asyncio.create_task(read_apart(io.BytesIO(_text(20_000)), name="people")) for _ in range(2)]

    async def started() -> bool:
        return len(_children()) == len(readings)

    await until(started)
    for child in _children():
        os.kill(child, signal.SIGSTOP)
    for reading in readings:
        reading.cancel()
    await asyncio.gather(*readings, return_exceptions=True)
    async with asyncio.timeout(20):
        assert (await read_apart(io.BytesIO(_text(20_000)), name="people")).rows  # a thread is free again
    assert all(reading.cancelled() for reading in readings)


def _children() -> list[int]:
    """Processes that this one's threads have started for reading."""
    found = [one for task in Path("/proc/self/task").iterdir() for one in (task / "children").read_text().split()]
    return [int(one) for one in found if b"bot.tables.reading" in Path(f"/proc/{one}/cmdline").read_bytes()]


NESTED = """\
import asyncio, io, resource, zipfile
from bot.domain.files.dropped import UnusableFile
from bot.tables.apart import read_document

kept = io.BytesIO()
with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("word/document.xml", "w") as part:
        for _ in range(23):
            part.write(b'<w:p xmlns:w="w">' * 100_000)

async def read() -> list[object]:
    each = (read_document(kept.getvalue(), name="a.docx", form="docx") for _ in range(8))
    return await asyncio.gather(*each, return_exceptions=True)

found = asyncio.run(read())
print({one.trouble.value for one in found if isinstance(one, UnusableFile)}, len(found))
own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) // 1024)
"""


async def test_eight_nested_documents_stay_within_small_memory() -> None:
    """Each has 58 KB. Read in the bot's own process, eight of them took 2 GB."""
    here = {"PYTHONPATH": os.pathsep.join(sys.path)}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", NESTED, stdout=asyncio.subprocess.PIPE, env=here
    )
    written, _ = await program.communicate()
    outcome, memory = written.decode().splitlines()
    assert outcome == "{'too_complex'} 8"
    assert int(memory) < 160, "MB, of this process and of its largest child"
