"""How fast Slack may be called: as fast as it takes it, and never into a wait that it has asked for.

A 429 holds its method for as long as it says, a post only in its own channel: that is how Slack counts. Afterwards
there is one call a second until a minute has passed without another 429. The edits of the whole workspace are counted
from the start, because progress would use them up: Slack takes about fifty ``chat.update`` a minute of one app.

In memory: each process keeps its own count, and learns from Slack what the others use.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

POST = "chat.postMessage"
"""The method that Slack counts by channel."""
EDIT = "chat.update"
SPACING = 1.0
"""Seconds between two calls of a method after a 429."""
_CALM = 60.0
"""Seconds without a 429 after which a method is as fast as before."""
_SHORTEST = 0.001
"""A wait that is named is never shorter: times of rows have microseconds, those of a clock more."""
_WINDOW = 60.0
_EDITS = 48
"""A little under what Slack documents as "50+ per minute", for edits that are on their way at a window's edge."""
_FOR_CARDS = 12
"""Of them, those that progress never takes."""


@dataclass(slots=True)
class _Lane:
    """A method that Slack has asked us to wait with, in seconds of the clock."""

    held_until: float
    calm_at: float
    last: float = float("-inf")
    """When it was called last since."""


class Pace:
    """When a method may be called. Not for several threads."""

    def __init__(self, *, monotonic: Callable[[], float], edits: int = _EDITS, for_cards: int = _FOR_CARDS) -> None:
        """``edits``: in any minute; ``for_cards``: those among them that progress leaves alone."""
        self._monotonic = monotonic
        self._edits = edits
        self._for_cards = for_cards
        self._sent: deque[float] = deque()
        self._lanes: dict[tuple[str, str], _Lane] = {}

    def wait(self, method: str, channel: str = "") -> float:
        """Seconds to wait before this may be called; 0: it may now. ``channel`` matters to posts alone."""
        lane = self._lane(method, channel)
        if lane is None:
            return 0.0
        left = max(lane.held_until, lane.last + SPACING) - self._monotonic()
        return max(left, _SHORTEST) if left > 0 else 0.0

    def is_slowed(self, method: str) -> bool:
        """Whether Slack asked us to wait with it, less than a calm minute ago. Not for posts."""
        return self._lane(method, "") is not None

    def begin(self, method: str, channel: str = "") -> float:
        """The same; where it is 0 the call is counted."""
        wait = self.wait(method, channel)
        lane = self._lane(method, channel)
        if lane is not None and not wait:
            lane.last = self._monotonic()
        return wait

    def refused(self, method: str, channel: str, *, retry_after: float) -> None:
        """Slack answered 429, and asks us to wait so many seconds."""
        now = self._monotonic()
        until = now + retry_after
        lane = self._lanes.setdefault(_key(method, channel), _Lane(until, until))
        lane.held_until = max(lane.held_until, until)
        lane.calm_at = lane.held_until + _CALM

    @property
    def is_used_up(self) -> bool:
        """Whether no edit at all may go out now."""
        self._forget(self._monotonic())
        return len(self._sent) >= self._edits or self.wait(EDIT) > 0

    def take(self, *, progress: bool) -> float:
        """Seconds to wait before this edit may go out; 0: it may now, and is counted."""
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
