"""Pacing: never more than ten requests in any second, and the ten used fully.

The times of the last ten sends are kept; the next may go when the oldest of them is a window old. The window
is a second plus what the network may compress (20 ms). Buckets that leak let burst and rate through together.

A send is counted from its first byte: a connection may take longer than a second to make, and ten that were allowed
before it stood would leave together with the ten after them. Until then it counts as if it left now, for a moment:
permission that grew old is given back, so that a connection that hangs holds up nobody, and is asked for anew when the
connection stands.
"""

import asyncio
import heapq
import itertools
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Protocol

_EPSILON: Final = 1e-6
"""Seconds. A rest this small is rounding; waiting for it might never end on a coarse clock."""

_FRESH: Final = 0.25
"""Seconds for which permission to send is kept for a connection that is being made."""
_HOLD: Final = 1.0
_LONGEST_HOLD: Final = 60.0
"""Seconds. After this long one request may ask again, whatever a proxy wrote into Retry-After."""


class Lane(IntEnum):
    """Who goes first when several wait; within a lane in the order of arrival."""

    EFFECT = 0
    READ = 1
    LISTING = 2


class SendSlots(Protocol):
    """Permission to send. One process keeps it in memory; several share rows of a database."""

    async def acquire(self, lane: Lane, *, patience: float) -> bool:
        """Wait for a turn, at most about ``patience`` seconds; False: it would take longer, send nothing.

        Who got one asks :meth:`departs` right before its first byte, or says :meth:`stayed` when nothing was sent.
        """
        ...

    async def departs(self) -> bool:
        """The first byte of a request that has its turn goes out as soon as this returns True.

        False: the permission grew old and was given back; ask for another.
        """
        ...

    def stayed(self) -> None:
        """A request that had its turn was not sent after all."""
        ...

    def slow_down(self, retry_after: float | None) -> None:
        """The service answered 429: hold everybody for ``retry_after`` seconds and widen the window for a while."""
        ...


@dataclass(order=True)
class _Ticket:
    lane: Lane
    number: int
    turn: asyncio.Event = field(default_factory=asyncio.Event, compare=False)


class SlidingWindowLimiter:
    """``SendSlots`` of one process.

    Args:
        clock: monotonic seconds.
        sleep: waits that many seconds of the same clock.
        size: sends in a window.
        window: seconds; the service's own second plus the jitter allowed for.
        widened: seconds of the window after a 429.
        recovery: seconds after a 429 until the window is as before.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        size: int = 10,
        window: float = 1.02,
        widened: float = 1.5,
        recovery: float = 60.0,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._window = window
        self._widened = widened
        self._recovery = recovery
        self._sent: deque[float] = deque(maxlen=size)
        self._leaving: deque[float] = deque()
        self._size = size
        self._queue: list[_Ticket] = []
        self._numbers = itertools.count()
        self._held_until = float("-inf")
        self._wide_until = float("-inf")

    async def acquire(self, lane: Lane, *, patience: float) -> bool:
        """See ``SendSlots``. Cancelling gives the place up and spends no slot."""
        deadline = self._clock() + patience
        if len(self._queue) / self._size * self._width() > patience:
            return False
        ticket = _Ticket(lane, next(self._numbers))
        heapq.heappush(self._queue, ticket)
        try:
            return await self._wait(ticket, deadline)
        finally:
            self._queue.remove(ticket)
            heapq.heapify(self._queue)
            if self._queue:
                self._queue[0].turn.set()

    async def _wait(self, ticket: _Ticket, deadline: float) -> bool:
        while True:
            if self._queue[0] is not ticket:
                ticket.turn.clear()
                await ticket.turn.wait()
                continue
            rest = self._rest()
            if rest <= _EPSILON:
                self._leaving.append(self._clock())
                return True
            if self._clock() + rest > deadline:
                return False
            # A waiter that arrives in a better lane meanwhile becomes the head; this one notices when it wakes.
            await self._sleep(rest)

    async def departs(self) -> bool:
        """See ``SendSlots``. Permissions are alike: the newest is taken, the old ones run out."""
        self._forget_old()
        if not self._leaving:
            return False
        self._leaving.pop()
        self._sent.append(self._clock())
        return True

    def stayed(self) -> None:
        """See ``SendSlots``. Waiters notice when they look again."""
        if self._leaving:
            self._leaving.popleft()

    def _forget_old(self) -> None:
        oldest = self._clock() - _FRESH
        while self._leaving and self._leaving[0] < oldest:
            self._leaving.popleft()

    def _rest(self) -> float:
        """Seconds until the next send may go."""
        now = self._clock()
        self._forget_old()
        taken = [*self._sent, *[now] * len(self._leaving)][-self._size :]
        free = taken[0] + self._width() if len(taken) == self._size else now
        return max(free, self._held_until) - now

    def _width(self) -> float:
        return self._widened if self._clock() < self._wide_until else self._window

    def slow_down(self, retry_after: float | None) -> None:
        """See ``SendSlots``; without a wish of the service one second, and never more than a minute."""
        now = self._clock()
        hold = _HOLD if retry_after is None else min(retry_after, _LONGEST_HOLD)
        self._held_until = max(self._held_until, now + hold)
        self._wide_until = now + self._recovery
