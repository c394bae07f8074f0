"""Runs through lists while they run: pressed buttons, a service that asks for less, two at a time."""

import asyncio
from typing import Any

import pytest
from inline_snapshot import snapshot
from structlog.testing import capture_logs

from bot.domain.emails.lists import Outcome, RunState
from bot.playground.faults import Fault, FaultKind
from bot.presentation.reasons import in_words
from bot.workflows.emails import work
from bot.workflows.emails.lists import Press, Pressed, RequestedList, press, request_list
from bot.workflows.emails.run import Run
from bot.workflows.emails.whole import send_whole
from bot.workflows.services import Pressure
from storage.rows import EmailRun, Job
from tests.support.rig import ALERTS, FINANCE, MARIA, Rig
from tests.support.rows import counted

CONCURRENCY_LIMIT = 1000


async def ask(rig: Rig, count: int, *, concurrency: int = 1, prefix: str = "p", whole: bool = False) -> str:
    """A list of so many addresses; the id of its job."""
    content = b"email\r\n" + "".join(f"{prefix}{n}@example.com\r\n" for n in range(count)).encode()
    asked = RequestedList(
        requester=MARIA,
        channel=FINANCE,
        thread_ts=None,
        file_id=rig.workspace.upload(MARIA, f"{prefix}.csv", content),
        file_name=f"{prefix}.csv",
        column=0,
        column_name="email",
        whole=whole,
        concurrency=concurrency,
        source_key=f"test:{prefix}",
    )
    assert await request_list(rig.switchboard.context, asked)
    job = await rig.switchboard.context.store.read(lambda tx: tx.jobs.by_source(f"test:{prefix}"))
    assert job is not None
    return job.id


async def look(rig: Rig, job_id: str) -> tuple[Job, EmailRun]:
    job, run = await rig.switchboard.context.store.read(lambda tx: (tx.jobs.get(job_id), tx.emails.get(job_id)))
    assert job is not None
    assert run is not None
    return job, run


async def die_and_start_again(rig: Rig, working: asyncio.Task[None]) -> None:
    """End the work where it stands, and go on with a new process."""
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    workers: Any = rig.switchboard.context.workers
    for task in workers._all():
        task.cancel()
    await rig.switchboard.stop()
    await rig.start()
    await rig.settle()


async def test_pausing_waits_for_what_is_under_way_and_resuming_goes_on(rig: Rig) -> None:
    rig.emails.manners.latency = 0.02
    job_id = await ask(rig, 400, concurrency=20)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= 100)
    ctx = rig.switchboard.context
    assert await press(ctx, job_id, Press.PAUSE, person=MARIA) == (Pressed.DONE, RunState.PAUSED)
    await working
    job, run = await look(rig, job_id)
    assert job.state == RunState.PAUSED
    asked = len(rig.emails.asked)
    assert asked < 400
    assert run.outcomes == {Outcome.ANSWERED: asked}
    await rig.pass_time(3_600, steps=5)
    assert len(rig.emails.asked) == asked
    assert await press(ctx, job_id, Press.RESUME, person=MARIA) == (Pressed.DONE, RunState.RUNNING)
    await rig.settle()
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes, run.repeated) == (RunState.DONE, {Outcome.ANSWERED: 400}, 0)
    assert set(rig.emails.asked.values()) == {1}


async def test_pausing_and_resuming_at_once_changes_nothing(rig: Rig) -> None:
    rig.emails.manners.latency = 0.05
    job_id = await ask(rig, 200, concurrency=20)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= 40)
    ctx = rig.switchboard.context
    await press(ctx, job_id, Press.PAUSE, person=MARIA)
    await press(ctx, job_id, Press.RESUME, person=MARIA)
    await working
    await rig.settle()
    job, _ = await look(rig, job_id)
    assert job.state == RunState.DONE
    assert set(rig.emails.asked.values()) == {1}
    assert len(rig.emails.asked) == 200


async def paused_at_the_end(rig: Rig) -> str:
    """A list of one address that was paused while its only answer was on the way; the id of its job."""
    rig.emails.manners.latency = 0.3
    job_id = await ask(rig, 1)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) == 1)
    pressed = await press(rig.switchboard.context, job_id, Press.PAUSE, person=MARIA)
    assert pressed == (Pressed.DONE, RunState.PAUSED)
    await working
    return job_id


async def test_a_list_that_is_paused_as_its_last_answer_arrives_ends(rig: Rig) -> None:
    job_id = await paused_at_the_end(rig)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 1})
    assert job.closed_at is not None


async def test_a_list_whose_process_died_between_its_last_answer_and_its_end_ends(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(_: Run) -> None:
        await asyncio.sleep(0)

    with monkeypatch.context() as death:
        death.setattr(Run, "_close", die)
        job_id = await paused_at_the_end(rig)
        job, run = await look(rig, job_id)
        assert (job.state, run.outcomes) == (RunState.PAUSED, {Outcome.ANSWERED: 1})
    await rig.switchboard.stop()
    await rig.start()
    await rig.settle()
    assert (await look(rig, job_id))[0].state == RunState.DONE


async def test_pause_that_comes_after_the_last_answer_was_stored_ends_the_list(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(_: Run) -> None:
        await asyncio.sleep(0)

    with monkeypatch.context() as death:
        death.setattr(Run, "_close", die)
        job_id = await ask(rig, 1)
        await rig.settle()
    assert (await look(rig, job_id))[0].state == RunState.RUNNING
    pressed = await press(rig.switchboard.context, job_id, Press.PAUSE, person=MARIA)
    assert pressed == (Pressed.DONE, RunState.PAUSED)
    await rig.switchboard.stop()
    await rig.start()
    await rig.settle()
    assert (await look(rig, job_id))[0].state == RunState.DONE


async def test_no_other_process_takes_a_list_that_is_under_way(rig: Rig) -> None:
    rig.emails.manners.latency = 0.3
    ctx = rig.switchboard.context
    job_id = await ask(rig, 1)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) == 1)
    now = rig.clock.now()
    taken = await ctx.store.write(
        lambda tx: tx.jobs.claim_due(kind="email.run", now=now, owner="another process", lease_seconds=60, limit=9)
    )
    assert taken == []
    await working
    assert (await look(rig, job_id))[0].state == RunState.DONE


async def test_stopping_in_the_middle_keeps_what_was_answered(rig: Rig) -> None:
    rig.emails.manners.latency = 0.02
    job_id = await ask(rig, 400, concurrency=20)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= 100)
    assert (await press(rig.switchboard.context, job_id, Press.STOP, person=MARIA))[0] is Pressed.DONE
    await working
    job, run = await look(rig, job_id)
    assert job.state == RunState.STOPPED
    assert run.outcomes == {Outcome.ANSWERED: len(rig.emails.asked)}
    assert (await press(rig.switchboard.context, job_id, Press.RESUME, person=MARIA))[0] is Pressed.TOO_LATE


async def test_never_more_are_taken_or_under_way_than_were_chosen(rig: Rig) -> None:
    rig.emails.manners.latency = 0.01
    job_id = await ask(rig, 150, concurrency=7)
    working = asyncio.create_task(rig.settle())
    worst = 0
    while not working.done():
        run = await rig.switchboard.context.store.read(lambda tx: tx.emails.get(job_id))
        if run is not None:
            worst = max(worst, run.taken - sum(run.outcomes.values()))
        await asyncio.sleep(0)
    await working
    assert rig.emails.peak <= 7
    assert 0 < worst <= 7


async def test_two_runs_share_the_room_and_neither_waits_for_the_other(rig: Rig) -> None:
    rig.emails.manners.latency = 0.1
    first = await ask(rig, 1_000, concurrency=CONCURRENCY_LIMIT, prefix="a")
    second = await ask(rig, 1_000, concurrency=CONCURRENCY_LIMIT, prefix="b")
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= 1_000, timeout=60)
    begun = sum(address.startswith("a") for address in rig.emails.asked)
    await working
    assert rig.emails.peak <= CONCURRENCY_LIMIT
    assert 300 <= begun <= 700
    for job_id in (first, second):
        job, run = await look(rig, job_id)
        assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 1_000})


async def test_a_service_that_takes_ten_at_a_time_gets_them_all_in_the_end(rig: Rig) -> None:
    rig.emails.manners.latency = 0.01
    rig.emails.manners.at_once = 10
    job_id = await ask(rig, 200, concurrency=100)
    await rig.settle()
    await rig.pass_time(600, steps=40)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes, run.repeated) == (RunState.DONE, {Outcome.ANSWERED: 200}, 0)
    refused = sum(call.status == 429 for call in rig.emails.calls)
    assert 0 < refused < 200


async def test_a_service_that_always_asks_to_wait_pauses_the_run(rig: Rig) -> None:
    rig.emails.faults.arm(Fault(FaultKind.TOO_MANY, "check", times=None))
    job_id = await ask(rig, 50, concurrency=5)
    await rig.settle()
    await rig.pass_time(1_200, steps=30)
    job, run = await look(rig, job_id)
    assert job.state == RunState.PAUSED
    assert in_words(job.detail["reason"]) == snapshot(
        "the service asked to wait 8 times in a row (it answered 429, saying “Too many requests at a time”)"
    )
    assert (run.outcomes, run.repeated) == ({}, 0)
    rig.emails.faults.clear()
    await press(rig.switchboard.context, job_id, Press.RESUME, person=MARIA)
    await rig.settle()
    await rig.pass_time(60, steps=10)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 50})


async def test_after_a_death_what_was_under_way_is_asked_again_and_counted(rig: Rig) -> None:
    rig.emails.manners.latency = 0.05
    job_id = await ask(rig, 300, concurrency=30)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= 100)
    await die_and_start_again(rig, working)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 300})
    twice = sum(rig.emails.asked.values()) - 300
    assert twice <= run.repeated <= 30
    assert await rig.switchboard.context.store.read(lambda tx: counted(tx, job_id)) == (300, 300)


async def test_an_address_without_an_answer_is_asked_three_times(rig: Rig) -> None:
    rig.emails.faults.arm(Fault(FaultKind.ERROR_500, "check", times=None))
    job_id = await ask(rig, 1)
    await rig.settle()
    await rig.pass_time(60, steps=10)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.FAILED: 1})
    assert sum(call.operation == "check" for call in rig.emails.calls) == 3


async def test_a_file_that_the_service_had_when_the_process_died_is_not_sent_again(rig: Rig) -> None:
    rig.emails.manners.file_latency = 60.0
    job_id = await ask(rig, 10, whole=True)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: any(call.operation == "process_file" for call in rig.emails.calls))
    await die_and_start_again(rig, working)
    await rig.pass_time(600, steps=10)
    job = await rig.switchboard.context.store.read(lambda tx: tx.jobs.get(job_id))
    assert job is not None
    assert job.state == RunState.UNKNOWN
    assert in_words(job.detail["reason"]) == "Switchboard was restarted while the service had the file"
    assert sum(call.operation == "process_file" for call in rig.emails.calls) == 1


async def test_a_file_that_two_begin_to_send_is_sent_once(rig: Rig) -> None:
    job_id = await ask(rig, 10, whole=True)
    ctx = rig.switchboard.context
    job = await ctx.store.read(lambda tx: tx.jobs.get(job_id))
    assert job is not None
    assert ctx.emails.client is not None
    await asyncio.gather(*(send_whole(ctx, ctx.emails.client, job) for _ in range(2)))
    assert sum(call.operation == "process_file" for call in rig.emails.calls) == 1


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pressure_halves_once_a_hold_and_grows_with_answers() -> None:
    seconds = Seconds()
    pressure = Pressure(clock=seconds, limit=100)
    pressure.join("a", wants=1_000)
    assert pressure.share("a") == 100
    for _ in range(40):
        pressure.busy(2.0)
    assert (pressure.room, pressure.rest(), pressure.holds) == (50, 2.0, 1)
    seconds.now = 2.5
    pressure.busy(None)
    assert (pressure.room, pressure.rest()) == (25, 2.0)
    for _ in range(3_000):
        pressure.answered()
    assert (pressure.room, pressure.holds) == (100, 0)


@pytest.mark.parametrize(
    ("named", "waits"),
    [(0.5, [0.5] * 8), (3.0, [3] * 8), (60.0, [60] * 8), (61.0, [60] * 8), (None, [1, 2, 4, 8, 16, 32, 60, 60])],
)
def test_a_wait_that_the_service_names_is_the_wait_up_to_a_minute(named: float | None, waits: list[float]) -> None:
    seconds = Seconds()
    pressure = Pressure(clock=seconds)
    waited = []
    for _ in range(8):
        pressure.busy(named)
        waited.append(pressure.rest())
        seconds.now += 60.0
    assert (waited, pressure.holds) == (waits, 8)


def test_holds_grow_to_a_minute_and_whoever_says_go_on_is_heard() -> None:
    seconds = Seconds()
    pressure = Pressure(clock=seconds, limit=8)
    pressure.join("a", wants=8)
    waits = []
    for _ in range(8):
        pressure.busy(None)
        waits.append(pressure.rest())
        seconds.now += pressure.rest()
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    assert (pressure.room, pressure.share("a")) == (1, 1)
    pressure.busy(10_000)
    assert pressure.rest() == 60
    pressure.forget()
    assert pressure.rest() == 0


async def test_what_the_alert_names_is_found_in_the_log(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(work, "prepare", fail)
    await ask(rig, 1)
    with capture_logs() as logs:
        await rig.pass_time(600, steps=10)
    [alert] = rig.workspace.messages(ALERTS)
    assert "*Switchboard stopped after an internal error*" in alert.text
    failed = [line["error_id"] for line in logs if line["event"] == "a step failed"]
    assert [number for number in failed if number in alert.text] == failed[-1:]
