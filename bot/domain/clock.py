"""Clocks. They are injected: workflows never read the system clock themselves."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_LOOK_EVERY = 60.0
_SET = timedelta(seconds=5)
"""A difference from which a clock was set; anything below is its drift."""


class Clock(Protocol):
    """Two clocks: the calendar for people and rows, boot time for the age of a claim."""

    def now(self) -> datetime: ...

    def boottime(self) -> float:
        """Seconds that also count while the machine is suspended; only differences mean anything."""
        ...


class SharedClock:
    """The time that rows are written and compared by: of the database's server, or of this machine where it has none.

    Between two looks at the server it runs by boot time, so that nobody who sets a clock moves it unnoticed.
    """

    def __init__(self, own: Clock) -> None:
        self._own = own
        self._server: datetime | None = None
        self._seen_at = 0.0
        self.skew = 0.0
        """Seconds that our own clock was ahead of the server's when that was looked at last."""
        self.is_skewed = False
        """Whether that is an alert already."""
        self.steps = 0
        """How often the rows were moved along with the clock, as far as this process has taken part."""
        self.ahead = timedelta(0)
        """By how much what was written last, before this process began, was ahead."""

    @property
    def is_due(self) -> bool:
        return self._server is None or self._own.boottime() - self._seen_at >= _LOOK_EVERY

    def calendar(self) -> datetime:
        return self._own.now()

    def set_by(self, server: datetime, *, asked_at: float) -> timedelta:
        """By how much the clock was set since the last look; what drifts is no setting, and nothing at the first."""
        if self._server is None:
            return timedelta(0)
        by = self._answered(server, asked_at) - self.now()
        return by if abs(by) >= _SET else timedelta(0)

    def take(self, server: datetime, *, asked_at: float) -> None:
        """Follow the server's clock, which was asked at this boot time and has just answered."""
        self._server, self._seen_at = self._answered(server, asked_at), self._own.boottime()
        self.skew = (self._own.now() - self._server).total_seconds()

    def _answered(self, server: datetime, asked_at: float) -> datetime:
        return server + timedelta(seconds=(self._own.boottime() - asked_at) / 2)

    def now(self) -> datetime:
        if self._server is None:
            return self._own.now()
        return self._server + timedelta(seconds=self._own.boottime() - self._seen_at)

    def boottime(self) -> float:
        return self._own.boottime()


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def boottime(self) -> float:
        """CLOCK_BOOTTIME where there is one: CLOCK_MONOTONIC stands still while a laptop sleeps."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
