"""Reading bodies from senders not yet identified: limited in size, in time and in total."""

import asyncio
from dataclasses import dataclass

from aiohttp import web

from handlers.connections import Connections

_SECONDS = 10.0
_CHUNK = 16_384
_ALL_TOGETHER = 16 << 20


@dataclass(eq=False, slots=True)
class _Reading:
    request: web.Request
    size: int = 0
    cut: bool = False


class Bodies:
    """Reads bodies. When the bodies being read exceed the total limit, the largest of them is aborted.

    Args:
        connections: notified while a body is awaited.
        seconds: time limit of a body.
        most: total limit in bytes of the bodies being read at a time.
    """

    def __init__(self, connections: Connections, *, seconds: float = _SECONDS, most: int = _ALL_TOGETHER) -> None:
        self._connections = connections
        self._seconds = seconds
        self._most = most
        self._held = 0
        self._readings: set[_Reading] = set()

    @property
    def held(self) -> int:
        """Bytes read so far of unfinished bodies."""
        return self._held

    async def read(self, request: web.Request, *, largest: int) -> bytes | web.Response:
        """The body, or the response that refuses it: no input may cause a 500.

        Args:
            request: its body has not been read yet.
            largest: bytes; a compressed body counts unpacked.
        """
        content = request.content
        if content.is_eof() and content.exception() is None and content.total_bytes <= largest:
            return content.read_nowait()  # the body came with its headers: no timer is needed
        reading = _Reading(request)
        self._readings.add(reading)
        try:
            with self._connections.reading(request):
                async with asyncio.timeout(self._seconds):
                    return await self._all_of(reading, largest)
        except TimeoutError:
            return web.Response(status=408)
        except (web.RequestPayloadError, ConnectionError):  # broken encoding, or the sender has disconnected
            return web.Response(status=400)
        finally:
            self._readings.discard(reading)
            self._held -= reading.size

    async def _all_of(self, reading: _Reading, largest: int) -> bytes | web.Response:
        body = bytearray()
        async for chunk in reading.request.content.iter_chunked(_CHUNK):
            body += chunk
            if len(body) > largest:
                return web.Response(status=413)
            if reading.cut:
                raise ConnectionResetError("closed, as all bodies together were too large")
            reading.size += len(chunk)
            self._held += len(chunk)
            if self._held > self._most:
                self._cut_the_largest()
        return bytes(body)

    def _cut_the_largest(self) -> None:
        largest = max(self._readings, key=lambda reading: reading.size)
        self._held -= largest.size
        largest.size = 0
        largest.cut = True
        self._connections.close(largest.request)
