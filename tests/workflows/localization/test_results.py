"""The files of a call on their way into its thread: tried again, given up, closed with what is there."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.audit import CLOCK_SET
from bot.domain.errors import ServiceNow
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import MEDIA_LANE, CallProgress, CallState, Handed, Order, ResultFile
from bot.domain.localization.request import Request
from bot.domain.localization.results import Track, Tracks
from bot.presentation.reasons import worded
from bot.workflows.context import Unit, witness
from bot.workflows.localization import results
from bot.workflows.slack.boards import post_board
from storage.rows import Job
from storage.transaction import Tx
from tests.support.reasons import own_words
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.troubles import says
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig

HEAD = 64 * 1024
ORDER = Order(request=Request(operation=CallOperation.SEPARATION, file="F1").complete(), file_name="song.mp3")
SECOND = timedelta(seconds=1)
AWAY = own_words("is away")


class Stream:
    """An answer that is read once, as far as somebody wants."""

    def __init__(self, *chunks: bytes) -> None:
        self.chunks, self.read = chunks, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            self.read += 1
            yield chunk


@pytest.mark.parametrize(("chunks", "held"), [
    ((), 0), ((b"a",), 1), ((b"a", b"b"), 2), ((b"a" * HEAD, b"b"), 1), ((b"a" * (HEAD - 1), b"b", b"c"), 2),
])  # fmt: skip
async def test_the_beginning_of_a_stream_is_looked_at_and_kept(chunks: tuple[bytes, ...], held: int) -> None:
    stream = Stream(*chunks)
    head, whole = await results._begun(aiter(stream))
    assert (head, stream.read) == (b"".join(chunks[:held]), held)
    assert b"".join([chunk async for chunk in whole]) == b"".join(chunks)


def track(name: str, *, url: str = "https://l.example/f") -> Track:
    return Track(name=name, url=url, extension="mp3")


def on_its_way(*states: Handed, **changes: Any) -> CallProgress:
    files = tuple(ResultFile(track=track(f"t{n}"), name=f"t{n}.mp3", state=state) for n, state in enumerate(states))
    there = Tracks(tracks=tuple(track(f"t{n}", url="") for n in range(len(states))))
    return CallProgress(deliveries=files, result=there, **changes)


async def job(rig: Rig, name: str, progress: CallProgress, state: CallState = CallState.HANDING_OVER) -> Job:
    now = rig.clock.now()
    one = Job(
        id=name, kind=MEDIA_LANE, state=state, payload=ORDER.payload(), detail=progress.detail(), requester=MARIA,
        channel=FINANCE, thread_ts=None, source_key=name, created_at=now, due_at=now, lease_owner="me",
        lease_until=now + 60 * SECOND,
    )  # fmt: skip

    def store(tx: Tx) -> None:
        assert tx.jobs.add(one)
        post_board(Unit(tx, now=now), subject=f"localization:{name}", channel=FINANCE, thread_ts=None, requester=MARIA)

    await rig.switchboard.context.store.write(store)
    return one


async def stored(rig: Rig, one: Job) -> tuple[Job, CallProgress]:
    found = await read(rig, lambda tx: tx.jobs.get(one.id))
    assert found is not None
    return found, CallProgress.read(found.detail)


async def drawn(rig: Rig, name: str) -> int:
    board = await read(rig, lambda tx: tx.boards.get(f"localization:{name}"))
    assert board is not None
    return board.wanted_version


async def test_the_message_of_a_call_is_waited_for_ten_seconds(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    woken: list[bool] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(results, "asyncio", SimpleNamespace(sleep=sleep))
    one = await job(rig, "J1", on_its_way(Handed.NEW))
    ctx = replace(rig.switchboard.context, wake=lambda: woken.append(True))
    with pytest.raises(ServiceNow, check=says("hasn't taken this message yet")):
        await results._where(ctx, one)
    assert (slept, len(woken)) == ([0.25] * 40, 40)


@on_one_rig([
    (0, None, Handed.NEW, 1, 4), (1, None, Handed.NEW, 2, 8), (3, None, Handed.NEW, 4, 30),
    (4, None, Handed.NEW, 5, 30), (0, 7.0, Handed.NEW, 0, 7), (4, 7.0, Handed.NEW, 4, 7), (9, 90.0, Handed.NEW, 9, 90),
])  # fmt: skip
async def test_a_file_that_slack_did_not_take_is_tried_again_five_times(
    rig: Rig, tries: int, asked: float | None, state: Handed, counted: int, seconds: int
) -> None:
    one = await job(rig, f"J{tries}{asked}", on_its_way(Handed.NEW, Handed.NEW, tries=tries))
    ctx = rig.switchboard.context
    assert await results._later(ctx, one, 0, state, reason=AWAY, spool=None, asked=asked) is None
    after, progress = await stored(rig, one)
    assert (progress.tries, [each.state for each in progress.deliveries]) == (counted, [state, Handed.NEW])
    assert (after.due_at, after.lease_owner) == (rig.clock.now() + seconds * SECOND, "")


async def test_at_the_sixth_time_the_next_file_follows(rig: Rig) -> None:
    one = await job(rig, "J1", on_its_way(Handed.NEW, Handed.NEW, tries=5))
    ctx = rig.switchboard.context
    changed = await results._later(ctx, one, 0, Handed.NEW, reason=AWAY, spool=None)
    assert changed is not None
    _, progress = await stored(rig, one)
    assert (progress.tries, [each.state for each in progress.deliveries]) == (0, [Handed.LOST, Handed.NEW])
    assert "is away" in worded(progress.reason)
    assert progress.deliveries[0].track.url == ""


async def test_a_file_that_only_this_process_has_keeps_its_lease(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    again: list[str] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def hand_over(_ctx: object, changed: Job, *, spool: object) -> None:
        assert spool is not None
        again.append(changed.id)

    monkeypatch.setattr(results, "asyncio", SimpleNamespace(sleep=sleep, to_thread=asyncio.to_thread))
    monkeypatch.setattr(results, "hand_over", hand_over)
    one = await job(rig, "J1", on_its_way(Handed.NEW))
    spool: Any = SimpleNamespace(size=5)
    await results._later(rig.switchboard.context, one, 0, Handed.NEW, reason=AWAY, spool=spool)
    after, _ = await stored(rig, one)
    assert (after.lease_owner, after.lease_until) == (one.lease_owner, one.lease_until)
    assert (slept, again) == ([4.0], ["J1"])
    empty: Any = SimpleNamespace(size=0)
    await results._later(rig.switchboard.context, after, 0, Handed.NEW, reason=AWAY, spool=empty)
    assert again == ["J1"], "there is nothing that another process could not read as well"


@pytest.mark.parametrize(
    ("states", "lost", "said"),
    [
        ((Handed.THERE, Handed.THERE), (), []),
        ((Handed.THERE, Handed.LOST), ("t1",), ["end"]),
    ],
)
async def test_a_call_that_is_over_names_what_is_missing_and_the_waiting_ones_move_up(
    rig: Rig, states: tuple[Handed, ...], lost: tuple[str, ...], said: list[str]
) -> None:
    ctx = rig.switchboard.context
    one = await job(rig, "J1", on_its_way(*states))
    rig.clock.advance(60)  # so long nobody looks at its message
    waiting = await job(rig, "J2", CallProgress(), CallState.WAITING)
    running = await job(rig, "J3", CallProgress(), CallState.RUNNING)
    before = [await drawn(rig, name) for name in ("J1", "J2", "J3")]
    await ctx.store.write(lambda tx: results._close(Unit(tx, ctx), one))
    after, progress = await stored(rig, one)
    assert (after.state, after.closed_at, progress.deliveries) == (CallState.DONE, rig.clock.now(), ())
    assert isinstance(progress.result, Tracks)
    assert progress.result.missing == lost
    assert [each.name for each in progress.result.tracks] == [name for name in ("t0", "t1") if name not in lost]
    now = [await drawn(rig, name) for name in ("J1", "J2", "J3")]
    assert [now[n] > before[n] for n in range(3)] == [True, True, False]
    rows = await read(rig, lambda tx: [tx.outbox.by_key(f"line:localization:J1:{key}") for key in ("end",)])
    assert [row is not None for row in rows] == [bool(said)]
    assert (waiting.id, running.id) == ("J2", "J3")


async def searches(rig: Rig, one: Job) -> timedelta | None:
    """How long a file whose upload got no answer waits to be searched for; None: it is searched for now."""
    now, searched = rig.clock.now(), False

    async def find(*_: object, **__: object) -> object:
        nonlocal searched
        searched = True
        return SimpleNamespace(ts="1.0")

    ctx = rig.switchboard.context
    messenger: Any = SimpleNamespace(find=find)
    await ctx.store.write(
        lambda tx: tx.boards.posted(f"localization:{one.id}", channel=FINANCE, ts="1.0", version=1, now=now)
    )
    await results._hand_one(replace(ctx, messenger=messenger), one, 0, None)
    due = (await stored(rig, one))[0].due_at
    assert due is not None
    return None if searched else due - now


@on_one_rig([(0, 30, None), (29, 1, None), (30, None, None), (0, 30, -7_200), (0, 30, 7_200), (0, 30, -180_000)])
async def test_a_file_that_may_be_there_is_searched_for_half_a_minute_after_it_was_sent_whatever_the_clock_does(
    rig: Rig, ago: int, seconds: int | None, step: int | None
) -> None:
    """It takes Slack a while to list it: a search that comes too early would double it."""
    ctx, now = rig.switchboard.context, rig.clock.now()
    sent_at = now - timedelta(seconds=ago + (step or 0))
    if step is not None:
        await ctx.store.write(lambda tx: witness(Unit(tx, now=now), CLOCK_SET, {"seconds": step, "rows": 1}))
    one = await job(rig, f"J{ago}{step}", on_its_way(Handed.MAYBE, sent_at=sent_at))
    assert await searches(rig, one) == (None if seconds is None else seconds * SECOND)
    if seconds is not None:
        rig.clock.advance(seconds)
        assert await searches(rig, (await stored(rig, one))[0]) is None
    rig.clock.advance(1_000_000)  # the next case begins long after this step of the clock
