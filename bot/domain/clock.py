"""Clocks. They are injected: workflows never read the system clock themselves."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_LOOK_EVERY = 60.0


class Clock(Protocol):
    """Two clocks: the calendar for people and rows, boot time for the age of a claim."""

    def now(self) -> datetime:
        """The current instant, timezone-aware UTC."""
        ...

    def boottime(self) -> float:
        """Seconds that also count while the machine is suspended; only differences mean anything."""
        ...


class SharedClock:
    """The time of the database's server, which several processes have in common.

    Leases and deadlines that one process writes are compared by another, whose own clock may be a minute ahead. Between
    two looks at the server's clock it goes on by boot time, so that nobody who sets a machine's clock moves it.
    """

    def __init__(self, own: Clock) -> None:
        self._own = own
        self._server: datetime | None = None
        self._seen_at = 0.0
        self.skew = 0.0
        """Seconds that our own clock was ahead of the server's when that was looked at last."""

    @property
    def is_due(self) -> bool:
        """Whether the server's clock is to be looked at again."""
        return self._server is None or self._own.boottime() - self._seen_at >= _LOOK_EVERY

    def take(self, server: datetime, *, asked_at: float) -> None:
        """Follow the server's clock, which was asked at this boot time and has just answered."""
        answered_at = self._own.boottime()
        half = timedelta(seconds=(answered_at - asked_at) / 2)
        self._server, self._seen_at = server + half, answered_at
        self.skew = (self._own.now() - self._server).total_seconds()

    def now(self) -> datetime:
        """The server's instant; our own until it was asked."""
        if self._server is None:
            return self._own.now()
        return self._server + timedelta(seconds=self._own.boottime() - self._seen_at)

    def boottime(self) -> float:
        """See ``Clock``."""
        return self._own.boottime()


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """The current instant, UTC."""
        return datetime.now(UTC)

    def boottime(self) -> float:
        """CLOCK_BOOTTIME where there is one: CLOCK_MONOTONIC stands still while a laptop sleeps."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
