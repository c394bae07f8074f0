"""Clocks. They are injected: workflows never read the system clock themselves."""

import time
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

TOLERATED: Final = timedelta(minutes=1)
"""By how much a calendar may differ from the time in use before operators are alerted."""
_COMPARE_EVERY: Final = 60.0
_SEARCHABLE: Final = timedelta(days=7)


class Clock(Protocol):
    """Two clocks: the calendar for people and rows, boot time for the age of a claim."""

    def now(self) -> datetime: ...

    def boottime(self) -> float:
        """Seconds that also count while the machine is suspended; only differences mean anything."""
        ...


class SharedClock:
    """The time by which rows are written and compared: the calendar at start, advanced by boot time.

    The calendar is that of the database's server, or of this machine on SQLite. If it is set while the process runs,
    no deadline moves.
    """

    def __init__(self, own: Clock) -> None:
        self._own = own
        self._read_at = self._compared_at = own.boottime()
        self.started = own.now()
        self.off = timedelta(0)
        """How far a calendar is ahead of this time: the server's or this machine's, whichever differs more."""
        self.is_machine = True
        self.unsure = timedelta(0)
        """By how much the times that earlier processes stored may be wrong."""
        self.is_alerted = False

    @property
    def is_due(self) -> bool:
        return self._own.boottime() - self._compared_at >= _COMPARE_EVERY

    @property
    def doubt(self) -> timedelta:
        """By how much stored times may differ from the right ones, as far as that is known and can be searched."""
        return min(max(abs(self.off), self.unsure), _SEARCHABLE)

    def start(self, server: datetime | None, *, asked_at: float) -> None:
        """Begin at the server's time, which was asked for at this boot time; None: at this machine's."""
        self.started = self._own.now() if server is None else self._answered(server, asked_at)
        self._read_at = self._own.boottime()
        self.compare(server, asked_at=asked_at)

    def compare(self, server: datetime | None, *, asked_at: float) -> None:
        self._compared_at = self._own.boottime()
        machine = self._own.now() - self.now()
        theirs = timedelta(0) if server is None else self._answered(server, asked_at) - self.now()
        self.is_machine = abs(machine) >= abs(theirs)
        self.off = machine if self.is_machine else theirs

    def _answered(self, server: datetime, asked_at: float) -> datetime:
        return server + timedelta(seconds=(self._own.boottime() - asked_at) / 2)

    def now(self) -> datetime:
        return self.started + timedelta(seconds=self._own.boottime() - self._read_at)

    def boottime(self) -> float:
        return self._own.boottime()


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def boottime(self) -> float:
        """CLOCK_BOOTTIME where there is one: CLOCK_MONOTONIC stands still while a laptop sleeps."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
