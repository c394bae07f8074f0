"""Socket Mode: WebSockets of the app, envelopes and their acknowledgements."""

import asyncio
import itertools
import json
import uuid
from typing import Any

from aiohttp import WSMsgType, web

from bot.playground.workspace.model import Json
from bot.playground.workspace.state import WorkspaceState


class Sockets:
    """The connections of the app; each envelope goes to exactly one of them."""

    def __init__(self, *, state: WorkspaceState) -> None:
        self._state = state
        self._open: list[web.WebSocketResponse] = []
        self._leaving: list[web.WebSocketResponse] = []
        self._waiting: dict[str, asyncio.Future[Json]] = {}
        self._turn = itertools.count()

    @property
    def connected(self) -> int:
        """How many connections are open."""
        return len(self._open)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it closes; a ticket opens one connection."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._state.tickets:
            return web.Response(status=404, text="unknown ticket")
        self._state.tickets.discard(ticket)
        socket = web.WebSocketResponse(heartbeat=None)
        await socket.prepare(request)
        self._open.append(socket)
        self._state.sockets = len(self._open)
        try:
            await socket.send_json(self._hello())
            await self._listen(socket)
        finally:
            self._forget(socket)
        return socket

    async def send(self, kind: str, payload: Json, *, attempt: int, reason: str) -> Json:
        """Send one envelope and wait for its acknowledgement.

        Returns:
            The acknowledgement, with ``payload`` when the app answers in it.

        Raises:
            ConnectionError: No connection is open.
        """
        if not self._open:
            raise ConnectionError("no socket is connected")
        socket = self._open[next(self._turn) % len(self._open)]
        envelope_id = str(uuid.uuid4())
        envelope: dict[str, Any] = {
            "envelope_id": envelope_id,
            "type": kind,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[envelope_id] = answer
        try:
            await socket.send_json(envelope)
            return await answer
        finally:
            self._waiting.pop(envelope_id, None)

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to reconnect, as Slack does every few hours.

        After a mere ``warning`` the connections still get envelopes; otherwise none, and the app closes them itself.
        """
        for socket in tuple(self._open):
            if reason != "warning":
                self._forget(socket)
                self._leaving.append(socket)
            await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "workspace"}})

    async def close(self) -> None:
        """Close all connections."""
        for socket in (*self._open, *self._leaving):
            await socket.close()

    async def _listen(self, socket: web.WebSocketResponse) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                answer = json.loads(message.data)
            except ValueError:
                continue
            waiting = self._waiting.get(str(answer.get("envelope_id"))) if isinstance(answer, dict) else None
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)

    def _forget(self, socket: web.WebSocketResponse) -> None:
        for known in (self._open, self._leaving):
            if socket in known:
                known.remove(socket)
        self._state.sockets = len(self._open)

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._open),
            "debug_info": {"host": "workspace", "build_number": 1, "approximate_connection_time": 3600},
            "connection_info": {"app_id": self._state.identity.app_id},
        }
