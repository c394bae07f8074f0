"""``kill -9`` of the real process in the middle of a localization call, and a gigabyte that passes through it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.workspace import Message
from bot.presentation.localization.calls import AGAIN
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.rig import FINANCE, MARIA

_MEBI = 1 << 20
_PATIENCE = 60.0


@pytest.fixture
async def service() -> AsyncIterator[LocalizationSimulator]:
    async with LocalizationSimulator() as running:
        yield running


async def opened(open_scene: Opening, service: LocalizationSimulator, **more: Any) -> Scene:
    return await open_scene(LOCALIZATION_BASE_URL=service.base_url, LOCALIZATION_API_KEY=service.api_key, **more)


async def board(scene: Scene, *words: str, number: int = 0) -> Message:
    def there() -> Message | None:
        boards = [m for m in scene.workspace.messages(FINANCE) if "asked by <@" in m.text]
        found = boards[number] if len(boards) > number else None
        return found if found is not None and all(word in found.text for word in words) else None

    return await scene.workspace.until(there, timeout=_PATIENCE)


async def test_a_call_that_a_kill_interrupts(open_scene: Opening, service: LocalizationSimulator) -> None:
    scene = await opened(open_scene, service)
    service.work_seconds["*"] = 300.0
    await scene.workspace.slash(MARIA, FINANCE, "/localize", "separate https://files.example.com/song.mp3")
    await board(scene, "separating vocals and music")
    await service.until(lambda: service.calls, timeout=_PATIENCE)
    await scene.restart()
    there = await board(scene, "interrupted; run it again")
    assert [button.text for button in there.buttons] == ["Run again"]
    assert len(service.calls) == 1
    service.work_seconds["*"] = 0.0
    await scene.workspace.click(MARIA, FINANCE, there.ts, AGAIN)
    await board(scene, "done", "2 files in the thread", number=1)
    assert len(service.calls) == 2


async def test_a_result_that_was_on_its_way_is_handed_over_after_a_kill(
    open_scene: Opening, service: LocalizationSimulator
) -> None:
    # A sent post is searched for only once Slack certainly shows it.
    scene = await opened(open_scene, service, PLAY_SHOWN="1")
    held = scene.slack_gate.hold("files.completeUploadExternal", after_effect=True)
    await scene.workspace.slash(MARIA, FINANCE, "/localize", "speak Welcome aboard")
    await held.arrival()
    await scene.restart()
    done = await board(scene, "done: a file in the thread")
    files = [m for m in scene.workspace.messages(FINANCE) if m.files and m.thread_ts == done.ts]
    assert len(files) == 1
    assert len(service.calls) == 1


@pytest.mark.campaign
async def test_a_gigabyte_passes_through(open_scene: Opening, service: LocalizationSimulator, tmp_path: Path) -> None:
    scene = await opened(open_scene, service)
    large = tmp_path / "large.mkv"
    with large.open("wb") as file:
        file.write(b"\x1a\x45\xdf\xa3matroska" + bytes(_MEBI))
        file.truncate(1_000_000_000)
    dropped = await scene.workspace.drop(MARIA, FINANCE, "large.mkv", large, duration_ms=60_000)
    offer = await scene.workspace.until(
        lambda: next((m for m in scene.workspace.messages(FINANCE) if m.bot_id and m.thread_ts == dropped.ts), None),
        timeout=_PATIENCE,
    )
    before = resident(scene.bot.pid)
    await scene.workspace.click(MARIA, FINANCE, offer.ts, "use.extract_audio")
    await scene.workspace.submit(MARIA)
    await service.until(lambda: service.calls, timeout=300.0)
    (call,) = service.calls
    assert isinstance(call.body, dict)
    assert call.body["video_file"]["size"] == 1_000_000_000
    assert peak(scene.bot.pid) - before <= 64 * _MEBI


def resident(pid: int) -> int:
    return _status(pid, "VmRSS:")


def peak(pid: int) -> int:
    return _status(pid, "VmHWM:")


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
