"""Unreadable rows: each is held, or what it belongs to, and alerted once."""

import secrets
from contextlib import suppress
from typing import Final

import structlog

from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit, witness
from storage.damage import Damaged
from storage.errors import RowUnreadable
from storage.repositories.leased import HELD
from storage.repositories.queues import SWEPT, Key

log = structlog.get_logger(__name__)

_ALERT: Final = "unreadable:"
_BELONGS: Final = {"email_run": "job"}
"""Tables whose rows are held through a row of another table, whose id starts their key."""


class DamageWatch:
    """Sweeps all tables for unreadable rows after a start. One per process."""

    def __init__(self) -> None:
        self._left = list(SWEPT)
        self._after: Key | None = None

    async def look(self, ctx: Context) -> int:
        """Read the next page of the sweep and hold the damaged rows found so far.

        Returns the number of damaged rows and of tables left.
        """
        if self._left:
            table, after = self._left[0], self._after
            _, self._after = await ctx.read(lambda uow: uow.sweep.page(table, after))
            if self._after is None:
                self._left.pop(0)
        found = ctx.store.damage.take()
        for one in found:
            await _hold(ctx, one)
        return len(found) + len(self._left)


async def _hold(ctx: Context, found: Damaged) -> None:
    number = secrets.token_hex(4)
    log.error("a row cannot be read", table=found.table, key=found.key, name=found.name, column=found.column)

    def work(uow: Unit) -> None:
        # Hold the row, or the request or job that it belongs to; `by` is the number of its hold, if any.
        if found.table in HELD:
            by = uow.steps.hold(found.table, found.key, number=number)
        elif found.table in _BELONGS:
            by = uow.steps.hold(_BELONGS[found.table], found.key[:1], number=number)
        else:
            by = uow.steps.hold("instruction", (found.about,), number=number) if found.about else ""
        if (by and by != number) or found.name.startswith(_ALERT):
            return  # already held and announced; and alerts about alerts would never end
        name = found.name  # its own name or reference, else its request's, else its key
        if not name or found.table not in ("instruction", "booking"):
            about = None
            if found.about:
                with suppress(RowUnreadable):
                    about = uow.instructions.get(found.about)
            name = about.reference if about is not None else name or ascii(found.key)
        facts = {"topic": "unreadable", "what": found.table, "name": name, "column": found.column}
        key = f"{_ALERT}{by or ascii((found.table, *found.key))}"
        if tell_everybody(uow, key=key, facts={**facts, "number": by}):
            witness(uow, "unreadable", {"table": found.table, "key": ascii(found.key), "number": by})

    await ctx.write(work, name="unreadable")
