"""``POST /callbacks/delivery/{token}``: stored before it is answered, believed only after reading.

Whoever has no valid address learns nothing: unknown token, wrong method and forbidden source get the same 404, byte
for byte, as on the payments' addresses.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import structlog
from aiohttp import web

from bot.workflows.bookings.events import receive
from handlers.bodies import read_body
from handlers.sources import Network, allowed, source_of
from storage.errors import StorageError
from storage.store import Store

log = structlog.get_logger(__name__)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_LARGEST_BODY = 256 * 1024


class DeliveryCallbacks:
    """Takes what is sent to the webhooks of stores in.

    Args:
        store: where it is kept.
        now: the current instant.
        wake: tells the drains that there is something to verify.
        sources: networks that may call; empty means any.
        proxies: networks of our own proxies, whose ``X-Forwarded-For`` is believed.
    """

    def __init__(
        self,
        *,
        store: Store,
        now: Callable[[], datetime],
        wake: Callable[[], None],
        sources: Sequence[Network],
        proxies: Sequence[Network],
    ) -> None:
        self._store = store
        self._now = now
        self._wake = wake
        self._sources = sources
        self._proxies = proxies

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one message: 200 once it is durable."""
        token = request.match_info["token"]
        source = source_of(request.remote, request.headers.get("X-Forwarded-For", ""), self._proxies)
        if request.method != "POST" or not _TOKEN.fullmatch(token) or not allowed(source, self._sources):
            return _nothing_here()
        body = await read_body(request, largest=_LARGEST_BODY)
        if isinstance(body, web.Response):
            return body
        try:
            known = await receive(self._store, now=self._now(), token=token, body=body.decode(errors="replace"))
        except StorageError as busy:
            log.warning("a message of the delivery service could not be stored", reason=str(busy))
            return web.Response(status=503, headers={"Retry-After": "5"})
        if not known:
            return _nothing_here()
        self._wake()
        return web.json_response({"ok": True})


def _nothing_here() -> web.Response:
    return web.json_response({"error": "not found"}, status=404)
