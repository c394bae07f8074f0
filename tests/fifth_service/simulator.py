"""The glossary service, as a local server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

KEY = "a-key-of-the-glossary"
KNOWN = {"escrow": "money that somebody holds for two others"}


class Glossary:
    """Knows one word; ``asked`` are the terms it was asked for, ``status`` what it answers instead if it is set."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.status: int | None = None
        self.base_url = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Glossary"]:
        """Serve on a free port of this machine."""
        app = web.Application()
        app.router.add_post("/v1/define", self._define)
        runner = web.AppRunner(app)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            await runner.cleanup()

    async def _define(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response({"message": "who are you?"}, status=401)
        term = (await request.json())["term"]
        self.asked.append(term)
        if self.status is not None:
            return web.json_response({}, status=self.status)
        if term not in KNOWN:
            return web.json_response({"message": f"no entry for {term}"}, status=404)
        return web.json_response({"definition": KNOWN[term]})
