"""What nobody needs any more is forgotten after a month, a portion at a time; what happened stays."""

from datetime import timedelta
from typing import Any

import pytest

from bot.workflows.context import Context
from storage.rows import DropState
from storage.transaction import Tx
from tests.storage.dropped import found, row
from tests.storage.lists import begun
from tests.support.rig import Rig
from tests.support.rows import counted

KEPT = timedelta(days=30)

pytestmark = pytest.mark.rig(on="both")


async def prune_due(ctx: Context) -> int:
    return await ctx.chores["retention"](ctx)


async def write(rig: Rig, work: Any) -> Any:
    return await rig.switchboard.context.store.write(work)


async def closed_list(rig: Rig, count: int) -> None:
    now = rig.switchboard.context.clock.now()

    def work(tx: Tx) -> None:
        begun(tx, count)
        tx.emails.add_block("J1", part="rows", n=0, content=b"x")
        job = tx.jobs.get("J1")
        assert job is not None
        tx.jobs.touch(job, closed_at=now, due_at=None)

    await write(rig, work)


def held(tx: Tx) -> tuple[int, int]:
    return counted(tx, "J1")[0], len(list(tx.emails.blocks("J1", part="rows")))


async def test_email_list_is_deleted_a_month_after_its_end(rig: Rig) -> None:
    ctx = rig.switchboard.context
    await closed_list(rig, 2_500)
    assert await prune_due(ctx) == 0
    rig.clock.advance(KEPT.total_seconds() - 60)
    assert await prune_due(ctx) == 0
    assert await ctx.store.read(held) == (2_500, 1)
    rig.clock.advance(3_700)
    portions = [await prune_due(ctx) for _ in range(4)]
    assert portions == [1_001, 1_000, 500, 0]
    assert await ctx.store.read(held) == (0, 0)
    assert await ctx.store.read(lambda tx: tx.jobs.get("J1")) is not None
    assert await ctx.store.read(lambda tx: tx.emails.get("J1")) is not None


async def test_unfinished_email_list_is_kept(rig: Rig) -> None:
    await write(rig, lambda tx: begun(tx, 3))
    rig.clock.advance(10 * KEPT.total_seconds())
    assert await prune_due(rig.switchboard.context) == 0
    assert await rig.switchboard.context.store.read(held) == (3, 0)


async def test_offers_stay_and_unusable_files_are_forgotten(rig: Rig) -> None:
    now = rig.switchboard.context.clock.now()

    def work(tx: Tx) -> None:
        for name in ("offered", "quiet", "waiting"):
            tx.dropped.notice(row(name, created_at=now, due_at=now))
        tx.dropped.offered(found("offered"))
        tx.dropped.quiet("quiet")
        tx.dropped.again("waiting", due_at=now + timedelta(days=400))

    await write(rig, work)
    rig.clock.advance(KEPT.total_seconds() + 60)
    assert await prune_due(rig.switchboard.context) == 1
    left = await rig.switchboard.context.store.read(
        lambda tx: {name: tx.dropped.get(name) for name in ("offered", "quiet", "waiting")}
    )
    assert left["quiet"] is None
    assert left["offered"] is not None
    assert left["offered"].state is DropState.OFFERED
    assert left["waiting"] is not None
