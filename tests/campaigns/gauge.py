"""Proxy in front of the partner's service, in a process of its own: it passes bytes on and counts requests.

A request is counted when its first byte is read. On a busy machine that may be late, so each count has a bound on its
delay. A second is reported as too full only if no such delay can explain it. Each sender has a port of its own, so that
one that stood still between its moment and its first byte can be told from one that sends too much.
"""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tests.benchmarks.processes import Spawned, said
from tests.support.proxy import copy

_METHODS = (b"GET ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ")
_BEAT = 0.002
_BEATS = 5
"""A byte that came while the event loop was blocked is read a few rounds later: its connection is accepted first."""
_GOES_ON = 0.2
"""Seconds that a process takes at most to send what it was about to send when it was stopped."""
ALLOWED = 10


@dataclass(frozen=True, slots=True)
class Arrival:
    """When a request was seen, how much earlier it may have arrived, and whose it is. Seconds of one clock."""

    at: float
    late: float
    sender: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    sender: int
    until: float

    def explains(self, arrival: Arrival) -> bool:
        """Whether this is what it was about to send: no program can take back a byte that is on its way."""
        return self.sender == arrival.sender and 0 <= arrival.at - self.until < _GOES_ON


class Gauge:
    def __init__(self, port: int) -> None:
        self._port = port
        self._beats = deque([time.monotonic()], maxlen=_BEATS)
        self.arrivals: list[Arrival] = []

    async def beat(self) -> None:
        """Measure how long the event loop was blocked."""
        while True:
            await asyncio.sleep(_BEAT)
            self._beats.append(time.monotonic())

    def came(self, data: bytes, sender: int) -> None:
        """Count what begins a request: it may have come at any time since the loop was last seen to go on."""
        if data.startswith(_METHODS):
            now = time.monotonic()
            self.arrivals.append(Arrival(now, now - self._beats[0], sender))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))


class Counting(asyncio.StreamReaderProtocol):
    """One connection of a sender; counts bytes as they are read, before anything waits for its turn."""

    def __init__(self, gauge: Gauge, sender: int) -> None:
        super().__init__(asyncio.StreamReader(), gauge.serve)
        self._gauge = gauge
        self._sender = sender

    def data_received(self, data: bytes) -> None:
        self._gauge.came(data, self._sender)
        super().data_received(data)


async def serve(pipe: Connection) -> None:
    port, senders = await said(pipe)
    gauge, loop = Gauge(port), asyncio.get_running_loop()
    servers = [
        await loop.create_server(lambda sender=sender: Counting(gauge, sender), "127.0.0.1", 0)  # type: ignore[misc]
        for sender in range(senders)
    ]
    beating = asyncio.create_task(gauge.beat())
    pipe.send([server.sockets[0].getsockname()[1] for server in servers])
    while await said(pipe) != "stop":
        pipe.send([(one.at, one.late, one.sender) for one in gauge.arrivals])
    beating.cancel()


class Gauged:
    """A gauge in front of a service on loopback, with a port for each sender."""

    def __init__(self, port: int, *, senders: int = 1) -> None:
        self._process = Spawned(serve, (port, senders))
        self.ports: Sequence[int] = self._process.told

    def arrivals(self) -> list[Arrival]:
        return sorted((Arrival(*one) for one in self._process.ask("count")), key=lambda one: one.at)

    def stop(self) -> None:
        self._process.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Of all requests, the most within a second: if no count was late (``seen``), however late they were (``certain``).

    ``stopped`` are left out of that: their senders had just stood still.
    """

    requests: int
    seen: int
    certain: int
    too_many: int
    stopped: int = 0


def pace_of(all_arrivals: Sequence[Arrival], stops: Sequence[Stop] = (), *, allowed: int = ALLOWED) -> Pace:
    seen = certain = too_many = 0
    arrivals = [one for one in all_arrivals if not any(stop.explains(one) for stop in stops)]
    for last, end in enumerate(arrivals):
        within = surely = 0
        for start in reversed(arrivals[: last + 1]):
            if end.at - start.at >= 1:
                break
            within += 1
            surely += end.at - (start.at - start.late) < 1
        seen, certain = max(seen, within), max(certain, surely)
        too_many += surely > allowed
    stopped = len(all_arrivals) - len(arrivals)
    return Pace(requests=len(all_arrivals), seen=seen, certain=certain, too_many=too_many, stopped=stopped)
