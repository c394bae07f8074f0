"""Ticks and workers: told of work, a worker runs at once, never twice at a time, and outlives what fails."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.wiring import workers
from bot.wiring.workers import DueWork, Pump, Schedule
from tests.support.clock import ManualClock
from tests.support.fixtures import Logged


class Worker:
    """Gives back the figures it was told to, one a call, then nothing."""

    def __init__(self, *found: int | Exception) -> None:
        self.left = list(found)
        self.calls = 0
        self.at_once = 0
        self.most_at_once = 0
        self.called = asyncio.Event()
        self.gate: asyncio.Event | None = None

    async def __call__(self) -> int:
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.called.set()
        try:
            if self.gate is not None:
                await self.gate.wait()
            result = self.left.pop(0) if self.left else 0
        finally:
            self.at_once -= 1
        if isinstance(result, Exception):
            raise result
        return result


async def runs(pump: Pump) -> None:
    """Nudge it, and wait until it rests."""
    pump.nudge()
    running = pump._running
    assert running is not None
    await running


async def test_worker_runs_until_nothing_is_due() -> None:
    worker = Worker(3, 1)
    pump = Pump(name="x", worker=worker)
    await runs(pump)
    assert worker.calls == 3


async def test_notified_running_worker_runs_once_more_without_overlap() -> None:
    worker = Worker()
    worker.gate = asyncio.Event()
    pump = Pump(name="x", worker=worker)
    for _ in range(20):
        pump.nudge()
    await worker.called.wait()
    for _ in range(19):
        pump.nudge()
    worker.gate.set()
    await runs(pump)
    assert worker.calls == 2
    assert worker.most_at_once == 1


async def test_failing_row_stops_its_worker_until_the_next_tick() -> None:
    worker = Worker(RuntimeError("poison"), 1)
    pump = Pump(name="x", worker=worker)
    await runs(pump)
    assert worker.calls == 1
    await runs(pump)
    assert worker.calls == 3


async def test_a_worker_that_always_finds_something_gives_others_their_turn() -> None:
    worker = Worker(*[1] * 5_000)
    pump = Pump(name="x", worker=worker)
    await runs(pump)
    assert worker.calls == 1_000


async def under_way(worker: Worker) -> Pump:
    """A pump in the middle of a step that ends when the worker's gate opens."""
    worker.gate = asyncio.Event()
    pump = Pump(name="x", worker=worker)
    pump.nudge()
    await worker.called.wait()
    return pump


async def test_stop_lets_the_running_step_finish() -> None:
    worker = Worker(1)
    pump = await under_way(worker)
    stopping = asyncio.create_task(pump.stop())
    await asyncio.sleep(0)
    assert not stopping.done()
    assert worker.gate is not None
    worker.gate.set()
    await stopping
    assert worker.at_once == 0


async def test_a_step_that_does_not_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.wiring.workers._STOP_SECONDS", 0.05)
    worker = Worker()
    await (await under_way(worker)).stop()
    assert worker.at_once == 0


async def until(condition: Callable[[], bool], *workers: Worker) -> None:
    async with asyncio.timeout(5):
        while not condition():
            for worker in workers:
                worker.called.clear()
            await asyncio.wait(
                [asyncio.ensure_future(worker.called.wait()) for worker in workers], return_when=asyncio.FIRST_COMPLETED
            )


class Table:
    """Rows that become due, of kinds that are workers: what a look finds, and what was written."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.due: dict[str, float] = {}
        self.changes = 0
        self.looks = 0

    async def look(self) -> DueWork:
        self.looks += 1
        now = self.clock.seconds()
        later = [at for at in self.due.values() if at > now]
        next_at = datetime.fromtimestamp(min(later), UTC) if later else None
        return DueWork([name for name, at in self.due.items() if at <= now], next_at)


def schedule_of(table: Table, *, tick_seconds: float = 0.02, **plan: Any) -> Schedule:
    return Schedule(
        look=table.look, changes=lambda: table.changes, now=table.clock.now, tick_seconds=tick_seconds, **plan
    )


@pytest.fixture
def table() -> Table:
    return Table(ManualClock())


async def test_schedule_starts_all_workers_then_only_due_ones(table: Table) -> None:
    one, other = Worker(), Worker()
    schedule = schedule_of(table, workers={"one": one, "other": other}, tick_seconds=3_600)
    schedule.start()
    await until(lambda: one.calls == other.calls == 1, one, other)
    table.due = {"one": table.clock.seconds()}
    schedule.wake()
    await until(lambda: one.calls == 2, one)
    await schedule.stop()
    looks = table.looks
    schedule.wake()
    schedule.heard()
    await asyncio.sleep(0)
    assert (one.calls, other.calls, table.looks) == (2, 1, looks)  # stopped is stopped


async def test_idle_schedule_does_not_query(table: Table) -> None:
    """Ticks alone ask the database nothing."""
    ticked = Worker()
    schedule = schedule_of(table, workers={"tick": ticked}, every_tick=("tick",))
    schedule.start()
    await until(lambda: ticked.calls >= 2, ticked)
    looks = table.looks
    await until(lambda: ticked.calls >= 8, ticked)
    await schedule.stop()
    assert table.looks == looks


async def test_unnotified_work_starts_at_the_next_tick(table: Table) -> None:
    one, clocked = Worker(), Worker()
    schedule = schedule_of(table, workers={"one": one, "clocked": clocked}, by_the_clock=("clocked",))
    schedule.start()
    await until(lambda: one.calls == 1, one)
    table.due, table.changes = {"one": table.clock.seconds()}, 1
    await until(lambda: one.calls >= 2 and clocked.calls >= 2, one, clocked)
    await schedule.stop()


@pytest.mark.parametrize(("after", "tick_seconds"), [(60, 0.02), (0.05, 3_600)], ids=["a tick", "the alarm before it"])
async def test_timed_work_starts_when_due(table: Table, after: float, tick_seconds: float) -> None:
    one = Worker()
    table.due = {"one": table.clock.seconds() + after}
    schedule = schedule_of(table, workers={"one": one}, tick_seconds=tick_seconds)
    schedule.start()
    await until(lambda: one.calls == 1, one)
    table.clock.advance(after)
    await until(lambda: one.calls >= 2, one)
    await schedule.stop()


async def test_rows_of_another_process_are_left_to_it_briefly(table: Table) -> None:
    one = Worker()
    schedule = schedule_of(table, workers={"one": one}, tick_seconds=3_600)
    schedule.start()
    await until(lambda: one.calls == 1, one)
    table.due = {"one": table.clock.seconds()}
    looks = table.looks
    for _ in range(50):
        schedule.heard()
    await asyncio.sleep(0)
    assert one.calls == 1
    await until(lambda: one.calls == 2, one)
    await schedule.stop()
    assert table.looks <= looks + 2


async def test_frequent_notifications_are_throttled() -> None:
    worker = Worker()
    pump = Pump(name="x", worker=worker, pause_seconds=0.05)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while loop.time() < begun + 0.3:
        pump.nudge()
        await asyncio.sleep(0)
    await pump.stop()
    assert 2 <= worker.calls <= 8


async def test_notification_during_the_pause_is_not_missed() -> None:
    worker = Worker()
    pump = Pump(name="x", worker=worker, pause_seconds=0.01)
    pump.nudge()
    await until(lambda: worker.calls == 1, worker)
    await asyncio.sleep(0)
    worker.left = [1]
    pump.nudge()
    await until(lambda: not worker.left, worker)
    await pump.stop()


async def test_missed_tick_runs_once_afterwards(table: Table) -> None:
    schedule = schedule_of(table, workers={}, tick_seconds=60)
    schedule.start()
    (job,) = schedule._scheduler.get_jobs()
    assert (job.misfire_grace_time, job.coalesce, job.max_instances) == (None, True, 1)
    await schedule.stop()


async def test_stop_between_tick_and_start_is_clean(table: Table, caplog: Logged) -> None:
    schedule = schedule_of(table, workers={}, tick_seconds=3_600)
    schedule.start()
    await asyncio.sleep(0)
    (tick,) = schedule._scheduler.get_jobs()
    tick.modify(next_run_time=datetime.now(UTC))  # the loop hands it out next, right before the stop
    await schedule.stop()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not schedule._scheduler.running
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_blocked_due_work_is_retried_at_each_tick(table: Table) -> None:
    one = Worker()
    table.due = {"one": table.clock.seconds()}
    schedule = schedule_of(table, workers={"one": one})
    schedule.start()
    await until(lambda: table.looks >= 3 and one.calls >= 3, one)
    await schedule.stop()


def test_each_worker_has_one_trigger_and_its_queue() -> None:
    by_rows = set(workers._DUE)
    assert set(workers.WORKERS) == by_rows | workers.BY_THE_CLOCK | workers.EVERY_TICK
    assert sorted(by_rows & workers.EVERY_TICK) == sorted(workers.BY_THE_CLOCK & workers.EVERY_TICK) == []
    assert sorted(by_rows & workers.BY_THE_CLOCK) == []
    assert set().union(*workers.QUEUES.values()) == set().union(*workers._DUE.values())
    assert {"probe payments", "probe delivery", "probe localization"} <= workers.EVERY_TICK
