"""One limit of requests in flight for all runs of a process.

The service recommends a ceiling and may still ask for less. Then all runs pause for as long as it says, and go on with
half as many. Answers raise the number again by a twentieth a round.
"""

from collections.abc import Callable, Hashable

from bot.domain.emails.lists import CONCURRENCY_LIMIT, fair_shares
from bot.domain.tracking import back_off

_FIRST_HOLD = 1.0
_LONGEST_HOLD = 60.0
_GROWTH = 20


class Pressure:
    """Shared by all runs of a process.

    Args:
        clock: monotonic seconds.
        limit: requests at a time, never exceeded.
    """

    def __init__(self, *, clock: Callable[[], float], limit: int = CONCURRENCY_LIMIT) -> None:
        self._clock = clock
        self._limit = limit
        self._room = limit
        self._held_until = float("-inf")
        self._answers = 0
        self._holds = 0
        self._wants: dict[Hashable, int] = {}
        self._shares: dict[Hashable, int] = {}

    @property
    def room(self) -> int:
        """Requests at a time for all runs together."""
        return self._room

    @property
    def holds(self) -> int:
        """How often in a row the service asked to wait, without an answer in between."""
        return self._holds

    def join(self, run: Hashable, *, wants: int) -> None:
        """A run begins, or changes its number of requests at a time."""
        self._wants[run] = wants
        self._divide()

    def leave(self, run: Hashable) -> None:
        """A run is over; the others get its share."""
        self._wants.pop(run, None)
        self._divide()

    def share(self, run: Hashable) -> int:
        """How many requests this run may have in flight; at least one, or it would never progress."""
        return max(1, self._shares.get(run, 0))

    def rest(self) -> float:
        """Seconds until anything may be sent."""
        return max(0.0, self._held_until - self._clock())

    def busy(self, retry_after: float | None) -> None:
        """The service asks to wait. Answers to requests sent before that count once."""
        now = self._clock()
        if now < self._held_until:
            return
        self._holds += 1
        wait = back_off(first=_FIRST_HOLD, attempts=self._holds - 1, ceiling=_LONGEST_HOLD, named=retry_after)
        self._held_until = now + min(wait.total_seconds(), _LONGEST_HOLD)
        in_use = sum(self._shares.values()) or self._room
        self._room = max(1, min(self._room, in_use) // 2)
        self._answers = 0
        self._divide()

    def answered(self) -> None:
        """The service answered."""
        self._holds = 0
        if self._room == self._limit:
            return
        self._answers += 1
        if self._answers >= self._room:
            self._answers = 0
            self._room = min(self._limit, self._room + max(1, self._room // _GROWTH))
            self._divide()

    def forget(self) -> None:
        """A person resumes: the next request need not wait."""
        self._holds = 0
        self._held_until = float("-inf")

    def _divide(self) -> None:
        runs = list(self._wants)
        self._shares = dict(zip(runs, fair_shares([self._wants[run] for run in runs], room=self._room), strict=True))
