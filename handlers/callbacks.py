"""Endpoints for callbacks of services, which are stored before the answer, and for buyers returning from checkout.

An invalid address reveals nothing: unknown token, wrong method and forbidden source get the same 404, byte for byte.
"""

import ipaddress
import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

import structlog
from aiohttp import web

from bot.domain.payments.instruction import CallbackKind, Kind
from bot.domain.text import Secrets
from bot.presentation.payments import purchases
from bot.workflows.bookings import events
from bot.workflows.context import RequestKind
from bot.workflows.payments import callbacks
from handlers.connections import Bodies
from storage.errors import StorageError
from storage.store import Store

log = structlog.get_logger(__name__)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_LARGEST_BODY = 256 * 1024
_REMEMBERED = 4_096
"""Maximum of tokens cached as valid."""
_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the address is a secret
    "X-Content-Type-Options": "nosniff",
}

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(eq=False, kw_only=True)
class CallbackEndpoint(ABC):
    """Receives the messages of one service.

    ``vouch`` is called for each request to a valid address, before its body is read. ``sources``: networks that may
    call; empty allows any. ``proxies``: our own proxies, whose ``X-Forwarded-For`` is trusted.
    """

    unstored: ClassVar[str]
    """Log event for a message that couldn't be stored."""

    store: Store
    bodies: Bodies
    vouch: Callable[[web.Request], None]
    now: Callable[[], datetime]
    wake: Callable[[], None]
    sources: Sequence[Network]
    proxies: Sequence[Network]
    answered: Callable[[int], None]
    secrets: Secrets = field(repr=False)
    _called: OrderedDict[str, None] = field(default_factory=OrderedDict)

    async def handle(self, request: web.Request) -> web.Response:
        answer = await self._answer(request)
        self.answered(answer.status)
        return answer

    async def _answer(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        # Join repeated headers: a proxy that adds one leaves the caller's forged entries in front of it.
        forwarded = ",".join(request.headers.getall("X-Forwarded-For", ()))
        source = source_of(request.remote, forwarded, self.proxies)
        if request.method != "POST" or not _TOKEN.fullmatch(token) or not allowed(source, self.sources):
            return _nothing_here()
        try:
            stands = token in self._called or await self._stands(token)
            if stands:
                self.vouch(request)
            body = await self.bodies.read(request, largest=_LARGEST_BODY)
            if isinstance(body, web.Response):
                return body
            # Storing checks the address, too, but unknown senders must not load the writer, hence the read above.
            known = stands and await self._receive(token, self.secrets.hidden_body(body.decode(errors="replace")))
        except StorageError as busy:
            return _come_back(self.unstored, busy)
        if not known:
            self._called.pop(token, None)
            return _nothing_here()
        self._called[token] = None
        self._called.move_to_end(token)
        if len(self._called) > _REMEMBERED:
            self._called.popitem(last=False)
        self.wake()
        return web.json_response({"ok": True})

    @abstractmethod
    async def _stands(self, token: str) -> bool:
        """Return whether an address with this token exists."""

    @abstractmethod
    async def _receive(self, token: str, body: str) -> bool:
        """Store a message durably; False if no address has this token."""


@dataclass(eq=False, kw_only=True)
class PaymentsCallbacks(CallbackEndpoint):
    """``/callbacks/payments/{token}``: callbacks, and the browsers of buyers who return from checkout."""

    unstored = "callback not stored"

    kinds: Mapping[Kind, RequestKind]

    async def _answer(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        if request.method == "GET" and _TOKEN.fullmatch(token):
            return await self._back_from_checkout(token)
        return await super()._answer(request)

    async def _stands(self, token: str) -> bool:
        return await callbacks.exists(self.store, now=self.now(), token=token)

    async def _receive(self, token: str, body: str) -> bool:
        return await callbacks.receive(self.store, now=self.now(), token=token, body=body)

    async def _back_from_checkout(self, token: str) -> web.Response:
        """Answer the browser of a buyer, on any network, whom the service redirected to a purchase's address."""
        try:
            kind = await callbacks.back_from_checkout(self.store, self.kinds, now=self.now(), token=token)
        except StorageError as busy:
            return _come_back("buyer's return not stored", busy)
        if kind is None:
            return _nothing_here()
        self.wake()
        text = purchases.LEFT if kind is CallbackKind.CANCEL else purchases.THANKS
        return web.Response(text=text, content_type="text/html", headers=_PAGE_HEADERS)


class DeliveryCallbacks(CallbackEndpoint):
    """``POST /callbacks/delivery/{token}``: the webhooks of stores."""

    unstored = "delivery webhook not stored"

    async def _stands(self, token: str) -> bool:
        return await events.is_address(self.store, token=token)

    async def _receive(self, token: str, body: str) -> bool:
        return await events.receive(self.store, now=self.now(), token=token, body=body)


def _nothing_here() -> web.Response:
    return web.json_response({"error": "not found"}, status=404)


def _come_back(problem: str, busy: StorageError) -> web.Response:
    log.warning(problem, reason=str(busy))
    return web.Response(status=503, headers={"Retry-After": "5"})


def source_of(peer: str | None, forwarded: str, trusted: Sequence[Network]) -> Address | None:
    """Return the peer, or behind ``trusted`` proxies the right-most untrusted hop in ``X-Forwarded-For``."""

    def read(text: str | None) -> Address | None:
        try:
            address = ipaddress.ip_address(text or "")
        except ValueError:
            return None
        return (address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None) or address

    address = read(peer)
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    while address is not None and _within(address, trusted) and hops:
        address = read(hops.pop())
    return address


def allowed(source: Address | None, networks: Sequence[Network]) -> bool:
    """Return whether this source may call; without networks any may."""
    return not networks or (source is not None and _within(source, networks))


def _within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
