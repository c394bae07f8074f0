"""Rate limits and armed faults: what the app gets, and whether the effect happened."""

import asyncio

import aiohttp
import pytest
from aiohttp import ClientSession
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient as Client

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Workspace
from tests.playground.workspace.conftest import GENERAL, MONEY
from tests.support.clock import SecondsClock

POST = {"channel": GENERAL, "text": "hi"}
TOKEN = {"Authorization": "Bearer xoxb-playground"}


async def post(workspace: Workspace, session: ClientSession) -> tuple[int, str]:
    async with session.post(workspace.api_url + "chat.postMessage", json=POST, headers=TOKEN) as answer:
        return answer.status, await answer.text()


async def test_channel_accepts_a_burst_then_one_per_second(client: Client, clock: SecondsClock) -> None:
    for _ in range(20):
        await client.chat_postMessage(channel=GENERAL, text="x")
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=GENERAL, text="x")
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"
    assert (await client.chat_postMessage(channel=MONEY, text="another channel"))["ok"]
    clock.advance(1)
    assert (await client.chat_postMessage(channel=GENERAL, text="x"))["ok"]


async def test_edits_are_fifty_a_minute_over_all_channels(client: Client, clock: SecondsClock) -> None:
    ts = (await client.chat_postMessage(channel=GENERAL, text="x"))["ts"]
    for number in range(50):
        await client.chat_update(channel=GENERAL, ts=ts, text=str(number))
    with pytest.raises(SlackApiError) as caught:
        await client.chat_update(channel=GENERAL, ts=ts, text="51")
    assert caught.value.response.headers["Retry-After"] == "2"
    clock.advance(1.2)
    await client.chat_update(channel=GENERAL, ts=ts, text="52")


async def test_rates_can_be_switched_off(session: ClientSession) -> None:
    workspace = Workspace(scopes=("chat:write",), clock=SecondsClock(), enforce_rates=False)
    workspace.add_channel(GENERAL, "general", members=[])
    await workspace.start()
    assert {(await post(workspace, session))[0] for _ in range(60)} == {200}
    await workspace.stop()


@pytest.mark.parametrize(
    ("kind", "status", "words", "effect"),
    [
        (FaultKind.ERROR_500, 500, "", False),
        (FaultKind.TOO_MANY, 429, "", False),
        (FaultKind.REFUSED, 200, '"fatal_error"', False),
        (FaultKind.DONE_500, 500, "", True),
        (FaultKind.GARBAGE, 200, "<html>", True),
        (FaultKind.SLOW, 200, '"ok"', True),
    ],
)
async def test_fault_answers_with_or_without_the_effect(
    workspace: Workspace, session: ClientSession, kind: FaultKind, status: int, words: str, effect: bool
) -> None:
    workspace.faults.arm(Fault(kind, "chat.postMessage", seconds=0.01))
    answered, body = await post(workspace, session)
    assert (answered, words in body) == (status, True)
    assert bool(workspace.messages(GENERAL)) is effect
    assert (await post(workspace, session))[0] == 200, "used up"


async def test_retried_drop_posts_again(workspace: Workspace, client: Client) -> None:
    """slack_sdk repeats once after a lost connection: a lost post arrives, a done one arrives twice."""
    workspace.faults.arm(Fault(FaultKind.LOST, "chat.postMessage"))
    assert (await client.chat_postMessage(channel=GENERAL, text="once"))["ok"]
    assert [m.text for m in workspace.messages(GENERAL)] == ["once"]
    workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage"))
    assert (await client.chat_postMessage(channel=MONEY, text="twice"))["ok"]
    assert [m.text for m in workspace.messages(MONEY)] == ["twice", "twice"]


@pytest.mark.parametrize(("kind", "effect"), [(FaultKind.LOST, False), (FaultKind.DONE_DROPPED, True)])
async def test_drop_fault_closes_the_connection(workspace: Workspace, kind: FaultKind, effect: bool) -> None:
    workspace.faults.arm(Fault(kind, "chat.postMessage"))
    async with ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as session:
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await post(workspace, session)
    assert bool(workspace.messages(GENERAL)) is effect
    assert workspace.calls[-1].ok is effect


async def test_hanging_answer_ends_with_the_workspace(workspace: Workspace) -> None:
    workspace.faults.arm(Fault(FaultKind.DONE_HANGS, "chat.postMessage", seconds=3600))
    async with ClientSession() as session:
        hanging = asyncio.create_task(post(workspace, session))
        await workspace.until(lambda: workspace.messages(GENERAL))
        assert not hanging.done()
        await workspace.stop()
        with pytest.raises(aiohttp.ClientError):
            await hanging


async def test_fault_applies_to_its_method(workspace: Workspace, client: Client, session: ClientSession) -> None:
    workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.update", times=None))
    assert (await post(workspace, session))[0] == 200
    for _ in range(2):
        with pytest.raises(SlackApiError) as caught:
            await client.chat_update(channel=GENERAL, ts="1.000000", text="x")
        assert caught.value.response.status_code == 500
