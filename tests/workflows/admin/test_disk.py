"""A disk that runs full is told when it happens, even though nothing can be stored; and when it has room again."""

from collections.abc import Callable

import aiohttp
import pytest

from bot.playground.faults import Fault, FaultKind
from storage.disk_space import DiskSpace
from storage.errors import StorageFull
from storage.transaction import Tx
from tests.support.rig import Rig
from tests.workflows.looking import alerts

GIGABYTE = 1_000_000_000


async def heard(rig: Rig) -> list[str]:
    """The disks that were told of; the words of each: see presentation."""
    await rig.pass_time(15)
    return [text.partition("*Database disk ")[2].partition("*")[0] for text in alerts(rig)]


async def test_each_change_is_announced_once(rig: Rig) -> None:
    disk, told = rig.switchboard.context.store.disk, ["almost full", "full.", "space is back to normal."]
    for free, count in (
        (499_000_000, 1),
        (1_000_000, 2),
        (499_000_000, 2),
        (GIGABYTE, 3),
    ):
        disk.usage = lambda free=free: (free, 100 * GIGABYTE)  # type: ignore[misc]
        for _ in range(2):
            assert await heard(rig) == told[:count]


async def _fill(rig: Rig, more: str) -> None:
    await rig.switchboard.context.store.write(lambda tx: tx.flags.set(more, ("x" * 200_000), rig.clock.now()))


_FULL_SERVER = """
CREATE FUNCTION full() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON flag FOR EACH ROW EXECUTE FUNCTION full()
"""


def _sql(statement: str) -> Callable[[Tx], object]:
    return lambda tx: tx.flags._connection.exec_driver_sql(statement)


@pytest.mark.both_databases
@pytest.mark.rig(on="both")
async def test_failed_and_recovered_disk_writes_are_reported(rig: Rig) -> None:
    """Slack is away at first; the post is tried again, from memory."""
    store = rig.switchboard.context.store
    fill, make_room = _sql("PRAGMA max_page_count = 1"), _sql("PRAGMA max_page_count = 1000000")
    if not store.exclusive:
        fill, make_room = _sql(_FULL_SERVER), _sql("DROP TRIGGER no_room ON flag")
    await store.write(fill)
    with pytest.raises(StorageFull):
        await _fill(rig, "a")
    assert await ready(rig) == (503, "its disk is full")
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=1))
    for _ in range(2):
        await look(rig)
    assert [text.partition("*")[2].partition("*")[0] for text in alerts(rig)] == ["Database disk full."]
    if not store.exclusive:
        with pytest.raises(StorageFull):
            await look(rig)  # it tries to store something small, for which a file has room within its pages
    await store.write(make_room)
    store.disk.refused = DiskSpace.FULL  # whoever made room did not do it through this process
    await look(rig)
    assert await heard(rig) == ["full.", "space is back to normal."]
    assert await ready(rig) == (200, "ok")
    await _fill(rig, "b")


async def look(rig: Rig) -> None:
    """A tick some time later, as a process makes it whose database takes nothing."""
    rig.clock.advance(15)
    ctx = rig.switchboard.context
    await ctx.chores["disk"](ctx)


async def ready(rig: Rig) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/readyz") as answer:
        return answer.status, str((await answer.json())["database"])
