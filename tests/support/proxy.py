"""A TCP proxy whose new connections can be sent elsewhere, as a failover does; open ones stay where they are."""

import asyncio
from contextlib import suppress
from typing import Self


class Proxy:
    """An async context manager. ``target``: port on this machine to which new connections go."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self._pipes: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
        for source, sink in ((reader, there_writer), (there_reader, writer)):
            pipe = asyncio.create_task(copy(source, sink))
            self._pipes.add(pipe)
            pipe.add_done_callback(self._pipes.discard)


async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Pass on bytes until one side ends."""
    with suppress(OSError):
        try:
            while data := await source.read(65_536):
                sink.write(data)
                await sink.drain()
        finally:
            sink.close()
