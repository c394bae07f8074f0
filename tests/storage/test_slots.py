"""Ten requests in any second, all processes together."""

import asyncio
import time

import psycopg
import pytest

from storage.slots import SharedSlots

pytestmark = pytest.mark.postgres


def busiest_second(moments: list[float]) -> int:
    ordered = sorted(moments)
    return max(sum(1 for other in ordered if 0 <= other - start < 1.0) for start in ordered)


async def test_however_long_connections_take_no_second_has_more_than_ten(postgres_url: str) -> None:
    """Seen where the first byte leaves: what lies behind it, no limiter can know."""
    processes = [SharedSlots.open(postgres_url) for _ in range(4)]
    departures: list[float] = []

    async def request(slots: SharedSlots, connecting: float) -> None:
        assert await slots.acquire(0, patience=60)
        await asyncio.sleep(connecting)  # the database's clock cannot be moved, so this one is the real one
        while not await slots.departs():
            assert await slots.acquire(0, patience=60)
        departures.append(time.monotonic())

    waits = [1.0 if n % 3 else 0.0 for n in range(36)]  # ten that took a second, and ten that took none, together
    await asyncio.gather(*(request(processes[n % 4], wait) for n, wait in enumerate(waits)))
    assert len(departures) == len(waits)
    assert busiest_second(departures) <= 10
    for slots in processes:
        await slots.close()


async def test_a_slot_whose_holder_was_slow_belongs_to_who_took_it_meanwhile(postgres_url: str) -> None:
    slow, quick = SharedSlots.open(postgres_url), SharedSlots.open(postgres_url)
    assert [await slow.acquire(0, patience=5) for _ in range(10)] == [True] * 10
    assert await quick.acquire(0, patience=60)  # waits until the oldest of them is a window old
    assert await quick.departs()
    gone = [await slow.departs() for _ in range(10)]
    assert gone.count(True) <= 9
    await slow.close()
    await quick.close()


async def test_who_has_no_patience_is_told_so(postgres_url: str) -> None:
    slots = SharedSlots.open(postgres_url)
    assert [await slots.acquire(0, patience=5) for _ in range(10)] == [True] * 10
    assert not await slots.acquire(0, patience=0.05)
    await slots.close()


async def test_a_429_holds_everybody(postgres_url: str) -> None:
    one, other = SharedSlots.open(postgres_url), SharedSlots.open(postgres_url)
    assert await other.acquire(0, patience=5)
    one.slow_down(30)
    assert not await one.acquire(0, patience=1)
    assert not await other.departs()  # also who got a turn before and has not left yet
    assert not await other.acquire(0, patience=1)
    await one.close()
    await other.close()


async def test_connections_that_were_cut_are_made_again(postgres_url: str) -> None:
    slots = SharedSlots.open(postgres_url)
    assert await slots.acquire(0, patience=5)
    _cut(postgres_url)
    assert not await slots.departs()  # not counted, so not sent
    assert await slots.acquire(0, patience=10)
    assert await slots.departs()
    await slots.close()


async def test_a_database_that_is_away_lets_nobody_send(postgres_url: str) -> None:
    slots = SharedSlots.open(postgres_url.rsplit("/", 1)[0] + "/there_is_no_such_database")
    assert not await slots.acquire(0, patience=0.3)
    await slots.close()


async def test_one_process_needs_none(sqlite_url: str) -> None:
    with pytest.raises(TypeError):
        SharedSlots.open(sqlite_url)


def _cut(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        ).fetchall()
    assert found
