"""Retention: deletes lists and callbacks after a month, and callback addresses of requests that ended long ago.

Of lists, the addresses and files; of dropped files, those that nobody could use; of callbacks, those verified.
Requests, requesters and outcomes stay, and so does every offer: a file is offered once, however late it is shared
again.
"""

from datetime import timedelta
from typing import Final

from bot.workflows.context import Context, Unit

KEPT: Final = timedelta(days=30)
_EVERY: Final = 3_600.0
"""Seconds between two looks at whether there is anything old enough."""
_AT_ONCE: Final = 1_000
"""Rows of one transaction, so that others do not wait long for it."""


class Retention:
    """When this process looked last; several processes may prune at once, each row once."""

    def __init__(self) -> None:
        self._next_look = 0.0

    async def prune_due(self, ctx: Context) -> int:
        """Delete some of what is old enough; how many rows. Once nothing is left, it looks again in an hour."""
        if ctx.clock.boottime() < self._next_look:
            return 0
        if not await ctx.read(_has_old):
            self._next_look = ctx.clock.boottime() + _EVERY
            return 0
        return await ctx.write(_forget, name="prune", wakes=False)


def _has_old(uow: Unit) -> bool:
    kept = (uow.emails, uow.dropped, uow.inbox, uow.store_events)
    return any(one.has_old(before=uow.now - KEPT) for one in kept) or uow.tokens.has_old(now=uow.now)


def _forget(uow: Unit) -> int:
    before = uow.now - KEPT
    rows = uow.emails.forget(before=before, limit=_AT_ONCE)
    rows += sum(one.forget_old(before=before, limit=_AT_ONCE) for one in (uow.dropped, uow.inbox, uow.store_events))
    return rows + uow.tokens.forget_old(now=uow.now, limit=_AT_ONCE)
