"""What Slack's endpoint answers before any handler runs: who is refused, and what acts once."""

import json
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl, urlencode

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from slack_bolt.async_app import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.slack.people import BotIdentity
from handlers.bolt import Pin
from handlers.connections import Bodies, Connections
from handlers.slack_http import SlackEndpoint
from handlers.slack_http import form_fields as fields
from tests.support.posting import FORM, signed
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import requests

SECRET = "a-signing-secret"
NOW = 1_795_165_200


def endpoint() -> SlackEndpoint:
    """One whose application does not know yet who it is."""

    async def claim_signature(_: str) -> bool:
        return True

    return SlackEndpoint(
        signing_secret=SECRET, now=lambda: NOW, app=lambda: None, bodies=Bodies(Connections(now=lambda: 0.0, most=10)),
        vouch=lambda _: None, claim_signature=claim_signature, monotonic=lambda: 0.0, acked=lambda *_: None,
    )  # fmt: skip


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


async def test_requests_before_joining_are_answered_503() -> None:
    assert await answered(b"command=%2Fpay&text=help") == (503, {"error": "starting"}, "5")


CHECK = b"ssl_check=1&token=" + b"x" * 4_078


@pytest.mark.parametrize("body", [
    b"", b"command=%2Fpay", b"ssl_check=1&command=%2Fpay", b"ssl_check=1&payload=%7B%7D", b"payload={}&ssl_check=1",
    b"ssl_check=1&c%6fmmand=%2Fpay", b"token=x", b"token=ssl_check=1", b"xssl_check=1&token=x", b"ssl_check=0",
    pytest.param(CHECK + b"x", id="a check of more than 4 KB"),
])  # fmt: skip
async def test_without_a_signature_everything_is_refused(body: bytes) -> None:
    assert await answered(body, is_signed=False) == (401, {"error": "invalid request"}, None)


@pytest.mark.parametrize("body", [b"ssl_check=1", b"token=x&ssl_check=1&team_id=T0HOME", CHECK], ids=len)
async def test_certificate_check_needs_no_signature(body: bytes) -> None:
    assert len(CHECK) == 4_096
    assert await answered(body, is_signed=False) == (200, "", None)


async def test_signed_body_is_limited_to_a_mebibyte() -> None:
    whole = b"text=" + b"x" * ((1 << 20) - 5)
    assert await answered(whole) == (503, {"error": "starting"}, "5")
    assert (await answered(whole + b"x"))[0] == 413


@pytest.mark.parametrize(("body", "content_type"), [
    (b"payload={", FORM), (b"{", "application/json"), (b"\xff", "application/json"),
    (b"[" * 99_999, "application/json"),
])  # fmt: skip
async def test_signed_but_unreadable_body_is_answered_400(body: bytes, content_type: str) -> None:
    assert await answered(body, content_type=content_type) == (400, {"error": "unreadable body"}, None)


def test_signed_request_is_remembered_for_ten_minutes() -> None:
    slack = endpoint()
    assert not slack._repeated("v0=a", 0.0)
    assert slack._repeated("v0=a", 600.0)
    assert not slack._repeated("v0=a", 600.1)
    assert not slack._repeated("v0=b", 600.1)
    assert slack._repeated("v0=a", 600.1)


async def send(url: str, body: bytes, *, stamp: str) -> tuple[int, str]:
    headers, url = signed(body, stamp=stamp), f"{url}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status, await answer.text()


def command(text: str, **more: str) -> bytes:
    fields = {"command": "/pay", "text": text, "team_id": "T0HOME", "user_id": MARIA, "channel_id": FINANCE}
    return urlencode({**fields, "trigger_id": "1.1", **more}).encode()


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", clock=None, around={"ticking": False})
async def test_replayed_request_is_refused_by_another_process(rig: Rig) -> None:
    other = await rig.start_another("another", ticking=False)
    stamp, body = str(int(time.time())), command("help")
    status, told = await send(rig.switchboard.url, body, stamp=stamp)
    assert (status, "/pay send" in told) == (200, True)
    assert await send(other.url, body, stamp=stamp) == (200, "")
    assert await send(rig.switchboard.url, body, stamp=stamp) == (200, "")
    status, told = await send(other.url, command("help", trigger_id="2.2"), stamp=stamp)
    assert (status, "/pay send" in told) == (200, True)


async def test_request_of_another_app_is_ignored(rig: Rig) -> None:
    stamp, url = str(int(rig.clock.seconds())), rig.switchboard.url
    for app, asked in (("A0ELSE", 0), (rig.workspace.identity.app_id, 1)):
        status, _ = await send(url, command("send ana@example.com 3.00 x", api_app_id=app), stamp=stamp)
        assert status == 200
        assert len(await requests(rig)) == asked


def home(enterprise: str | None = None, app: str = "A0OURS") -> BotIdentity:
    return BotIdentity(
        team_id="T0HOME", team="Home", bot_id="B1", bot_user_id="U0BOT", enterprise_id=enterprise, app_id=app,
        scopes=frozenset(),
    )  # fmt: skip


async def passes(body: dict[str, Any], ours: BotIdentity) -> bool:
    """Whether the request goes on to its handler; one that does not is answered with 200."""
    went_on = False

    async def go_on() -> BoltResponse:
        nonlocal went_on
        went_on = True
        return BoltResponse(status=204)

    request = AsyncBoltRequest(body=body, mode="socket_mode")
    answer = await Pin(ours).async_process(req=request, resp=BoltResponse(status=200), next=go_on)
    assert answer is not None
    assert (answer.status, answer.body) == ((204, "") if went_on else (200, ""))
    return went_on


@pytest.mark.parametrize(
    ("body", "ours", "goes_on"),
    [
        ({"team_id": "T0HOME"}, home(), True),
        ({"team": {"id": "T0HOME"}}, home(), True),
        ({"team_id": "T0OTHER"}, home(), False),
        ({}, home(), False),
        ({"team_id": "T0HOME", "api_app_id": "A0OURS"}, home(), True),
        ({"team_id": "T0HOME", "api_app_id": "A0OTHER"}, home(), False),
        ({"team_id": "T0HOME", "api_app_id": "A0OTHER"}, home(app=""), True),
        ({"team_id": "T0HOME", "enterprise_id": "E0OURS"}, home("E0OURS"), True),
        ({"team_id": "T0HOME", "enterprise": {"id": "E0OURS"}}, home("E0OURS"), True),
        ({"team_id": "T0HOME"}, home("E0OURS"), True),
        ({"team_id": "T0HOME", "enterprise_id": "E0OTHER"}, home("E0OURS"), False),
        ({"team_id": "T0HOME", "enterprise_id": "E0OTHER"}, home(), True),
        ({"team_id": "T0OTHER", "view": {"app_installed_team_id": "T0HOME"}}, home(), True),
        ({"team_id": "T0HOME", "view": {"app_installed_team_id": "T0OTHER"}}, home(), False),
        ({"team_id": "T0OTHER", "authorizations": [{"team_id": "T0HOME"}]}, home(), True),
        ({"team_id": "T0HOME", "authorizations": [{"team_id": "T0OTHER"}]}, home(), False),
        ({"authorizations": [{"team_id": "T0HOME", "enterprise_id": "E0OTHER"}]}, home("E0OURS"), False),
    ],
)
async def test_only_our_workspace_and_app_are_served(body: dict[str, Any], ours: BotIdentity, goes_on: bool) -> None:
    assert await passes(body, ours) is goes_on


PIECES = ["%", "%2", "%41", "%C3%A4", "%c3", "%ff", "%zz", "%u1234", "%5C", "%0a", "%00", "%26", "%3D", "a", "ä", ";"]
ODD = ["=", "&", "+", "\\", "\\x", "\\x41", "\\n", "\\N{BULLET}", "\\u1234", "\\\n", "\n", "\r", "\t", "\x00", "%e2%82"]


def usual(body: bytes) -> dict[str, str]:
    return dict(parse_qsl(body.decode(), keep_blank_values=True))


def test_form_decoder_matches_the_standard_library() -> None:
    chance = random.Random(12)  # noqa: S311 - the same bodies in every run
    for _ in range(20_000):
        body = "".join(chance.choices(PIECES + ODD, k=chance.randint(1, 8))).encode()
        assert fields(body) == usual(body), body


def test_signed_body_must_be_utf8() -> None:
    with pytest.raises(UnicodeDecodeError):
        fields(b"text=\xff")
