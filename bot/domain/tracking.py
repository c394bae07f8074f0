"""When to poll again: half as long again each time, every 5 minutes, hourly, daily; and when to remind approvers."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

_GROWTH = 1.5
_BRISK = 10
_STEADY = 120
_SLOW = 2_880
MOST_DEATHS: Final = 10
"""Steps of a row that may die with their process. The process may have been killed for another reason."""
DIED: Final = "died-"
"""Prefix of the number of a row that was stopped because of such deaths; their count follows."""
RETRIED: Final = f"{DIED}{MOST_DEATHS}-"
"""Prefix of such a number while the row will be retried once by itself."""


def next_poll(*, base: float, polls: int, age: timedelta, waiting_for_people: bool = False) -> timedelta:
    """Time until the next look, ``age`` after following began; the pace falls to daily where it waits for people."""
    brisk_or_steady = _BRISK if age < timedelta(seconds=base * _STEADY) else _STEADY
    ceiling = _SLOW if waiting_for_people else brisk_or_steady
    steps = min(polls, 40)
    return timedelta(seconds=base * min(ceiling, _GROWTH**steps))


def back_off(*, first: float, attempts: int, ceiling: float, named: float | None = None) -> timedelta:
    """Wait before repeating something that is safe to repeat: as the service named it, else doubling. Seconds."""
    return named_or(named, timedelta(seconds=min(ceiling, first * 2 ** min(attempts, 20))))


def named_or(seconds: float | None, pause: timedelta) -> timedelta:
    """The wait that a service named is the wait; ``pause`` is ours, for a service that named none."""
    return pause if seconds is None else timedelta(seconds=seconds)


def jittered(pause: timedelta, *, seed: str, spread: float = 0.1) -> timedelta:
    """The pause with jitter, the same for a seed, so that operations started together are not polled together."""
    share = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big") / 0xFFFFFFFF
    return pause * (1 - spread + 2 * spread * share)


_PARTS = (1 / 8, 1 / 4, 1 / 2)


def reminders_due(*, posted_at: datetime, expires_at: datetime, now: datetime) -> int:
    span = expires_at - posted_at
    return sum(1 for part in _PARTS if posted_at + span * part <= now)


def next_look(*, posted_at: datetime, expires_at: datetime, now: datetime) -> datetime:
    span = expires_at - posted_at
    return min([posted_at + span * part for part in _PARTS if posted_at + span * part > now] + [expires_at])
