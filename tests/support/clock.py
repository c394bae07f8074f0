"""Time that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


class ManualClock:
    """The bot's clock, and by :meth:`seconds` the workspace's and the simulators' too."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._boot = 1_000.0

    def now(self) -> datetime:
        return self._now

    def boottime(self) -> float:
        return self._boot

    def seconds(self) -> float:
        return self._now.timestamp()

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._boot += seconds
