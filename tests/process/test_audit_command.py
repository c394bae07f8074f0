"""``switchboard audit``: beside the running bot, and with a reader who stops."""

import asyncio
import os
import sys

from tests.process.conftest import Opening
from tests.support.audited import SECRET, entry, write
from tests.support.rig import APPROVALS


async def test_audit_verifies_beside_the_running_bot(open_scene: Opening) -> None:
    scene = await open_scene()
    await scene.pay()
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[-1])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "audit", "verify"),
        cwd=scene.folder,
        env=scene.bot.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert (process.returncode, b"The audit holds: 3 rows." in said) == (0, True), said


async def test_audit_export_survives_a_reader_who_stops(sqlite_url: str) -> None:
    await write(sqlite_url, [entry(1)])
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": sqlite_url, "SECRET_KEY": SECRET}
    reading, writing = os.pipe()
    os.close(reading)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "audit", "export"),
        env=environment,
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    assert ((await process.communicate())[1], process.returncode) == (b"", 1)
