"""The Web API as such: how arguments arrive, who may call, what is unknown."""

import json
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient as Client

from bot.playground.workspace import Workspace
from tests.playground.blocks import section
from tests.playground.workspace.conftest import ANA, GENERAL, MONEY, refusal, refused

TOKEN = {"Authorization": "Bearer xoxb-playground"}
POST = {"channel": GENERAL, "text": "hi", "unfurl_links": "false", "blocks": json.dumps([section("b")])}


@pytest.mark.parametrize(
    "request_arguments",
    [
        {"json": {**POST, "blocks": [section("b")], "unfurl_links": False}},
        {"json": POST},
        {"data": POST},
        {"params": POST},
        {"params": {"channel": GENERAL}, "data": {k: v for k, v in POST.items() if k != "channel"}},
        {"data": {**POST, "token": "xoxb-playground"}, "headers": {}},
    ],
    ids=["json", "json with strings", "form", "query", "mixed", "token in the form"],
)
async def test_every_encoding(workspace: Workspace, session: ClientSession, request_arguments: dict[str, Any]) -> None:
    async with session.post(
        workspace.api_url + "chat.postMessage", **{"headers": TOKEN, **request_arguments}
    ) as answer:
        body = await answer.json()
    assert body["ok"], body
    assert workspace.message(GENERAL, body["ts"]).plain == "hi\nb"
    assert "token" not in workspace.calls[-1].args


async def test_reading_methods_take_get(workspace: Workspace, session: ClientSession) -> None:
    url = workspace.api_url + "conversations.info"
    async with session.get(url, params={"channel": GENERAL}, headers=TOKEN) as answer:
        body = await answer.json()
    assert body["channel"]["is_member"] is True


@pytest.mark.parametrize(
    ("body", "name"), [("{", "invalid_json"), ("[1]", "json_not_object"), ("\xff", "invalid_json")]
)
async def test_non_object_body_is_refused(workspace: Workspace, session: ClientSession, body: str, name: str) -> None:
    headers = {**TOKEN, "Content-Type": "application/json"}
    url = workspace.api_url + "chat.postMessage"
    async with session.post(url, data=body.encode("latin-1"), headers=headers) as answer:
        assert await answer.json() == {"ok": False, "error": name}


async def test_missing_argument_is_named(client: Client) -> None:
    with pytest.raises(SlackApiError) as caught:
        await client.api_call("chat.postMessage", json={"text": "hi"})
    assert refusal(caught) == "invalid_arguments"
    assert caught.value.response["response_metadata"]["messages"] == ["[ERROR] missing required field: channel"]


async def test_an_unknown_method(client: Client, workspace: Workspace) -> None:
    assert await refused(client.api_call("pins.add")) == "unknown_method"
    assert (workspace.calls[-1].method, workspace.calls[-1].error) == ("pins.add", "unknown_method")


@pytest.mark.parametrize(
    ("method", "token", "name"),
    [
        ("auth.test", "", "not_authed"),
        ("auth.test", "xoxb-wrong", "invalid_auth"),
        ("auth.test", "xapp-playground", "not_allowed_token_type"),
        ("auth.test", "xoxb-plαyground", "invalid_auth"),
        ("apps.connections.open", "xoxb-playground", "not_allowed_token_type"),
        ("apps.connections.open", "xapp-wrong", "invalid_auth"),
    ],
)
async def test_tokens(workspace: Workspace, session: ClientSession, method: str, token: str, name: str) -> None:
    async with session.post(workspace.api_url + method, data={"token": token}) as answer:
        assert (await answer.json())["error"] == name


async def test_auth_test_tells_who_and_which_scopes(client: Client) -> None:
    answer = await client.auth_test()
    assert (answer["team_id"], answer["user_id"], answer["bot_id"]) == ("T0HOME", "U0BOT", "B0BOT")
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")
    assert (await client.team_info())["team"]["domain"] == "switchboard"
    assert (await client.bots_info(bot="B0BOT"))["bot"]["user_id"] == "U0BOT"
    assert (await client.api_test(foo="1"))["args"]["foo"] == "1"


async def test_missing_scope_is_named(session: ClientSession) -> None:
    workspace = Workspace(scopes=["commands"])
    await workspace.start()
    client = Client(token="xoxb-playground", base_url=workspace.api_url, session=session)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=GENERAL, text="x")
    await workspace.stop()
    assert refusal(caught) == "missing_scope"
    assert (caught.value.response["needed"], caught.value.response["provided"]) == ("chat:write", "commands")


@pytest.mark.parametrize(
    ("channel", "lacks"),
    [
        (GENERAL, "channels:read"),
        (MONEY, "groups:read"),
        ("direct", "im:read"),
        (GENERAL, "channels:history"),
        (MONEY, "groups:history"),
        ("direct", "im:history"),
    ],
)
async def test_scopes_by_kind_of_conversation(client: Client, workspace: Workspace, channel: str, lacks: str) -> None:
    if channel == "direct":
        channel = (await client.conversations_open(users=ANA))["channel"]["id"]
    methods = ["conversations.info", "conversations.members"]
    if lacks.endswith("history"):
        methods = ["conversations.history", "conversations.replies"]
    held = [scope for scope in workspace.identity.scopes if scope != lacks]
    for method in methods:
        given = {"channel": channel, "ts": "1.1"}
        workspace._state.identity = replace(workspace.identity, scopes=(lacks,))
        answer = await call(client, method, given)
        assert answer.get("error") in (None, "thread_not_found")
        workspace._state.identity = replace(workspace.identity, scopes=tuple(held))
        answer = await call(client, method, given)
        assert (answer["error"], answer["needed"]) == ("missing_scope", lacks)


async def call(client: Client, method: str, given: dict[str, str]) -> dict[str, Any]:
    try:
        answer = (await client.api_call(method, data=given)).data
    except SlackApiError as refused:
        answer = refused.response.data
    assert isinstance(answer, dict)
    return answer


async def test_every_call_is_kept_with_its_answer(client: Client, workspace: Workspace) -> None:
    await client.chat_postMessage(channel=GENERAL, text="hi")
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel="C0NOWHERE", text="hi")
    good, bad = list(workspace.calls)
    assert (good.method, good.ok, good.args["text"]) == ("chat.postMessage", True, "hi")
    assert good.response["channel"] == GENERAL
    assert (bad.ok, bad.error) == (False, "channel_not_found")
