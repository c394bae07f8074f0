"""``/callbacks/payments/{token}``: callbacks, and the browsers of buyers who return from checkout."""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.domain.payments.instruction import CallbackKind, Kind
from bot.presentation.payments import landing
from bot.workflows.context import RequestKind
from bot.workflows.payments.callbacks import back_from_checkout, receive, stands
from handlers.callbacks.endpoint import CallbackEndpoint, come_back, nothing_here, token_like
from storage.errors import StorageError

_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the address is a secret
    "X-Content-Type-Options": "nosniff",
}


class PaymentsCallbacks(CallbackEndpoint):
    """Stores callbacks, and answers returning buyers.

    Args:
        kinds: the kinds of requests.
        shared: as of :class:`CallbackEndpoint`.
    """

    unstored = "a callback could not be stored"

    def __init__(self, *, kinds: Mapping[Kind, RequestKind], **shared: Any) -> None:
        super().__init__(**shared)
        self._kinds = kinds

    async def _answer(self, request: web.Request) -> web.Response:
        """The answer to one callback, or to one browser."""
        token = request.match_info["token"]
        if request.method == "GET" and token_like(token):
            return await self._back_from_checkout(token)
        return await super()._answer(request)

    async def _stands(self, token: str) -> bool:
        return await stands(self._store, now=self._now(), token=token)

    async def _receive(self, token: str, body: str) -> bool:
        return await receive(self._store, now=self._now(), token=token, body=body)

    async def _back_from_checkout(self, token: str) -> web.Response:
        """Answer a buyer's browser, from any network, that the service redirected to an address of a purchase."""
        try:
            kind = await back_from_checkout(self._store, self._kinds, now=self._now(), token=token)
        except StorageError as busy:
            return come_back("a buyer's return could not be stored", busy)
        if kind is None:
            return nothing_here()
        self._wake()
        text = landing.left() if kind is CallbackKind.CANCEL else landing.thanks()
        return web.Response(text=text, content_type="text/html", headers=_PAGE_HEADERS)
