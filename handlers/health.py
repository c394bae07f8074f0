"""``/healthz`` and ``/readyz``: liveness and readiness for machines; no personal data."""

from collections.abc import Callable
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


class Health:
    """Reports whether the process lives and whether it can do its work.

    Args:
        store: the database.
        slack: None while the bot's identity is unknown or the socket is down, otherwise True.
        now: the current instant.
    """

    def __init__(self, *, store: Store, slack: Callable[[], bool], now: Callable[[], datetime]) -> None:
        self._store = store
        self._slack = slack
        self._now = now

    async def alive(self, _: web.Request) -> web.Response:
        """The process answers."""
        return web.json_response({"status": "alive"})

    async def ready(self, _: web.Request) -> web.Response:
        """Database, Slack, and how long the oldest unprocessed item has waited, in seconds.

        Read-only mode counts as ready: callbacks and clicks are still stored. ``mode`` shows that nothing is sent.
        """
        slack = self._slack()
        try:
            waiting, mode = await self._store.read(lambda tx: (_oldest(tx, self._now()), reading_only(tx)))
        except StorageError:
            return web.json_response(
                {"status": "not ready", "database": "unavailable", "slack": _word(slack)}, status=503
            )
        room = self._store.disk.space_left()
        is_ready = slack and room is not DiskSpace.FULL
        age = {
            name: None if at is None else round((self._now() - at).total_seconds(), 1) for name, at in waiting.items()
        }
        return web.json_response(
            {
                "status": "ready" if is_ready else "not ready",
                "database": _DATABASE[room],
                "slack": _word(slack),
                "mode": "sending" if mode is None else "reading only",
                "oldest_seconds": age,
            },
            status=200 if is_ready else 503,
        )


def _oldest(tx: Tx, now: datetime) -> dict[str, datetime | None]:
    tx.audit.check_key()  # a key that is no longer in force cannot write
    queues = tx.queues.waiting(now)
    return {name: queues[name].oldest for name in _QUEUES}


def _word(connected: bool) -> str:
    return "ok" if connected else "not connected"
