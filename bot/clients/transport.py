"""One HTTP exchange, from a prepared request to a ``Reply``; independent of the service.

``SingleSendRequest`` adds three guarantees to aiohttp:

- a request is written to a socket once. aiohttp resends PUT, DELETE and GET by itself if the connection drops
  (``retry_persistent_connection``), and an operator's route table may turn a commit into a PUT;
- the turn and the guard are called once connected, right before the first byte;
- "no byte left" is observed, not inferred from the type of an exception.
"""

import asyncio
import base64
import binascii
import io
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import aiohttp
import structlog
from aiohttp.client_middlewares import ClientHandlerType
from aiohttp.client_reqrep import ClientRequest, ClientResponse
from aiohttp.connector import Connection
from yarl import URL

from bot.clients.circuit import Circuit
from bot.domain.errors import OperatorError
from bot.domain.outcome import NO_JSON, Failure, Reply
from bot.domain.text import Secrets

Guard = Callable[[], bool]
Turn = Callable[[], Awaitable[bool]]
"""Waits until the first byte may leave; returns False if it may not."""
Watch = Callable[[Reply, float | None], None]
"""Called after each exchange with the reply and the seconds since its first byte; None if nothing was sent."""

CONNECT_SECONDS: Final = 5.0
MAX_BODY: Final = 2 * 1024 * 1024
LARGE_BODY: Final = 16 * 1024 * 1024
"""Limit for an answer that may contain a file."""
_CHUNK: Final = 64 * 1024
TEXT_KEPT: Final = 2000
_LOGGER: Final = logging.getLogger(__name__)
_HEADERS_OF_FILES: Final = ("content-type", "content-disposition")
_HEADERS_KEPT: Final = ("retry-after", "content-type")
_OF_A_GATEWAY: Final = frozenset({502, 503, 504})
"""Statuses of a gateway that couldn't reach the service or got no answer from it."""


class Sink(Protocol):
    """Destination of a successful answer that is a file."""

    def wants(self, content_type: str) -> bool:
        """Return whether an answer with this lower-case content type is a file."""

    async def write(self, chunk: bytes) -> bool:
        """Write a chunk; return False once the file is too large."""


@dataclass(frozen=True, kw_only=True)
class PreparedRequest:
    """A request without its base address. Fields that may contain a secret are left out of ``repr``.

    Attributes:
        operation: name in logs, such as ``payments.get_operation``.
        path: encoded, with the query if there is one.
        body: bytes, or a payload of known size that is read while it is sent; None for no body.
        brings: names of fields in a successful answer that contain a key for us, which is then treated as a secret.
    """

    operation: str
    method: str
    path: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | aiohttp.Payload | None = field(default=None, repr=False)
    brings: tuple[str, ...] = ()

    @property
    def credentials(self) -> tuple[str, ...]:
        """Secrets in the Authorization header, encoded and decoded."""
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        if kind.casefold() == "basic":
            with suppress(binascii.Error, UnicodeDecodeError):
                pair = base64.b64decode(token, validate=True).decode()
                return (token, pair, pair.partition(":")[2])
        return (token,) if token else ()


class _NotSent(Exception):
    """Raised after connecting if the first byte may not be sent."""


class _Flight:
    """State of one prepared request while it is sent."""

    def __init__(self, guard: Guard | None, turn: Turn | None, circuit: Circuit) -> None:
        self._guard = guard
        self._turn = turn
        self._circuit = circuit
        self.began = circuit.mark()
        self.left = False
        self.is_refused = False

    async def take_off(self, connection: Connection) -> None:
        """Check right before the first byte that it may be written; raises ``_NotSent`` if not."""
        if self.left:
            raise _NotSent
        if self._turn is not None:
            self._ask_guard()  # before using up a turn
            if not await self._turn():
                self.is_refused = True
                raise _NotSent
        if connection.transport is None or connection.transport.is_closing():
            raise _NotSent  # the service closed the connection while we waited
        self._ask_guard()
        self.left = True
        self.began = self._circuit.mark()

    def _ask_guard(self) -> None:
        if self._guard is not None and not self._guard():
            self.is_refused = True
            raise _NotSent

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """Act as a client middleware, the only way to get at the request object that aiohttp will send."""
        if not isinstance(request, SingleSendRequest):
            raise TypeError("the session was not made by open_session()")
        request.flight = self
        return await handler(request)


class SingleSendRequest(ClientRequest):
    """A request that checks with its flight before it is written."""

    flight: _Flight | None = None

    async def send(self, conn: Connection) -> ClientResponse:
        if self.flight is None:
            raise _NotSent
        await self.flight.take_off(conn)
        return await super().send(conn)


def bare_session(connector: aiohttp.TCPConnector, **more: Any) -> aiohttp.ClientSession:
    """Open a session without cookies or proxy; the caller closes it."""
    headers, cookies = {"User-Agent": "switchboard"}, aiohttp.DummyCookieJar()
    return aiohttp.ClientSession(connector=connector, trust_env=False, cookie_jar=cookies, headers=headers, **more)


def open_session(*, limit: int = 20) -> aiohttp.ClientSession:
    """Open a session for ``Transport``; ``limit``: simultaneous connections.

    Every request gets a new connection. On a kept-alive one that the service is just closing, a commit would end
    as "unknown", and a person would have to check it for nothing.
    """
    connector = aiohttp.TCPConnector(limit=limit, force_close=True)
    return bare_session(connector, request_class=SingleSendRequest)


class Transport:
    """Sends prepared requests to one service; ``service`` is its name in logs and errors.

    ``session`` comes from ``open_session``; ``base_url`` keeps its path. Time-outs in seconds: ``connect`` for waiting
    for a connection and connecting, ``read`` between two reads, ``total`` for everything. ``circuit`` records whether
    each request was answered. ``secrets``, including credentials of the requests, are redacted from answers.
    ``large``: answers may be long texts or contain files, so up to 16 MiB are read instead of 2, and all text is kept.
    """

    def __init__(
        self,
        *,
        session: aiohttp.ClientSession,
        base_url: str,
        service: str,
        connect: float = CONNECT_SECONDS,
        read: float = 20.0,
        total: float = 30.0,
        circuit: Circuit | None = None,
        watch: Watch = lambda *_: None,
        secrets: Secrets | None = None,
        large: bool = False,
    ) -> None:
        parts = urlsplit(base_url)
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or parts.username
            or parts.query
            or parts.fragment
        ):
            raise OperatorError(
                f"{service.upper()}_BASE_URL: it is an http(s) address without credentials, query or fragment",
                mend=f"for example: {service.upper()}_BASE_URL=https://api.example.com",
            )
        self._session = session
        self._base_url = base_url.rstrip("/")
        self._service = service
        self._timeout = aiohttp.ClientTimeout(total=total, connect=connect, sock_connect=connect, sock_read=read)
        self.circuit = circuit or Circuit(service, clock=time.monotonic)
        self._watch = watch
        self._secrets = secrets or Secrets()
        self._most, self._text_kept = (LARGE_BODY, LARGE_BODY) if large else (MAX_BODY, TEXT_KEPT)
        self._log = structlog.stdlib.get_logger(__name__)

    def address(self, path: str) -> str:
        """Return a URL of the service for a user's browser. ``path``: encoded, with a leading slash."""
        return self._base_url + path

    async def send(
        self,
        request: PreparedRequest,
        *,
        guard: Guard | None = None,
        turn: Turn | None = None,
        total: float | None = None,
        sink: Sink | None = None,
        counts: bool = True,
    ) -> Reply:
        """Send once and return the reply, without following redirects; at most 2 MiB unless a sink wants it.

        Never raises for network errors; cancelling raises ``CancelledError`` as usual and leaves the outcome unknown.
        Once connected, ``turn`` is awaited, then ``guard`` is called right before the first byte; False from either
        sends nothing. ``total`` overrides the transport's total seconds, since uploads take longer. ``counts``:
        whether a guarded request counts as an effect for the circuit.
        """
        if self._session.closed:
            return Reply(failure=Failure.NOT_CONNECTED)
        self._secrets.learn(*request.credentials)
        flight = _Flight(guard, turn, self.circuit)
        timeout = self._timeout
        if total is not None:
            connect = timeout.connect
            timeout = aiohttp.ClientTimeout(total=total, connect=connect, sock_connect=connect, sock_read=total)
        try:
            reply = await self._exchange(request, flight, timeout, sink)
        except (aiohttp.ClientError, _NotSent, OSError, TimeoutError, ValueError) as error:
            # aiohttp raises ValueError for headers with line breaks and for some malformed answers.
            sent = Failure.TIMEOUT if isinstance(error, asyncio.TimeoutError) else Failure.DROPPED
            unsent = Failure.NOT_SENT if flight.is_refused else Failure.NOT_CONNECTED
            reply = Reply(failure=sent if flight.left else unsent)
            # Only the class: the text of a client error contains the address.
            self._log.info(
                "service call failed", operation=request.operation, failure=reply.failure, error=type(error).__name__
            )
        else:
            if _LOGGER.isEnabledFor(logging.DEBUG):  # ten thousand discarded lines cost as much as two thousand calls
                self._log.debug("service call", operation=request.operation, status=reply.status, failure=reply.failure)
        effect = guard is not None and counts
        if reply.failure is Failure.OVERSIZE or (reply.status is not None and reply.status not in _OF_A_GATEWAY):
            self.circuit.answered(effect=effect)
        elif reply.failure is not Failure.NOT_SENT and isinstance(request.body, bytes | None):
            # A body that is read while sending may itself have aborted the exchange.
            self.circuit.silent(flight.began, effect=effect and flight.left)
        self._watch(reply, self.circuit.passed(flight.began) if flight.left else None)
        return reply

    async def _exchange(
        self, request: PreparedRequest, flight: _Flight, timeout: aiohttp.ClientTimeout, sink: Sink | None
    ) -> Reply:
        body: bytes | io.BytesIO | aiohttp.Payload | None = request.body
        if isinstance(body, bytes) and len(body) > _CHUNK:  # one large write would block the event loop
            body = io.BytesIO(body)
        async with self._session.request(
            request.method,
            URL(self._base_url + request.path, encoded=True),
            data=body,
            headers=request.headers,
            timeout=timeout,
            allow_redirects=False,
            middlewares=(flight,),
        ) as response:
            if sink is not None and response.ok and sink.wants(response.headers.get("Content-Type", "").casefold()):
                async for chunk in response.content.iter_chunked(_CHUNK):
                    if not await sink.write(chunk):
                        return Reply(failure=Failure.OVERSIZE)
                found = {name: response.headers[name] for name in _HEADERS_OF_FILES if name in response.headers}
                headers = {name: self._secrets.hidden(value) for name, value in found.items()}
                return Reply(status=response.status, headers=headers)
            answer = bytearray()
            async for chunk in response.content.iter_chunked(_CHUNK):
                answer += chunk
                if len(answer) > self._most:
                    return Reply(failure=Failure.OVERSIZE)
            kept = self._text_kept
            reply = read_reply(status=response.status, headers=response.headers, body=bytes(answer), text_kept=kept)
            return without_secrets(reply, self._secrets, brings=request.brings, text_kept=kept)


def without_secrets(
    reply: Reply, secrets: Secrets, *, brings: Collection[str] = (), text_kept: int = TEXT_KEPT
) -> Reply:
    """Redact secrets from a reply of :func:`read_reply`. Never raises: too deeply nested JSON becomes ``NO_JSON``."""
    try:
        kept = brings if reply.is_success else ()
        document = secrets.without(reply.json, brings=kept)
        if kept:  # a text before the key's own field may have quoted it
            document = secrets.without(document, brings=kept)
    except RecursionError:
        document = NO_JSON
    return replace(reply, json=document, text=secrets.hidden(reply.text)[:text_kept])


def read_reply(*, status: int, headers: Mapping[str, str], body: bytes, text_kept: int = TEXT_KEPT) -> Reply:
    """Parse an answer without redacting it. Never raises: a body that isn't JSON becomes ``NO_JSON``."""
    kept = {lower: value for name, value in headers.items() if (lower := name.lower()) in _HEADERS_KEPT}
    announced = kept.get("content-type", "").casefold().startswith(("text/html", "application/xhtml"))
    is_html = announced and _ADDRESS.fullmatch(body) is None  # some servers send a bare address as HTML
    document: object = NO_JSON
    if not is_html:
        with suppress(ValueError, RecursionError, ArithmeticError):
            document = _DECODER.decode(body.decode("utf-8-sig"))
    text = ""
    if document is NO_JSON and not is_html:
        # Longer than the kept text, because a truncated secret wouldn't be redacted.
        text = body[: 4 * text_kept].decode("utf-8", errors="replace").strip()
        is_html = text.startswith("<")
    return Reply(
        status=status,
        headers=MappingProxyType(kept),
        json=document,
        text="" if is_html else text,
        is_html=is_html,
        size=len(body),
    )


def _exact(text: str) -> Decimal:
    number = Decimal(text)
    # 1e999999 is valid JSON, and arithmetic with it would create a million-digit integer.
    if not number.is_finite() or (number and not -_MAX_EXPONENT < number.adjusted() < _MAX_EXPONENT):
        raise ValueError("a number out of all bounds")
    return number


_MAX_EXPONENT: Final = 40
_ADDRESS: Final = re.compile(rb"\s*(https?|data):[^\s<]+\s*")
_DECODER: Final = json.JSONDecoder(parse_float=_exact, parse_constant=_exact)


def dump_json(value: object) -> str:
    """Return JSON with exact numbers: a Decimal is written digit by digit, a float raises TypeError."""
    match value:
        case None | bool() | int() | str():
            return json.dumps(value)
        case Decimal() if value.is_finite():
            return format(value, "f")
        case list() | tuple():
            return f"[{','.join(map(dump_json, value))}]"
        case dict():
            return "{" + ",".join(f"{json.dumps(str(key))}:{dump_json(item)}" for key, item in value.items()) + "}"
        case _:
            raise TypeError(f"{type(value).__name__} has no exact form in JSON")


def decimal_of(cents: int) -> Decimal:
    """Return an amount for a request body: ``2510`` -> ``Decimal("25.10")``."""
    return Decimal(cents).scaleb(-2)
