"""The disk of the database: logged and told when it runs full, and when it has room again."""

import logging
from typing import Final

import structlog

from bot.domain.errors import OperatorError, ServiceTrouble
from bot.domain.references import ulid
from bot.presentation.payments import news
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context
from storage.disk_space import DiskSpace

log = structlog.get_logger(__name__)

_AGAIN: Final = 10.0
"""Seconds between two tries to post, or to store anything on a disk that refused the last write."""
_LEVEL: Final = {DiskSpace.ENOUGH: logging.INFO, DiskSpace.LOW: logging.WARNING, DiskSpace.FULL: logging.ERROR}
_TRIED: Final = "disk"
"""Flag that is written to see whether anything can be."""


class DiskWatch:
    """What this process has said of the disk. One per process."""

    def __init__(self) -> None:
        self._seen = DiskSpace.ENOUGH
        self._told = DiskSpace.ENOUGH
        self._again_at = float("-inf")

    async def look(self, ctx: Context) -> int:
        """Compare the disk with what was said; 1 if there was something to say."""
        disk = ctx.store.disk
        room = disk.space_left()
        if room is not self._seen:
            free, whole = disk.space()
            log.log(_LEVEL[room], "the disk of the database", room=room.value, free=free, whole=whole)
            self._seen, self._again_at = room, float("-inf")
        has_news = room is not self._told and not (self._told is DiskSpace.FULL and room is DiskSpace.LOW)
        if not (has_news or disk.refused) or ctx.clock.boottime() < self._again_at:
            return 0
        self._again_at = ctx.clock.boottime() + _AGAIN
        if not has_news:
            await ctx.write(lambda uow: uow.flags.set(_TRIED, ctx.owner, ctx.clock.now()), name="disk", wakes=False)
        elif room is DiskSpace.FULL:
            await self._post(ctx)
        else:
            await self._store(ctx, room)
        return int(has_news)

    async def _post(self, ctx: Context) -> None:
        """Say that it is full, from memory: the outbox cannot be written."""
        content = news.notice({"topic": "disk_full"})
        try:
            await ctx.messenger.post(channel=ctx.policy.alerts, content=content, marker=ulid(ctx.clock.now()))
        except (ServiceTrouble, OperatorError) as refused:
            log.warning("a full disk could not be told", reason=str(refused))
        else:
            self._told = DiskSpace.FULL

    async def _store(self, ctx: Context, room: DiskSpace) -> None:
        now, (free, whole) = ctx.clock.now(), ctx.store.disk.space()
        facts = {"topic": f"disk_{room.value}", "free": free, "whole": whole}
        key = f"disk_{room.value}:{now:%Y-%m-%dT%H:%M}"  # several processes may meet it
        await ctx.write(lambda uow: tell_everybody(uow, key=key, facts=facts), name="disk", wakes=False)
        self._told = room
        ctx.wake()
