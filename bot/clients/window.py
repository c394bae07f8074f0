"""The window of one process, in memory: ten requests a second.

Ten slots each carry one request after the other. A request is counted where it arrives, some time after its first byte
left: the network may hold one up and not the one after it. Only an answer proves that it has arrived. So a request
that has no answer keeps its slot for two seconds; one that has one frees it 1.055 s after its first byte, later by as
much as its answer came late, and a second after its answer in any case.

Two seconds: a segment that is lost is sent again after 0.2 and 0.6 s, so what is lost twice has arrived by then, and a
second has passed. Buckets that leak let burst and rate through together; slots do not.
"""

from collections.abc import Callable
from typing import Final

SECOND: Final = 1.001
"""The service's own, and a clock's rounding."""
UNANSWERED: Final = 2.0
"""Seconds for which a request that is not answered keeps its slot, from its first byte."""
_JITTER: Final = 0.054
"""Seconds by which the network may hold up one request longer than another, and 4 ms from the clock to the byte."""
_WIDENED: Final = 1.5
_RECOVERY: Final = 60.0


class SlidingWindow:
    """``Window`` of one process. For a minute after a 429 its second is 1.5 s long.

    Args:
        clock: monotonic seconds.
        size: requests in a second.
    """

    def __init__(self, *, clock: Callable[[], float], size: int = 10) -> None:
        self.clock = clock
        self.free = [float("-inf")] * size
        self._wide_until = float("-inf")

    async def reserve(self, *, within: float) -> "_Slot":  # noqa: ARG002 - an answer may free a slot at any moment
        """See ``Window``."""
        return _Slot(self)

    async def slow_down(self, hold: float) -> None:  # noqa: ARG002 - the only process holds itself
        """See ``Window``."""
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
        """See ``Slot``."""
        free = self._window.free
        self._n = free.index(min(free))
        self._left = self._window.clock()
        self._free = free[self._n] = self._left + UNANSWERED
        return True

    async def answered(self, *, late: float) -> None:
        """See ``Slot``."""
        free = self._window.free
        if free[self._n] == self._free:
            arrived = min(self._window.clock(), self._left + max(_JITTER, late))
            free[self._n] = min(self._free, arrived + self._window.second)
