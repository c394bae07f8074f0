"""Alerts about the database's disk: low, full, or refusing writes."""

import logging
from typing import Final

import structlog

from bot.domain.errors import OperatorError, ServiceTrouble
from bot.domain.references import ulid
from bot.presentation import notices
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context
from storage.disk_space import DiskSpace

log = structlog.get_logger(__name__)

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
