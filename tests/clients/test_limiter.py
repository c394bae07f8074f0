import asyncio
import heapq
import itertools
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clients.limiter import Lane, PartnerTurns, SlidingWindow


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
        ready = vars(asyncio.get_running_loop())["_ready"]
        for _ in itertools.takewhile(lambda n: n == 0 or ready, itertools.count()):
            await asyncio.sleep(0)

    async def run_until(self, moment: float) -> None:
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= moment:
            self.now, _, done = heapq.heappop(self._sleepers)
            if not done.done():
                done.set_result(None)
            await self.settle()
        self.now = max(self.now, moment)


def turns(time: VirtualTime) -> PartnerTurns:
    return PartnerTurns(SlidingWindow(clock=time.clock), clock=time.clock, sleep=time.sleep)


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def slots(time: VirtualTime) -> PartnerTurns:
    return turns(time)


class Way(NamedTuple):
    """One request: when it comes, and the seconds of each part of its way. ``answering`` None: never."""

    comes: float = 0.0
    connecting: float = 0.0
    travelling: float = 0.0
    answering: float | None = 0.0
    lane: Lane = Lane.READ


async def arrivals(
    ways: list[Way], *, refusals: list[float] | None = None, time: VirtualTime | None = None
) -> list[float]:
    """The moments at which requests arrive; refusals are moments of a 429."""
    time = time or VirtualTime()
    slots = turns(time)
    arrived: list[float] = []

    async def request(way: Way) -> None:
        await time.sleep(way.comes)
        turn = await slots.acquire(way.lane, patience=1e6)
        assert turn is not None
        await time.sleep(way.connecting)
        assert await turn.departs()
        await time.sleep(way.travelling)
        arrived.append(time.now)
        if way.answering is not None:
            await time.sleep(way.answering)
            await turn.answered()
        turn.over()

    async def refuse(delay: float) -> None:
        await time.sleep(delay)
        await slots.slow_down(None)

    async with asyncio.TaskGroup() as tasks:
        for way in ways:
            tasks.create_task(request(way))
        for delay in refusals or []:
            tasks.create_task(refuse(delay))
        await time.run_until(time.now + 1000)
    return sorted(arrived)


def busiest_second(arrived: list[float]) -> int:
    return max(sum(1 for other in arrived if start <= other < start + 1.0) for start in arrived)


def seconds(most: float) -> st.SearchStrategy[float]:
    return st.floats(min_value=0, max_value=most, allow_nan=False)


WAYS = st.builds(
    Way,
    comes=seconds(4),
    connecting=st.just(0.0) | seconds(4),
    travelling=seconds(0.05),
    answering=st.none() | seconds(0.1) | seconds(3),
    lane=st.sampled_from(Lane),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WAYS, min_size=11, max_size=60), st.lists(seconds(6), max_size=2))
def test_at_most_ten_requests_arrive_in_any_second(ways: list[Way], refusals: list[float]) -> None:
    """However long connecting takes, and whatever the network does to each request up to 50 ms."""
    arrived = asyncio.run(arrivals(ways, refusals=refusals))
    assert len(arrived) == len(ways)
    assert busiest_second(arrived) <= 10


HELD_UP = st.builds(
    Way,
    comes=st.floats(min_value=3, max_value=7),
    connecting=st.just(0.0) | seconds(1),
    travelling=seconds(0.9),
    answering=st.just(0.2) | st.floats(min_value=0.2, max_value=2) | st.none(),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(HELD_UP, min_size=11, max_size=50))
def test_at_most_ten_arrive_in_any_second_while_single_requests_are_held_up(ways: list[Way]) -> None:
    """By as much as 0.9 s; answers take 0.2 s at least, as those before did."""
    arrived = asyncio.run(arrivals([*[Way(answering=0.2)] * 10, *ways]))
    assert len(arrived) == len(ways) + 10
    assert busiest_second(arrived) <= 10


@pytest.mark.parametrize(
    ("answering", "per_ten"),
    [(0.0, 1.001), (0.02, 1.021), (0.5, 1.055), (None, 2.0)],
    ids=["at once", "soon", "late", "never"],
)
async def test_the_ten_are_used_as_far_as_can_be_promised(answering: float | None, per_ten: float) -> None:
    """Once ten answers have shown how long they take at least."""
    arrived = await arrivals([Way(answering=answering)] * 110)
    assert arrived[-1] - arrived[19] == pytest.approx(9 * per_ten, abs=0.03)


@pytest.mark.parametrize(("usual", "answering", "eleventh"), [
    (0.1, 0.03, 1.031),  # a second after an answer that came at once
    (0.1, 0.1, 1.055),  # no sooner for an answer as quick as the others
    (0.1, 0.4, 1.301),  # later by as much as the answer was late
    (0.1, 0.95, 1.851),
    (0.1, 1.8, 2.0),  # two seconds after the first byte at the latest
    (0.1, None, 2.0),
    (1.21, 1.21, 1.211),  # as late as usual: the request arrived more than a second before its answer
    (None, 0.4, 1.401),  # the first ten may all have been late
])  # fmt: skip
async def test_sent_request_counts_until_it_must_have_arrived(
    usual: float | None, answering: float | None, eleventh: float
) -> None:
    """Ten answers before took as long as ``usual``; of eleven requests then ten are answered as late as is said."""
    before = [] if usual is None else [Way(answering=usual)] * 10
    arrived = (await arrivals([*before, *[Way(comes=5.0, answering=answering)] * 11]))[len(before) :]
    assert arrived[9] - arrived[0] == pytest.approx(0.0)
    assert arrived[10] - arrived[0] == pytest.approx(eleventh, abs=0.021)  # who is next looks every 20 ms


@pytest.mark.parametrize("connecting", [0.2, 1.0])
async def test_the_ten_are_used_although_each_request_connects_first(connecting: float) -> None:
    arrived = await arrivals([Way(connecting=connecting)] * 200)
    assert (arrived[-1] - arrived[0]) / 19 == pytest.approx(1.001, rel=0.03)


async def test_effects_precede_reads_and_reads_precede_lists(time: VirtualTime, slots: PartnerTurns) -> None:
    order: list[str] = []

    async def request(name: str, lane: Lane) -> None:
        assert await go(slots, lane, patience=100)
        order.append(name)

    async with asyncio.TaskGroup() as tasks:
        for number in range(40):
            tasks.create_task(request(f"first {number}", Lane.LISTING))
        await time.settle()
        for name, lane in [("list", Lane.LISTING), ("read 1", Lane.READ), ("read 2", Lane.READ), ("pay", Lane.EFFECT)]:
            tasks.create_task(request(name, lane))
        await time.run_until(time.now + 20)
    places = [order.index(name) for name in ("pay", "read 1", "read 2", "list")]
    assert places == sorted(places)
    assert order.index("pay") == 11, "right after who had the next slot already"
    assert order[-1] == "list"


async def go(slots: PartnerTurns, lane: Lane, *, patience: float) -> bool:
    """Get a turn, leave and be answered at once."""
    turn = await slots.acquire(lane, patience=patience)
    if turn is None:
        return False
    try:
        has_left = await turn.departs()
        await turn.answered()
        return has_left
    finally:
        turn.over()


async def moments(time: VirtualTime, slots: PartnerTurns, count: int, *, within: float = 30) -> list[float]:
    """When each of so many leaves, from now."""
    start = time.now
    left: list[float] = []

    async def request() -> None:
        assert await go(slots, Lane.READ, patience=1000)
        left.append(time.now - start)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(count):
            tasks.create_task(request())
        await time.run_until(time.now + within)
    return left


async def test_429_delays_all_requests_and_widens_the_window(time: VirtualTime, slots: PartnerTurns) -> None:
    await slots.slow_down(5.0)
    left = await moments(time, slots, 21)
    assert left[0] == pytest.approx(5.0)
    assert left[10] - left[0] == pytest.approx(1.5, abs=0.021)
    await time.run_until(1061)
    left = await moments(time, slots, 11)
    assert left[10] - left[0] == pytest.approx(1.001, abs=0.021)


async def test_429_delays_requests_already_waiting() -> None:
    arrived = await arrivals([Way()] * 11, refusals=[0.5])
    assert arrived[10] - arrived[0] == pytest.approx(1.5)


async def test_too_long_wait_is_refused_at_once(time: VirtualTime, slots: PartnerTurns) -> None:
    await slots.slow_down(3600.0)
    assert await go(slots, Lane.EFFECT, patience=4) is False
    assert time.now == 1000.0
    await time.run_until(time.now + 61)
    assert await go(slots, Lane.READ, patience=1)


async def test_a_long_queue_refuses_the_impatient(time: VirtualTime, slots: PartnerTurns) -> None:
    async with asyncio.TaskGroup() as tasks:
        waiting = [tasks.create_task(go(slots, Lane.READ, patience=1000)) for _ in range(60)]
        await time.settle()
        assert await go(slots, Lane.LISTING, patience=2) is False
        await time.run_until(time.now + 30)
    assert all(task.result() for task in waiting)


@pytest.mark.parametrize("waited", [0, 1, 2, 3])
async def test_a_cancelled_request_gives_its_place_on(time: VirtualTime, slots: PartnerTurns, waited: int) -> None:
    """Wherever it waits: to connect, to leave, or just when it is called."""
    async with asyncio.TaskGroup() as tasks:
        before = [tasks.create_task(go(slots, Lane.READ, patience=100)) for _ in range(10)]
        await time.settle()
        cancelled = [tasks.create_task(go(slots, Lane.READ, patience=100)) for _ in range(20)]
        await time.settle()
        follower = tasks.create_task(go(slots, Lane.LISTING, patience=100))
        await time.settle()
        await time.run_until(time.now + 0.5 * waited)
        before[0].cancel()
        for one in cancelled:
            one.cancel()
        await time.run_until(time.now + 5)
    assert follower.result() is True


async def test_a_turn_that_was_not_used_is_free_again_at_once(slots: PartnerTurns) -> None:
    for _ in range(30):
        turn = await slots.acquire(Lane.READ, patience=0)
        assert turn is not None
        turn.over()


@pytest.mark.parametrize(("lane", "places"), [(Lane.READ, 12), (Lane.LISTING, 12), (Lane.EFFECT, 18)])
async def test_connecting_takes_a_place(time: VirtualTime, slots: PartnerTurns, lane: Lane, places: int) -> None:
    """Of the eighteen places six are for effects only."""
    for _ in range(places):
        assert await slots.acquire(lane, patience=0) is not None
    assert await slots.acquire(lane, patience=0) is None
    await time.run_until(1000.99)
    assert await slots.acquire(lane, patience=0) is None
    await time.run_until(1001.0)
    assert await slots.acquire(lane, patience=0) is not None
