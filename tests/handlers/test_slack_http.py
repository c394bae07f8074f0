"""What Slack's endpoint answers before any handler runs: who is refused, with which status, and what is remembered."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from handlers.connections import Bodies, Connections
from handlers.slack_http import SlackEndpoint
from tests.support.posting import FORM, signed

SECRET = "a-signing-secret"
NOW = 1_795_165_200


def endpoint() -> SlackEndpoint:
    """One whose application does not know yet who it is."""

    async def first_time(_: str) -> bool:
        return True

    return SlackEndpoint(
        signing_secret=SECRET,
        now=lambda: NOW,
        app=lambda: None,
        bodies=Bodies(Connections(now=lambda: 0.0, most=10)),
        vouch=lambda _: None,
        first_time=first_time,
        monotonic=lambda: 0.0,
        acked=lambda *_: None,
    )


@asynccontextmanager
async def opened() -> AsyncIterator[TestClient[web.Request, web.Application]]:
    app = web.Application(client_max_size=1 << 30)
    app.router.add_post("/slack/events", endpoint().handle)
    async with TestClient(TestServer(app)) as client:
        yield client


async def answered(body: bytes, *, is_signed: bool = True, content_type: str = FORM) -> tuple[int, Any, str | None]:
    """Status, body and when to come again."""
    headers = {"Content-Type": content_type}
    if is_signed:
        headers = signed(body, stamp=str(NOW), secret=SECRET, content_type=content_type)
    async with opened() as client, client.post("/slack/events", data=BytesIO(body), headers=headers) as answer:
        text = await answer.text()
        return answer.status, json.loads(text) if text.startswith("{") else text, answer.headers.get("Retry-After")


REFUSED = (401, {"error": "invalid request"}, None)


async def test_before_the_bot_has_joined_slack_is_asked_to_come_again() -> None:
    assert await answered(b"command=%2Fpay&text=help") == (503, {"error": "starting"}, "5")


@pytest.mark.parametrize("body", [b"command=%2Fpay", b"ssl_check=1&command=%2Fpay", b"ssl_check=1&payload=%7B%7D", b""])
async def test_without_a_signature_everything_is_refused(body: bytes) -> None:
    assert await answered(body, is_signed=False) == REFUSED


async def test_the_certificate_check_needs_none_and_is_small() -> None:
    whole = b"ssl_check=1&token=" + b"x" * 4_078
    assert len(whole) == 4_096
    assert await answered(whole, is_signed=False) == (200, "", None)
    assert await answered(whole + b"x", is_signed=False) == REFUSED


async def test_a_signed_body_has_a_mebibyte_at_most() -> None:
    whole = b"text=" + b"x" * ((1 << 20) - 5)
    assert await answered(whole) == (503, {"error": "starting"}, "5")
    assert (await answered(whole + b"x"))[0] == 413


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"payload={", FORM),
        (b"{", "application/json"),
        (b"\xff", "application/json"),
        (b"[" * 99_999, "application/json"),
    ],
)
async def test_what_is_signed_and_cannot_be_read_is_said_to_be_unreadable(body: bytes, content_type: str) -> None:
    assert await answered(body, content_type=content_type) == (400, {"error": "unreadable body"}, None)


def test_a_request_is_remembered_for_ten_minutes() -> None:
    slack = endpoint()
    assert not slack._repeated("v0=a", 0.0)
    assert slack._repeated("v0=a", 600.0)
    assert not slack._repeated("v0=a", 600.1)
    assert not slack._repeated("v0=b", 600.1)
    assert slack._repeated("v0=a", 600.1)
