"""Who wants to know that something changed: the page (a stream of changes) and waiting tests."""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from bot.playground.workspace.model import Change

T = TypeVar("T")

BACKLOG = 1000
"""Changes kept for a subscriber that does not read; beyond it, it is told to look at everything anew."""

GLANCE = 0.05
"""Seconds after which a waiting condition is looked at again although nothing changed here: it may look elsewhere."""


class Subscription:
    """An asynchronous iterator of changes, from its creation on; close it, or use it as a context manager."""

    def __init__(self, *, leave: Callable[["Subscription"], None]) -> None:
        self._leave = leave
        self._waiting: deque[Change] = deque()
        self._news = asyncio.Event()
        self._closed = False

    def put(self, change: Change) -> None:
        """Take one change; never blocks, never grows without bound."""
        if len(self._waiting) >= BACKLOG:
            self._waiting.clear()
            self._waiting.append(Change(kind="reset"))
        self._waiting.append(change)
        self._news.set()

    def close(self) -> None:
        """End the iteration and stop listening."""
        self._closed = True
        self._news.set()
        self._leave(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Change:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Changes:
    """Tells every subscriber of every change, in order."""

    def __init__(self) -> None:
        self._subscribers: list[Subscription] = []

    def subscribe(self) -> Subscription:
        """Listen from now on."""
        subscription = Subscription(leave=self._leave)
        self._subscribers.append(subscription)
        return subscription

    def tell(self, change: Change) -> None:
        """Hand a change to all who listen."""
        for subscription in tuple(self._subscribers):
            subscription.put(change)

    def close(self) -> None:
        """End every subscription."""
        for subscription in tuple(self._subscribers):
            subscription.close()

    def _leave(self, subscription: Subscription) -> None:
        if subscription in self._subscribers:
            self._subscribers.remove(subscription)

    async def until(self, condition: Callable[[], T | bool | None], *, timeout: float) -> T | bool:
        """The first true value of the condition, looked at after each change.

        Raises:
            TimeoutError: It did not become true within ``timeout`` seconds.
        """
        with self.subscribe() as news:
            async with asyncio.timeout(timeout):
                while not (found := _so_far(condition)):
                    await _next_or_glance(news)
        return found


def _so_far(condition: Callable[[], T | bool | None]) -> T | bool | None:
    """What the condition says; looking for what does not exist yet means no."""
    try:
        return condition()
    except (LookupError, StopIteration):  # an index, a key, or the next of what is not there yet
        return None


async def _next_or_glance(news: Subscription) -> None:
    """Wait for the next change, but not longer than a glance."""
    try:
        async with asyncio.timeout(GLANCE):
            await anext(news, None)
    except TimeoutError:
        return
