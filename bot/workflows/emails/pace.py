"""The recommended number of concurrent requests, divided among the processes that work on lists at the same time.

Each process stores how many requests it wants and holds, and a transaction reads the figures of the others. No process
uses room that another one still holds, so all processes together never exceed the limit.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.domain.emails.lists import CONCURRENCY_LIMIT, allowance
from bot.workflows.context import Unit

FLAG: Final = "email_pace:"
"""Prefix of the flag of a process, followed by its id."""
SHARED_LIMIT: Final = CONCURRENCY_LIMIT - 20
"""Limit for lists of several processes; the rest is for single addresses and a new process's first request."""
_AGAIN: Final = timedelta(seconds=20)
_OLD: Final = timedelta(seconds=90)
"""Age of stale figures. A process with requests in flight stores its figures more often: none lasts over 35 s."""


def allowed(uow: Unit) -> int:
    """Return how many requests this process may have in flight; store its figures if other processes can exist."""
    pressure = uow.ctx.emails.pressure
    if uow.ctx.store.exclusive:
        return CONCURRENCY_LIMIT
    key = f"{FLAG}{uow.owner}"
    stored, others = uow.flags.starting(FLAG), []
    for name in stored.keys() - {key}:
        figures = next(_read(stored[name], uow.now), None)
        if figures is None:
            uow.flags.forget(name)
        else:
            others.append(figures[:2])
    room = allowance(pressure.wants, others, room=SHARED_LIMIT)
    holds = max(room, pressure.used)
    mine = next(_read(stored.get(key), uow.now), None)
    if mine is None or mine[:2] != (pressure.wants, holds) or uow.now - mine[2] >= _AGAIN:
        value = {"wants": pressure.wants, "holds": holds, "at": uow.now.isoformat()}
        uow.flags.set(key, value, uow.now)
    return room


def give_up(uow: Unit) -> None:
    """Delete this process's figures, because it has no running list."""
    uow.flags.forget(f"{FLAG}{uow.owner}")


def _read(found: object, now: datetime) -> Iterator[tuple[int, int, datetime]]:
    """Yield the figures of a process and when it stored them; nothing if it has died or the flag is damaged."""
    with suppress(KeyError, TypeError, ValueError):
        if isinstance(found, dict):
            at = datetime.fromisoformat(found["at"])
            if abs(now - at) <= _OLD:
                yield max(int(found["wants"]), 0), max(int(found["holds"]), 0), at
