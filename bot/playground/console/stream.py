"""Event stream of one page: changes visible to its person, resumed at the last position."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from bot.playground.console import panels
from bot.playground.console.feed import Feed, GapError, Note
from bot.playground.console.guard import HEADERS
from bot.playground.console.panels import ServicePanel
from bot.playground.console.shapes import Shapes
from bot.playground.workspace import Workspace

Json = dict[str, Any]

HEARTBEAT_SECONDS = 15.0
"""Seconds between keep-alives on a quiet stream; each carries the feed's position."""

RETRY_MILLISECONDS = 1000


class Stream:
    """Serves server-sent events: ``change`` with JSON, ``gap`` if the page must reload everything."""

    def __init__(
        self,
        *,
        feed: Feed,
        workspace: Workspace,
        shapes: Shapes,
        services: Mapping[str, ServicePanel],
        bot: Callable[[], str],
    ) -> None:
        self._feed = feed
        self._workspace = workspace
        self._shapes = shapes
        self._services = services
        self._bot = bot
        self._readers: Mapping[str, Callable[[str, Note], Json | None]] = {
            "message": self._message,
            "view": self._view,
            "home": self._home,
            "places": lambda viewer, _: self._shapes.places(viewer),
            "service": self._service,
            "bot": lambda _viewer, _note: {"bot": self._bot()},
        }

    async def serve(self, request: web.Request, viewer: str) -> web.StreamResponse:
        """Stream until the page leaves or the playground stops."""
        response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        position = request.headers.get("Last-Event-ID") or request.query.get("after", "")
        try:
            await response.write(f"retry: {RETRY_MILLISECONDS}\n\n".encode())
            while not self._feed.closed:
                position = await self._send(response, viewer, position)
                await self._pause(response, position)
        except GapError:
            await response.write(b"event: gap\ndata: {}\n\n")
        except ConnectionResetError:
            return response
        return response

    async def _send(self, response: web.StreamResponse, viewer: str, position: str) -> str:
        """Send the notes after a position; returns the position reached."""
        for reached, note in self._feed.since(position):
            if note.kind == "everything":
                raise GapError(reached)
            if change := self._change(viewer, note):
                data = json.dumps({"kind": note.kind, **change, "position": reached})
                await response.write(f"id: {reached}\nevent: change\ndata: {data}\n\n".encode())
            position = reached
        return position

    async def _pause(self, response: web.StreamResponse, position: str) -> None:
        """Wait for more. An id without data moves the page's position past notes that its person cannot see."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self._feed.more(position)
        except TimeoutError:
            await response.write(f"id: {position}\n\n".encode())

    def _change(self, viewer: str, note: Note) -> Json | None:
        if note.user and note.user != viewer:
            return None
        return self._readers[note.kind](viewer, note)

    def _message(self, viewer: str, note: Note) -> Json | None:
        message = self._workspace.message(note.channel, note.ts)
        if not self._shapes.visible(viewer, message):
            return None
        if message.deleted:
            return {"kind": "gone", "channel": note.channel, "key": note.ts}
        return {"message": self._shapes.message(message)}

    def _view(self, viewer: str, _note: Note) -> Json:
        return self._shapes.modal(viewer)

    def _home(self, viewer: str, _note: Note) -> Json:
        return {"home": self._shapes.home(viewer)}

    def _service(self, _viewer: str, note: Note) -> Json:
        return panels.change(self._services[note.service], note.call)
