"""Maintenance of the database: unreadable rows, deletion of old rows, a full disk, refused writes."""

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


_AGAIN: Final = 10.0
"""Seconds between two attempts to post, or to write to a disk that refused the last write."""
_PATIENCE: Final = 60.0
"""Seconds that a database may be locked or unreachable before an alert: restarts and backups are shorter."""
_LEVEL: Final = {DiskSpace.ENOUGH: logging.INFO, DiskSpace.LOW: logging.WARNING, DiskSpace.AWAY: logging.WARNING}
_TOPICS: Final = {DiskSpace.READ_ONLY: "database_read_only", DiskSpace.AWAY: "database_away"}
"""Alert topics of the database; the topics of disk space are named after their state."""
_TRIED: Final = "disk"
"""Flag that is written to test whether writes succeed."""


class DiskWatch:
    """Announces when the database's disk is low or full, or refuses writes. One per process."""

    def __init__(self) -> None:
        self._seen = DiskSpace.ENOUGH
        self._told = DiskSpace.ENOUGH
        self._since = 0.0
        self._again_at = float("-inf")

    async def look(self, ctx: Context) -> int:
        """Announce a changed state, or test whether writes succeed after a refused one; return 1 if it had changed."""
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
        """Queue the notice, once per minute for all processes; return the announced state."""
        now, (free, whole) = ctx.clock.now(), ctx.store.disk.space()
        topic, told = f"disk_{room.value}", room
        if self._told in _TOPICS:
            topic, told = "database_writable", DiskSpace.ENOUGH
        facts = {"topic": topic, "free": free, "whole": whole}
        key = f"{topic}:{now:%Y-%m-%dT%H:%M}"
        await ctx.write(lambda uow: tell_everybody(uow, key=key, facts=facts), name="disk")
        return told

    async def _say_from_memory(self, ctx: Context, room: DiskSpace) -> DiskSpace:
        """Post without the outbox, which can't be written; return the announced state."""
        content = notices.notice({"topic": _TOPICS.get(room, f"disk_{room.value}")})
        try:
            await ctx.messenger.post(channel=ctx.policy.alerts, content=content, marker=ulid(ctx.clock.now()))
        except (ServiceTrouble, OperatorError) as refused:
            log.warning("alert about the database not posted", reason=str(refused))
            return self._told
        return room
