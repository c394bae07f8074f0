"""Rows that cannot be read: each is left alone and told once; every other row goes on.

``storage.damage`` notes them wherever they are met. After the start every open row is read once, because one that
nobody ever reads would be lost sight of.
"""

import secrets
from typing import Final

import structlog

from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit
from bot.workflows.witness import witness
from storage.damage import Damaged
from storage.errors import RowUnreadable
from storage.repositories.admin import SWEPT, Key
from storage.repositories.leased import HELD
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_ALERT: Final = "unreadable:"
_BELONGS: Final = {"email_run": "job"}
"""Tables whose rows are held with another one, which their key begins with."""


class DamageWatch:
    """What this process has swept so far. One per process."""

    def __init__(self) -> None:
        self._left = list(SWEPT)
        self._after: Key | None = None

    async def look(self, ctx: Context) -> int:
        """Read a page of what was not read since the start, and hold what was noted; how many rows were held."""
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
        by = _stop(uow, found, number)
        if (by and by != number) or found.name.startswith(_ALERT):
            return  # stopped before, and told; and alerts about alerts would never end
        facts = {"topic": "unreadable", "what": found.table, "name": _name(uow, found), "column": found.column}
        key = f"{_ALERT}{by or ascii((found.table, *found.key))}"
        if tell_everybody(uow, key=key, facts={**facts, "number": by}):
            witness(uow, "unreadable", {"table": found.table, "key": ascii(found.key), "number": by})

    await ctx.write(work, name="unreadable")


def _stop(tx: Tx, found: Damaged, number: str) -> str:
    """Leave the row alone, or the request or job that it belongs to; the number it is stopped by, "" for none."""
    if found.table in HELD:
        return tx.steps.hold(found.table, found.key, number=number)
    if found.table in _BELONGS:
        return tx.steps.hold(_BELONGS[found.table], found.key[:1], number=number)
    return tx.steps.hold("instruction", (found.about,), number=number) if found.about else ""


def _name(tx: Tx, found: Damaged) -> str:
    """What people call it, or the request that it belongs to; else its key."""
    if found.table in ("instruction", "booking") and found.name:
        return found.name
    try:
        about = tx.instructions.get(found.about) if found.about else None
    except RowUnreadable:
        about = None
    return about.reference if about is not None else found.name or ascii(found.key)
