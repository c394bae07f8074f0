"""``kill -9`` of the real process in the middle of a localization call, and files that stream through the bot.

The full gigabyte is measured by ``make bench``.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.workspace import Message
from bot.presentation.localization import AGAIN
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.process.streams import KEY, MEGA, bot_between, let_pass
from tests.support.rig import FINANCE, MARIA

_PATIENCE = 60.0


@pytest.fixture
async def service() -> AsyncIterator[LocalizationSimulator]:
    async with LocalizationSimulator() as running:
        yield running


async def opened(open_scene: Opening, service: LocalizationSimulator, **more: Any) -> Scene:
    return await open_scene(LOCALIZATION_BASE_URL=service.base_url, LOCALIZATION_API_KEY=service.api_key, **more)


async def board(scene: Scene, *words: str, number: int = 0) -> Message:
    def there() -> Message | None:
        boards = [m for m in scene.workspace.messages(FINANCE) if "Requested by " in m.text]
        found = boards[number] if len(boards) > number else None
        return found if found is not None and all(word in found.text for word in words) else None

    return await scene.workspace.until(there, timeout=_PATIENCE)


async def test_a_call_that_a_kill_interrupts(open_scene: Opening, service: LocalizationSimulator) -> None:
    scene = await opened(open_scene, service)
    service.work_seconds["*"] = 300.0
    await scene.workspace.slash(MARIA, FINANCE, "/localize", "separate https://files.example.com/song.mp3")
    await board(scene, "Separating vocals and music…")
    await service.until(lambda: service.calls, timeout=_PATIENCE)
    await scene.restart()
    there = await board(scene, "Interrupted by a restart")
    assert [button.text for button in there.buttons] == ["Run again", "Details"]
    assert len(service.calls) == 1
    service.work_seconds["*"] = 0.0
    await scene.workspace.click(MARIA, FINANCE, there.ts, AGAIN)
    await board(scene, "Done", "2 files in thread.", number=1)
    assert len(service.calls) == 2


async def test_a_result_on_its_way_survives_a_kill(open_scene: Opening, service: LocalizationSimulator) -> None:
    # A sent post is searched for only once Slack certainly shows it.
    scene = await opened(open_scene, service, PLAY_SHOWN="1")
    held = scene.slack_gate.hold("files.completeUploadExternal", after_effect=True)
    await scene.workspace.slash(MARIA, FINANCE, "/localize", "speak Welcome aboard")
    await held.arrival()
    await scene.restart()
    done = await board(scene, "Done", "File in thread.")
    files = [m for m in scene.workspace.messages(FINANCE) if m.files and m.thread_ts == done.ts]
    assert len(files) == 1
    assert len(service.calls) == 1


async def test_what_passes_through_the_bot_does_not_stay_in_its_memory(tmp_path: Path) -> None:
    async with bot_between(tmp_path) as (scene, service):
        passed = await let_pass(scene, service, tmp_path, 200 * MEGA)
        assert passed.growth <= 64 * MEGA, passed
        assert service.keys == {f"Bearer {KEY}"}
        assert service.result_keys == {""}
