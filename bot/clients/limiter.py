"""Order of requests to the partner, by the window of one process: ten requests a second.

Ten slots each carry one request after the other. A request is counted where it arrives, some time after its first byte
left: the network may hold one up and not the one after it. Only an answer proves that it has arrived. So a request
that has no answer keeps its slot for two seconds; one that has one frees it 1.055 s after its first byte, later by as
much as its answer came late, and a second after its answer in any case.

Two seconds: a segment that is lost is sent again after 0.2 and 0.6 s, so what is lost twice has arrived by then, and a
second has passed. Buckets that leak let burst and rate through together; slots do not.
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
"""The service's own, and a clock's rounding."""
UNANSWERED: Final = 2.0
"""Seconds for which a request that is not answered keeps its slot, from its first byte."""
_JITTER: Final = 0.054
"""Seconds by which the network may hold up one request longer than another, and 4 ms from the clock to the byte."""
_WIDENED: Final = 1.5
_RECOVERY: Final = 60.0


class SlidingWindow:
    """``Window`` of one process: ``size`` requests in a second. For a minute after a 429 its second is 1.5 s long."""

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
        """How long the service's second is taken to be."""
        return _WIDENED if self.clock() < self._wide_until else SECOND


class _Slot:
    """``Slot`` in memory: whichever of the ten is free first by the time it is due."""

    def __init__(self, window: SlidingWindow) -> None:
        self._window = window
        self._n = 0
        self._left = 0.0
        self._free = 0.0

    @property
    def due(self) -> float:
        """See ``Slot``: earlier than it was when a request was answered meanwhile."""
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
"""Seconds a request takes of a process that has the ten a second for itself."""
_AT_ONCE: Final = 12
"""Requests that connect or stand before the service. Ten a second need ten when connecting takes a second."""
_FOR_EFFECTS: Final = 6
"""More of them, for effects only: they do not wait behind reads that stand there."""
_CONNECTING: Final = 1.0
"""Seconds after which a connection that still does not stand holds up nobody."""
_LOOK_AGAIN: Final = 0.02
_EPSILON: Final = 1e-6
"""Seconds. A rest this small is rounding; waiting for it might never end on a coarse clock."""
_HOLD: Final = 1.0
_RECENT: Final = 500
"""Answers of which the quickest says how long the way there and back takes at least."""
_ENOUGH: Final = 10
_LONGEST_HOLD: Final = 60.0
"""Seconds. After this long one request may ask again, whatever a proxy wrote into Retry-After."""


class Lane(IntEnum):
    """Priority of waiting requests; within a lane in order of arrival."""

    EFFECT = 0
    READ = 1
    LISTING = 2


class SendTurn(Protocol):
    """The turn of one request."""

    async def departs(self) -> bool:
        """Wait until the first byte may leave, at once after True. False: not within the patience; send nothing."""

    async def answered(self) -> None:
        """An answer came, so the request has arrived by now."""

    def over(self) -> None:
        """Nothing more comes of it, whether it left or not."""


class SendSlots(Protocol):
    """Permission to send."""

    async def acquire(self, lane: Lane, *, patience: float) -> SendTurn | None:
        """Wait until it is time to connect. None: the turn would not come within ``patience`` seconds from now."""

    async def slow_down(self, retry_after: float | None) -> None:
        """The service answered 429: hold everybody for ``retry_after`` seconds."""


class Slot(Protocol):
    """One of the ten that a window has, for one request."""

    @property
    def due(self) -> float:
        """When the first byte may leave, in seconds of the monotonic clock."""

    async def leaves(self) -> bool:
        """Asked when it is due; the first byte follows at once. False: it is somebody else's by now."""

    async def answered(self, *, late: float) -> None:
        """The request has arrived by now. The answer took ``late`` seconds longer than usual; so may its way."""


class Window(Protocol):
    """The slots, as many as requests are allowed in a second. Who gets one asks for the next when it is used."""

    async def reserve(self, *, within: float) -> Slot | None:
        """The slot that is due next; None: in more than ``within`` seconds."""

    async def slow_down(self, hold: float) -> None:
        """The service answered 429: all processes that share the window wait for ``hold`` seconds."""


class _Line:
    """A lock that goes to the best lane, and within it in the order of arrival."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Lane, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._is_taken = False

    def __len__(self) -> int:
        return len(self._waiting) + self._is_taken

    @asynccontextmanager
    async def head(self, lane: Lane) -> AsyncIterator[None]:
        """Hold the head of the line; the next in line follows when the block ends."""
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
                self._call()  # called and cancelled in the same moment
            raise

    def _call(self) -> None:
        while self._waiting:
            *_, called = heapq.heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._is_taken = False


class PartnerTurns:
    """``SendSlots`` on a window. ``clock``: monotonic seconds; ``sleep`` waits that many of the same clock."""

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
        """See ``SendSlots``. Cancelling gives the place up."""
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
        """See ``SendSlots``; without a wish of the service one second, and never more than a minute."""
        hold = _HOLD if retry_after is None else min(retry_after, _LONGEST_HOLD)
        self._held_until = max(self._held_until, self._clock() + hold)
        await self._window.slow_down(hold)

    def _standing(self) -> int:
        """Requests that stand before the service, or have begun to connect just now."""
        oldest = self._clock() - _CONNECTING
        return sum(one.stands or one.begun > oldest for one in self.open)

    async def leave(self, turn: "_SendTurn") -> Slot | None:
        """The slot with which a turn leaves, when it is due."""
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
        """Seconds by which an answer that just came took longer than the quickest one of late."""
        took = self._clock() - turn.left
        usual = min(self._recent) if len(self._recent) >= _ENOUGH else 0.0
        self._recent.append(took)
        return took - usual


class _SendTurn:
    """``SendTurn`` of one request. ``stands``: whether its connection does; ``left``: when its first byte did."""

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
