"""``/healthz`` and ``/readyz``: liveness and readiness for machines; no personal data."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from aiohttp import web

from bot.workflows.reading_only import reading_only
from storage.disk_space import DiskSpace
from storage.errors import StorageError
from storage.store import Store
from storage.transaction import Tx

_QUEUES: Final = ("callbacks", "webhooks", "messages", "files")
_DATABASE: Final = {
    DiskSpace.ENOUGH: "ok",
    DiskSpace.LOW: "its disk is almost full",
    DiskSpace.FULL: "its disk is full",
}


@dataclass(eq=False, kw_only=True)
class Health:
    """Reports whether the process lives and whether it can do its work.

    Attributes:
        slack: whether the bot's identity is known and, in Socket Mode, the socket is up.
        now: the current instant.
    """

    database: Store
    slack: Callable[[], bool]
    now: Callable[[], datetime]

    async def alive(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def ready(self, _: web.Request) -> web.Response:
        """Database, Slack, and how long the oldest unprocessed item has waited, in seconds.

        Read-only mode counts as ready: callbacks and clicks are still stored. ``mode`` shows that nothing is sent.
        """
        joined = self.slack()
        slack = "ok" if joined else "not connected"
        try:
            waiting, mode = await self.database.read(lambda tx: (_oldest(tx, self.now()), reading_only(tx)))
        except StorageError:
            return web.json_response({"status": "not ready", "database": "unavailable", "slack": slack}, status=503)
        room = self.database.disk.space_left()
        is_ready = joined and room is not DiskSpace.FULL
        now = self.now()
        age = {name: None if at is None else round((now - at).total_seconds(), 1) for name, at in waiting.items()}
        return web.json_response(
            {
                "status": "ready" if is_ready else "not ready",
                "database": _DATABASE[room],
                "slack": slack,
                "mode": "sending" if mode is None else "reading only",
                "oldest_seconds": age,
            },
            status=200 if is_ready else 503,
        )


def _oldest(tx: Tx, now: datetime) -> dict[str, datetime | None]:
    tx.audit.check_key()  # a key that is no longer in force cannot write
    queues = tx.queues.waiting(now)
    return {name: queues[name].oldest for name in _QUEUES}
