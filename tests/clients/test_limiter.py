import asyncio
import heapq
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clients.limiter import Lane, SlidingWindowLimiter

YIELDS = 12
"""Turns of the loop after which everybody who can run has run."""


class VirtualTime:
    """A clock that moves only when everybody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._numbers = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._numbers), done))
        await done

    async def settle(self) -> None:
        for _ in range(YIELDS):
            await asyncio.sleep(0)

    async def run_until(self, moment: float) -> None:
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= moment:
            self.now, _, done = heapq.heappop(self._sleepers)
            if not done.done():
                done.set_result(None)
            await self.settle()
        self.now = max(self.now, moment)


def limiter(time: VirtualTime) -> SlidingWindowLimiter:
    return SlidingWindowLimiter(clock=time.clock, sleep=time.sleep)


async def go(slots: SlidingWindowLimiter, lane: Lane, *, patience: float) -> bool:
    """Get a turn and leave at once."""
    granted = await slots.acquire(lane, patience=patience)
    if granted:
        await slots.departs()
    return granted


async def sends(arrivals: list[tuple[float, Lane]], *, refusals: list[float] | None = None) -> list[float]:
    """The moments at which requests that arrive so are sent; refusals are moments of a 429."""
    time = VirtualTime()
    slots = limiter(time)
    sent: list[float] = []

    async def request(delay: float, lane: Lane) -> None:
        await time.sleep(delay)
        if await go(slots, lane, patience=1e6):
            sent.append(time.now)

    async def refuse(delay: float) -> None:
        await time.sleep(delay)
        slots.slow_down(None)

    async with asyncio.TaskGroup() as tasks:
        for delay, lane in arrivals:
            tasks.create_task(request(delay, lane))
        for delay in refusals or []:
            tasks.create_task(refuse(delay))
        await time.run_until(time.now + 500)
    return sent


def busiest_second(sent: list[float]) -> int:
    return max(sum(1 for other in sent if start <= other < start + 1.0) for start in sent)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(min_value=0, max_value=6, allow_nan=False), st.sampled_from(Lane)),
        min_size=1,
        max_size=60,
    ),
    st.lists(st.floats(min_value=0, max_value=6, allow_nan=False), max_size=2),
)
def test_never_more_than_ten_in_any_sliding_second_and_nobody_is_forgotten(
    arrivals: list[tuple[float, Lane]], refusals: list[float]
) -> None:
    sent = asyncio.run(sends(arrivals, refusals=refusals))
    assert len(sent) == len(arrivals)
    assert busiest_second(sent) <= 10


async def test_the_ten_are_used_fully() -> None:
    sent = await sends([(0.0, Lane.READ)] * 100)
    assert sent[-1] - sent[0] == pytest.approx(9 * 1.02)


async def test_effects_go_before_reads_and_reads_before_listings() -> None:
    time = VirtualTime()
    slots = limiter(time)
    order: list[str] = []

    async def request(name: str, lane: Lane) -> None:
        assert await go(slots, lane, patience=100)
        order.append(name)

    async with asyncio.TaskGroup() as tasks:
        for number in range(10):
            tasks.create_task(request(f"first {number}", Lane.LISTING))
        await time.settle()
        for name, lane in [("list", Lane.LISTING), ("read 1", Lane.READ), ("read 2", Lane.READ), ("pay", Lane.EFFECT)]:
            tasks.create_task(request(name, lane))
        await time.run_until(time.now + 10)
    assert order[10:] == ["pay", "read 1", "read 2", "list"]


async def test_a_429_holds_everybody_and_widens_the_window_for_a_while() -> None:
    time = VirtualTime()
    slots = limiter(time)
    slots.slow_down(5.0)
    start = time.now
    moments: list[float] = []

    async def request() -> None:
        assert await go(slots, Lane.READ, patience=1000)
        moments.append(time.now - start)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(21):
            tasks.create_task(request())
        await time.run_until(start + 30)
    assert moments[0] == pytest.approx(5.0)
    assert moments[10] - moments[0] == pytest.approx(1.5)
    await time.run_until(start + 61)
    late = await sends_from(time, slots, 11)
    assert late[10] - late[0] == pytest.approx(1.02)


async def sends_from(time: VirtualTime, slots: SlidingWindowLimiter, count: int) -> list[float]:
    moments: list[float] = []

    async def request() -> None:
        assert await go(slots, Lane.READ, patience=1000)
        moments.append(time.now)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(count):
            tasks.create_task(request())
        await time.run_until(time.now + 30)
    return moments


async def test_who_would_wait_too_long_is_told_at_once() -> None:
    time = VirtualTime()
    slots = limiter(time)
    slots.slow_down(60.0)
    assert await go(slots, Lane.EFFECT, patience=4) is False
    assert time.now == 1000.0


async def test_a_long_queue_refuses_the_impatient() -> None:
    time = VirtualTime()
    slots = limiter(time)
    async with asyncio.TaskGroup() as tasks:
        waiting = [tasks.create_task(go(slots, Lane.READ, patience=1000)) for _ in range(60)]
        await time.settle()
        assert await go(slots, Lane.LISTING, patience=2) is False
        await time.run_until(time.now + 30)
    assert all(task.result() for task in waiting)


async def test_a_cancelled_request_gives_its_place_to_the_next() -> None:
    time = VirtualTime()
    slots = limiter(time)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(10):
            tasks.create_task(go(slots, Lane.READ, patience=100))
        await time.settle()
        head = tasks.create_task(go(slots, Lane.READ, patience=100))
        await time.settle()
        follower = tasks.create_task(go(slots, Lane.READ, patience=100))
        await time.settle()
        head.cancel()
        await time.run_until(time.now + 5)
    assert head.cancelled()
    assert follower.result() is True


async def test_no_retry_after_stops_everything_for_longer_than_a_minute() -> None:
    time = VirtualTime()
    slots = limiter(time)
    slots.slow_down(3600.0)
    await time.run_until(time.now + 61)
    assert await go(slots, Lane.READ, patience=1)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(min_value=0, max_value=3, allow_nan=False),
            st.floats(min_value=0, max_value=4, allow_nan=False),
            st.booleans(),
        ),
        min_size=11,
        max_size=50,
    )
)
def test_however_long_connecting_takes_no_second_has_more_than_ten(drawn: list[tuple[float, float, bool]]) -> None:
    """Arrival, seconds until the connection stands, and whether anything is sent then."""

    async def play() -> list[float]:
        time = VirtualTime()
        slots = limiter(time)
        departures: list[float] = []

        async def request(delay: float, connecting: float, sends_it: bool) -> None:
            await time.sleep(delay)
            assert await slots.acquire(Lane.READ, patience=1e6)
            await time.sleep(connecting)
            if sends_it:
                while not await slots.departs():
                    assert await slots.acquire(Lane.READ, patience=1e6)
                departures.append(time.now)
            else:
                slots.stayed()

        async with asyncio.TaskGroup() as tasks:
            for one in drawn:
                tasks.create_task(request(*one))
            await time.run_until(time.now + 500)
        return departures

    departures = asyncio.run(play())
    assert len(departures) == sum(sends_it for _, _, sends_it in drawn)
    assert not departures or busiest_second(departures) <= 10


async def test_a_turn_that_was_not_used_is_free_again_at_once() -> None:
    slots = limiter(VirtualTime())
    for _ in range(30):
        assert await slots.acquire(Lane.READ, patience=0)
        slots.stayed()


async def test_connections_that_hang_hold_up_nobody() -> None:
    time = VirtualTime()
    slots = limiter(time)
    assert all([await slots.acquire(Lane.READ, patience=0) for _ in range(10)])
    assert not await slots.acquire(Lane.READ, patience=0)
    time.now += 0.3  # none of the ten has left
    assert await go(slots, Lane.EFFECT, patience=0)
    assert not await slots.departs()  # theirs grew old; they ask again
