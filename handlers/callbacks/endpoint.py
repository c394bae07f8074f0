"""Endpoint for messages of the services: stored before the answer; an invalid address reveals nothing.

Unknown token, wrong method and forbidden source get the same 404, byte for byte.
"""

import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar

import structlog
from aiohttp import web

from bot.domain.spellings import Secrets
from handlers.bodies import Bodies
from handlers.sources import Network, allowed, source_of
from storage.errors import StorageError
from storage.store import Store

log = structlog.get_logger(__name__)

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_LARGEST_BODY = 256 * 1024
_REMEMBERED = 4_096
"""Addresses remembered as valid since their last message."""


class CallbackEndpoint(ABC):
    """Receives the messages of one service.

    Args:
        store: stores the messages.
        bodies: reads them.
        vouch: called for each request to a valid address, before its body is read.
        now: the current instant.
        wake: wakes the workers that verify messages.
        sources: networks that may call; empty means any.
        proxies: networks of our own proxies, whose ``X-Forwarded-For`` is believed.
        answered: told of each message with which status it was answered.
        secrets: taken out of each message.

    Attributes:
        unstored: the line in the log when the database is busy.
    """

    unstored: ClassVar[str]

    def __init__(
        self,
        *,
        store: Store,
        bodies: Bodies,
        vouch: Callable[[web.Request], None],
        now: Callable[[], datetime],
        wake: Callable[[], None],
        sources: Sequence[Network],
        proxies: Sequence[Network],
        answered: Callable[[int], None],
        secrets: Secrets,
    ) -> None:
        self._store = store
        self._bodies = bodies
        self._vouch = vouch
        self._now = now
        self._wake = wake
        self._sources = sources
        self._proxies = proxies
        self._answered = answered
        self._secrets = secrets
        self._called: OrderedDict[str, None] = OrderedDict()

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one message."""
        answer = await self._answer(request)
        self._answered(answer.status)
        return answer

    async def _answer(self, request: web.Request) -> web.Response:
        """The answer: 200 only once the message is durable."""
        token = request.match_info["token"]
        if request.method != "POST" or not token_like(token) or not self._may_call(request):
            return nothing_here()
        try:
            stands = token in self._called or await self._stands(token)
            if stands:
                self._vouch(request)
            body = await self._bodies.read(request, largest=_LARGEST_BODY)
            if isinstance(body, web.Response):
                return body
            known = stands and await self._take_in(token, body.decode(errors="replace"))  # a key is enough
        except StorageError as busy:
            return come_back(self.unstored, busy)
        if not known:
            return nothing_here()
        self._wake()
        return web.json_response({"ok": True})

    async def _take_in(self, token: str, body: str) -> bool:
        """Store a message; False: there is no such address.

        Storing checks the address, too. But unknown senders must not load the writer: an address without recent
        messages has been looked up first.
        """
        if not await self._receive(token, self._secrets.hidden_body(body)):
            self._called.pop(token, None)
            return False
        self._called[token] = None
        self._called.move_to_end(token)
        if len(self._called) > _REMEMBERED:
            self._called.popitem(last=False)
        return True

    def _may_call(self, request: web.Request) -> bool:
        if not self._sources:
            return True
        # A repeated header is one list: a proxy that adds a line leaves the caller's own entry before it.
        forwarded = ",".join(request.headers.getall("X-Forwarded-For", ()))
        return allowed(source_of(request.remote, forwarded, self._proxies), self._sources)

    @abstractmethod
    async def _stands(self, token: str) -> bool:
        """Whether there is such an address."""

    @abstractmethod
    async def _receive(self, token: str, body: str) -> bool:
        """Store a message; durable when this returns True. False: there is no such address."""


def token_like(text: str) -> bool:
    """Whether this has the form of an address's token."""
    return _TOKEN.fullmatch(text) is not None


def nothing_here() -> web.Response:
    """The 404 for a sender without a valid address."""
    return web.json_response({"error": "not found"}, status=404)


def come_back(problem: str, busy: StorageError) -> web.Response:
    """The 503 for a valid sender when nothing can be stored."""
    log.warning(problem, reason=str(busy))
    return web.Response(status=503, headers={"Retry-After": "5"})
