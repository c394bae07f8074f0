"""Deletion of old rows."""

from datetime import timedelta
from typing import Final

from bot.workflows.context import Context, Unit

KEPT: Final = timedelta(days=30)
_EVERY: Final = 3_600.0
"""Seconds between two checks for rows that are old enough."""
_AT_ONCE: Final = 1_000
"""Most rows deleted in one transaction, so that others don't wait long for it."""


class Retention:
    """Deletes old rows. Several processes may prune at once; each row is deleted once."""

    def __init__(self) -> None:
        self._next_look = 0.0

    async def prune_due(self, ctx: Context) -> int:
        """Delete some rows that are old enough and return their number; if none is left, pause for an hour."""
        if ctx.clock.boottime() < self._next_look:
            return 0

        def has_old(uow: Unit) -> bool:
            kept = (uow.emails, uow.results, uow.jobs, uow.dropped, uow.inbox, uow.store_events, uow.lookups)
            return any(one.has_old(before=uow.now - KEPT) for one in kept) or uow.tokens.has_old(now=uow.now)

        def forget(uow: Unit) -> int:
            before = uow.now - KEPT
            kept = (uow.results, uow.jobs, uow.dropped, uow.inbox, uow.store_events, uow.lookups)
            rows = uow.emails.forget(before=before, limit=_AT_ONCE)
            rows += sum(one.forget_old(before=before, limit=_AT_ONCE) for one in kept)
            return rows + uow.tokens.forget_old(now=uow.now, limit=_AT_ONCE)

        if not await ctx.read(has_old):
            self._next_look = ctx.clock.boottime() + _EVERY
            return 0
        return await ctx.write(forget, name="prune", wakes=False)
