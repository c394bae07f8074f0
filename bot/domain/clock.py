"""Time, injected: workflows never ask the operating system themselves."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Two clocks: the calendar for people and rows, boot time for the age of a claim."""

    def now(self) -> datetime:
        """The current instant, timezone-aware UTC."""
        ...

    def boottime(self) -> float:
        """Seconds that also count while the machine is suspended; only differences mean anything."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """The current instant, UTC."""
        return datetime.now(UTC)

    def boottime(self) -> float:
        """CLOCK_BOOTTIME where there is one: CLOCK_MONOTONIC stands still while a laptop sleeps."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
