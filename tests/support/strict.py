"""A workspace with Slack's strictest rate limits, which records calls within a ``Retry-After``."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from bot.playground.workspace import Workspace


class Referee:
    """Wraps the workspace's rate limits, and counts calls by method and, for posts, channel.

    Some were ``refused`` with 429; ``too_early`` are those within the time that an earlier 429 had asked for.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.too_early: Counter[str] = Counter()
        self._until: dict[str, float] = {}
        self._slower: dict[str, int] = {}

    def slow_down(self, method: str, *, per_minute: int) -> None:
        """Limit a method more strictly than its tier."""
        self._slower[method] = per_minute

    def watch(self, workspace: Workspace) -> None:
        """Let the workspace enforce its rates from now on. For ``Rig.open(prepare=…)``."""
        rates = workspace._rates
        rates.enforced = True
        take: Callable[..., int] = rates.take

        def watched(key: str, **limits: Any) -> int:
            now = workspace._state.clock()
            self.calls[key] += 1
            if now < self._until.get(key, now):
                self.too_early[key] += 1
            if key in self._slower:
                limits = {"per_minute": self._slower[key], "burst": 1}
            wait = take(key, **limits)
            if wait:
                self.refused[key] += 1
                self._until[key] = now + wait
            return wait

        rates.take = watched  # type: ignore[method-assign]
