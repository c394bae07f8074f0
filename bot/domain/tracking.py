"""Poll schedule (pauses grow by half, then every 5 minutes, hourly or daily), and reminders to approvers."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

_GROWTH = 1.5
_BRISK = 10
_STEADY = 120
_SLOW = 2_880
MOST_DEATHS: Final = 10
"""Attempts on a row that may die with their process, because the process may have died for another reason."""
DIED: Final = "died-"
"""Prefix of the number of a row stopped after crashes, followed by their count."""
RETRIED: Final = f"{DIED}{MOST_DEATHS}-"
"""Prefix of such a number while one automatic retry is left."""


def next_poll(*, base: float, polls: int, age: timedelta, waiting_for_people: bool = False) -> timedelta:
    """Return the time until the next poll, ``age`` after the first; at most daily if people have to act."""
    brisk_or_steady = _BRISK if age < timedelta(seconds=base * _STEADY) else _STEADY
    ceiling = _SLOW if waiting_for_people else brisk_or_steady
    steps = min(polls, 40)
    return timedelta(seconds=base * min(ceiling, _GROWTH**steps))


def back_off(*, first: float, attempts: int, ceiling: float, named: float | None = None) -> timedelta:
    """Return the pause before an idempotent retry: as the service demands, else doubling. Arguments in seconds."""
    return named_or(named, timedelta(seconds=min(ceiling, first * 2 ** min(attempts, 20))))


def named_or(seconds: float | None, pause: timedelta) -> timedelta:
    """Return the pause demanded by a service, or else ours."""
    return pause if seconds is None else timedelta(seconds=seconds)


def jittered(pause: timedelta, *, seed: str, spread: float = 0.1) -> timedelta:
    """Return the pause with jitter derived from a seed, so that operations started together are polled apart."""
    share = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big") / 0xFFFFFFFF
    return pause * (1 - spread + 2 * spread * share)


_PARTS = (1 / 8, 1 / 4, 1 / 2)


def reminders_due(*, posted_at: datetime, expires_at: datetime, now: datetime) -> int:
    span = expires_at - posted_at
    return sum(1 for part in _PARTS if posted_at + span * part <= now)


def next_look(*, posted_at: datetime, expires_at: datetime, now: datetime) -> datetime:
    span = expires_at - posted_at
    return min([posted_at + span * part for part in _PARTS if posted_at + span * part > now] + [expires_at])
