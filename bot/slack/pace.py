"""Rate limits of calls to Slack: no limit until a 429, and no call during a wait that Slack has asked for.

A 429 holds its method for the time it states; for posts it holds only the channel, as Slack's limits do. Afterwards
the method gets one call a second until a minute has passed without another 429. Edits of the whole workspace are
counted from the start, because progress would use them up: Slack allows an app about fifty ``chat.update`` a minute.

In memory: each process keeps its own count; the calls of other processes show only in Slack's 429s.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

POST = "chat.postMessage"
"""The method that Slack limits per channel."""
EDIT = "chat.update"
SPACING = 1.0
"""Seconds between two calls of a method after a 429."""
_CALM = 60.0
"""Seconds without a 429 after which a method is no longer slowed."""
_SHORTEST = 0.001
"""Shortest wait that is returned: times in rows are rounded to microseconds, the clock's are not."""
_WINDOW = 60.0
_EDITS = 48
"""A little under what Slack documents as "50+ per minute", for edits in flight at the edge of a window."""
_FOR_CARDS = 12
"""Edits of these that are reserved: progress never takes them."""


@dataclass(slots=True)
class _Lane:
    """A method slowed by a 429; times in seconds of the clock."""

    held_until: float
    calm_at: float
    last: float = float("-inf")
    """When it was last called since the 429."""


class Pace:
    """When a method may be called. Not thread-safe."""

    def __init__(self, *, monotonic: Callable[[], float], edits: int = _EDITS, for_cards: int = _FOR_CARDS) -> None:
        """``edits``: allowed in any minute; ``for_cards``: those of them that progress never takes."""
        self._monotonic = monotonic
        self._edits = edits
        self._for_cards = for_cards
        self._sent: deque[float] = deque()
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
        self._forget(self._monotonic())
        return len(self._sent) >= self._edits or self.wait(EDIT) > 0

    def take(self, *, progress: bool) -> float:
        """Seconds to wait before this edit; 0: none, and the edit is counted."""
        now = self._monotonic()
        self._forget(now)
        held = self.wait(EDIT)
        allowed = self._edits - self._for_cards if progress else self._edits
        if len(self._sent) >= allowed:
            leaves = self._sent[len(self._sent) - allowed]
            return max(leaves + _WINDOW - now, held, _SHORTEST)
        if held:
            return held
        self._sent.append(now)
        return 0.0

    def _lane(self, method: str, channel: str) -> _Lane | None:
        key = _key(method, channel)
        lane = self._lanes.get(key)
        if lane is not None and self._monotonic() >= lane.calm_at:
            del self._lanes[key]
            return None
        return lane

    def _forget(self, now: float) -> None:
        while self._sent and self._sent[0] <= now - _WINDOW:
            self._sent.popleft()


def _key(method: str, channel: str) -> tuple[str, str]:
    return method, channel if method == POST else ""
