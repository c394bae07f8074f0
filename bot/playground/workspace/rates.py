"""Slack's rate limits: a bucket per method, and per channel where messages are posted."""

import math
from collections.abc import Callable
from dataclasses import dataclass

POST_BURST = 20
"""Burst of messages in a channel before the limit of one a second; Slack publishes no number."""


@dataclass
class _Bucket:
    level: float
    at: float


class Rates:
    """Counts calls; a method's minute may be used up at once, afterwards it refills evenly."""

    def __init__(self, *, clock: Callable[[], float], enforced: bool) -> None:
        self._clock = clock
        self.enforced = enforced
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key: str, *, per_minute: int, burst: int) -> int:
        """Count one call.

        Returns:
            0 when the call is allowed, otherwise the seconds for ``Retry-After``.
        """
        if not self.enforced:
            return 0
        now = self._clock()
        bucket = self._buckets.setdefault(key, _Bucket(level=burst, at=now))
        bucket.level = min(float(burst), bucket.level + max(0.0, now - bucket.at) * per_minute / 60)
        bucket.at = now
        if bucket.level < 1:
            return max(1, math.ceil((1 - bucket.level) * 60 / per_minute))
        bucket.level -= 1
        return 0
