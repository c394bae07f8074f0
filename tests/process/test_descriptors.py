"""The bot at its limit of descriptors: quiet in the log, and back as soon as there are some."""

import asyncio
import contextlib
import resource

import pytest

from tests.process.conftest import Opening

_CROWD = 150
_A_WHILE = 2.0


@pytest.mark.timeout(60)
async def test_connections_wait_with_one_line_in_the_log(open_scene: Opening) -> None:
    scene = await open_scene()
    _, hard = resource.prlimit(scene.bot.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(scene.bot.pid, resource.RLIMIT_NOFILE, (100, hard))
    host, port = "127.0.0.1", int(scene.bot.url.rpartition(":")[2])
    crowd = [await asyncio.open_connection(host, port) for _ in range(_CROWD)]
    await asyncio.sleep(_A_WHILE)  # another process offers nothing to await
    for _, writer in crowd:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    await scene.bot.ready()
    assert scene.bot.stdout.count("no file descriptor is left") == 1
    assert "out of system resource" not in scene.bot.stdout
    assert scene.bot.stdout.count("\n") < 30
