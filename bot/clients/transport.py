"""One HTTP exchange: a prepared request in, a ``Reply`` out. Knows nothing of any service.

Three promises that aiohttp alone does not give, kept in ``SingleSendRequest``:

- a request is written to a socket once. aiohttp sends PUT, DELETE and GET again by itself when the connection
  drops (``retry_persistent_connection``), and an operator's route table may well turn a commit into a PUT;
- the turn and the guard are asked when the connection stands, right before the first byte;
- "no byte left" is observed, not concluded from the kind of an exception.
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
"""Waits until the first byte may leave; False: it may not."""
Watch = Callable[[Reply, float | None], None]
"""Called after each exchange with its reply and the seconds from its first byte to that; None: nothing left."""

CONNECT_SECONDS: Final = 5.0
MAX_BODY: Final = 2 * 1024 * 1024
LARGE_BODY: Final = 16 * 1024 * 1024
"""Of an answer that may hold a file."""
_CHUNK: Final = 64 * 1024
TEXT_KEPT: Final = 2000
_LOGGER: Final = logging.getLogger(__name__)
_HEADERS_OF_FILES: Final = ("content-type", "content-disposition")
_HEADERS_KEPT: Final = ("retry-after", "content-type")
_OF_A_GATEWAY: Final = frozenset({502, 503, 504})
"""Statuses with which a gateway says that the service was not reached, or did not answer."""


class Sink(Protocol):
    """Destination of a successful answer that is a file."""

    def wants(self, content_type: str) -> bool:
        """Whether such an answer is a file; asked with its content type in lower case."""

    async def write(self, chunk: bytes) -> bool:
        """Take more of it; False when it becomes too large."""


@dataclass(frozen=True, kw_only=True)
class PreparedRequest:
    """A request without its base address. Everything that may hold a secret stays out of ``repr``.

    Attributes:
        operation: ``payments.get_operation``: what logs call it.
        path: encoded, with the query if there is one.
        body: bytes as they go out, or a payload of known size that is read while it goes out; None for no body.
        brings: names of fields of a successful answer that hold a key meant for us, a secret from then on.
    """

    operation: str
    method: str
    path: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | aiohttp.Payload | None = field(default=None, repr=False)
    brings: tuple[str, ...] = ()

    @property
    def credentials(self) -> tuple[str, ...]:
        """Whole and in parts."""
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        if kind.casefold() == "basic":
            with suppress(binascii.Error, UnicodeDecodeError):
                pair = base64.b64decode(token, validate=True).decode()
                return (token, pair, pair.partition(":")[2])
        return (token,) if token else ()


class _NotSent(Exception):
    """Raised between the connection and the first byte."""


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
        """Called right before the first byte; raises when nothing may be written."""
        if self.left:
            raise _NotSent
        if self._turn is not None:
            self._ask_guard()  # before a turn is used up
            if not await self._turn():
                self.is_refused = True
                raise _NotSent
        if connection.transport is None or connection.transport.is_closing():
            raise _NotSent  # the service did not wait for our turn
        self._ask_guard()
        self.left = True
        self.began = self._circuit.mark()

    def _ask_guard(self) -> None:
        if self._guard is not None and not self._guard():
            self.is_refused = True
            raise _NotSent

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """A client middleware, which is how aiohttp shows us the request object it will send."""
        if not isinstance(request, SingleSendRequest):
            raise TypeError("the session was not made by open_session()")
        request.flight = self
        return await handler(request)


class SingleSendRequest(ClientRequest):
    """A request that asks its flight before it is written."""

    flight: _Flight | None = None

    async def send(self, conn: Connection) -> ClientResponse:
        if self.flight is None:
            raise _NotSent
        await self.flight.take_off(conn)
        return await super().send(conn)


def bare_session(connector: aiohttp.TCPConnector, **more: Any) -> aiohttp.ClientSession:
    """A session that keeps no cookies and knows no proxy, closed by the caller."""
    headers, cookies = {"User-Agent": "switchboard"}, aiohttp.DummyCookieJar()
    return aiohttp.ClientSession(connector=connector, trust_env=False, cookie_jar=cookies, headers=headers, **more)


def open_session(*, limit: int = 20) -> aiohttp.ClientSession:
    """A session for ``Transport``; ``limit``: connections at a time.

    Every request gets a connection of its own. On one that was kept alive and that the service is just
    closing, a commit would end as "unknown" and a person would have to look after it, for nothing.
    """
    connector = aiohttp.TCPConnector(limit=limit, force_close=True)
    return bare_session(connector, request_class=SingleSendRequest)


class Transport:
    """Sends prepared requests to one service; ``service`` is its name in logs and errors.

    ``session`` is made by ``open_session``; ``base_url`` keeps its path. Seconds: ``connect`` for waiting for a
    connection and connecting, ``read`` between two reads, ``total`` for everything. ``circuit`` is told of each request
    whether it was answered. ``secrets`` are taken out of whatever the service says; those of each request are learned.
    ``large``: an answer may be a long text or hold a file, so that up to 16 MiB are read instead of 2, and all is kept.
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
        """An address of the service, for somebody else's browser. ``path``: encoded, with the slash in front."""
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
        """Send once, follow no redirect, read at most 2 MiB, unless a sink wants the answer.

        Never raises for anything that happens on the network; cancelling it raises ``CancelledError`` as usual and
        leaves the outcome unknown. When the connection stands, ``turn`` is waited for, then ``guard`` is asked, right
        before the first byte; False of either sends nothing. ``total``: seconds for everything, instead of the
        transport's own: uploads take longer. ``counts``: whether a guarded request is one of those of which the circuit
        lets only a few wait.
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
            # ValueError: aiohttp refuses headers with line breaks and some malformed answers with it.
            sent = Failure.TIMEOUT if isinstance(error, asyncio.TimeoutError) else Failure.DROPPED
            unsent = Failure.NOT_SENT if flight.is_refused else Failure.NOT_CONNECTED
            reply = Reply(failure=sent if flight.left else unsent)
            # The class only: the text of a client error contains the address.
            self._log.info(
                "service call", operation=request.operation, failure=reply.failure, error=type(error).__name__
            )
        else:
            if _LOGGER.isEnabledFor(logging.DEBUG):  # ten thousand lines for nobody cost as much as two thousand calls
                self._log.debug("service call", operation=request.operation, status=reply.status, failure=reply.failure)
        effect = guard is not None and counts
        if reply.failure is Failure.OVERSIZE or (reply.status is not None and reply.status not in _OF_A_GATEWAY):
            self.circuit.answered(effect=effect)
        elif reply.failure is not Failure.NOT_SENT and isinstance(request.body, bytes | None):
            # A body that is read on its way may have broken the exchange off itself.
            self.circuit.silent(flight.began, effect=effect and flight.left)
        self._watch(reply, self.circuit.passed(flight.began) if flight.left else None)
        return reply

    async def _exchange(
        self, request: PreparedRequest, flight: _Flight, timeout: aiohttp.ClientTimeout, sink: Sink | None
    ) -> Reply:
        body: bytes | io.BytesIO | aiohttp.Payload | None = request.body
        if isinstance(body, bytes) and len(body) > _CHUNK:  # written at once they would hold up everybody else
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
    """An answer of :func:`read_reply` as everybody gets it. Total: a body nested too deeply becomes ``NO_JSON``."""
    try:
        kept = brings if reply.is_success else ()
        document = secrets.without(reply.json, brings=kept)
        if kept:  # a key may have been quoted in front of itself
            document = secrets.without(document, brings=kept)
    except RecursionError:
        document = NO_JSON
    return replace(reply, json=document, text=secrets.hidden(reply.text)[:text_kept])


def read_reply(*, status: int, headers: Mapping[str, str], body: bytes, text_kept: int = TEXT_KEPT) -> Reply:
    """An answer as a value, as it came. Total: never raises; a body that is no JSON becomes ``NO_JSON``."""
    kept = {lower: value for name, value in headers.items() if (lower := name.lower()) in _HEADERS_KEPT}
    announced = kept.get("content-type", "").casefold().startswith(("text/html", "application/xhtml"))
    is_html = announced and _ADDRESS.fullmatch(body) is None  # which some servers announce as a page
    document: object = NO_JSON
    if not is_html:
        with suppress(ValueError, RecursionError, ArithmeticError):
            document = _DECODER.decode(body.decode("utf-8-sig"))
    text = ""
    if document is NO_JSON and not is_html:
        # More bytes than are kept, because half a secret would not be found.
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
    # 1e999999 is valid JSON and would make a million-digit integer of somebody's arithmetic.
    if not number.is_finite() or (number and not -_MAX_EXPONENT < number.adjusted() < _MAX_EXPONENT):
        raise ValueError("a number out of all bounds")
    return number


_MAX_EXPONENT: Final = 40
_ADDRESS: Final = re.compile(rb"\s*(https?|data):[^\s<]+\s*")
_DECODER: Final = json.JSONDecoder(parse_float=_exact, parse_constant=_exact)


def dump_json(value: object) -> str:
    """JSON with exact numbers: a Decimal is written digit by digit, a float is refused with a TypeError."""
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
    """``2510`` -> ``Decimal("25.10")``: an amount as it goes into a body."""
    return Decimal(cents).scaleb(-2)
