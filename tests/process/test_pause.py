"""The process is paused between the claim of an attempt and its first byte, as in a frozen virtual machine."""

import asyncio
import sqlite3
from contextlib import closing

from bot.domain.payments.instruction import AttemptOutcome
from tests.process.conftest import Opening

GUARD_SECONDS = 5.0


async def test_claim_older_than_five_seconds_is_abandoned_unsent(open_scene: Opening) -> None:
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
    with closing(sqlite3.connect(scene.database)) as connection:
        outcomes = connection.execute("SELECT outcome FROM attempt WHERE kind = 'commit' ORDER BY n").fetchall()
    assert outcomes == [(AttemptOutcome.ABANDONED,), (AttemptOutcome.DONE,)]
