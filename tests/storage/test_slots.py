"""Ten requests in any second, all processes together."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable

import psycopg
import pytest

from bot.clients.limiter import Lane, PartnerTurns
from storage.slots import SharedSlots

pytestmark = pytest.mark.postgres

Opening = Callable[[], SharedSlots]


@pytest.fixture
async def opening(postgres_url: str) -> AsyncIterator[Opening]:
    """A process more, as far as slots are concerned."""
    opened: list[SharedSlots] = []

    def open_it() -> SharedSlots:
        opened.append(SharedSlots.open(postgres_url))
        return opened[-1]

    yield open_it
    for slots in opened:
        await slots.close()


async def used(slots: SharedSlots, *, within: float = 30.0) -> bool:
    """Leave with the next slot, when it is due."""
    slot = await slots.reserve(within=within)
    if slot is None:
        return False
    await asyncio.sleep(max(0.0, slot.due - time.monotonic()))  # the server's clock cannot be moved
    return await slot.leaves()


def busiest_second(moments: list[float]) -> int:
    ordered = sorted(moments)
    return max(sum(1 for other in ordered if 0 <= other - start < 1.0) for start in ordered)


async def test_no_second_has_more_than_ten_arrivals_over_four_processes(opening: Opening) -> None:
    """However long connections take, and whatever the network does to each request up to 50 ms."""
    processes = [PartnerTurns(opening(), clock=time.monotonic) for _ in range(4)]
    arrivals: list[float] = []

    async def request(turns: PartnerTurns, connecting: float, travelling: float, is_answered: bool) -> None:
        turn = await turns.acquire(Lane.READ, patience=60)
        assert turn is not None
        await asyncio.sleep(connecting)
        assert await turn.departs()
        arrivals.append(time.monotonic() + travelling)
        await asyncio.sleep(travelling)
        if is_answered:
            await turn.answered()

    chance = random.Random(7)  # noqa: S311 - repeatable on purpose
    ways = [(0.3 * (n % 3), chance.choice([0.0, 0.03, 0.05]), n % 4 > 0) for n in range(34)]
    await asyncio.gather(*(request(processes[n % 4], *way) for n, way in enumerate(ways)))
    assert len(arrivals) == len(ways)
    assert busiest_second(arrivals) <= 10


async def test_processes_take_turns(opening: Opening) -> None:
    """Three of a busy one for one of another that has come later: each waits for its next slot when it had one."""
    busy, late = opening(), opening()
    assert all([await used(busy) for _ in range(11)])
    first = await busy.reserve(within=5)
    second = await late.reserve(within=5)
    third = await busy.reserve(within=5)
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.due < second.due < third.due < time.monotonic() + 1.07


@pytest.mark.parametrize(("after", "earlier"), [(0.0, 69_000), (0.05, 19_000), (0.066, 0), (5.0, 0)])
async def test_an_answer_frees_its_slot_a_second_later(
    postgres_url: str, opening: Opening, after: float, earlier: int
) -> None:
    """Seconds after the first byte, and the microseconds by which the slot is free earlier than without an answer."""
    slots = opening()
    slots.clock = iter([0.0, 0.0, 0.0, 0.0, 0.0, after]).__next__
    slot = await slots.reserve(within=5)
    assert slot is not None
    assert await slot.leaves()
    left = _last(postgres_url)
    await slot.answered()
    assert left - _last(postgres_url) == earlier


async def test_an_answer_frees_no_slot_that_somebody_else_has(postgres_url: str, opening: Opening) -> None:
    one, other = opening(), opening()
    slots = [await one.reserve(within=5) for _ in range(10)]
    assert await used(other)
    left = _last(postgres_url)
    for slot in slots:
        assert slot is not None
        await slot.answered()
    assert _last(postgres_url) == left


async def test_a_slot_whose_holder_was_slow_belongs_to_who_took_it_meanwhile(opening: Opening) -> None:
    slow, quick = opening(), opening()
    reserved = [await slow.reserve(within=5) for _ in range(10)]
    assert await used(quick)  # waits until the oldest of them is a window old
    gone = [await slot.leaves() for slot in reserved if slot is not None]
    assert gone.count(True) <= 9


async def test_who_has_no_patience_is_told_so(opening: Opening) -> None:
    slots = opening()
    slots.window = 60.0  # far more than a busy machine takes for ten of them
    assert all([await used(slots) for _ in range(10)])
    begun = time.monotonic()
    assert await slots.reserve(within=20) is None
    assert time.monotonic() - begun < 10, "it is known before it is over"


async def test_a_429_holds_everybody(opening: Opening) -> None:
    one, other = opening(), opening()
    assert await used(other)
    await one.slow_down(30)
    assert await one.reserve(within=1) is None
    assert await other.reserve(within=1) is None


async def test_connections_that_were_cut_are_made_again(postgres_url: str, opening: Opening) -> None:
    slots = opening()
    assert await used(slots)
    _cut(postgres_url)
    assert await used(slots)


async def test_a_slot_that_cannot_be_stamped_is_not_used(postgres_url: str, opening: Opening) -> None:
    slots = opening()
    slot = await slots.reserve(within=1)
    assert slot is not None
    await asyncio.sleep(0.02)  # too late to leave without a stamp
    _cut(postgres_url)
    assert not await slot.leaves()


async def test_a_database_that_is_away_lets_nobody_send(postgres_url: str) -> None:
    slots = SharedSlots.open(postgres_url.rsplit("/", 1)[0] + "/there_is_no_such_database")
    assert await slots.reserve(within=0.3) is None
    await slots.slow_down(1)  # nobody to tell
    await slots.close()


async def test_one_process_needs_none(sqlite_url: str) -> None:
    with pytest.raises(TypeError):
        SharedSlots.open(sqlite_url)


def _last(url: str) -> int:
    """The newest moment of any slot, in microseconds."""
    with psycopg.connect(url) as connection:
        found = connection.execute("select max(sent_at) from send_slot").fetchone()
    assert found is not None
    return int(found[0])


def _cut(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        ).fetchall()
    assert found
