"""Health of the services by their last calls: kept in memory, stored for all processes, shown in status and home."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.domain.clock import Clock
from bot.domain.outcome import Reply, fault_of, is_verdict
from bot.domain.services import Fault, Health
from bot.workflows.context import Context
from storage.transaction import Tx

_FLAG: Final = "health:"
_ANEW: Final = timedelta(seconds=60)
"""Interval between writes of an unchanged state, so that the time of the last call is about right."""


class HealthLog:
    """Health of each service as observed by this process. One per process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[str, Health] = {}
        self._stored: dict[str, Health] = {}

    def watch(self, service: str) -> Callable[[Reply], None]:
        def note(reply: Reply) -> None:
            if is_verdict(reply):
                now, fault, before = self._clock.now(), fault_of(reply), self._seen.get(service)
                since = before.since if before is not None and (before.fault is None) == (fault is None) else now
                self._seen[service] = Health(since=since, at=now, fault=fault)

        return note

    async def flush(self, ctx: Context) -> int:
        """Store new findings for all processes; return the number of services."""
        news = {
            name: now
            for name, now in self._seen.items()
            if (known := self._stored.get(name)) is None or known.fault != now.fault or now.at - known.at >= _ANEW
        }
        if not news:
            return 0

        def store(tx: Tx) -> None:
            known = read_health(tx)
            for name, one in news.items():
                before = known.get(name)
                lasts = before is not None and (before.fault is None) == (one.fault is None)
                since = min(before.since, one.since) if before is not None and lasts else one.since
                value = {"since": since.isoformat(), "at": one.at.isoformat(), "fault": one.fault or ""}
                tx.flags.set(f"{_FLAG}{name}", value, one.at)

        await ctx.store.write(store, name="health")
        self._stored |= news
        return len(news)


def read_health(tx: Tx) -> dict[str, Health]:
    """Return the health of each service that was ever called."""
    found = {}
    for key, value in tx.flags.starting(_FLAG).items():
        with suppress(ValueError, TypeError, KeyError):  # damaged: rewritten after the next call
            if isinstance(value, Mapping):
                since, at = datetime.fromisoformat(value["since"]), datetime.fromisoformat(value["at"])
                fault = Fault(value["fault"]) if value["fault"] else None
                found[key.removeprefix(_FLAG)] = Health(since=since, at=at, fault=fault)
    return found
