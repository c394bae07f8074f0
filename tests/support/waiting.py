"""Waiting for another program."""

import asyncio
from collections.abc import Awaitable, Callable


async def until(ask: Callable[[], Awaitable[object]]) -> None:
    """Poll until the result is true, for at most ten seconds."""
    async with asyncio.timeout(10):
        while True:
            if await ask():
                return
            await asyncio.sleep(0.01)
