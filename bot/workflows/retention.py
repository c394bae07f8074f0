"""Forgets what nobody needs any more: addresses and files of lists that ended a month ago, and files nobody could use.

What was asked, who asked and how it ended stays, and so does every offer: a file is offered once, however late it is
shared again.
"""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from storage.transaction import Tx

if TYPE_CHECKING:  # the context holds this
    from bot.workflows.context import Context

KEPT: Final = timedelta(days=30)
_EVERY: Final = 3_600.0
"""Seconds between two looks at whether there is anything old enough."""
_AT_ONCE: Final = 1_000
"""Rows of one transaction, so that nobody waits behind it."""


class Retention:
    """When this process looked last; several processes may forget the same, each row once."""

    def __init__(self) -> None:
        self._next_look = 0.0

    async def prune_due(self, ctx: "Context") -> int:
        """Forget some of what is old enough; how many rows. Once nothing is left, it looks again in an hour."""
        if ctx.clock.boottime() < self._next_look:
            return 0
        before = ctx.clock.now() - KEPT
        if not await ctx.store.read(lambda tx: tx.emails.has_old(before=before) or tx.dropped.has_old(before=before)):
            self._next_look = ctx.clock.boottime() + _EVERY
            return 0
        return await ctx.store.write(lambda tx: _forget(tx, before), name="prune")


def _forget(tx: Tx, before: datetime) -> int:
    return tx.emails.forget(before=before, limit=_AT_ONCE) + tx.dropped.forget_old(before=before, limit=_AT_ONCE)
