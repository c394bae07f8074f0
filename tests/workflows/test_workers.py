"""Workers: a row is a task of its own, slots are counted, and a slot that is free is used at once."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from bot.workflows.workers import Work
from storage.errors import StorageBusy
from storage.rows import Hold
from storage.transaction import Tx
from tests.support.rig import Rig


@dataclass(frozen=True)
class Row:
    id: str


class Queue:
    """Rows that are due, and gates at which their steps wait."""

    def __init__(self, *names: str) -> None:
        self.due = [Row(name) for name in names]
        self.gates: dict[str, asyncio.Event] = {}
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.holds: list[Hold] = []
        self.error: Exception | None = None
        self.news = asyncio.Event()

    def claim(self, _tx: Tx, hold: Hold) -> list[Row]:
        self.holds.append(hold)
        taken, self.due = self.due[: hold["limit"]], self.due[hold["limit"] :]
        return taken

    async def step(self, row: Row) -> None:
        self.begun.append(row.id)
        self.news.set()
        gate = self.gates.get(row.id)
        if gate is not None:
            await gate.wait()
        self.ended.append(row.id)
        if self.error is not None:
            raise self.error

    def work(self, *, slots: int, **more: Any) -> Work[Row]:
        # The table is only a name here: none of these rows is in it, so no lease of theirs can be renewed.
        return Work(name="rows", table="inbox", slots=slots, claim=self.claim, step=lambda _: self.step, **more)


async def until_begun(queue: Queue, count: int) -> None:
    async with asyncio.timeout(5):
        while len(queue.begun) < count:
            queue.news.clear()
            await queue.news.wait()


async def test_worker_runs_at_most_its_slots(rig: Rig) -> None:
    ctx, queue = rig.switchboard.context, Queue("a", "b", "c")
    for name in "ab":
        queue.gates[name] = asyncio.Event()
    work, freed = queue.work(slots=2), asyncio.Event()
    ctx.workers.freed = lambda name: freed.set() if name == "rows" else None
    assert await ctx.workers.take_up(ctx, work) == 2
    assert await ctx.workers.take_up(ctx, work) == 0
    assert len(queue.holds) == 1, "no row is looked for while no slot is free"
    assert ctx.workers.running("rows") == 2
    queue.gates["a"].set()
    await asyncio.wait_for(freed.wait(), 5)
    assert await ctx.workers.take_up(ctx, work) == 1
    assert queue.holds[-1]["limit"] == 1
    queue.gates["b"].set()
    await ctx.workers.finished()
    assert sorted(queue.ended) == ["a", "b", "c"]


async def test_database_failure_is_answered_and_logged(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    ctx, queue = rig.switchboard.context, Queue("a", "b")
    queue.error = StorageBusy("The database is locked.")
    await ctx.workers.take_up(ctx, queue.work(slots=2))
    with pytest.raises(StorageBusy):
        await ctx.workers.finished()
    assert queue.ended == ["a", "b"]
    assert capsys.readouterr().out.count("a step waits for the database") == 2


async def test_stop_waits_briefly_and_cancels_the_rest(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.workflows.workers.STOP_SECONDS", 0.05)
    ctx, queue = rig.switchboard.context, Queue("soon", "never")
    queue.gates = {"soon": asyncio.Event(), "never": asyncio.Event()}
    work = queue.work(slots=2)
    await ctx.workers.take_up(ctx, work)
    await until_begun(queue, 2)
    queue.gates["soon"].set()
    await ctx.workers.stop()
    assert queue.ended == ["soon"]
    assert not ctx.workers.running("rows")
    queue.due = [Row("later")]
    assert await ctx.workers.take_up(ctx, work) == 0


async def test_steps_of_a_row_never_overlap(rig: Rig) -> None:
    ctx, queue = rig.switchboard.context, Queue("a")
    queue.gates["a"] = asyncio.Event()
    work = queue.work(slots=3, leased=False)
    await ctx.workers.take_up(ctx, work)
    queue.due = [Row("a")]
    await ctx.workers.take_up(ctx, work)
    assert not ctx.leases.holds("inbox", ("a",))
    await until_begun(queue, 1)
    await asyncio.sleep(0)
    assert queue.begun == ["a"]
    queue.gates["a"].set()
    await ctx.workers.finished()
    assert queue.ended == ["a", "a"]
