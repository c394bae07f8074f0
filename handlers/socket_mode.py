"""Transport over a WebSocket, whose envelopes are each acknowledged by id."""

from collections.abc import Callable
from http import HTTPStatus
from time import time
from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.adapter.socket_mode.internals import build_headers
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from handlers.bolt import dispatched
from handlers.incoming import Acked, Arrival


class SocketMode(AsyncSocketModeHandler):
    """The library's handler, extended to acknowledge envelopes that Bolt can't read."""

    def __init__(self, app: AsyncApp, token: str, *, monotonic: Callable[[], float], acked: Acked) -> None:
        """``acked`` is called after each ack with the elapsed seconds of ``monotonic``."""
        super().__init__(app, token)

        async def straighten(_client: object, message: dict[str, Any], _raw: str | None = None) -> None:
            """Replace a payload that isn't an object: the library would raise and leave the envelope unanswered."""
            if "payload" in message and not isinstance(message["payload"], dict):
                message["payload"] = {}

        self.client.message_listeners.append(straighten)
        self._monotonic = monotonic
        self._acked = acked

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override]
        begun, began = time(), self._monotonic()
        answer = await dispatched(self.app, body=req.payload, headers=build_headers(req))
        await send_async_response(client, req, answer, begun)
        if answer.status == HTTPStatus.OK:
            self._acked(Arrival.of(req.payload), self._monotonic() - began)
