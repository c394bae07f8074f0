"""Limits on connections and bodies, so that Slack and the services can always connect.

A connection is unverified until it has carried a request signed by Slack or a message to a valid callback address. An
unverified connection that keeps us waiting counts as silent two seconds after it was opened, or after its last answer.
At most 200 silent ones are kept; beyond that, the source with the most of them loses its oldest. All unverified ones
together are limited by the number of descriptors; beyond that, even new ones are closed, silent ones first. A request
that is being answered always finishes. Bodies of unidentified senders are limited in size, in time and in total.
"""

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, cast

from aiohttp import web

SILENT: Final = 200
NEW_SECONDS: Final = 2.0
"""Twice the time of a sender whose lost packet is resent after a second."""
CROWD: Final = 2_000
"""Maximum of unverified connections: a thousand callbacks at once, and as many silent ones. About 20 KB each."""
_FOR_OURSELVES: Final = 200
"""Descriptors reserved for the database, Slack, the services and files."""
_BACKLOG: Final = 1_024
"""Connections queued in the kernel. A client that finds the queue full retries a second later."""
HEADER_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 75.0
"""Longer than proxies keep idle connections, so that the proxy closes first and never while sending a request."""
_MOMENT: Final = 0.05
_ROUNDS: Final = 4
"""Iterations of the event loop for accepting queued connections."""
_CHUNK: Final = 16_384


def room(descriptors: int) -> int:
    """Return the maximum of unverified connections for a process with this many descriptors."""
    return max(SILENT, min(CROWD, descriptors - _FOR_OURSELVES))


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Phase(Enum):
    HEADERS = auto()
    """A request has begun, or the connection was just opened."""
    BODY = auto()
    ANSWER = auto()
    IDLE = auto()


@dataclass(eq=False, slots=True)
class _Guest:
    transport: asyncio.Transport
    source: str
    since: float
    phase: _Phase = _Phase.HEADERS
    signed: bool = False

    @property
    def waited_for(self) -> bool:
        return self.phase is not _Phase.ANSWER

    def silent(self, now: float) -> bool:
        """Return whether it is unverified and has kept us waiting for two seconds."""
        return not self.signed and self.waited_for and now - self.since >= NEW_SECONDS

    def overdue(self, now: float) -> bool:
        limits = {_Phase.HEADERS: HEADER_SECONDS, _Phase.IDLE: IDLE_SECONDS}
        return now - self.since >= limits.get(self.phase, math.inf)


@dataclass(eq=False)
class Connections:
    """All connections of the server. ``now`` returns seconds of a monotonic clock."""

    now: Callable[[], float]
    most: int = CROWD
    pause: float = 1.0
    _guests: dict[asyncio.BaseTransport, _Guest] = field(default_factory=dict)
    strangers: int = 0
    """Unverified connections, at most ``most``."""
    _look: asyncio.TimerHandle | None = None
    _looks_at: float = 0.0

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Record when a request's headers are complete, and when it is answered."""
        guest = self._of(request)
        if guest is not None:
            guest.phase = _Phase.ANSWER
        try:
            return await handler(request)
        finally:
            if guest is not None:
                self._turn(guest, _Phase.IDLE)

    @contextmanager
    def reading(self, request: web.Request) -> Iterator[None]:
        guest = self._of(request)
        if guest is not None:
            guest.phase = _Phase.BODY
        try:
            yield
        finally:
            if guest is not None:
                guest.phase = _Phase.ANSWER

    def vouch(self, request: web.Request) -> None:
        """Mark a request's connection as verified: Slack signed the request, or its callback address is valid."""
        guest = self._of(request)
        if guest is not None and not guest.signed:
            guest.signed = True
            self.strangers -= 1

    async def last_requests(self) -> None:
        """Wait until every open connection has sent its request, at most two seconds, because senders may be slow."""
        loop = asyncio.get_running_loop()
        until = loop.time() + NEW_SECONDS
        while loop.time() < until and any(  # noqa: ASYNC110 - once in a process' life
            guest.phase is _Phase.HEADERS for guest in self._guests.values()
        ):
            await asyncio.sleep(_MOMENT)

    def sweep(self) -> None:
        """Close overdue connections and surplus silent ones."""
        now = self.now()
        for guest in [guest for guest in self._guests.values() if guest.overdue(now)]:
            self._cut(guest)
        silent = [guest for guest in self._guests.values() if guest.silent(now)]
        self._thin_out(silent, len(silent) - SILENT)

    def came(self, transport: asyncio.Transport) -> None:
        peer = transport.get_extra_info("peername")
        self._guests[transport] = _Guest(transport, str(peer[0]) if peer else "", self.now())
        self.strangers += 1
        if self.strangers > self.most:
            waited_for = [one for one in self._guests.values() if not one.signed and one.waited_for]
            self._thin_out(waited_for, self.strangers - self.most + SILENT // 2)  # with a margin for the next
        if self._look is None:
            self._look_again()

    def sent(self, transport: asyncio.BaseTransport) -> None:
        """Record received data, which begins a request on an idle connection."""
        guest = self._guests.get(transport)
        if guest is not None and guest.phase is _Phase.IDLE:
            self._turn(guest, _Phase.HEADERS)

    def left(self, transport: asyncio.BaseTransport) -> None:
        guest = self._guests.pop(transport, None)
        if guest is not None and not guest.signed:
            self.strangers -= 1

    def _of(self, request: web.Request) -> _Guest | None:
        return None if request.transport is None else self._guests.get(request.transport)

    def _turn(self, guest: _Guest, phase: _Phase) -> None:
        guest.phase = phase
        guest.since = self.now()

    def _look_again(self) -> None:
        self._looks_at = self.now() + self.pause
        self._look = asyncio.get_running_loop().call_later(self.pause, self._look_around)

    def _look_around(self) -> None:
        self._look = None
        if self._guests:
            now = self.now()
            late = now - self._looks_at
            if late > 0:  # the loop was blocked and read no data, so don't count this time as silence
                for guest in self._guests.values():
                    guest.since = min(guest.since + late, now)
            self.sweep()
            self._look_again()

    def _thin_out(self, guests: Iterable[_Guest], count: int) -> None:
        """Close ``count`` of these connections, each the oldest of the source with the most."""
        crowds: dict[str, deque[_Guest]] = defaultdict(deque)
        for guest in sorted(guests, key=lambda one: one.since):
            crowds[guest.source].append(guest)
        for _ in range(count):
            crowd = max(crowds.values(), key=len, default=None)
            if not crowd:
                return
            self._cut(crowd.popleft())

    def _cut(self, guest: _Guest) -> None:
        self.left(guest.transport)  # stop counting now, since its end is reported later
        guest.transport.abort()


@dataclass(eq=False, slots=True)
class _Reading:
    request: web.Request
    size: int = 0
    cut: bool = False


@dataclass(eq=False)
class Bodies:
    """Reads bodies. If the bodies being read exceed the total limit, the largest one is aborted."""

    connections: Connections
    seconds: float = 10.0
    most: int = 16 << 20
    held: int = 0
    """Bytes of unfinished bodies read so far."""
    _readings: set[_Reading] = field(default_factory=set)

    async def read(self, request: web.Request, *, largest: int) -> bytes | web.Response:
        """Read a body, or return the response that refuses it; never raises. Limits apply after decompression."""
        content = request.content
        if content.is_eof() and content.exception() is None and content.total_bytes <= largest:
            return content.read_nowait()  # the body arrived with the headers: no timer needed
        reading = _Reading(request)
        self._readings.add(reading)
        try:
            with self.connections.reading(request):
                async with asyncio.timeout(self.seconds):
                    return await self._all_of(reading, largest)
        except TimeoutError:
            return web.Response(status=408)
        except (web.RequestPayloadError, ConnectionError):  # malformed encoding, or the sender disconnected
            return web.Response(status=400)
        finally:
            self._readings.discard(reading)
            self.held -= reading.size

    async def _all_of(self, reading: _Reading, largest: int) -> bytes | web.Response:
        body = bytearray()
        async for chunk in reading.request.content.iter_chunked(_CHUNK):
            body += chunk
            if len(body) > largest:
                return web.Response(status=413)
            if reading.cut:
                raise ConnectionResetError("closed, as all bodies together were too large")
            reading.size += len(chunk)
            self.held += len(chunk)
            if self.held > self.most:
                most = max(self._readings, key=lambda reading: reading.size)
                self.held -= most.size
                most.size, most.cut = 0, True
                if most.request.transport is not None:
                    most.request.transport.abort()
        return bytes(body)


class _Door(asyncio.Protocol):
    """Wraps the server's protocol of one connection and reports its opening, data and end."""

    def __init__(self, connections: Connections, inner: asyncio.Protocol) -> None:
        self._connections = connections
        self._inner = inner
        self.pause_writing = inner.pause_writing  # type: ignore[method-assign]  # nothing to add
        self.resume_writing = inner.resume_writing  # type: ignore[method-assign]
        self.eof_received = inner.eof_received  # type: ignore[method-assign]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._inner.connection_made(transport)
        self._connections.came(cast("asyncio.Transport", transport))

    def data_received(self, data: bytes) -> None:
        self._connections.sent(self._transport)
        self._inner.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.left(self._transport)
        self._inner.connection_lost(exc)


class Site(web.BaseSite):
    def __init__(self, runner: web.AppRunner, connections: Connections, host: str, port: int) -> None:
        super().__init__(runner, backlog=_BACKLOG)
        self._connections = connections
        self._host = host
        self._port = port

    @property
    def name(self) -> str:
        return f"http://{self._host}:{self._port}"

    async def start(self) -> None:
        """Start listening. Raises ``OSError`` if the address or port can't be used."""
        await super().start()
        server = self._runner.server
        if server is None:
            raise RuntimeError("the runner was not set up")
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Door(self._connections, server()), self._host, self._port, backlog=self._backlog
        )

    async def stop(self) -> None:
        """Stop listening, then wait for requests on open connections, so that no click is lost."""
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)  # accept queued connections, which would be reset
        await super().stop()
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
        await self._connections.last_requests()
