"""``switchboard audit``: beside the running bot, and where nobody reads on."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

from tests.process.scene import Scene
from tests.support.audited import SECRET, audit, entry, write


async def test_it_works_beside_the_running_bot(open_scene: Callable[..., Awaitable[Scene]]) -> None:
    scene = await open_scene()
    await scene.workspace.slash("U0MARIA", "C0FINANCE", "/pay", "send ana@example.com 25.00 Rent")
    await scene.workspace.until(lambda: scene.cards("C0APPROVE")[-1])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "audit", "verify"),
        cwd=scene.folder,
        env=scene.bot.environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert (process.returncode, b"The audit holds: 3 rows." in said) == (0, True), said
    assert await scene.bot.stop() == 0
    answer = audit("verify", url=scene.bot.environment["DATABASE_URL"], SECRET_KEY=scene.bot.environment["SECRET_KEY"])
    assert (answer.code, "the last at row 3," in answer.out) == (0, True), answer


async def test_whoever_stops_reading_breaks_nothing(sqlite_url: str) -> None:
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
