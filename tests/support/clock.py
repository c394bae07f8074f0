"""Time that stands still until a test moves it."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
QUIET = 900.0
START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@dataclass(slots=True)
class SecondsClock:
    """A clock of seconds, as the workspace and the simulators take it."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class ManualClock:
    """The bot's clock, and by :meth:`seconds` the workspace's and the simulators' too."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._boot = 1_000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return self._now

    def boottime(self) -> float:
        return self._boot

    def seconds(self) -> float:
        return self._now.timestamp()

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._boot += seconds
        for until, sleeper in self._sleepers:
            if until <= self._boot and not sleeper.done():
                sleeper.set_result(None)
        self._sleepers = [one for one in self._sleepers if not one[1].done()]

    async def sleep(self, seconds: float) -> None:
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._boot + seconds, sleeper))
        await sleeper
