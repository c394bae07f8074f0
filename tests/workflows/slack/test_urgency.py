"""How urgent each kind of work calls its edits and its messages: ends go first, progress last."""

import asyncio
from typing import Any

import pytest

from bot.domain.emails.lists import RunState
from bot.presentation.payments import forms
from bot.workflows.emails.lists import Press, Pressed, press
from storage.repositories.slack import Boards, Outbox
from storage.rows import OutboxRow
from tests.flow.localizing import DONE, Localizer
from tests.support.deliveries import book, booked, open_rig, service_of, step
from tests.support.lists import requested
from tests.support.rig import MARIA, Rig

pytestmark = pytest.mark.rig(opened_by=open_rig)

PROGRESS, CHANGE, LAST = "progress", "change", "last"


class Said:
    """What was said of edits, in order, and of messages, by their keys."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.edits: list[str] = []
        self.posts: dict[str, bool] = {}
        mark, mark_request, add = Boards.mark, Boards.mark_request, Outbox.add

        def noted(boards: Boards, subject: str, **named: Any) -> None:
            self.edits.append(PROGRESS if named["progress"] else LAST if named.get("urgent") else CHANGE)
            mark(boards, subject, **named)

        def noted_request(boards: Boards, instruction_id: str, **named: Any) -> None:
            self.edits.append(LAST if named.get("urgent") else CHANGE)
            mark_request(boards, instruction_id, **named)

        def noted_post(outbox: Outbox, row: OutboxRow) -> bool:
            self.posts[row.key] = row.urgent
            return add(outbox, row)

        for kind, name, watched in (
            (Boards, "mark", noted),
            (Boards, "mark_request", noted_request),
            (Outbox, "add", noted_post),
        ):
            monkeypatch.setattr(kind, name, watched)

    def first(self, words: str) -> set[bool]:
        """Whether messages with these words in their keys go first."""
        return {urgent for key, urgent in self.posts.items() if words in key}


@pytest.fixture
def said(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Said:
    return Said(monkeypatch)


async def test_of_a_booking_the_end(rig: Rig, said: Said) -> None:
    await booked(rig)
    for _ in range(3):
        await step(rig)
    assert LAST not in said.edits
    assert CHANGE in said.edits
    assert said.first(":driver:") == {False}
    assert not said.first(":moved:"), "what is only a step is on the card alone"
    for _ in range(6):
        await step(rig)
    assert said.edits[-1] == LAST
    assert said.edits.count(LAST) == 1
    assert [urgent for key, urgent in said.posts.items() if ":moved:" in key][-1]


async def test_what_moved_no_booking_and_shows_nothing_else_is_no_edit(rig: Rig, said: Said) -> None:
    """The cook time goes down: the card names the moment when it is over."""
    await book(rig, cook="30")
    said.edits.clear()
    asked = len(service_of(rig).calls)
    await rig.pass_time(300, steps=5)
    assert len(service_of(rig).calls) > asked
    assert not said.edits


async def test_another_driver_is_told_and_the_edit_of_it_is_progress(rig: Rig, said: Said) -> None:
    record = await booked(rig)
    await step(rig)
    said.edits.clear()
    record.driver = ("Eva Luz", "+593987000222")
    await rig.pass_time(120, steps=4)
    assert set(said.edits) == {PROGRESS}
    assert said.first(":driver:") == {False}


async def test_of_a_call_the_end_and_all_before_it_is_progress(rig: Rig, said: Said) -> None:
    localizer = Localizer(rig)
    await localizer.type("gender https://files.example.com/voice.mp3")
    await rig.settle()
    await rig.switchboard.context.workers.finished(lasting=True)
    await rig.settle()
    await localizer.board(DONE)
    assert set(said.edits[:-1]) == {PROGRESS}
    assert said.edits[-1] == LAST
    await localizer.type("paraphrase The meeting was moved to Friday because the room was taken.")
    await rig.settle()
    await rig.switchboard.context.workers.finished(lasting=True)
    await rig.settle()
    assert {urgent for key, urgent in said.posts.items() if key.startswith(("line:", "file:"))} == {True}


async def test_of_a_list_the_end(rig: Rig, said: Said) -> None:
    await requested(rig)
    await rig.settle()
    assert said.edits[-1] == LAST
    assert said.edits.count(LAST) == 1
    assert said.first("file:") == {True}


async def test_of_a_list_that_is_stopped_its_end_too(rig: Rig, said: Said) -> None:
    rig.emails.manners.latency = 0.1
    job_id = (await requested(rig, addresses=["ana@example.com", "bo@example.com", "cy@example.com"])).id
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) == 1)
    assert await press(rig.switchboard.context, job_id, Press.STOP, person=MARIA) == (Pressed.DONE, RunState.STOPPING)
    await working
    job = await rig.switchboard.context.store.read(lambda tx: tx.jobs.get(job_id))
    assert job is not None
    assert job.state == RunState.STOPPED
    assert said.edits[-1] == LAST
    assert said.edits.count(LAST) == 1


async def test_of_a_request_its_end_and_all_news(rig: Rig, said: Said) -> None:
    await rig.pay()
    assert set(said.edits) == {CHANGE}
    await rig.press("reject")
    await rig.submit("U0ADA", {forms.REASON: "no"})
    assert said.edits[-1] == LAST
    assert said.first("news:") == {True}
    assert said.first("card:") == {False}
