"""A small payments service: it keeps a list of operations and every request exactly as it came."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

JsonObject = dict[str, Any]
Answer = Callable[["Call"], web.Response | None]


@dataclass
class Call:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


@dataclass
class Partner:
    """``answer`` decides first; None, and None from it, leaves the request to the service itself."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    operations: list[JsonObject] = field(default_factory=list)
    reads_body: bool = True
    reads_query: bool = True
    answer: Answer | None = None

    def listing(self, call: Call) -> JsonObject:
        asked: JsonObject = {"page": 1, "perPage": 10}
        asked |= call.query if self.reads_query else {}
        asked |= json.loads(call.raw or b"{}") if self.reads_body else {}
        page, size = int(asked["page"]), int(asked["perPage"])
        chosen = [one for one in self.operations if asked.get("type") in (None, one["operation_type"])]
        shown = chosen[(page - 1) * size : page * size]
        first = (page - 1) * size + 1 if shown else None
        return {
            "currentPage": page,
            "lastPage": max(1, -(-len(chosen) // size)),
            "perPage": size,
            "total": len(chosen),
            "from": first,
            "to": first and first + len(shown) - 1,
            "data": shown,
        }


def operation(number: int = 1, **changes: object) -> JsonObject:
    """An operation with all documented fields, callback addresses included."""
    return {
        "id": f"op-{number}",
        "partner_id": "partner",
        "status": "CREATED",
        "amount": "25.00",
        "description": "March translation",
        "confirmation_uri": "https://bot.example/callbacks/payments/s3cret",
        "cancel_uri": None,
        "code": f"code-{number}",
        "svc_operation_id": "platform-1",
        "created_at": "2026-11-20T10:00:00Z",
        "updated_at": "2026-11-20T10:00:01+00:00",
        "svc_user_id": "user-1",
        "svc_user_email": "ana@example.com",
        "operation_type": "payout",
        "failure_uri": "https://bot.example/callbacks/payments/s3cret",
        "failure_reason": "",
        "callback_uri": None,
        "svc_operation_hash": "",
        **changes,
    }


def said(body: object, status: int = 200, **headers: str) -> web.Response:
    return web.json_response(body, status=status, headers=headers)


def page_of_a_proxy(status: int) -> web.Response:
    return web.Response(status=status, text="<html><b>Request blocked</b></html>", content_type="text/html")


@asynccontextmanager
async def partner_server() -> AsyncIterator[Partner]:
    partner = Partner()

    async def serve(request: web.Request) -> web.Response:
        call = Call(
            method=request.method,
            path=request.raw_path,
            query=dict(request.query),
            headers={name.lower(): value for name, value in request.headers.items()},
            raw=await request.read(),
        )
        partner.calls.append(call)
        answered = partner.answer(call) if partner.answer is not None else None
        if answered is not None:
            return answered
        if request.path == "/operations":
            return said(partner.listing(call))
        return said({"message": "no such path"}, 404)

    app = web.Application(client_max_size=16 << 20)
    app.router.add_route("*", "/{anything:.*}", serve)
    server = TestServer(app)
    await server.start_server()
    partner.url = str(server.make_url("")).rstrip("/")
    try:
        yield partner
    finally:
        await server.close()
