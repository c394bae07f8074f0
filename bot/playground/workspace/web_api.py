"""The Web API over HTTP: find the method, check token, faults and rates, run it, record the call."""

import asyncio
import secrets
from collections.abc import Mapping

from aiohttp import web

from bot.playground.faults import Fault
from bot.playground.workspace import misbehaviour
from bot.playground.workspace.arguments import Arguments, read_arguments
from bot.playground.workspace.auth import check_token
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods import app, chat, conversations, files, people, views
from bot.playground.workspace.methods.method import Method
from bot.playground.workspace.model import ApiCall, Change, Json
from bot.playground.workspace.rates import POST_BURST, Rates
from bot.playground.workspace.state import WorkspaceState


class WebApi:
    """Serves ``/api/{method}``."""

    def __init__(self, *, state: WorkspaceState, rates: Rates, stopping: asyncio.Event) -> None:
        self._state = state
        self._rates = rates
        self._stopping = stopping
        self._methods: Mapping[str, Method] = {
            **app.METHODS,
            **chat.METHODS,
            **conversations.METHODS,
            **files.METHODS,
            **people.METHODS,
            **views.METHODS,
        }

    async def handle(self, request: web.Request) -> web.Response:
        """One call, with its fault if one is armed."""
        name = request.match_info["method"]
        try:
            raw = await read_arguments(request)
        except ApiRefusal as refusal:
            return self._answer(refusal.body())
        authorization = request.headers.get("Authorization", "")
        token = authorization.removeprefix("Bearer ").strip() or str(raw.get("token", ""))
        arguments = Arguments({key: value for key, value in raw.items() if key != "token"})
        fault = self._state.faults.take(name)

        async def act() -> web.Response:
            return self._run(name, token, arguments)

        if fault is not None and misbehaviour.prevents(fault):
            self._keep(name, arguments, {"ok": False, "error": _name_of(fault)})
        return await misbehaviour.answer(request, fault, act, self._stopping)

    def _run(self, name: str, token: str, arguments: Arguments) -> web.Response:
        method = self._methods.get(name)
        if method is None:
            body: Json = {"ok": False, "error": "unknown_method", "req_method": name}
            self._keep(name, arguments, body)
            return self._answer(body)
        try:
            check_token(self._state.identity, token, method)
            if wait := self._wait(name, method, arguments):
                self._keep(name, arguments, {"ok": False, "error": "ratelimited"})
                return misbehaviour.too_many(wait)
            body = method.run(self._state, arguments)
        except ApiRefusal as refusal:
            body = refusal.body()
        self._keep(name, arguments, body)
        return self._answer(body, method)

    def _wait(self, name: str, method: Method, arguments: Arguments) -> int:
        if name == "chat.postMessage":
            key = f"{name}:{arguments.text('channel', '')}"
            return self._rates.take(key, per_minute=method.per_minute, burst=POST_BURST)
        return self._rates.take(name, per_minute=method.per_minute, burst=method.per_minute)

    def _keep(self, name: str, arguments: Arguments, body: Json) -> None:
        call = ApiCall(
            at=self._state.clock(),
            method=name,
            args=arguments.raw,
            ok=bool(body.get("ok")),
            error=str(body.get("error", "")),
            response=body,
        )
        self._state.calls.append(call)
        self._state.changes.tell(Change(kind="call", call=call))

    def _answer(self, body: Json, method: Method | None = None) -> web.Response:
        headers = {
            "x-oauth-scopes": ",".join(self._state.identity.scopes),
            "x-slack-req-id": secrets.token_hex(16),
        }
        if method is not None and method.scope:
            headers["x-accepted-oauth-scopes"] = method.scope
        return web.json_response(body, headers=headers)


def _name_of(fault: Fault) -> str:
    return f"fault: {fault.kind.value}"
