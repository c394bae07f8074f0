"""Rate limits of calls to Slack: no limit until a 429, and no call during a wait that Slack has asked for.

A 429 holds its method for the time it states; for posts it holds only the channel, as Slack's limits do. Afterwards
the method gets one call a second until a minute has passed without another 429.

Edits of the whole workspace are counted from the start: Slack allows an app about fifty ``chat.update`` a minute. Some
may go at once, the others follow evenly, so that they never stand still. What shows the last state goes before what
shows another change, and progress takes what both leave.

In memory: each process keeps its own count; the calls of other processes show only in Slack's 429s.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

POST = "chat.postMessage"
"""The method that Slack limits per channel."""
EDIT = "chat.update"
SPACING = 1.0
"""Seconds between two calls of a method after a 429."""
_CALM = 60.0
"""Seconds without a 429 after which a method is no longer slowed."""
_SHORTEST = 0.001
"""Shortest wait that is returned: times in rows are rounded to microseconds, the clock's are not."""
_AT_ONCE = 18
"""Edits that may go at once after a rest."""
_PER_MINUTE = 30
"""Edits that follow in a minute: 48 in any minute, a little under what Slack documents as "50+ per minute"."""
_STILL = 4.0
"""Seconds after an edit in which none that matters more has come: then any may go, while those left are still few."""
_NEARLY = 1e-6
"""Of an edit: sums of fractions are not exact."""


class Edit(StrEnum):
    """What an edit shows."""

    PROGRESS = "progress"
    CHANGE = "change"
    LAST = "last"


_LEAVES: Final[Mapping[Edit, int]] = {Edit.PROGRESS: 12, Edit.CHANGE: 6, Edit.LAST: 0}
"""How many of the edits that may go at once are left to those that matter more."""


@dataclass(slots=True)
class _Lane:
    """A method slowed by a 429; times in seconds of the clock."""

    held_until: float
    calm_at: float
    last: float = float("-inf")
    """When it was last called since the 429."""


class Pace:
    """When a method may be called. Not thread-safe."""

    def __init__(
        self, *, monotonic: Callable[[], float], at_once: int = _AT_ONCE, per_minute: int = _PER_MINUTE
    ) -> None:
        """``at_once``: edits that may go after a rest; ``per_minute``: those that follow evenly."""
        self._monotonic = monotonic
        self._at_once = at_once
        self._per_second = per_minute / 60
        self._left = float(at_once)
        self._counted_at = monotonic()
        self._last = float("-inf")
        self._lanes: dict[tuple[str, str], _Lane] = {}

    def wait(self, method: str, channel: str = "") -> float:
        """Seconds to wait before this call; 0: none. ``channel`` matters only for posts."""
        lane = self._lane(method, channel)
        if lane is None:
            return 0.0
        left = max(lane.held_until, lane.last + SPACING) - self._monotonic()
        return max(left, _SHORTEST) if left > 0 else 0.0

    def is_slowed(self, method: str) -> bool:
        """Whether it is slowed: no minute has passed since the last 429. Not for posts."""
        return self._lane(method, "") is not None

    def begin(self, method: str, channel: str = "") -> float:
        """Like :meth:`wait`; with 0 the call is counted."""
        wait = self.wait(method, channel)
        lane = self._lane(method, channel)
        if lane is not None and not wait:
            lane.last = self._monotonic()
        return wait

    def refused(self, method: str, channel: str, *, retry_after: float) -> None:
        """Record a 429 of Slack with the seconds to wait."""
        now = self._monotonic()
        until = now + retry_after
        lane = self._lanes.setdefault(_key(method, channel), _Lane(until, until))
        lane.held_until = max(lane.held_until, until)
        lane.calm_at = lane.held_until + _CALM

    @property
    def is_used_up(self) -> bool:
        """Whether no edit at all may be sent now."""
        return self._missing(leaving=0) > 0 or self.wait(EDIT) > 0

    def take(self, edit: Edit) -> float:
        """Seconds to wait before this edit; 0: none, and the edit is counted."""
        in_turn = self._missing(leaving=_LEAVES[edit]) / self._per_second
        now = self._monotonic()
        anyway = max(self._missing(leaving=0) / self._per_second, self._last + _STILL - now)
        wait = max(min(in_turn, anyway), self.wait(EDIT))
        if wait > 0:
            return max(wait, _SHORTEST)
        self._left -= 1
        self._last = now
        return 0.0

    def _missing(self, *, leaving: int) -> float:
        """How many edits must become free before one may go and leave so many."""
        now = self._monotonic()
        self._left = min(self._left + (now - self._counted_at) * self._per_second, float(self._at_once))
        self._counted_at = now
        missing = leaving + 1 - self._left
        return missing if missing > _NEARLY else 0.0

    def _lane(self, method: str, channel: str) -> _Lane | None:
        key = _key(method, channel)
        lane = self._lanes.get(key)
        if lane is not None and self._monotonic() >= lane.calm_at:
            del self._lanes[key]
            return None
        return lane


def _key(method: str, channel: str) -> tuple[str, str]:
    return method, channel if method == POST else ""
