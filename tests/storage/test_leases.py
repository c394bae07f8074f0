"""Leases are renewed long before they run out."""

import asyncio
from typing import Any

from storage import Store
from storage.leases import Leases
from tests.storage.factories import NOW, claims, instruction, unit
from tests.support.clock import ManualClock


async def test_a_lease_is_renewed_after_a_quarter_of_its_minute(store: Store) -> None:
    clock, asked = ManualClock(start=NOW), instruction()
    pauses: asyncio.Queue[float] = asyncio.Queue()
    over: asyncio.Queue[None] = asyncio.Queue()

    async def sleep(seconds: float) -> None:
        await pauses.put(seconds)
        await over.get()

    async def until() -> Any:
        found = await unit(store).instructions.get(asked.id)
        assert found.lease_until is not None
        return (found.lease_until - NOW).total_seconds()

    await unit(store).instructions.insert(asked, actor="U1")
    [claimed] = await claims(store, "instructions", limit=1, lease=60, states=(asked.state,))
    leases = Leases(store=store, clock=clock, owner="a", sleep=sleep)
    with leases.kept("instruction", (claimed.id,)):
        async with asyncio.timeout(5):
            assert await pauses.get() == 15
            assert await until() == 60
            clock.advance(15)
            await over.put(None)
            assert await pauses.get() == 15
        assert await until() == 75
