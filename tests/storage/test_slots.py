"""Ten requests in any second, all processes together."""

import asyncio
import time

import pytest

from storage.slots import WINDOW, SharedSlots

pytestmark = pytest.mark.postgres


async def test_several_processes_together_stay_within_the_limit(postgres_url: str) -> None:
    processes = [SharedSlots.open(postgres_url) for _ in range(3)]
    begun = time.monotonic()
    turns = await asyncio.gather(*(slots.acquire(0, patience=60) for slots in processes for _ in range(10)))
    # Thirty turns are three windows of ten: the third may begin no earlier than two windows after the first.
    assert time.monotonic() - begun >= 2 * WINDOW
    assert all(turns)
    for slots in processes:
        await slots.close()


async def test_who_has_no_patience_is_told_so(postgres_url: str) -> None:
    slots = SharedSlots.open(postgres_url)
    assert [await slots.acquire(0, patience=5) for _ in range(10)] == [True] * 10
    assert not await slots.acquire(0, patience=0.05)
    await slots.close()


async def test_a_429_holds_everybody(postgres_url: str) -> None:
    one, other = SharedSlots.open(postgres_url), SharedSlots.open(postgres_url)
    one.slow_down(30)
    assert not await one.acquire(0, patience=1)
    assert not await other.acquire(0, patience=1)
    await one.close()
    await other.close()


async def test_one_process_needs_none(sqlite_url: str) -> None:
    with pytest.raises(TypeError):
        SharedSlots.open(sqlite_url)
