"""A workspace with a few people, the real Web API client on it, and the real Bolt behind it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import Workspace
from tests.support.clock import SecondsClock

ANA, BOB, EVE, GUEST, GONE = "U0ANA", "U0BOB", "U0EVE", "U0GUEST", "U0GONE"
GENERAL, MONEY, SECRET, PUBLIC = "C0GENERAL", "C0MONEY", "C0SECRET", "C0PUBLIC"


SCOPES = (
    *("channels:history", "channels:join", "channels:read", "chat:write", "commands", "files:read", "files:write"),
    *("groups:history", "groups:read", "im:history", "im:read", "im:write", "mpim:history", "mpim:read"),
    *("reactions:write", "team:read", "usergroups:read", "users:read", "users:read.email"),
)
"""Of an app that may do whatever the workspace can."""
PATIENCE = 60.0
"""Seconds that a busy machine may take; how long silence is listened to, its own tests say."""


@pytest.fixture
def clock() -> SecondsClock:
    return SecondsClock()


@pytest.fixture
async def workspace(clock: SecondsClock) -> AsyncIterator[Workspace]:
    place = Workspace(scopes=SCOPES, clock=clock, ack_seconds=PATIENCE)
    place.add_user(ANA, "ana", real_name="Ana Alves", email="ana@example.com")
    place.add_user(BOB, "bob", email="bob@example.com")
    place.add_user(EVE, "eve", team_id="T0OTHER")
    place.add_user(GUEST, "guest", restricted=True)
    place.add_user(GONE, "gone", deleted=True)
    place.add_group("S0FINANCE", "finance", users=[ANA, GONE])
    place.add_channel(GENERAL, "general", members=[ANA, BOB, EVE, GUEST])
    place.add_channel(MONEY, "money", members=[ANA, BOB], private=True)
    place.add_channel(SECRET, "secret", members=[ANA], private=True, bot_member=False)
    place.add_channel(PUBLIC, "public", members=[ANA, EVE], bot_member=False)
    await place.start()
    yield place
    await place.stop()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as shared:
        yield shared


@pytest.fixture
def client(workspace: Workspace, session: aiohttp.ClientSession) -> AsyncWebClient:
    return AsyncWebClient(token="xoxb-playground", base_url=workspace.api_url, session=session)


@dataclass
class Bolt:
    """A Bolt application and what it was sent."""

    app: AsyncApp
    seen: list[dict[str, Any]]
    url: str


@pytest.fixture
async def bolt(workspace: Workspace, client: AsyncWebClient) -> AsyncIterator[Bolt]:
    """Bolt over HTTP, already told where to listen; ``seen`` holds every body it accepted."""
    app = AsyncApp(client=client, signing_secret="playground-signing-secret")
    seen: list[dict[str, Any]] = []

    @app.middleware
    async def record(body: dict[str, Any], next_: Any) -> None:
        seen.append(body)
        await next_()

    async with served(app, workspace) as url:
        yield Bolt(app=app, seen=seen, url=url)


@asynccontextmanager
async def served(app: AsyncApp, workspace: Workspace) -> AsyncIterator[str]:
    """Bolt over HTTP, where the workspace delivers; its address."""

    async def events(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    server = web.Application()
    server.router.add_post("/slack/events", events)
    runner = web.AppRunner(server, shutdown_timeout=0.05)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    workspace.deliver_to(url)
    yield url
    await runner.cleanup()


def acks(*given: Any, **named: Any) -> Callable[[Any], Awaitable[None]]:
    """A listener that answers so, and does nothing else."""

    async def listen(ack: Any) -> None:
        await ack(*given, **named)

    return listen


async def refused(call: Awaitable[object]) -> str:
    """The error name that Slack answers this call."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return refusal(caught)


def refusal(caught: pytest.ExceptionInfo[SlackApiError]) -> str:
    return str(caught.value.response["error"])
