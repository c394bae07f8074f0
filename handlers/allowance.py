"""Rate limit of commands per user, so that one user cannot delay the others.

Counted in memory, in each process for itself: a refusal must cost less than the command it refuses.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

AT_ONCE = 120
"""Commands that a user may send without a pause: more than anybody types by hand, even from a list."""
A_SECOND = 1.0
"""Commands a second once these are used up."""
_PEOPLE = 10_000
"""Users remembered; the least recent one is dropped and starts with a full bucket."""


@dataclass(eq=False, kw_only=True)
class Allowance:
    """A token bucket for each user: full at first, emptied by commands, refilled by time."""

    monotonic: Callable[[], float]
    at_once: int = AT_ONCE
    a_second: float = A_SECOND
    people: int = _PEOPLE
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, person: str) -> float:
        """Count one command of a user.

        Returns:
            0.0 when it is allowed; else the seconds to wait, and nothing is counted.
        """
        now = self.monotonic()
        left, seen = self._left.pop(person, (float(self.at_once), now))
        left = min(float(self.at_once), left + max(now - seen, 0.0) * self.a_second)
        wait = max(1.0 - left, 0.0) / self.a_second
        self._left[person] = (left if wait else left - 1.0, now)
        if len(self._left) > self.people:
            self._left.popitem(last=False)
        return wait
