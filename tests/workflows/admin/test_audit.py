"""Anchors are written in time and never in the way; the story of a request is found by any of its names."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.domain.anchors import Anchor
from bot.domain.audit import Entry
from bot.domain.references import derived_key
from bot.workflows.admin.audit import Anchoring, story
from storage import Store, Tx, migrate
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import KEY
from tests.support.clock import ManualClock
from tests.support.rig import ADA, MARIA, SECRET_KEY, Rig
from tests.workflows.looking import newest, read

EVERY = timedelta(minutes=15)
EVERY_ROWS = 100
STORY_ROWS = 1000


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


async def test_an_empty_chain_needs_no_anchor(scene: Scene) -> None:
    assert await scene.later() == 0
    await scene.anchoring.finish()
    assert not scene.file.path.exists()


async def test_the_first_row_is_anchored_at_once_with_its_hash(scene: Scene) -> None:
    await scene.rows(1)
    assert await scene.later() == 1
    head = await scene.store.read(lambda tx: tx.audit.head())
    assert scene.file.read().held == (Anchor(at=scene.clock.now(), seq=1, head=head.hash),)


async def test_every_hundred_rows_and_every_quarter_of_an_hour(scene: Scene) -> None:
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


async def test_it_looks_at_most_once_a_second(scene: Scene) -> None:
    assert await scene.later() == 0
    await scene.rows(1)
    assert await scene.later(0.9) == 0
    assert await scene.later(0.1) == 1


async def test_a_clean_stop_anchors_the_rest(scene: Scene) -> None:
    await scene.rows(1)
    await scene.later()
    await scene.rows(5)
    await scene.anchoring.finish()
    await scene.anchoring.finish()
    assert scene.anchored == [1, 6]


async def test_the_next_process_goes_on_where_the_last_one_was(scene: Scene) -> None:
    await scene.rows(1)
    await scene.later()
    scene.anchoring = scene.another()
    await scene.rows(1)
    assert await scene.later() == 0
    await scene.rows(EVERY_ROWS)
    assert await scene.later() == 1


async def test_an_older_copy_of_the_database_is_noticed_and_anchored_anew(scene: Scene) -> None:
    await scene.rows(3)
    scene.file.append(Anchor(at=scene.clock.now(), seq=50, head="f" * 64))
    with capture_logs() as logs:
        assert await scene.later() == 1
        assert await scene.later(EVERY.total_seconds()) == 0
    assert [(line["rows"], line["anchored"]) for line in logs if line["log_level"] == "error"] == [(3, 50)]
    assert scene.anchored == [50, 3]


async def test_a_disk_that_takes_nothing_is_said_and_tried_again_later(scene: Scene, tmp_path: Path) -> None:
    scene.anchoring = Anchoring(
        store=scene.store, file=AnchorFile(tmp_path / "gone" / "anchors", key=KEY), clock=scene.clock
    )
    await scene.rows(1)
    with capture_logs() as logs:
        assert await scene.later() == 0
        assert await scene.later(59) == 0
        await scene.anchoring.finish()
    assert [line["reason"] for line in logs] == ["No such file or directory"] * 2
    (tmp_path / "gone").mkdir()
    assert await scene.later(1) == 0
    assert await scene.later(59) == 1


async def test_a_stop_after_the_database_has_gone_does_no_harm(scene: Scene) -> None:
    await scene.rows(1)
    await scene.store.close()
    with capture_logs() as logs:
        await scene.anchoring.finish()
    assert [line["log_level"] for line in logs] == ["warning"]


async def test_the_running_bot_anchors_beside_its_database(rig: Rig, sqlite_url: str) -> None:
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


async def test_a_story_is_found_by_any_name(rig: Rig) -> None:
    await rig.pay()
    rig.add_payees("ben@example.com")
    await rig.pay("send ben@example.com 5.00 Stamps")
    await rig.press("approve")
    asked = await newest(rig)
    names = (asked.reference, asked.reference.lower(), asked.code, asked.remote_id or "", asked.id)
    for name in names:
        found = await story(rig.switchboard.context.store, name)
        assert found is not None
        assert found.about.id == asked.id
        assert found.is_complete
        assert all(told.is_intact for told in found.rows)
        entries = [told.entry for told in found.rows if told.entry is not None]
        assert [entry.action for entry in entries] == ["requested", "create", "created", "approve", "send", "observed"]
        assert [entry.actor for entry in entries if entry.action in ("requested", "approve")] == [MARIA, ADA]
    assert await story(rig.switchboard.context.store, "P-NOSUCH") is None


async def test_a_story_without_end_is_cut_and_says_so(rig: Rig) -> None:
    await rig.pay()
    asked = await newest(rig)
    entry = Entry(at=rig.clock.now(), instruction_id=asked.id, actor="x", action="y", before="", after="", detail={})
    store = rig.switchboard.context.store
    await store.write(lambda tx: [tx.audit.append(entry) for _ in range(STORY_ROWS)])
    found = await story(store, asked.reference)
    assert found is not None
    assert (len(found.rows), found.is_complete) == (STORY_ROWS, False)
