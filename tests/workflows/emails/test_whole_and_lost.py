"""A list that is sent as a whole and comes back; answers that are lost; who may go on at once."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import RUN, WHOLE, Outcome, Returned, RunState, stored_answer
from bot.domain.errors import ServiceNow
from bot.domain.files.tables import Flaw, TableProblem
from bot.domain.outcome import NotExecuted
from bot.presentation.reasons import in_words, worded
from bot.slack.calls import ASKED_US_TO_WAIT
from bot.workflows.context import Unit
from bot.workflows.emails import whole, work
from bot.workflows.emails.lists import Press, Pressed, press
from bot.workflows.emails.run import Run
from bot.workflows.slack.boards import post_board
from storage.rows import EmailRun, Job
from storage.transaction import Tx
from tests.support.reasons import own_words
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import read

BUSY, TIMED_OUT = own_words("busy"), own_words("it timed out")
_PAYLOAD = {"file": "F1", "name": "a.csv", "column": 0, "column_name": "email", "concurrency": 1}
BEGUN = EmailRun(job_id="J1", header=("email",), rows=1, skipped=0, total=1, taken=0, repeated=0, outcomes={})
_SENDING: Any = {"kind": WHOLE, "state": RunState.SENDING}


async def job(rig: Rig, **changes: Any) -> Job:
    """A list that is being prepared, with its board."""
    now = rig.clock.now()
    values: dict[str, Any] = {
        "id": "J1", "kind": RUN, "state": RunState.PREPARING, "payload": _PAYLOAD, "detail": {},
        "requester": MARIA, "channel": FINANCE, "thread_ts": None, "source_key": "J1", "created_at": now,
        "due_at": None, "lease_owner": "", "lease_until": None,
    }  # fmt: skip
    one = Job(**{**values, **changes})

    def store(tx: Tx) -> None:
        assert tx.jobs.add(one)
        post_board(Unit(tx, now=now), subject=f"email:{one.id}", channel=FINANCE, thread_ts=None, requester=MARIA)

    await rig.switchboard.context.store.write(store)
    return one


async def stored(rig: Rig, one: Job) -> Job:
    found = await read(rig, lambda tx: tx.jobs.get(one.id))
    assert found is not None
    return found


@pytest.mark.parametrize(("tries", "named", "seconds"), [
    (0, None, 10), (1, None, 20), (2, None, 40), (3, None, 80), (0, 7.0, 7), (0, 90.0, 90),
])  # fmt: skip
async def test_a_file_that_the_service_does_not_have_is_sent_again_after_a_while(
    rig: Rig, tries: int, named: float | None, seconds: int
) -> None:
    one = await job(rig, **_SENDING, detail={"tries": tries, "a": "b"} if tries else {"a": "b"})
    refusal = NotExecuted(reason=BUSY, again=True, retry_after=named)
    await rig.switchboard.context.write(lambda uow: whole._later(uow, one, refusal))
    after = await stored(rig, one)
    assert (after.state, after.due_at) == (RunState.PREPARING, rig.clock.now() + timedelta(seconds=seconds))
    assert after.detail == {"a": "b", "tries": tries + 1, "reason": BUSY.stored()}


async def test_at_the_fifth_time_it_is_given_up(rig: Rig) -> None:
    one = await job(rig, **_SENDING, detail={"tries": 4})
    await rig.switchboard.context.write(lambda uow: whole._later(uow, one, NotExecuted(reason=BUSY, again=True)))
    after = await stored(rig, one)
    assert (after.state, in_words(after.detail["reason"]), after.closed_at) == (
        RunState.FAILED, "busy (5 times)", rig.clock.now()
    )  # fmt: skip


FORMULA = b"email,note\r\na@example.com,=1+1\r\n"


def reading(flaw: Flaw) -> Callable[..., Any]:
    async def broken(*_: object, **__: object) -> None:
        raise TableProblem(flaw)

    return broken


@pytest.mark.parametrize(("flaw", "content", "as_it_is"), [
    (Flaw.OTHER_KIND, FORMULA, True), (Flaw.LOCKED, FORMULA, True), (Flaw.DAMAGED, FORMULA, True),
    (Flaw.BOMB, FORMULA, True), (Flaw.TOO_COMPLEX, b"PK\x03\x04", True), (Flaw.TOO_COMPLEX, FORMULA, False),
    (Flaw.RAGGED, FORMULA, False), (Flaw.TOO_LARGE, FORMULA, False),
])  # fmt: skip
async def test_formulas_are_neutralised_in_what_is_text_and_nothing_else_is_touched(
    monkeypatch: pytest.MonkeyPatch, flaw: Flaw, content: bytes, as_it_is: bool
) -> None:
    monkeypatch.setattr(whole, "read_apart", reading(flaw))
    file = Returned(name="result.csv", content=content)
    safe = await whole._made_safe(file)
    assert (safe is file) is as_it_is
    if not as_it_is:
        assert safe.name == "result.csv"
        assert b"'=1+1" in safe.content


# answers that are lost


def running(rig: Rig, one: Job) -> Any:
    client: Any = object.__new__(EmailsClient)
    return Run(ctx=rig.switchboard.context, client=client, job=one)


@pytest.mark.parametrize(
    ("reads", "named", "wait"),
    [(0, None, 5), (1, None, 10), (4, None, 25), (0, 3.0, 3), (4, 3.0, 3), (4, 24.0, 24), (0, 300.0, 300)],
)
async def test_a_file_that_cannot_be_read_is_read_again_when_slack_says_or_less_and_less_often(
    rig: Rig, reads: int, named: float | None, wait: float
) -> None:
    one = await job(rig, detail={"reads": reads})
    await work._read_later(rig.switchboard.context, one, ServiceNow("Slack", ASKED_US_TO_WAIT, retry_after=named))
    after = await stored(rig, one)
    assert (after.due_at, after.detail["reads"]) == (rig.clock.now() + timedelta(seconds=wait), reads + 1)


@pytest.mark.parametrize(("share", "losses"), [(1, 20), (10, 20), (11, 22), (40, 80)])
async def test_after_as_many_lost_answers_as_two_rounds_nothing_more_is_sent(rig: Rig, share: int, losses: int) -> None:
    run = running(rig, await job(rig))
    rig.switchboard.context.emails.pressure.join("J1", wants=share)
    for number in range(losses - 1):
        run._lost(number, f"{number}@example.com", TIMED_OUT)
    assert run._trouble is None
    run._lost(losses, "last@example.com", TIMED_OUT)
    assert "it timed out" in worded(run._trouble)
    assert len(run._waiting) == losses


async def test_an_address_whose_answer_is_lost_three_times_has_failed(rig: Rig) -> None:
    run = running(rig, await job(rig))
    for times in (1, 2):
        run._lost(7, "a@example.com", TIMED_OUT)
        assert (len(run._waiting), run._answers) == (times, [])
    run._lost(7, "a@example.com", TIMED_OUT)
    assert len(run._waiting) == 2
    ((number, outcome, text),) = run._answers
    assert (number, outcome) == (7, Outcome.FAILED)
    assert "it timed out" in worded(stored_answer(json.loads(text)).why)


@pytest.mark.parametrize(("what", "rest"), [(Press.RESUME, 0.0), (Press.STOP, 20.0)])
async def test_only_a_person_who_resumes_ignores_the_wait_that_the_service_asked_for(
    rig: Rig, what: Press, rest: float
) -> None:
    ctx = rig.switchboard.context
    one = await job(rig, state=RunState.PAUSED)
    await ctx.store.write(lambda tx: tx.emails.begin(BEGUN))
    ctx.emails.pressure.busy(20.0)
    assert (await press(ctx, one.id, what, person=MARIA))[0] is Pressed.DONE
    assert ctx.emails.pressure.rest() == rest


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
    one = await job(rig, state=RunState.RUNNING)
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
