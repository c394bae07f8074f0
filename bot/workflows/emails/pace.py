"""The recommended number of concurrent requests, divided among the processes that work on lists at the same time.

Each process stores how many it wants and how many it holds; a transaction reads those of the others. No process counts
on what another one still holds, so all together never hold more.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.domain.emails.lists import CONCURRENCY_LIMIT, allowance
from bot.workflows.context import Unit

FLAG: Final = "email_pace:"
"""Of each process, by its id."""
SHARED_LIMIT: Final = CONCURRENCY_LIMIT - 20
"""For the lists of several processes; the rest is for single addresses, and for the first request of a newcomer."""
_AGAIN: Final = timedelta(seconds=20)
_OLD: Final = timedelta(seconds=90)
"""A process that still has requests in flight stores its figures more often: none lasts longer than 35 s."""


def allowed(uow: Unit) -> int:
    """Requests at a time of this process; stored where others have to know it."""
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
    """This process has no list under way any more."""
    uow.flags.forget(f"{FLAG}{uow.owner}")


def _read(found: object, now: datetime) -> Iterator[tuple[int, int, datetime]]:
    """What a process wants and holds, and since when it says so; nothing when it died, or the flag is damaged."""
    with suppress(KeyError, TypeError, ValueError):
        if isinstance(found, dict):
            at = datetime.fromisoformat(found["at"])
            if abs(now - at) <= _OLD:
                yield max(int(found["wants"]), 0), max(int(found["holds"]), 0), at
