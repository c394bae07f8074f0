"""A web host on this machine and a name service, for what fetches addresses that others name."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Names(AbstractResolver):
    """A name service that says what a test wants, the next thing each time; ``every`` is the address of other names."""

    def __init__(self, every: str = "", **names: list[str]) -> None:
        self.names = {name.replace("_", "."): addresses for name, addresses in names.items()}
        self.every = every
        self.asked: list[str] = []

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - the protocol's name
    ) -> list[ResolveResult]:
        self.asked.append(host)
        known = [self.every] if self.every else self.names[host]
        address = known.pop(0) if len(known) > 1 else known[0]
        return [ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        return None


class Host:
    """Answers as ``handler`` does, and keeps the path and the headers of each request."""

    def __init__(self) -> None:
        self.seen: list[Mapping[str, str]] = []
        self.handler: Handler = saying()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append({"path": request.path, **request.headers})
        return await self.handler(request)


def saying(**answer: Any) -> Handler:
    async def say(_: web.Request) -> web.Response:
        return web.Response(**answer)

    return say


@asynccontextmanager
async def open_host() -> AsyncIterator[Host]:
    host, app = Host(), web.Application()
    app.router.add_get("/{path:.*}", host.handle)
    async with TestServer(app) as server:
        host.port = server.port or 0
        yield host
