"""The other side of the simulator: a partner who calls it over HTTP, and the server that takes its callbacks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import aiohttp
from aiohttp import web

from bot.playground.simulators.payments import PaymentsSimulator


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    headers: dict[str, str]


class Partner:
    """Calls the simulator as a real client would; ``Dropped`` comes out as None."""

    def __init__(self, simulator: PaymentsSimulator) -> None:
        self._simulator = simulator
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(headers=credentials(), connector=aiohttp.TCPConnector(force_close=True))
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._session is not None
        await self._session.close()

    async def __call__(self, method: str, path: str, json: object = None, **options: Any) -> Reply:
        assert self._session is not None
        headers = {"Content-Type": "application/json"} | options.pop("headers", {})
        url = self._simulator.base_url + path
        async with self._session.request(
            method, url, json=json, headers=headers, allow_redirects=False, **options
        ) as response:
            body = await (response.json() if response.content_type == "application/json" else response.text())
            return Reply(response.status, body, dict(response.headers))

    async def create(self, **changes: object) -> str:
        reply = await self("POST", "/payouts", order(**changes))
        assert reply.status == 200, reply
        return str(reply.body["id"])

    async def pay(self, **changes: object) -> str:
        operation_id = await self.create(**changes)
        await self.commit(operation_id)
        return operation_id

    async def commit(self, operation_id: str) -> Reply:
        return await self("POST", f"/payouts/{operation_id}/commit", {})


class Shop:
    """Takes callbacks at any path and answers as told, 200 by default."""

    def __init__(self) -> None:
        self.received: list[tuple[str, Any]] = []
        self.answer: Callable[[str], int] = lambda _path: 200
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/{path:.*}", self._take)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._port}{path}"

    def urls(self) -> dict[str, str]:
        """One address for each callback of a payout."""
        paths = {"confirmation_uri": "/confirmed", "cancel_uri": "/canceled", "failure_uri": "/failed"}
        return {name: self.url(path) for name, path in paths.items()}

    async def _take(self, request: web.Request) -> web.Response:
        body = await (request.json() if request.content_type == "application/json" else request.text())
        self.received.append((request.path, body))
        return web.Response(status=self.answer(request.path), headers={"Location": "/elsewhere"})


def credentials(name: str = "partner", secret: str = "partner-secret") -> dict[str, str]:
    return {"Authorization": aiohttp.encode_basic_auth(name, secret)}


def order(**changes: object) -> dict[str, object]:
    """A create-payout body that is right in every field; None leaves a field out."""
    body: dict[str, object] = {
        "email": "ana@example.com",
        "description": "March translation",
        "amount": 25,
        "confirmation_uri": "http://127.0.0.1:9/confirmed",
        "failure_uri": "http://127.0.0.1:9/failed",
    }
    return {name: value for name, value in (body | changes).items() if value is not None}
