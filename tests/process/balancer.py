"""Load balancer of several processes: each request goes to one of them, to another if that one is dead."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Self

import aiohttp
from aiohttp import web

_PATIENCE = 20.0
_TO_CONNECT = 1.0
_OF_ONE_HOP = frozenset({"host", "content-length", "transfer-encoding", "connection", "keep-alive"})


class Balancer:
    """A simple reverse proxy on loopback.

    A request goes to one of ``urls()``, by chance; it is repeated only if no connection was made. One that a dead
    process may have read is answered 502, as by any proxy.
    """

    def __init__(self, urls: Callable[[], Sequence[str]], *, chance: random.Random) -> None:
        self._urls = urls
        self._chance = chance
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/{path:.*}", self._pass)
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=_PATIENCE, connect=_TO_CONNECT),
            connector=aiohttp.TCPConnector(force_close=True),
            auto_decompress=False,
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _pass(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _OF_ONE_HOP]
        urls = list(self._urls())
        self._chance.shuffle(urls)
        sent: dict[str, Any] = {"headers": headers, "data": body, "allow_redirects": False}
        for url in urls:
            try:
                async with self._session.request(request.method, f"{url}{request.path_qs}", **sent) as answer:
                    kept = {name: value for name, value in answer.headers.items() if name.lower() not in _OF_ONE_HOP}
                    return web.Response(status=answer.status, body=await answer.read(), headers=kept)
            except aiohttp.ClientConnectorError:
                continue
            except (TimeoutError, aiohttp.ClientError):
                break
        return web.Response(status=502)
