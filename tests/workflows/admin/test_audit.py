"""Anchors are written in time and never in the way; the story of a request is found by any of its names."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.domain.anchors import Anchor
from bot.domain.audit import Entry
from bot.domain.references import derived_key
from bot.workflows.admin.anchoring import Anchoring
from storage import Store, Tx, migrate
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import KEY
from tests.support.clock import ManualClock
from tests.support.rig import SECRET_KEY, Rig
from tests.workflows.looking import read

EVERY = timedelta(minutes=15)
EVERY_ROWS = 100


class Scene:
    """A store, a file and a clock; ``another`` is the same file in the hands of another process."""

    def __init__(self, store: Store, path: Path) -> None:
        self.store = store
        self.clock = ManualClock()
        self.file = AnchorFile(path, key=KEY)
        self.anchoring = self.another()

    def another(self) -> Anchoring:
        return Anchoring(store=self.store, file=AnchorFile(self.file.path, key=KEY), clock=self.clock)

    async def rows(self, count: int) -> None:
        now = self.clock.now()
        await self.store.write(lambda tx: append(tx, count, now))

    async def later(self, seconds: float = 1.0) -> int:
        """How many anchors are written when the worker runs after so long."""
        self.clock.advance(seconds)
        return await self.anchoring.due()

    @property
    def anchored(self) -> list[int]:
        return [anchor.seq for anchor in self.file.read().held]


def append(tx: Tx, count: int, now: datetime) -> None:
    for _ in range(count):
        tx.audit.append(
            Entry(at=now, instruction_id="i", actor="U1", action="approve", before="a", after="b", detail={})
        )


@pytest.fixture
async def scene(sqlite_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    await migrate(sqlite_url)
    store = await Store.open(sqlite_url, audit_key=KEY)
    yield Scene(store, tmp_path / "anchors")
    await store.close()


async def test_anchors_are_written_every_100_rows_and_15_minutes(scene: Scene) -> None:
    await scene.rows(1)
    await scene.later()
    await scene.rows(EVERY_ROWS - 1)
    assert await scene.later() == 0
    await scene.rows(1)
    assert await scene.later() == 1
    await scene.rows(1)
    assert await scene.later(EVERY.total_seconds() - 1) == 0
    assert await scene.later(1) == 1
    assert await scene.later(10 * EVERY.total_seconds()) == 0
    assert scene.anchored == [1, EVERY_ROWS + 1, EVERY_ROWS + 2]


async def test_clean_stop_writes_the_last_anchor(scene: Scene) -> None:
    await scene.rows(1)
    await scene.later()
    await scene.rows(5)
    await scene.anchoring.finish()
    await scene.anchoring.finish()
    assert scene.anchored == [1, 6]


async def test_running_bot_writes_anchors_beside_its_database(rig: Rig, sqlite_url: str) -> None:
    file = AnchorFile(anchors_path(sqlite_url), key=derived_key(SECRET_KEY, "anchor"))
    await rig.pay()
    await rig.pass_time(2)
    assert len(file.read().held) == 1
    await rig.press("approve")
    rows = (await read(rig, lambda tx: tx.audit.head())).seq
    assert file.read().held[-1].seq < rows
    await rig.switchboard.stop()
    assert file.read().held[-1].seq == rows
    assert file.path.name == "switchboard.db.anchors"


async def test_older_database_is_noticed_and_anchored_again(scene: Scene) -> None:
    await scene.rows(3)
    scene.file.append(Anchor(at=scene.clock.now(), seq=50, head="f" * 64))
    with capture_logs() as logs:
        assert await scene.later() == 1
        assert await scene.later(EVERY.total_seconds()) == 0
    assert [(line["rows"], line["anchored"]) for line in logs if line["log_level"] == "error"] == [(3, 50)]
    assert scene.anchored == [50, 3]
