"""How much one person may ask for at a time, so that nobody else waits behind them.

Counted in memory, in each process for itself: a refusal must cost less than what it keeps away.
"""

from collections import OrderedDict
from collections.abc import Callable

AT_ONCE = 120
"""Commands that somebody may type without a pause: more than anybody does by hand, even with a list beside them."""
A_SECOND = 1.0
"""Commands a second after those."""
_PEOPLE = 10_000
"""People remembered; the one heard of longest ago is forgotten and begins anew."""


class Allowance:
    """A bucket for each person: full at first, emptied by what they ask, filled again by time."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float],
        at_once: int = AT_ONCE,
        a_second: float = A_SECOND,
        people: int = _PEOPLE,
    ) -> None:
        self._monotonic = monotonic
        self._at_once = at_once
        self._a_second = a_second
        self._people = people
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, person: str) -> float:
        """Count one thing that somebody asks for.

        Returns:
            0.0 when they may; else the seconds until they may, and nothing is counted.
        """
        now = self._monotonic()
        left, seen = self._left.pop(person, (float(self._at_once), now))
        left = min(float(self._at_once), left + max(now - seen, 0.0) * self._a_second)
        wait = max(1.0 - left, 0.0) / self._a_second
        self._left[person] = (left if wait else left - 1.0, now)
        if len(self._left) > self._people:
            self._left.popitem(last=False)
        return wait
