"""Calls that are asked for: stored once, in their place of the queue, repeated once."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.errors import PersonError
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallProgress, CallState, CallView
from bot.domain.localization.request import Request
from bot.domain.localization.results import Track, Tracks
from bot.domain.outcome import Done
from bot.workflows.localization import running
from bot.workflows.localization.request import find, make_sure_of_room, repeat, request_call, room_in, sight_of
from storage.errors import CommitUnknown
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.workflows.looking import read

LANE = "localization.media"
SOUND = Request(operation=CallOperation.SEPARATION, file="F1").complete()


async def asked(ctx: Any, number: int, by: str = MARIA) -> CallView:
    return await request_call(ctx, SOUND, by=by, channel=FINANCE, source_key=f"call:{number}")


class Unsure:
    """A store whose answer to a commit is lost; ``done``: whether it was made."""

    def __init__(self, store: Any, *, done: bool) -> None:
        self._store, self._done = store, done

    async def write(self, work: Any, *, name: str = "") -> Any:
        if self._done:
            await self._store.write(work, name=name)
        raise CommitUnknown("the connection broke")

    async def read(self, work: Any) -> Any:
        return await self._store.read(work)


def unsure(rig: Rig, *, done: bool) -> Any:
    store: Any = Unsure(rig.switchboard.context.store, done=done)
    return replace(rig.switchboard.context, store=store)


async def test_a_call_whose_commit_had_no_answer_is_looked_for(rig: Rig) -> None:
    seen = await asked(unsure(rig, done=True), 1)
    job = await read(rig, lambda tx: tx.jobs.by_source("call:1"))
    assert job is not None
    assert (seen.id, seen.state) == (job.id, CallState.WAITING)
    with pytest.raises(CommitUnknown):
        await asked(unsure(rig, done=False), 2)
    assert await read(rig, lambda tx: tx.jobs.by_source("call:2")) is None


async def test_three_calls_with_sound_have_room_and_the_others_a_number(rig: Rig) -> None:
    ctx = rig.switchboard.context
    seen = []
    for n in range(5):
        rig.clock.advance(0.01)  # calls have an order
        seen.append((await asked(ctx, n)).position)
    assert seen == [0, 0, 0, 1, 2]
    assert await read(rig, lambda tx: room_in(tx, MARIA, LANE)) == 15
    assert await read(rig, lambda tx: room_in(tx, ADA, LANE)) == 20


async def test_twenty_open_calls_are_the_most_of_one_person(rig: Rig) -> None:
    ctx = rig.switchboard.context
    for n in range(18):
        await asked(ctx, n)
    await make_sure_of_room(ctx, MARIA, [SOUND, SOUND])
    with pytest.raises(PersonError):
        await make_sure_of_room(ctx, MARIA, [SOUND, SOUND, SOUND])
    for n in (18, 19):
        await asked(ctx, n)
    with pytest.raises(PersonError):
        await asked(ctx, 20)
    again = await asked(ctx, 3)
    assert again.id == (await asked(ctx, 3)).id, "what was stored needs no room"
    assert (await asked(ctx, 21, ADA)).state is CallState.WAITING


async def test_a_call_without_a_result_is_repeated_once(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    woken: list[bool] = []
    ctx = replace(ctx, wake=lambda: woken.append(True))
    first = await asked(ctx, 1)
    assert await repeat(ctx, first.id, person=ADA) is None
    job = await read(rig, lambda tx: tx.jobs.get(first.id))
    assert job is not None
    await ctx.store.write(lambda tx: tx.jobs.touch(job, state=CallState.FAILED, closed_at=now, due_at=None))
    woken.clear()
    again = await repeat(ctx, first.id, person=ADA)
    assert again is not None
    assert (again.order.again_of, again.requester, again.state, woken) == (first.id, ADA, CallState.WAITING, [True])
    assert await repeat(ctx, first.id, person=ADA) is None
    failed = await read(rig, lambda tx: tx.jobs.get(first.id))
    assert failed is not None
    progress = CallProgress.read(failed.detail)
    assert (progress.again, progress.by) == (again.id, ADA)
    assert await repeat(ctx, "gone", person=ADA) is None


async def test_cards_are_redrawn_as_a_call_begins_and_before_its_files_go(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []

    async def answer(*_: object) -> Done[Tracks]:
        happened.append("answered")
        return Done(value=Tracks(tracks=(Track(name="vocals", url="https://l.example/f", extension="mp3"),)))

    async def hand_over(*_: object, **__: object) -> None:
        happened.append("handed over")

    monkeypatch.setattr(running, "_answer", answer)
    monkeypatch.setattr(running, "hand_over", hand_over)
    ctx = replace(rig.switchboard.context, wake=lambda: happened.append("woken"))
    file = rig.workspace.upload(MARIA, "song.mp3", b"ID3\0", duration_ms=125_000)
    asked_for = replace(SOUND, file=file)
    seen = await request_call(ctx, asked_for, by=MARIA, channel=FINANCE, source_key="call:1")
    hold: Any = {"now": rig.clock.now(), "owner": ctx.owner, "lease_seconds": 60, "limit": 1}
    [job] = await ctx.store.write(lambda tx: tx.jobs.claim_due(kind=LANE, in_turn=True, **hold))
    assert job.id == seen.id
    behind = await asked(ctx, 2)
    before = await read(rig, lambda tx: tx.boards.get(f"localization:{behind.id}"))
    happened.clear()
    await running._call(ctx, job)
    assert happened == ["answered", "woken", "handed over"]
    after = await read(rig, lambda tx: tx.boards.get(f"localization:{behind.id}"))
    assert before is not None
    assert after is not None
    assert after.wanted_version == before.wanted_version + 1, "its number in the queue"


async def test_what_is_no_call_is_not_found(rig: Rig) -> None:
    assert await read(rig, lambda tx: find(tx, "gone")) is None
    assert await sight_of(rig.switchboard.context, "gone") is None


async def test_a_file_is_as_long_as_its_milliseconds_say(rig: Rig) -> None:
    ctx = rig.switchboard.context
    file = rig.workspace.upload(MARIA, "song.mp3", b"ID3\0", duration_ms=125_000)
    known, _ = await running._prepared(ctx, replace(SOUND, file=file, seconds=7.0))
    assert (known.seconds, known.file_format) == (125.0, "mp3")


async def test_a_file_that_turns_out_to_be_of_another_kind_is_not_sent(rig: Rig) -> None:
    text = rig.workspace.upload(MARIA, "song.mp3", b"only words")
    with pytest.raises(PersonError):
        await running._prepared(rig.switchboard.context, replace(SOUND, file=text))
