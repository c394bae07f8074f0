"""Rate limiter for requests to the partner: a sliding window of ten requests per second within one process.

Each of ten slots carries one request at a time. The service counts a request on arrival, some time after its first byte
left, and the network may delay one but not the next. Only an answer proves arrival. So an unanswered request keeps its
slot for two seconds; an answered one frees it 1.055 s after its first byte, plus the lateness of its answer, and at
most a second after the answer.

Two seconds, because TCP resends a lost segment after 0.2 and 0.6 s: a segment lost twice has arrived by then, and a
second has passed. A leaky bucket would allow a burst on top of the rate; slots don't.
"""

import asyncio
import heapq
import itertools
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import IntEnum
from typing import Final, Protocol

SECOND: Final = 1.001
"""Seconds of the service's window, plus the rounding of a clock."""
UNANSWERED: Final = 2.0
"""Seconds from its first byte for which an unanswered request keeps its slot."""
_JITTER: Final = 0.054
"""Seconds by which the network may delay one request more than another, plus 4 ms from reading the clock to sending."""
_WIDENED: Final = 1.5
_RECOVERY: Final = 60.0


class SlidingWindow:
    """``Window`` of one process: ``size`` requests per second; per 1.5 seconds for a minute after a 429."""

    def __init__(self, *, clock: Callable[[], float], size: int = 10) -> None:
        self.clock = clock
        self.free = [float("-inf")] * size
        self._wide_until = float("-inf")

    async def reserve(self, *, within: float) -> "_Slot":  # noqa: ARG002 - an answer may free a slot at any moment
        return _Slot(self)

    async def slow_down(self, hold: float) -> None:  # noqa: ARG002 - the only process holds itself
        self._wide_until = self.clock() + _RECOVERY

    @property
    def second(self) -> float:
        """Assumed length of the service's window in seconds."""
        return _WIDENED if self.clock() < self._wide_until else SECOND


class _Slot:
    """``Slot`` in memory; picks the slot that frees first only when the request leaves."""

    def __init__(self, window: SlidingWindow) -> None:
        self._window = window
        self._n = 0
        self._left = 0.0
        self._free = 0.0

    @property
    def due(self) -> float:
        """See ``Slot``; moves earlier when another request is answered."""
        return min(self._window.free)

    async def leaves(self) -> bool:
        free = self._window.free
        self._n = free.index(min(free))
        self._left = self._window.clock()
        self._free = free[self._n] = self._left + UNANSWERED
        return True

    async def answered(self, *, late: float) -> None:
        free = self._window.free
        if free[self._n] == self._free:
            arrived = min(self._window.clock(), self._left + max(_JITTER, late))
            free[self._n] = min(self._free, arrived + self._window.second)


_EACH: Final = 0.1
"""Seconds per request for a process that has the whole rate to itself."""
_AT_ONCE: Final = 12
"""Requests that may be connecting or connected but unsent. Ten per second need ten if connecting takes a second."""
_FOR_EFFECTS: Final = 6
"""Further requests, for effects only, so that they don't wait behind reads."""
_CONNECTING: Final = 1.0
"""Seconds after which a request that is still connecting no longer counts."""
_LOOK_AGAIN: Final = 0.02
_EPSILON: Final = 1e-6
"""Seconds. A smaller wait is a rounding error and might never end on a coarse clock."""
_HOLD: Final = 1.0
_RECENT: Final = 500
"""Answers of which the quickest is the minimum round-trip time."""
_ENOUGH: Final = 10
_LONGEST_HOLD: Final = 60.0
"""Seconds. Limits the Retry-After of a misconfigured proxy."""


class Lane(IntEnum):
    """Priority of waiting requests; within a lane in order of arrival."""

    EFFECT = 0
    READ = 1
    LISTING = 2


class SendTurn(Protocol):
    """The turn of one request."""

    async def departs(self) -> bool:
        """Wait for the slot; on True send the first byte at once, on False (patience exceeded) send nothing."""

    async def answered(self) -> None:
        """Record an answer, which proves that the request arrived."""

    def over(self) -> None:
        """End the turn, whether the request was sent or not."""


class SendSlots(Protocol):
    """Source of turns to send."""

    async def acquire(self, lane: Lane, *, patience: float) -> SendTurn | None:
        """Wait until it is time to connect; None if the turn wouldn't come within ``patience`` seconds."""

    async def slow_down(self, retry_after: float | None) -> None:
        """Hold all requests for ``retry_after`` seconds after a 429."""


class Slot(Protocol):
    """One of a window's ten slots, reserved for one request."""

    @property
    def due(self) -> float:
        """Time when the first byte may leave, in seconds of the monotonic clock."""

    async def leaves(self) -> bool:
        """Take the slot once it is due, right before the first byte; False if another request took it."""

    async def answered(self, *, late: float) -> None:
        """Record that the request arrived. Its answer was ``late`` seconds slower than usual, so its arrival may be."""


class Window(Protocol):
    """As many slots as requests are allowed per second. A caller uses its slot before it reserves the next."""

    async def reserve(self, *, within: float) -> Slot | None:
        """Return the slot that is due next; None if that is more than ``within`` seconds away."""

    async def slow_down(self, hold: float) -> None:
        """Hold all processes that share the window for ``hold`` seconds after a 429."""


class _Line:
    """A lock granted to the highest lane first, and within a lane in order of arrival."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Lane, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._is_taken = False

    def __len__(self) -> int:
        return len(self._waiting) + self._is_taken

    @asynccontextmanager
    async def head(self, lane: Lane) -> AsyncIterator[None]:
        """Wait for the lock and hold it until the block ends."""
        if self._is_taken:
            await self._called(lane)
        self._is_taken = True
        try:
            yield
        finally:
            self._call()

    async def _called(self, lane: Lane) -> None:
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        ticket = (lane, next(self._numbers), called)
        heapq.heappush(self._waiting, ticket)
        try:
            await called
        except asyncio.CancelledError:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                heapq.heapify(self._waiting)
            elif not called.cancelled():
                self._call()  # cancelled after being granted: pass the lock on
            raise

    def _call(self) -> None:
        while self._waiting:
            *_, called = heapq.heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._is_taken = False


class PartnerTurns:
    """``SendSlots`` on a window. ``clock`` returns monotonic seconds; ``sleep`` waits seconds of the same clock."""

    def __init__(
        self, window: Window, *, clock: Callable[[], float], sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._window = window
        self._clock = clock
        self._sleep = sleep
        self._effects = _Line()
        self._reads = _Line()
        self._leaving = _Line()
        self.open: set[_SendTurn] = set()
        self._held_until = float("-inf")
        self._recent: deque[float] = deque(maxlen=_RECENT)

    async def acquire(self, lane: Lane, *, patience: float) -> SendTurn | None:
        """See ``SendSlots``. Cancelling gives up the place in line."""
        deadline = self._clock() + patience
        is_effect = lane is Lane.EFFECT
        line = self._effects if is_effect else self._reads
        if len(line) * _EACH > patience:
            return None
        async with line.head(lane):
            while self._standing() >= _AT_ONCE + _FOR_EFFECTS * is_effect:
                if self._clock() >= deadline:
                    return None
                await self._sleep(_LOOK_AGAIN)
            if max(self._held_until, self._clock()) > deadline:
                return None
            turn = _SendTurn(self, lane, begun=self._clock(), deadline=deadline)
            self.open.add(turn)
            return turn

    async def slow_down(self, retry_after: float | None) -> None:
        """See ``SendSlots``; one second if the service names none, at most a minute."""
        hold = _HOLD if retry_after is None else min(retry_after, _LONGEST_HOLD)
        self._held_until = max(self._held_until, self._clock() + hold)
        await self._window.slow_down(hold)

    def _standing(self) -> int:
        """Return the number of requests that are connected but unsent, or began connecting less than a second ago."""
        oldest = self._clock() - _CONNECTING
        return sum(one.stands or one.begun > oldest for one in self.open)

    async def leave(self, turn: "_SendTurn") -> Slot | None:
        """Wait for a slot and take it for this turn; None if its deadline passes first."""
        async with self._leaving.head(turn.lane):
            while (rest := turn.deadline - self._clock()) >= 0:
                held = max(self._held_until - self._clock(), 0.0)
                if held > rest:
                    break
                if held:
                    await self._sleep(held)
                slot = await self._window.reserve(within=rest - held)
                if slot is None or await self._may_leave(slot, turn.deadline):
                    turn.left = self._clock()
                    return slot
        return None

    async def _may_leave(self, slot: Slot, deadline: float) -> bool:
        while (rest := slot.due - self._clock()) > _EPSILON:
            if self._clock() >= deadline:
                return False
            await self._sleep(min(rest, _LOOK_AGAIN))  # an answer may make it due earlier
        return self._held_until <= self._clock() and await slot.leaves()

    def late(self, turn: "_SendTurn") -> float:
        """Return by how many seconds this answer was slower than the quickest recent one."""
        took = self._clock() - turn.left
        usual = min(self._recent) if len(self._recent) >= _ENOUGH else 0.0
        self._recent.append(took)
        return took - usual


class _SendTurn:
    """``SendTurn`` of one request. ``stands``: it is connected; ``left``: time of its first byte."""

    def __init__(self, turns: PartnerTurns, lane: Lane, *, begun: float, deadline: float) -> None:
        self._turns = turns
        self.lane = lane
        self.begun = begun
        self.deadline = deadline
        self.stands = False
        self._slot: Slot | None = None
        self.left = 0.0

    async def departs(self) -> bool:
        self.stands = True
        self._slot = await self._turns.leave(self)
        self.over()
        return self._slot is not None

    async def answered(self) -> None:
        if self._slot is not None:
            await self._slot.answered(late=self._turns.late(self))

    def over(self) -> None:
        self._turns.open.discard(self)
