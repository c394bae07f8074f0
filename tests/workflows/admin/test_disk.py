"""A disk that runs full is told when it happens, even though nothing can be stored; and when it has room again."""

from collections.abc import Callable

import aiohttp
import pytest

from bot.playground.faults import Fault, FaultKind
from storage.errors import StorageFull
from storage.transaction import Tx
from tests.support.rig import Rig
from tests.support.shown import shown
from tests.workflows.looking import alerts

GIGABYTE = 1_000_000_000
LONG = "x" * 200_000
"""More than the free pages of a small database."""


async def heard(rig: Rig) -> list[str]:
    await rig.pass_time(15)
    return [shown(text).removesuffix("\nRunbook: `docs/alerts.md#disk`") for text in alerts(rig)]


async def test_each_change_is_told_once(rig: Rig) -> None:
    disk = rig.switchboard.context.store.disk
    disk.usage = lambda: (499_000_000, 100 * GIGABYTE)
    low = [
        ":warning: *The disk of the database is almost full*: 499 of 100,000 MB are free. No new request is taken; "
        "what is under way goes on. The operator should make room; no restart is needed."
    ]
    assert await heard(rig) == low
    assert await heard(rig) == low
    disk.usage = lambda: (1_000_000, 100 * GIGABYTE)
    full = [
        ":rotating_light: *The disk of the database is full.* Nothing can be stored, so nothing is taken and nothing "
        "is sent. The operator has to make room; no restart is needed."
    ]
    assert await heard(rig) == [*low, *full]
    assert await heard(rig) == [*low, *full]
    disk.usage = lambda: (499_000_000, 100 * GIGABYTE)
    assert await heard(rig) == [*low, *full], "it is said when there is enough"
    disk.usage = lambda: (GIGABYTE, 100 * GIGABYTE)
    again = [":sunny: *The disk of the database has room again.* What waited goes on by itself."]
    assert await heard(rig) == [*low, *full, *again]
    assert await heard(rig) == [*low, *full, *again]


async def test_what_could_not_be_told_is_tried_again_after_10_seconds(rig: Rig) -> None:
    ctx = rig.switchboard.context
    ctx.store.disk.usage = lambda: (1_000_000, 100 * GIGABYTE)
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=1))
    told = []
    for seconds in (0, 9.5, 0.5):
        rig.clock.advance(seconds)
        await ctx.chores["disk"](ctx)
        told.append(len(alerts(rig)))
    assert told == [0, 0, 1]


async def _fill(rig: Rig, more: str) -> None:
    await rig.switchboard.context.store.write(lambda tx: tx.flags.set(more, LONG, rig.clock.now()))


def _no_more_pages(tx: Tx) -> None:
    tx.flags._connection.exec_driver_sql("PRAGMA max_page_count = 1")


def _as_many_as_there_are(tx: Tx) -> None:
    tx.flags._connection.exec_driver_sql("PRAGMA max_page_count = 1000000")


_FULL_SERVER = """
CREATE FUNCTION full() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON flag FOR EACH ROW EXECUTE FUNCTION full()
"""


def _server_is_full(tx: Tx) -> None:
    tx.flags._connection.exec_driver_sql(_FULL_SERVER)


def _server_has_room(tx: Tx) -> None:
    tx.flags._connection.exec_driver_sql("DROP TRIGGER no_room ON flag")


@pytest.mark.both_databases
@pytest.mark.rig(on="both")
async def test_a_write_that_the_disk_refuses_is_told_and_the_next_that_it_takes(rig: Rig) -> None:
    """Slack is away at first; the post is tried again, from memory."""
    store = rig.switchboard.context.store
    steps: tuple[Callable[[Tx], None], ...] = (_no_more_pages, _as_many_as_there_are)
    if not store.exclusive:
        steps = (_server_is_full, _server_has_room)
    await store.write(steps[0])
    with pytest.raises(StorageFull):
        await _fill(rig, "a")
    assert await ready(rig) == (503, "its disk is full")
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=1))
    for _ in range(2):
        await look(rig)
    said = [text.partition(".")[0] for text in alerts(rig)]
    assert said == [":rotating_light: *The disk of the database is full"]
    if not store.exclusive:
        with pytest.raises(StorageFull):
            await look(rig)  # it tries to store something small, for which a file has room within its pages
    await store.write(steps[1])
    store.disk.refused = True  # whoever made room did not do it through this process
    await look(rig)
    await rig.pass_time(15)
    said = [text.partition(".")[0] for text in alerts(rig)]
    assert said == [
        ":rotating_light: *The disk of the database is full",
        ":sunny: *The disk of the database has room again",
    ]
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
