"""A server of bytes: it counts what arrives and does to the connection whatever a test wants."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Behaviour = Callable[["Arrived", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Arrived:
    """One request as it came over the wire. ``number`` counts from 1 over all connections."""

    number: int
    connection: int
    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class WireServer:
    port: int = 0
    connections: int = 0
    requests: list[Arrived] = field(default_factory=list)
    connected: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def answer(body: bytes = b"{}", *, status: str = "200 OK", headers: str = "Content-Type: application/json") -> bytes:
    return f"HTTP/1.1 {status}\r\n{headers}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def _read(reader: asyncio.StreamReader, *, number: int, connection: int) -> Arrived:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Arrived(number=number, connection=connection, line=head[0], headers=headers, body=body)


@asynccontextmanager
async def wire_server(behave: Behaviour | bytes, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[WireServer]:
    """Serve on a free loopback port; ``behave`` is called for every complete request, or answers it as it is."""
    state = WireServer()
    open_writers: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        state.connections += 1
        connection = state.connections
        state.connected.set()
        open_writers.add(writer)
        try:
            while True:
                request = await _read(reader, number=len(state.requests) + 1, connection=connection)
                state.requests.append(request)
                state.arrived.set()
                if isinstance(behave, bytes):
                    writer.write(behave)
                else:
                    await behave(request, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            return
        finally:
            writer.close()
            open_writers.discard(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        server.close()
        for writer in set(open_writers):
            writer.transport.abort()
        await server.wait_closed()
