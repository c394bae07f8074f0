"""Retention: deletes lists and callbacks after a month, and callback addresses of requests that ended long ago.

Of lists, the addresses and files; of dropped files, those that nobody could use; of callbacks, those verified.
Requests, requesters and outcomes stay, and so does every offer: a file is offered once, however late it is shared
again.
"""

from datetime import datetime, timedelta
from typing import Final

from bot.workflows.context import Context
from storage.transaction import Tx

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
        now = ctx.clock.now()
        if not await ctx.store.read(lambda tx: _has_old(tx, now)):
            self._next_look = ctx.clock.boottime() + _EVERY
            return 0
        return await ctx.store.write(lambda tx: _forget(tx, now), name="prune")


def _has_old(tx: Tx, now: datetime) -> bool:
    kept = (tx.emails, tx.dropped, tx.inbox, tx.store_events)
    return any(one.has_old(before=now - KEPT) for one in kept) or tx.tokens.has_old(now=now)


def _forget(tx: Tx, now: datetime) -> int:
    before = now - KEPT
    rows = tx.emails.forget(before=before, limit=_AT_ONCE)
    rows += sum(one.forget_old(before=before, limit=_AT_ONCE) for one in (tx.dropped, tx.inbox, tx.store_events))
    return rows + tx.tokens.forget_old(now=now, limit=_AT_ONCE)
