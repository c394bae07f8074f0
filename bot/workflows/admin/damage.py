"""What the database suffers from: unreadable rows, old rows that may go, a full disk, writes that are refused."""

import logging
import secrets
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog

from bot.domain.errors import OperatorError, ServiceTrouble
from bot.domain.references import ulid
from bot.presentation import notices
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit, witness
from storage.damage import Damaged
from storage.disk_space import DiskSpace
from storage.errors import RowUnreadable
from storage.repositories.admin import SWEPT, Key
from storage.repositories.leased import HELD

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
        # The row is left alone, or the request or job that it belongs to; `by`: the number it is stopped by, if any.
        if found.table in HELD:
            by = uow.steps.hold(found.table, found.key, number=number)
        elif found.table in _BELONGS:
            by = uow.steps.hold(_BELONGS[found.table], found.key[:1], number=number)
        else:
            by = uow.steps.hold("instruction", (found.about,), number=number) if found.about else ""
        if (by and by != number) or found.name.startswith(_ALERT):
            return  # stopped before, and told; and alerts about alerts would never end
        name = found.name  # what people call it, or the request that it belongs to; else its key
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


_AGAIN: Final = 10.0
"""Seconds between two tries to post, or to store anything on a disk that refused the last write."""
_PATIENCE: Final = 60.0
"""Seconds that a database may be locked or out of reach before it is an alert: restarts and backups are shorter."""
_LEVEL: Final = {DiskSpace.ENOUGH: logging.INFO, DiskSpace.LOW: logging.WARNING, DiskSpace.AWAY: logging.WARNING}
_TOPICS: Final = {DiskSpace.READ_ONLY: "database_read_only", DiskSpace.AWAY: "database_away"}
"""Topics of alerts; those of the disk's space are named by their state."""
_TRIED: Final = "disk"
"""Flag that is written to see whether anything can be."""


class DiskWatch:
    """What this process has said of the database's writes and of its disk. One per process."""

    def __init__(self) -> None:
        self._seen = DiskSpace.ENOUGH
        self._told = DiskSpace.ENOUGH
        self._since = 0.0
        self._again_at = float("-inf")

    async def look(self, ctx: Context) -> int:
        """Compare the database with what was said; 1 if there was something to say."""
        disk, at = ctx.store.disk, ctx.clock.boottime()
        room = disk.space_left()
        if room is not self._seen:
            free, whole = disk.space()
            log.log(_LEVEL.get(room, logging.ERROR), "state of the database", room=room.value, free=free, whole=whole)
            if room.takes_writes != self._seen.takes_writes:
                self._since = at
            self._seen, self._again_at = room, float("-inf")
        has_news = self._has_news(room, at)
        if not (has_news or disk.refused) or at < self._again_at:
            return 0
        self._again_at = at + _AGAIN
        if has_news:
            self._told = await (self._say(ctx, room) if room.takes_writes else self._say_from_memory(ctx, room))
        else:
            await ctx.write(lambda uow: uow.flags.set(_TRIED, ctx.owner, ctx.clock.now()), name="disk", wakes=False)
        return int(has_news)

    def _has_news(self, room: DiskSpace, at: float) -> bool:
        if room is DiskSpace.AWAY and at - self._since < _PATIENCE:
            return False
        if self._told.takes_writes:
            return room is not self._told
        return room.takes_writes and not (self._told is DiskSpace.FULL and room is DiskSpace.LOW)

    async def _say(self, ctx: Context, room: DiskSpace) -> DiskSpace:
        """Queue the notice; several processes may meet the same state within a minute."""
        now, (free, whole) = ctx.clock.now(), ctx.store.disk.space()
        topic, told = f"disk_{room.value}", room
        if self._told in _TOPICS:
            topic, told = "database_writable", DiskSpace.ENOUGH
        facts = {"topic": topic, "free": free, "whole": whole}
        key = f"{topic}:{now:%Y-%m-%dT%H:%M}"
        await ctx.write(lambda uow: tell_everybody(uow, key=key, facts=facts), name="disk")
        return told

    async def _say_from_memory(self, ctx: Context, room: DiskSpace) -> DiskSpace:
        """Post without the outbox, which cannot be written."""
        content = notices.notice({"topic": _TOPICS.get(room, f"disk_{room.value}")})
        try:
            await ctx.messenger.post(channel=ctx.policy.alerts, content=content, marker=ulid(ctx.clock.now()))
        except (ServiceTrouble, OperatorError) as refused:
            log.warning("alert about the database not posted", reason=str(refused))
            return self._told
        return room
