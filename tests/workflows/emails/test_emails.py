"""Lists while they run: pressed buttons, a service that asks for less, two at a time, lost answers."""

import asyncio
import csv
import io
import json
import zlib
from typing import Any

import pytest
from inline_snapshot import snapshot
from structlog.testing import capture_logs

from bot.domain.emails.lists import Answer, Outcome, RunState
from bot.playground.faults import Fault, FaultKind
from bot.presentation.reasons import in_words
from bot.workflows.emails import work
from bot.workflows.emails.lists import Press, Pressed, press
from bot.workflows.emails.subject import result_file
from bot.workflows.emails.work import send_whole
from bot.workflows.services import Pressure
from storage.rows import EmailRun, Job
from tests.support.lists import requested
from tests.support.rig import ALERTS, MARIA, Rig
from tests.support.rows import counted
from tests.workflows.emails.made import job as made
from tests.workflows.looking import read

CONCURRENCY_LIMIT = 1000


async def ask(rig: Rig, count: int, *, concurrency: int = 1, prefix: str = "p", whole: bool = False) -> str:
    """A list of so many addresses; the id of its job."""
    addresses = (f"{prefix}{n}@example.com" for n in range(count))
    return (await requested(rig, addresses=addresses, name=prefix, whole=whole, concurrency=concurrency)).id


async def look(rig: Rig, job_id: str) -> tuple[Job, EmailRun]:
    job, run = await rig.switchboard.context.store.read(lambda tx: (tx.jobs.get(job_id), tx.emails.get(job_id)))
    assert job is not None
    assert run is not None
    return job, run


async def under_way(
    rig: Rig, count: int, *, asked: int, latency: float = 0.02, concurrency: int = 1
) -> tuple[str, asyncio.Task[None]]:
    """A list of which so many addresses were asked for; the id of its job, and the work on it."""
    rig.emails.manners.latency = latency
    job_id = await ask(rig, count, concurrency=concurrency)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= asked)
    return job_id, working


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


async def test_pause_finishes_running_checks_and_resume_continues(rig: Rig) -> None:
    job_id, working = await under_way(rig, 400, concurrency=20, asked=100)
    ctx = rig.switchboard.context
    assert await press(ctx, job_id, Press.PAUSE, person=MARIA) == (Pressed.DONE, RunState.PAUSED)
    paused = await read(rig, lambda tx: tx.boards.get(f"email:{job_id}"))
    await working
    told = await read(rig, lambda tx: tx.boards.get(f"email:{job_id}"))
    assert paused is not None
    assert told is not None
    assert told.wanted_version == paused.wanted_version + 1, "with the answers that were on the way"
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


async def paused_at_the_end(rig: Rig) -> str:
    """A list of one address that was paused while its only answer was on the way; the id of its job."""
    job_id, working = await under_way(rig, 1, asked=1, latency=0.3)
    pressed = await press(rig.switchboard.context, job_id, Press.PAUSE, person=MARIA)
    assert pressed == (Pressed.DONE, RunState.PAUSED)
    await working
    return job_id


async def test_list_paused_at_its_last_answer_ends(rig: Rig) -> None:
    job_id = await paused_at_the_end(rig)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 1})
    assert job.closed_at is not None


async def test_concurrency_stays_within_the_chosen_limit(rig: Rig) -> None:
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


async def test_concurrent_runs_share_the_limit(rig: Rig) -> None:
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


async def test_service_limited_to_ten_gets_all_addresses(rig: Rig) -> None:
    rig.emails.manners.latency = 0.01
    rig.emails.manners.at_once = 10
    job_id = await ask(rig, 200, concurrency=100)
    await rig.settle()
    await rig.pass_time(600, steps=40)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes, run.repeated) == (RunState.DONE, {Outcome.ANSWERED: 200}, 0)
    refused = sum(call.status == 429 for call in rig.emails.calls)
    assert 0 < refused < 200


async def test_endless_retry_after_pauses_the_run(rig: Rig) -> None:
    rig.emails.faults.arm(Fault(FaultKind.TOO_MANY, "check", times=None))
    job_id = await ask(rig, 50, concurrency=5)
    await rig.settle()
    await rig.pass_time(1_200, steps=30)
    job, run = await look(rig, job_id)
    assert job.state == RunState.PAUSED
    assert in_words(job.detail["reason"]) == snapshot("""\
E-mail check was too busy 8 times in a row (it answered 429, saying “Too many requests at a time”)""")
    assert (run.outcomes, run.repeated) == ({}, 0)
    rig.emails.faults.clear()
    await press(rig.switchboard.context, job_id, Press.RESUME, person=MARIA)
    await rig.settle()
    await rig.pass_time(60, steps=10)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 50})


async def test_interrupted_checks_are_repeated_and_counted(rig: Rig) -> None:
    job_id, working = await under_way(rig, 300, concurrency=30, asked=100, latency=0.05)
    await die_and_start_again(rig, working)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 300})
    twice = sum(rig.emails.asked.values()) - 300
    assert twice <= run.repeated <= 30
    assert await rig.switchboard.context.store.read(lambda tx: counted(tx, job_id)) == (300, 300)


async def test_file_at_the_service_is_not_resent_after_a_crash(rig: Rig) -> None:
    rig.emails.manners.file_latency = 60.0
    job_id = await ask(rig, 10, whole=True)
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: any(call.operation == "process_file" for call in rig.emails.calls))
    await die_and_start_again(rig, working)
    await rig.pass_time(600, steps=10)
    job = await rig.switchboard.context.store.read(lambda tx: tx.jobs.get(job_id))
    assert job is not None
    assert job.state == RunState.UNKNOWN
    assert in_words(job.detail["reason"]) == "Switchboard was restarted while the file was being checked"
    assert sum(call.operation == "process_file" for call in rig.emails.calls) == 1


async def test_file_started_by_two_people_is_sent_once(rig: Rig) -> None:
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


def test_concurrency_halves_per_hold_and_grows_with_answers() -> None:
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
    ("state", "what"),
    [
        (RunState.PAUSED, Press.PAUSE),
        (RunState.RUNNING, Press.RESUME),
        (RunState.PREPARING, Press.PAUSE),
        (RunState.STOPPING, Press.RESUME),
        (RunState.DONE, Press.STOP),
    ],
)
async def test_late_button_changes_nothing(rig: Rig, state: RunState, what: Press) -> None:
    one = await made(rig, state=state)
    pressed = await press(rig.switchboard.context, one.id, what, person=MARIA)
    assert pressed == (Pressed.TOO_LATE, state)
    assert await read(rig, lambda tx: tx.jobs.get(one.id)) == one


def test_result_has_at_most_1000_columns_and_one_for_the_rest() -> None:
    names = [f"f{n}" for n in range(1_003)]
    said = Answer(outcome=Outcome.ANSWERED, pairs=tuple((name, name.upper()) for name in names)).stored()
    block = zlib.compress(json.dumps([(0, ["a@example.com"]), (1, ["b@example.com"])]).encode())
    content = result_file(["email"], [block], {0: json.dumps(said)})
    head, first, second = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert (len(head), head[-3:]) == (1_005, ["answer: f999", "answer: 3 other fields", "answer"])
    assert first[-3:] == ["F999", "f1000: F1000; f1001: F1001; f1002: F1002", ""]
    assert second[1:3] == ["not asked", ""]


async def test_alert_names_an_entry_of_the_log(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(work, "prepare", fail)
    await ask(rig, 1)
    with capture_logs() as logs:
        await rig.pass_time(600, steps=10)
    [alert] = rig.workspace.messages(ALERTS)
    assert "is stopped* after several internal errors" in alert.text
    failed = [line["error_id"] for line in logs if line["event"] == "a step failed"]
    assert [number for number in failed if number in alert.text] == failed[-1:]
