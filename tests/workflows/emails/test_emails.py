"""Lists while they run: pressed buttons, a service that asks for less, two at a time, lost answers."""

import asyncio
import csv
import io
import json
import zlib
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

import pytest
from inline_snapshot import snapshot
from structlog.testing import capture_logs

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import Answer, Busy, Checked, Dropped, Outcome, RunState
from bot.domain.reasons import Exchange, Reason
from bot.playground.faults import Fault, FaultKind
from bot.presentation.reasons import in_words, worded
from bot.workflows.emails import work
from bot.workflows.emails.lists import Press, Pressed, press
from bot.workflows.emails.run import Run
from bot.workflows.emails.subject import result_file
from bot.workflows.emails.work import send_whole
from bot.workflows.services import Pressure, check_addresses
from storage.rows import EmailRun, Job
from tests.support.lists import requested
from tests.support.reasons import own_words
from tests.support.rig import ALERTS, MARIA, Rig
from tests.support.rows import counted
from tests.workflows.emails.made import job as made
from tests.workflows.looking import read

CONCURRENCY_LIMIT = 1000
TIMED_OUT = own_words("it timed out")
BEGUN = EmailRun(job_id="J1", header=("email",), rows=1, skipped=0, total=1, taken=0, repeated=0, outcomes={})


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


async def test_pausing_waits_for_what_is_under_way_and_resuming_goes_on(rig: Rig) -> None:
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


async def test_stopping_in_the_middle_keeps_what_was_answered(rig: Rig) -> None:
    job_id, working = await under_way(rig, 400, concurrency=20, asked=100)
    assert (await press(rig.switchboard.context, job_id, Press.STOP, person=MARIA))[0] is Pressed.DONE
    await working
    job, run = await look(rig, job_id)
    assert job.state == RunState.STOPPED
    assert run.outcomes == {Outcome.ANSWERED: len(rig.emails.asked)}


async def test_pausing_and_resuming_at_once_changes_nothing(rig: Rig) -> None:
    job_id, working = await under_way(rig, 200, concurrency=20, asked=40, latency=0.05)
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
    job_id, working = await under_way(rig, 1, asked=1, latency=0.3)
    pressed = await press(rig.switchboard.context, job_id, Press.PAUSE, person=MARIA)
    assert pressed == (Pressed.DONE, RunState.PAUSED)
    await working
    return job_id


async def test_a_list_that_is_paused_as_its_last_answer_arrives_ends(rig: Rig) -> None:
    job_id = await paused_at_the_end(rig)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 1})
    assert job.closed_at is not None


@pytest.mark.parametrize("dies", ["paused before the answer", "paused after it was stored"])
async def test_a_list_whose_process_died_at_its_end_ends(rig: Rig, monkeypatch: pytest.MonkeyPatch, dies: str) -> None:
    async def die(_: Run) -> None:
        await asyncio.sleep(0)

    with monkeypatch.context() as death:
        death.setattr(Run, "_close", die)
        if dies == "paused before the answer":
            job_id = await paused_at_the_end(rig)
            job, run = await look(rig, job_id)
            assert (job.state, run.outcomes) == (RunState.PAUSED, {Outcome.ANSWERED: 1})
        else:
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
    job_id, working = await under_way(rig, 1, asked=1, latency=0.3)
    ctx = rig.switchboard.context
    now = rig.clock.now()
    taken = await ctx.store.write(
        lambda tx: tx.jobs.claim_due(kind="email.run", now=now, owner="another process", lease_seconds=60, limit=9)
    )
    assert taken == []
    await working
    assert (await look(rig, job_id))[0].state == RunState.DONE


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
    assert in_words(job.detail["reason"]) == snapshot("""\
E-mail check was too busy 8 times in a row (it answered 429, saying “Too many requests at a time”)""")
    assert (run.outcomes, run.repeated) == ({}, 0)
    rig.emails.faults.clear()
    await press(rig.switchboard.context, job_id, Press.RESUME, person=MARIA)
    await rig.settle()
    await rig.pass_time(60, steps=10)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 50})


async def test_after_a_death_what_was_under_way_is_asked_again_and_counted(rig: Rig) -> None:
    job_id, working = await under_way(rig, 300, concurrency=30, asked=100, latency=0.05)
    await die_and_start_again(rig, working)
    job, run = await look(rig, job_id)
    assert (job.state, run.outcomes) == (RunState.DONE, {Outcome.ANSWERED: 300})
    twice = sum(rig.emails.asked.values()) - 300
    assert twice <= run.repeated <= 30
    assert await rig.switchboard.context.store.read(lambda tx: counted(tx, job_id)) == (300, 300)


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
    assert in_words(job.detail["reason"]) == "Switchboard was restarted while the file was being checked"
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


@pytest.mark.parametrize(("named", "waits"), [
    (0.5, [0.5] * 8), (3.0, [3] * 8), (60.0, [60] * 8), (61.0, [60] * 8), (None, [1, 2, 4, 8, 16, 32, 60, 60]),
])  # fmt: skip
def test_a_wait_that_the_service_names_is_the_wait_up_to_a_minute(named: float | None, waits: list[float]) -> None:
    seconds = Seconds()
    pressure = Pressure(clock=seconds)
    waited = []
    for _ in range(8):
        pressure.busy(named)
        waited.append(pressure.rest())
        seconds.now += 60.0
    assert (waited, pressure.holds) == (waits, 8)
    pressure.busy(10_000)
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
    assert "is stopped* after several internal errors" in alert.text
    failed = [line["error_id"] for line in logs if line["event"] == "a step failed"]
    assert [number for number in failed if number in alert.text] == failed[-1:]


# answers that are lost


def running(rig: Rig, one: Job) -> Any:
    client: Any = object.__new__(EmailsClient)
    return Run(ctx=rig.switchboard.context, client=client, job=one)


@pytest.mark.parametrize(("share", "losses"), [(1, 20), (10, 20), (11, 22), (40, 80)])
async def test_after_as_many_lost_answers_as_two_rounds_nothing_more_is_sent(rig: Rig, share: int, losses: int) -> None:
    run = running(rig, await made(rig))
    rig.switchboard.context.emails.pressure.join("J1", wants=share)
    for number in range(losses - 1):
        run._lost(number, f"{number}@example.com", TIMED_OUT)
    assert run._trouble is None
    run._lost(losses, "last@example.com", TIMED_OUT)
    assert "it timed out" in worded(run._trouble)
    assert len(run._waiting) == losses


async def test_an_address_whose_answer_is_lost_three_times_has_failed(rig: Rig) -> None:
    run = running(rig, await made(rig))
    for times in (1, 2):
        run._lost(7, "a@example.com", TIMED_OUT)
        assert (len(run._waiting), run._answers) == (times, [])
    run._lost(7, "a@example.com", TIMED_OUT)
    assert len(run._waiting) == 2
    ((number, outcome, text),) = run._answers
    assert (number, outcome) == (7, Outcome.FAILED)
    assert "it timed out" in worded(Answer.read(json.loads(text)).why)


@pytest.mark.parametrize(("what", "rest"), [(Press.RESUME, 0.0), (Press.STOP, 20.0)])
async def test_only_a_person_who_resumes_ignores_the_wait_asked_for(rig: Rig, what: Press, rest: float) -> None:
    ctx = rig.switchboard.context
    one = await made(rig, state=RunState.PAUSED)
    await ctx.store.write(lambda tx: tx.emails.begin(BEGUN))
    ctx.emails.pressure.busy(20.0)
    assert (await press(ctx, one.id, what, person=MARIA))[0] is Pressed.DONE
    assert ctx.emails.pressure.rest() == rest


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
async def test_a_button_that_comes_too_late_changes_nothing(rig: Rig, state: RunState, what: Press) -> None:
    one = await made(rig, state=state)
    pressed = await press(rig.switchboard.context, one.id, what, person=MARIA)
    assert pressed == (Pressed.TOO_LATE, state)
    assert await read(rig, lambda tx: tx.jobs.get(one.id)) == one


class Calendar:
    """A clock whose calendar is set while boot time goes on."""

    def __init__(self, rig: Rig, step: float) -> None:
        self._rig, self._step, self._began = rig, step, rig.clock.boottime()

    def now(self) -> datetime:
        is_set = self.boottime() > self._began
        return self._rig.clock.now() + timedelta(seconds=self._step if is_set else 0)

    def boottime(self) -> float:
        return self._rig.clock.boottime()


@pytest.mark.parametrize("step", [0, -7_200, 7_200])
@pytest.mark.parametrize(("ago", "shown"), [(None, True), (1.0, True), (0.99, False)])
async def test_progress_is_shown_every_second(rig: Rig, ago: float | None, shown: bool, step: float) -> None:
    one = await made(rig, state=RunState.RUNNING)
    await rig.switchboard.context.store.write(lambda tx: tx.emails.begin(BEGUN))
    run = running(rig, one)
    run._ctx = replace(rig.switchboard.context, clock=Calendar(rig, step))
    if ago is not None:
        run._answers = [(0, Outcome.FAILED.value, "{}")]
        await run._store()
        rig.clock.advance(ago)
    run._answers = [(0, Outcome.FAILED.value, "{}")]
    before = await read(rig, lambda tx: tx.boards.get("email:J1"))
    await run._store()
    after = await read(rig, lambda tx: tx.boards.get("email:J1"))
    assert before is not None
    assert after is not None
    assert (after.wanted_version > before.wanted_version) is shown


# a few addresses at once

VALID = Answer(outcome=Outcome.ANSWERED, result="valid")
ASKED_TO_WAIT = Busy(reason=Reason(Exchange.TOO_MANY), retry_after=7.0)
NO_ANSWER = Dropped(reason=Reason(Exchange.NO_ANSWER, failure="timed out"))


@pytest.mark.parametrize(
    ("said", "outcome", "pauses"),
    [
        ([VALID], Outcome.ANSWERED, []),
        ([ASKED_TO_WAIT, VALID], Outcome.ANSWERED, [1.0]),
        ([NO_ANSWER, VALID], Outcome.ANSWERED, [1.0]),
        ([ASKED_TO_WAIT, NO_ANSWER, VALID], Outcome.FAILED, [1.0]),
        ([NO_ANSWER, ASKED_TO_WAIT, VALID], Outcome.FAILED, [1.0]),
    ],
)
async def test_a_second_later_it_is_asked_once_more(
    monkeypatch: pytest.MonkeyPatch, said: list[Checked], outcome: Outcome, pauses: list[float]
) -> None:
    paused: list[float] = []

    class Service:
        async def check(self, _: str) -> Checked:
            return said.pop(0)

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", pause)
    [(address, answer)] = await check_addresses(cast("EmailsClient", Service()), ["ana@example.com"])
    assert (address, answer.outcome, paused) == ("ana@example.com", outcome, pauses)


def test_a_result_has_a_thousand_columns_and_one_for_all_others() -> None:
    names = [f"f{n}" for n in range(1_003)]
    said = Answer(outcome=Outcome.ANSWERED, pairs=tuple((name, name.upper()) for name in names)).stored()
    block = zlib.compress(json.dumps([(0, ["a@example.com"]), (1, ["b@example.com"])]).encode())
    content = result_file(["email"], [block], {0: json.dumps(said)})
    head, first, second = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert (len(head), head[-3:]) == (1_005, ["answer: f999", "answer: 3 other fields", "answer"])
    assert first[-3:] == ["F999", "f1000: F1000; f1001: F1001; f1002: F1002", ""]
    assert second[1:3] == ["not asked", ""]
