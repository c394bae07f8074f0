"""The edits of a whole workspace, paced: Slack takes about fifty ``chat.update`` a minute of one app.

What people wait for (cards, final states) may use all of them; progress leaves some for it. In memory: each
process keeps its own count, and what Slack refuses all the same it says with a Retry-After, which is obeyed.
"""

from collections import deque
from collections.abc import Callable

_WINDOW = 60.0
_EDITS = 48
"""A little under what Slack documents as "50+ per minute", for edits that are on their way at a window's edge."""
_FOR_CARDS = 12
"""Of them, those that progress never takes."""


class EditPace:
    """How many edits may go out now. Not for several threads."""

    def __init__(self, *, monotonic: Callable[[], float], edits: int = _EDITS, for_cards: int = _FOR_CARDS) -> None:
        """``edits``: in any minute; ``for_cards``: those among them that progress leaves alone."""
        self._monotonic = monotonic
        self._edits = edits
        self._for_cards = for_cards
        self._sent: deque[float] = deque()

    @property
    def is_used_up(self) -> bool:
        """Whether no edit at all may go out now."""
        self._forget(self._monotonic())
        return len(self._sent) >= self._edits

    def take(self, *, progress: bool) -> float:
        """Seconds to wait before this edit may go out; 0: it may now, and is counted."""
        now = self._monotonic()
        self._forget(now)
        allowed = self._edits - self._for_cards if progress else self._edits
        if len(self._sent) >= allowed:
            leaves = self._sent[len(self._sent) - allowed]
            return max(leaves + _WINDOW - now, 0.001)
        self._sent.append(now)
        return 0.0

    def _forget(self, now: float) -> None:
        while self._sent and self._sent[0] <= now - _WINDOW:
            self._sent.popleft()
