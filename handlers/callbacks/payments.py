"""``/callbacks/payments/{token}``: stored before it is answered, believed only after reading.

Whoever has no valid address learns nothing: unknown token, wrong method and forbidden source get the
same 404, byte for byte. The buyer of a purchase is sent back here too, with a browser.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import structlog
from aiohttp import web

from bot.domain.instruction import CallbackKind
from bot.presentation import landing
from bot.workflows.callbacks import back_from_checkout, receive
from handlers.bodies import read_body
from handlers.sources import Network, allowed, source_of
from storage.errors import StorageError
from storage.store import Store

log = structlog.get_logger(__name__)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_LARGEST_BODY = 256 * 1024
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the address is a secret
    "X-Content-Type-Options": "nosniff",
}


class PaymentsCallbacks:
    """Takes callbacks in.

    Args:
        store: where they are kept.
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
        """Answer one callback: 200 only when it is durable."""
        token = request.match_info["token"]
        if request.method == "GET" and _TOKEN.fullmatch(token):
            return await self._back_from_checkout(token)
        source = source_of(request.remote, request.headers.get("X-Forwarded-For", ""), self._proxies)
        if request.method != "POST" or not _TOKEN.fullmatch(token) or not allowed(source, self._sources):
            return _nothing_here()
        body = await read_body(request, largest=_LARGEST_BODY)
        if isinstance(body, web.Response):
            return body
        text = body.decode(errors="replace")  # only its being here matters
        try:
            known = await receive(self._store, now=self._now(), token=token, body=text)
        except StorageError as busy:
            log.warning("a callback could not be stored", reason=str(busy))
            return web.Response(status=503, headers={"Retry-After": "5"})
        if not known:
            return _nothing_here()
        self._wake()
        return web.json_response({"ok": True})

    async def _back_from_checkout(self, token: str) -> web.Response:
        """A buyer's browser, which may come from anywhere: the service sent it to an address of a purchase."""
        try:
            kind = await back_from_checkout(self._store, now=self._now(), token=token)
        except StorageError as busy:
            log.warning("a buyer's return could not be stored", reason=str(busy))
            return web.Response(status=503, headers={"Retry-After": "5"})
        if kind is None:
            return _nothing_here()
        self._wake()
        text = landing.left() if kind is CallbackKind.CANCEL else landing.thanks()
        return web.Response(text=text, content_type="text/html", headers=_PAGE_HEADERS)


def _nothing_here() -> web.Response:
    return web.json_response({"error": "not found"}, status=404)
