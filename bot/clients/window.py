"""The window of one process, in memory: ten requests a second.

Ten slots each carry one request after the other. A request is counted where it arrives, some time after its first byte
left: the network may hold one up for 50 ms and not the one after it. So the next of a slot leaves 1.055 s after the
first byte of the one before, or one second after its answer, whichever is earlier: what was answered has arrived.
Buckets that leak let burst and rate through together; slots do not.
"""

from collections.abc import Callable
from typing import Final

SECOND: Final = 1.001
"""The service's own, and a clock's rounding."""
JITTER: Final = 0.05
"""Seconds by which the network may hold up one request longer than another."""
_LAG: Final = 0.005
"""Seconds between a look at the clock and the first byte."""
_WIDENED: Final = 1.5
_RECOVERY: Final = 60.0


class SlidingWindow:
    """``Window`` of one process. After a 429 it is 1.5 s wide for a minute.

    Args:
        clock: monotonic seconds.
        size: requests in a second.
        window: seconds between two requests of one slot of which the first was not answered.
    """

    def __init__(self, *, clock: Callable[[], float], size: int = 10, window: float = 1.0 + JITTER + _LAG) -> None:
        self.clock = clock
        self.free = [float("-inf")] * size
        self._window = window
        self._wide_until = float("-inf")

    async def reserve(self, *, within: float) -> "_Slot | None":
        """See ``Window``."""
        return None if min(self.free) > self.clock() + within else _Slot(self)

    async def slow_down(self, hold: float) -> None:  # noqa: ARG002 - the only process holds itself
        """See ``Window``."""
        self._wide_until = self.clock() + _RECOVERY

    @property
    def is_wide(self) -> bool:
        """Whether the last 429 was less than a minute ago."""
        return self.clock() < self._wide_until

    @property
    def width(self) -> float:
        """Seconds until a slot is free again, from a first byte."""
        return _WIDENED if self.is_wide else self._window


class _Slot:
    """``Slot`` in memory: whichever of the ten is free first by the time it is due."""

    def __init__(self, window: SlidingWindow) -> None:
        self._window = window
        self._n = 0
        self._free = 0.0

    @property
    def due(self) -> float:
        """See ``Slot``: earlier than it was when a request was answered meanwhile."""
        return min(self._window.free)

    async def leaves(self) -> bool:
        """See ``Slot``."""
        free = self._window.free
        self._n = free.index(min(free))
        self._free = free[self._n] = self._window.clock() + self._window.width
        return True

    async def answered(self) -> None:
        """See ``Slot``."""
        free = self._window.free
        if free[self._n] == self._free and not self._window.is_wide:
            free[self._n] = min(self._free, self._window.clock() + SECOND)
