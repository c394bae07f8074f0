"""Posts of a conversation begin one at a time and in their order; a slow one holds up no other for long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from bot.domain.errors import ServiceNow
from bot.slack.pace import Pace, Turn, Turns
from tests.support.clock import ManualClock

_MOMENT = 0.1

POST = "chat.postMessage"


class Play:
    def __init__(self) -> None:
        self.clock = ManualClock()
        self.pace = Pace(monotonic=self.clock.boottime)
        self.turns = Turns(pace=self.pace, monotonic=self.clock.boottime, sleep=self.clock.sleep)
        self.begun: list[str] = []
        self.waits: dict[str, float | None] = {}
        self.ends: dict[str, asyncio.Event] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def post(self, *names: str, channel: str = "C1") -> None:
        for name in names:
            self.ends[name] = asyncio.Event()
            self._tasks.append(asyncio.create_task(self._post(channel, name)))
        await self.pause()

    async def _post(self, channel: str, name: str) -> None:
        with self.turns.queued(channel, name) as turn:
            try:
                await turn.begin()
                turn.keep_pace(channel)
            except ServiceNow as later:
                self.waits[name] = later.retry_after
                return
            self.begun.append(name)
            assert self.pace.begin(POST, channel) == 0.0
            await self.ends[name].wait()

    async def end(self, *names: str) -> None:
        for name in names:
            self.ends[name].set()
        await self.pause()

    async def pass_time(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await self.pause()

    async def pause(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def close(self) -> None:
        for end in self.ends.values():
            end.set()
        await asyncio.gather(*self._tasks)


@pytest.fixture
async def play() -> AsyncIterator[Play]:
    playing = Play()
    yield playing
    await playing.close()


async def test_urgent_request_does_not_wait_for_delayed_ones(play: Play) -> None:
    with play.turns.queued("C1", "delayed") as delayed:
        delayed.keep_pace("C1")
        delayed.put_off(30.0)
    for name, first, waits in (("next", False, True), ("end", True, False)):
        with play.turns.queued("C1", name) as turn:
            if waits:
                with pytest.raises(ServiceNow) as caught:
                    turn.keep_pace("C1", first=first)
                assert caught.value.retry_after == 31.0
            else:
                turn.keep_pace("C1", first=first)


async def test_turns_follow_the_order_of_queueing(play: Play) -> None:
    await play.post("a", "b", "c")
    assert play.begun == ["a"]
    await play.end("a")
    assert play.begun == ["a", "b"]
    await play.end("b", "c")
    assert play.begun == ["a", "b", "c"]


async def test_slow_post_does_not_block_others(play: Play) -> None:
    await play.post("slow", "b", "c")
    await play.pass_time(0.9 * _MOMENT)
    assert play.begun == ["slow"]
    await play.pass_time(0.2 * _MOMENT)
    assert play.begun == ["slow", "b"]
    await play.end("b")
    assert play.begun == ["slow", "b", "c"]
    await play.end("slow", "c")
    await play.post("d", "e")
    await play.end("d")
    assert play.begun[-2:] == ["d", "e"]


async def test_the_moment_counts_from_its_own_beginning(play: Play) -> None:
    await play.post("a", "b", "c")
    await play.pass_time(0.9 * _MOMENT)
    await play.end("a")
    await play.pass_time(0.9 * _MOMENT)
    assert play.begun == ["a", "b"]
    await play.pass_time(0.2 * _MOMENT)
    assert play.begun == ["a", "b", "c"]


async def test_delayed_post_lets_others_pass(play: Play) -> None:
    with ExitStack() as stack:
        searching, other = (stack.enter_context(play.turns.queued("C1", name)) for name in ("searching", "other"))
        searching.step_back()
        await other.begin()
        assert not await begins(searching)
    await play.post("last")
    assert play.begun == ["last"]


async def begins(turn: Turn) -> bool:
    task = asyncio.create_task(turn.begin())
    for _ in range(10):
        await asyncio.sleep(0)
    done = task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return done


async def test_waiting_calls_are_spread_over_seconds_in_order(play: Play) -> None:
    play.pace.refused(POST, "C1", retry_after=5)
    await play.post("a", "b", "c")
    assert play.waits == {"a": 5.0, "b": 6.0, "c": 7.0}
    await play.pass_time(5)
    await play.post("d")  # newer than those that were put off, although it may be tried now
    assert play.waits["d"] == 3.0
    for number, name in enumerate("abcd"):
        await play.post(name)
        await play.end(name)
        assert play.begun == list("abcd")[: number + 1]
        await play.pass_time(1)


async def test_posts_after_a_refused_one_continue(play: Play) -> None:
    with play.turns.queued("C1", "a") as turn:
        await turn.begin()
        turn.keep_pace("C1")
        play.pace.refused(POST, "C1", retry_after=2)
        turn.put_off(2)
    await play.post("b")
    assert play.waits == {"b": 3.0}


async def test_uploads_have_their_own_queue(play: Play) -> None:
    play.pace.refused(POST, "C1", retry_after=60)
    with play.turns.queued("C1", "file") as turn:
        await turn.begin()
        turn.put_off(60)
    play.clock.advance(60)
    await play.post("message")
    assert play.begun == ["message"], "what holds files up holds up no message"


async def test_hanging_turn_is_abandoned(play: Play) -> None:
    play.pace.refused(POST, "C1", retry_after=2)
    await play.post("given up")
    await play.pass_time(2 + 10.5)
    await play.post("a")
    assert play.begun == ["a"]


async def test_canceled_wait_leaves_the_queue(play: Play) -> None:
    await play.post("a", "b", "c")
    play._tasks[1].cancel()
    await play.pause()
    await play.end("a")
    assert play.begun == ["a", "c"]
    play._tasks.pop(1)


async def test_nothing_is_kept_of_conversations_in_which_nothing_is_posted(play: Play) -> None:
    for number in range(20):
        await play.post(f"a{number}", channel=f"C{number}")
    await play.close()
    assert not play.turns._conversations
