"""The process is paused between the claim of an attempt and its first byte, as in a frozen virtual machine."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from bot.domain.payments.instruction import AttemptOutcome
from tests.process.conftest import Opening
from tests.process.scene import Scene

GUARD_SECONDS = 5.0


async def test_a_claim_that_grew_old_is_abandoned_unsent(open_scene: Opening) -> None:
    scene = await open_scene(start=False)
    await scene.start(PLAY_SIGNAL="STOP", PLAY_AT="write.after:claim_commit")
    await scene.pay()
    approving = asyncio.create_task(scene.press("approve"))
    await scene.bot.paused()
    await asyncio.sleep(GUARD_SECONDS + 0.3)  # the guard measures real time
    scene.bot.resume()
    await approving
    await scene.completed_once()
    assert len(scene.payments.calls_of("commit_payout")) == 1
    assert _commits(scene) == [AttemptOutcome.ABANDONED, AttemptOutcome.DONE]


@pytest.mark.campaign
async def test_a_claim_that_outlives_its_process_is_read_not_sent(open_scene: Opening) -> None:
    scene = await open_scene(start=False)
    await scene.start(PLAY_SIGNAL="STOP", PLAY_AT="write.after:claim_commit")
    await scene.pay()
    approving = asyncio.create_task(scene.press("approve"))
    await scene.bot.paused()
    await scene.restart()
    await approving
    await scene.workspace.until(lambda: "Needs a decision" in scene.cards("C0APPROVE")[0].text)
    assert not scene.payments.calls_of("commit_payout")
    assert _commits(scene) == [AttemptOutcome.UNKNOWN]


def _commits(scene: Scene) -> list[str]:
    with closing(sqlite3.connect(scene.database)) as connection:
        rows = connection.execute("SELECT outcome FROM attempt WHERE kind = 'commit' ORDER BY n")
        return [outcome for (outcome,) in rows]
