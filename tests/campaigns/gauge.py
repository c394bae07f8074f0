"""Proxy in front of the partner's service, in a process of its own: it passes bytes on and counts requests.

A request is counted when its first byte is read. On a busy machine that may be late, so each count has a bound on its
delay. A second is reported as too full only if no such delay can explain it.
"""

import asyncio
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from tests.benchmarks.processes import Spawned, said

_CHUNK = 65_536
_METHODS = (b"GET ", b"POST ", b"PUT ", b"PATCH ", b"DELETE ")
_BEAT = 0.002
ALLOWED = 10


@dataclass(frozen=True, slots=True)
class Arrival:
    """When a request was seen, and how much earlier it may have arrived. Seconds of one clock."""

    at: float
    late: float


class Gauge:
    """The proxy of this process."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._beat = time.monotonic()
        self._waited = 0.0
        self.arrivals: list[Arrival] = []

    async def beat(self) -> None:
        """Measure how long the event loop was blocked."""
        while True:
            await asyncio.sleep(_BEAT)
            now = time.monotonic()
            self._waited, self._beat = now - self._beat, now

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._there(reader, inner_writer), self._back(inner_reader, writer))

    async def _there(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(_CHUNK):
                if data.startswith(_METHODS):
                    now = time.monotonic()
                    # The byte may have arrived at any time since the last beat, or during that beat's wait.
                    self.arrivals.append(Arrival(now, now - self._beat + self._waited))
                writer.write(data)
                await writer.drain()
        except OSError:
            return
        finally:
            writer.close()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(_CHUNK):
                writer.write(data)
                await writer.drain()
        except OSError:
            return
        finally:
            writer.close()


async def serve(pipe: Connection) -> None:
    """Main function of the process: receives the service's port, sends its own, and sends the counts on request."""
    gauge = Gauge(await said(pipe))
    server = await asyncio.start_server(gauge.serve, "127.0.0.1", 0)
    beating = asyncio.create_task(gauge.beat())
    pipe.send(server.sockets[0].getsockname()[1])
    while await said(pipe) != "stop":
        pipe.send([(one.at, one.late) for one in gauge.arrivals])
    beating.cancel()


class Gauged:
    """A gauge in front of a service on loopback."""

    def __init__(self, port: int) -> None:
        self._process = Spawned(serve, port)
        self.port: int = self._process.told

    def arrivals(self) -> list[Arrival]:
        """All arrivals so far, in order."""
        return sorted((Arrival(*one) for one in self._process.ask("count")), key=lambda one: one.at)

    def stop(self) -> None:
        """End it."""
        self._process.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Numbers of requests in the fullest second.

    Attributes:
        requests: total.
        seen: maximum within a second, if no count was late.
        certain: maximum within a second, however late the counts were.
        too_many: number of requests that certainly exceeded the limit.
    """

    requests: int
    seen: int
    certain: int
    too_many: int


def pace_of(arrivals: list[Arrival], *, allowed: int = ALLOWED) -> Pace:
    """Pace of arrivals, which are in order."""
    seen = certain = too_many = 0
    for last, end in enumerate(arrivals):
        within = surely = 0
        for start in reversed(arrivals[: last + 1]):
            if end.at - start.at >= 1:
                break
            within += 1
            surely += end.at - (start.at - start.late) < 1
        seen, certain = max(seen, within), max(certain, surely)
        too_many += surely > allowed
    return Pace(requests=len(arrivals), seen=seen, certain=certain, too_many=too_many)
