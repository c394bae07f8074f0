"""Notifications of changes, for the page (a stream of changes) and for waiting tests."""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from bot.playground.workspace.model import Change

T = TypeVar("T")

BACKLOG = 1000
"""Changes kept for a subscriber that does not read; beyond it, the subscriber gets ``reset``."""

GLANCE = 0.05
"""Seconds between checks of a condition without changes here, because it may depend on something else."""


class Subscription:
    """An asynchronous iterator of changes, from its creation on; close it, or use it as a context manager."""

    def __init__(self, *, leave: Callable[["Subscription"], None]) -> None:
        self._leave = leave
        self._waiting: deque[Change] = deque()
        self._news = asyncio.Event()
        self._closed = False

    def put(self, change: Change) -> None:
        """Queue one change; never blocks, and the queue is bounded."""
        if len(self._waiting) >= BACKLOG:
            self._waiting.clear()
            self._waiting.append(Change(kind="reset"))
        self._waiting.append(change)
        self._news.set()

    def close(self) -> None:
        """End the iteration and unsubscribe."""
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
    """Sends every change to every subscriber, in order."""

    def __init__(self) -> None:
        self._subscribers: list[Subscription] = []

    def subscribe(self) -> Subscription:
        """Subscribe to changes from now on."""
        subscription = Subscription(leave=self._leave)
        self._subscribers.append(subscription)
        return subscription

    def tell(self, change: Change) -> None:
        """Send a change to all subscribers."""
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
        """The first true value of the condition, checked after each change.

        Raises:
            TimeoutError: It did not become true within ``timeout`` seconds, or before the workspace was closed.
        """
        with self.subscribe() as news:
            async with asyncio.timeout(timeout):
                while not (found := _so_far(condition)):
                    await _next_or_glance(news)
        return found


def _so_far(condition: Callable[[], T | bool | None]) -> T | bool | None:
    """Value of the condition; a failed lookup counts as false."""
    try:
        return condition()
    except (LookupError, StopIteration):  # an index, key or item that does not exist yet
        return None


async def _next_or_glance(news: Subscription) -> None:
    """Wait for the next change, at most the seconds between two checks."""
    try:
        async with asyncio.timeout(GLANCE):
            await anext(news)
    except TimeoutError:
        return
    except StopAsyncIteration:
        raise TimeoutError("the workspace was closed") from None
