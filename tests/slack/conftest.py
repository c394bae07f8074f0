"""A Web API that answers what a test tells it to, over real HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.cli.manifest import bot_scopes
from bot.playground.workspace import Workspace
from tests.support.clock import ManualClock
from tests.support.rig import FINANCE, MARIA

Answer = Callable[[dict[str, Any]], Awaitable[web.StreamResponse] | web.StreamResponse]


@dataclass
class Api:
    """``answers`` by method; ``calls`` are method and arguments, in order."""

    url: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def say(self, method: str, body: dict[str, Any] | str, *, status: int = 200, **headers: str) -> None:
        """Answer a method with JSON, or with text as it is."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        def answer(_: dict[str, Any]) -> web.Response:
            if isinstance(body, str):
                return web.Response(text=body, status=status, headers=named, content_type="text/html")
            return web.json_response(body, status=status, headers=named)

        self.answers[method] = answer

    def busy(self, method: str, seconds: str = "30") -> None:
        self.say(method, {"ok": False, "error": "ratelimited"}, status=429, Retry_After=seconds)

    def asked(self, method: str) -> int:
        return [name for name, _ in self.calls].count(method)


@asynccontextmanager
async def serving(
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]], path: str = "/{path:.*}"
) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", path, handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as opened:
        yield opened


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    made = Workspace(scopes=bot_scopes(), enforce_rates=False)
    made.add_user(MARIA, "maria")
    made.add_channel(FINANCE, "finance", members=[MARIA])
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    found = Api()

    async def serve(request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        arguments = {**request.query}
        if request.content_type == "application/json" and request.can_read_body:
            arguments |= await request.json()
        elif request.can_read_body:
            arguments |= {key: str(value) for key, value in (await request.post()).items()}
        found.calls.append((method, arguments))
        answer = found.answers[method](arguments)
        return answer if isinstance(answer, web.StreamResponse) else await answer

    async with serving(serve, "/api/{method}") as url:
        found.url = f"{url}/api/"
        yield found


@pytest.fixture
def web_client(api: Api, session: aiohttp.ClientSession) -> AsyncWebClient:
    return client_of(api.url, session, "xoxb-1")


def client_of(url: str, session: aiohttp.ClientSession, token: str = "xoxb-playground") -> AsyncWebClient:
    return AsyncWebClient(token=token, base_url=url, session=session, retry_handlers=[])
