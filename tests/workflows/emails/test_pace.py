"""A thousand requests at a time over all processes: each says what it wants and holds, and counts what others hold."""

from dataclasses import replace
from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.workflows.context import Context, Unit
from bot.workflows.emails.pace import FLAG, allowed, give_up
from bot.workflows.services import Pressure
from tests.support.rig import Rig
from tests.workflows.looking import read


class Process:
    """One of several that work on lists, each with one list of so many addresses."""

    def __init__(self, rig: Rig, name: str, *, wants: int = 5_000) -> None:
        ctx = rig.switchboard.context
        self.pressure = Pressure(clock=rig.clock.boottime)
        self.ctx: Context = replace(ctx, owner=name, emails=replace(ctx.emails, pressure=self.pressure))
        self.pressure.join("list", wants=wants)

    async def look(self) -> int:
        """What it may have now; it has that many in flight from then on, or those it had, until they are answered."""
        self.pressure.allow(await self.ctx.store.write(lambda tx: allowed(Unit(tx, self.ctx))))
        self.pressure.use("list", self.pressure.share("list"))
        return self.pressure.share("list")

    async def leave(self) -> None:
        await self.ctx.store.write(lambda tx: give_up(Unit(tx, self.ctx)))


async def test_single_process_uses_the_whole_limit(rig: Rig) -> None:
    assert await Process(rig, "only").look() == 1_000
    assert not await read(rig, lambda tx: tx.flags.starting(FLAG)), "and has nobody to tell"


@pytest.mark.rig(on="postgres")
async def test_processes_share_the_limit_and_take_what_is_freed(rig: Rig) -> None:
    first, second, third = (Process(rig, name) for name in ("first", "second", "third"))
    assert [await one.look() for one in (first, second)] == snapshot([980, 1])
    first.pressure.use("list", 900)  # of its 980, 80 were answered
    assert [await one.look() for one in (first, second, first, second)] == snapshot([490, 80, 490, 490])
    assert [await one.look() for one in (third, first, second, third, first, second, third)] == snapshot(
        [1, 327, 327, 1, 327, 327, 326]
    )
    await second.leave()
    assert [await one.look() for one in (first, third, first, third)] == snapshot([490, 490, 490, 490])
    # A process that died says nothing any more, and has no request in flight after a while.
    rig.clock.advance(60)
    assert await first.look() == 490
    rig.clock.advance(31)
    assert await first.look() == 980
    assert list(await read(rig, lambda tx: tx.flags.starting(FLAG))) == [f"{FLAG}first"]
    assert await Process(rig, "small", wants=5).look() == 1


@pytest.mark.rig(on="postgres")
@pytest.mark.parametrize("forged", [None, 7, {}, {"wants": "x", "holds": 1, "at": "2026"}, {"wants": 1, "holds": 900}])
async def test_damaged_statistics_stop_nothing(rig: Rig, forged: object) -> None:
    process, now = Process(rig, "first"), rig.clock.now()
    if forged is not None:
        await process.ctx.store.write(lambda tx: tx.flags.set(f"{FLAG}forged", forged, now))
    assert await process.look() == 980
    at = (now + timedelta(days=1)).isoformat()
    value = {"wants": 1_000, "holds": 1_000, "at": at}
    await process.ctx.store.write(lambda tx: tx.flags.set(f"{FLAG}forged", value, now))
    assert await process.look() == 980
