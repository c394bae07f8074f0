"""The real Bolt over Socket Mode."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import Workspace
from tests.playground.blocks import modal, text_input
from tests.playground.workspace.conftest import ANA, GENERAL, acks


@pytest.fixture
async def app(workspace: Workspace, client: AsyncWebClient) -> AsyncIterator[AsyncApp]:
    app = AsyncApp(client=client)
    handler = AsyncSocketModeHandler(app, "xapp-playground", ping_interval=1)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    await workspace.until(lambda: workspace.sockets == 1)
    yield app
    await handler.close_async()  # type: ignore[no-untyped-call]


async def test_acknowledgements_over_a_socket_carry_text_and_errors(
    workspace: Workspace, app: AsyncApp, client: AsyncWebClient
) -> None:
    app.command("/pay")(acks("paid"))
    app.view("form")(acks(response_action="errors", errors={"why": "no"}))
    ack = await workspace.slash(ANA, GENERAL, "/pay")
    assert (ack.ok, [m.text for m in workspace.ephemerals(ANA)]) == (True, ["paid"])
    assert ack.request is not None
    await client.views_open(trigger_id=ack.request.payload["trigger_id"], view=modal(text_input("why")))
    await workspace.submit(ANA, {"why": "bad"})
    view = workspace.modal(ANA)
    assert view is not None
    assert view.errors == {"why": "no"}


async def test_events_and_their_repetition(workspace: Workspace, app: AsyncApp) -> None:
    retries: list[Any] = []

    @app.event("message")
    async def message(request: Any) -> None:
        retries.append(request.headers.get("x-slack-retry-num"))

    ack = await workspace.send_event({"type": "message", "user": ANA, "channel": GENERAL, "text": "x", "ts": "1.0"})
    await workspace.redeliver(ack, retry=2)
    await workspace.until(lambda: len(retries) == 2)
    assert retries[1] == ["2"]


async def test_silence_is_an_operation_timeout(workspace: Workspace, app: AsyncApp) -> None:
    workspace._delivery.ack_seconds = 0.5

    @app.command("/pay")
    async def pay(ack: Any) -> None:
        raise RuntimeError("meant")

    assert (await workspace.slash(ANA, GENERAL, "/pay")).error == "operation_timeout"
    assert len(workspace.ephemerals(ANA)) == 1


async def test_refresh_reconnects_the_app(workspace: Workspace, app: AsyncApp) -> None:
    app.command("/pay")(acks("still here"))
    opened = sum(call.method == "apps.connections.open" for call in workspace.calls)
    await workspace.refresh_sockets()
    await workspace.until(lambda: sum(c.method == "apps.connections.open" for c in workspace.calls) > opened)
    await workspace.until(lambda: workspace.sockets == 1)
    assert (await workspace.slash(ANA, GENERAL, "/pay")).ok


async def test_ticket_opens_one_socket(workspace: Workspace, session: aiohttp.ClientSession) -> None:
    headers = {"Authorization": "Bearer xapp-playground"}
    async with session.post(workspace.api_url + "apps.connections.open", headers=headers) as answer:
        url = (await answer.json())["url"]
    async with session.ws_connect(url) as socket:
        hello = await socket.receive_json()
        assert (hello["type"], hello["num_connections"]) == ("hello", 1)
        assert hello["connection_info"] == {"app_id": "A0SWITCH"}
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)


async def test_each_envelope_goes_to_one_socket(workspace: Workspace, session: aiohttp.ClientSession) -> None:
    workspace._delivery.ack_seconds = 0.5
    headers = {"Authorization": "Bearer xapp-playground"}
    sockets = []
    for _ in range(2):
        async with session.post(workspace.api_url + "apps.connections.open", headers=headers) as answer:
            sockets.append(await session.ws_connect((await answer.json())["url"]))
    await workspace.until(lambda: workspace.sockets == 2)
    seen = []
    for socket in sockets:
        assert (await socket.receive_json())["type"] == "hello"
    for _ in range(2):
        await workspace.slash(ANA, GENERAL, "/pay")  # nobody answers; the envelopes stay
    for socket in sockets:
        envelope = await socket.receive_json()
        assert (envelope["type"], envelope["accepts_response_payload"]) == ("slash_commands", True)
        seen.append(envelope["envelope_id"])
        await socket.close()
    assert len(set(seen)) == 2
