"""The workspace's HTTP surface beside the Web API: uploads, downloads, response URLs, sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import quote

from aiohttp import BodyPartReader, web

from bot.playground.workspace import misbehaviour
from bot.playground.workspace.auth import same
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.files import StoredFile
from bot.playground.workspace.responses import Responses
from bot.playground.workspace.socket_mode import Sockets
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.web_api import WebApi

_CHUNK = 64 * 1024
_LOGIN = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in to your workspace</body></html>"


class Surface:
    """Routes and handlers; everything else on the application is free for the page."""

    def __init__(
        self, *, state: WorkspaceState, api: WebApi, responses: Responses, sockets: Sockets, stopping: asyncio.Event
    ) -> None:
        self._state = state
        self._api = api
        self._responses = responses
        self._sockets = sockets
        self._stopping = stopping

    def mount(self, app: web.Application) -> None:
        """Add the routes of the workspace."""
        app.router.add_route("GET", "/api/{method}", self._api.handle)
        app.router.add_route("POST", "/api/{method}", self._api.handle)
        app.router.add_get("/link/", self._sockets.handle)
        app.router.add_post("/upload/v1/{token}", self._upload)
        app.router.add_get("/files-pri/{file}/download/{name}", self._download)
        app.router.add_get("/files-pri/{file}/{name}", self._download)
        for kind in ("commands", "actions", "app"):
            app.router.add_post(f"/{kind}/{{team}}/{{id}}/{{secret}}", self._response)

    async def _response(self, request: web.Request) -> web.Response:
        """A message to a response URL."""
        fault = self._state.faults.take("response_url")

        async def act() -> web.Response:
            try:
                body = await request.json()
                if not isinstance(body, dict):
                    return web.json_response({"ok": False, "error": "invalid_payload"}, status=400)
                self._responses.receive(request.path, body)
            except ValueError:
                return web.json_response({"ok": False, "error": "invalid_payload"}, status=400)
            except ApiRefusal as refusal:
                gone = refusal.name in ("expired_url", "used_url")
                return web.json_response(refusal.body(), status=404 if gone else 400)
            return web.Response(text="ok")

        return await misbehaviour.answer(request, fault, act, self._stopping)

    async def _upload(self, request: web.Request) -> web.Response:
        """The bytes of a file, raw or as the first part of a multipart form."""
        fault = self._state.faults.take("upload")

        async def act() -> web.Response:
            file = self._state.files.by_upload_token(request.match_info["token"])
            if file is None:
                return web.Response(status=404, text="unknown upload")
            blob = await self._state.files.receive(_pieces(request))
            if blob is None:
                return web.Response(status=413, text="file too large")
            if blob.size != file.size:
                return web.Response(status=400, text="length differs from what was announced")
            self._state.files.store(file, blob)
            return web.Response(text=f"OK - {blob.size}")

        return await misbehaviour.answer(request, fault, act, self._stopping)

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """A file's bytes; without the right token and scope a sign-in page with status 200, as Slack answers."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        allowed = same(token, self._state.identity.bot_token) and "files:read" in self._state.identity.scopes
        file = self._state.files.get(request.match_info["file"].rpartition("-")[2])
        if not allowed:
            return web.Response(text=_LOGIN, content_type="text/html")
        if file is None or not file.complete or file.odd not in ("", "elsewhere", "placeless"):
            return web.Response(status=404, text="not found")
        return await _streamed(request, file)


async def _pieces(request: web.Request) -> AsyncIterator[bytes]:
    """The bytes of the body, or of the first part of a form."""
    if request.content_type != "multipart/form-data":
        async for chunk in request.content.iter_chunked(_CHUNK):
            yield chunk
        return
    part = await (await request.multipart()).next()
    while isinstance(part, BodyPartReader) and (chunk := await part.read_chunk(_CHUNK)):
        yield chunk


async def _streamed(request: web.Request, file: StoredFile) -> web.StreamResponse:
    wanted, size = request.http_range, file.blob.size
    start, end = wanted.start or 0, size if wanted.stop is None else min(wanted.stop, size)
    part = {"Content-Range": f"bytes {start}-{end - 1}/{size}"} if "Range" in request.headers else {}
    response = web.StreamResponse(
        status=206 if part else 200,
        headers={
            **part,
            "Content-Type": file.mimetype,
            "Content-Length": str(end - start),
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name)}",
        },
    )
    await response.prepare(request)
    with suppress(ConnectionError):  # the client wanted only the beginning and has closed the connection
        for chunk in file.blob.chunks(start, end):
            await response.write(chunk)
        await response.write_eof()
    return response
