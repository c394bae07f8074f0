"""``kill -9`` in the middle of a list of addresses: the next process continues, and the result has every row once."""

import csv
import io
import re

import pytest

from bot.playground.workspace import Message
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.rig import FINANCE, MARIA

ROWS = 6_000
AT_ONCE = 200
LIST = b"n,email,name\r\n" + b"".join(b"%d,p%d@example.com,Ana\r\n" % (n, n // 2) for n in range(ROWS))
"""Every address in two rows."""


async def begin(scene: Scene) -> None:
    await scene.workspace.slash(MARIA, FINANCE, "/email", "file")
    await scene.workspace.submit(MARIA, {"file": [scene.workspace.upload(MARIA, "people.csv", LIST)]})
    await scene.workspace.until(lambda: (form := scene.workspace.modal(MARIA)) and form.callback_id == "email.list")
    await scene.workspace.submit(MARIA, {"concurrent": str(AT_ONCE)})


def board(scene: Scene) -> Message | None:
    found = [one for one in scene.workspace.messages(FINANCE) if "Process e-mails: people.csv" in one.text]
    assert len(found) <= 1, scene.workspace.picture()
    return found[0] if found else None


async def done(scene: Scene) -> Message:
    message = await scene.workspace.until(
        lambda: (found := board(scene)) and "Done." in found.text and found, timeout=60
    )
    assert isinstance(message, Message)
    return message


async def results(scene: Scene, root: Message) -> list[bytes]:
    def files() -> list[bytes]:
        thread = scene.workspace.messages(FINANCE, thread_ts=root.ts)
        held = [scene.workspace.file(file_id) for one in thread for file_id in one.files]
        return [file.content for file in held if file is not None]

    await scene.workspace.until(files, timeout=30)
    await scene.settled()
    return files()


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.campaign)])
async def test_kill_continues_list_where_it_was(open_scene: Opening, kills: int) -> None:
    scene = await open_scene()
    await begin(scene)
    for number in range(1, kills + 1):
        some = ROWS // 2 * number // (kills + 1)
        await scene.emails.until(lambda some=some: len(scene.emails.asked) >= some, timeout=60)  # type: ignore[misc]
        await scene.restart()
    root = await done(scene)
    (content,) = await results(scene, root)
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert header[:4] == ["n", "email", "name", "processing"]
    assert [row[:3] for row in rows] == [[str(n), f"p{n // 2}@example.com", "Ana"] for n in range(ROWS)]
    assert {row[3] for row in rows} == {"answered"}
    assert len(scene.emails.asked) == ROWS // 2
    repeated = sum(scene.emails.asked.values()) - ROWS // 2
    [said] = re.findall(r"A restart made me check (\d+) addresses again", root.text)
    assert repeated <= int(said) <= AT_ONCE * kills


async def test_stop_repeats_no_address(open_scene: Opening) -> None:
    scene = await open_scene()
    await begin(scene)
    await scene.emails.until(lambda: len(scene.emails.asked) >= ROWS // 6, timeout=60)
    assert await scene.bot.stop() == 0
    await scene.start()
    root = await done(scene)
    assert len(await results(scene, root)) == 1
    assert set(scene.emails.asked.values()) == {1}
