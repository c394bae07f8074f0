"""Nothing is sent into a wait that Slack has asked for: the call says what is left of it."""

import asyncio

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.errors import SlackApiError

from bot.domain.content import Content
from bot.domain.errors import ServiceNow
from bot.domain.outcome import Ended
from bot.slack.messenger import Messenger
from bot.slack.pace import Family, Pace, PacedClient
from tests.slack.conftest import Api
from tests.support.clock import ManualClock
from tests.support.troubles import says


@pytest.fixture
def messenger(api: Api, session: aiohttp.ClientSession, clock: ManualClock) -> Messenger:
    pace = Pace(monotonic=clock.boottime)
    return Messenger(
        client=PacedClient(pace=pace, token="xoxb-1", base_url=api.url, session=session, retry_handlers=[])
    )


def posts(api: Api) -> None:
    api.say("chat.postMessage", {"ok": True, "channel": "C1", "ts": "1.1"})


async def post(messenger: Messenger, channel: str = "C1") -> None:
    await messenger.post(channel=channel, content=Content(text="x"), marker="01")


async def refused(messenger: Messenger, channel: str = "C1") -> float | None:
    with pytest.raises(ServiceNow, check=says("asked us to wait")) as caught:
        await post(messenger, channel)
    return caught.value.retry_after


Word = tuple[Family, Ended]


@pytest.fixture
def told() -> list[Word]:
    return []


@pytest.fixture
def watched(api: Api, session: aiohttp.ClientSession, clock: ManualClock, told: list[Word]) -> PacedClient:
    library = {"token": "xoxb-1", "base_url": api.url, "session": session, "retry_handlers": []}
    return PacedClient(pace=Pace(monotonic=clock.boottime), watch=lambda *word: told.append(word), **library)


async def test_each_call_is_reported_with_its_outcome(api: Api, watched: PacedClient, told: list[Word]) -> None:
    posts(api)
    await watched.chat_postMessage(channel="C1", text="x")
    for method, family in (
        ("chat.update", Family.EDIT),
        ("chat.postEphemeral", Family.PRIVATE),
        ("views.open", Family.FORM),
        ("files.completeUploadExternal", Family.FILE),
        ("users.info", Family.LOOKUP),
    ):
        api.say(method, {"ok": False, "error": "not_allowed"})
        with pytest.raises(SlackApiError):
            await watched.api_call(method)
        assert told.pop() == (family, Ended.REFUSED)
    api.say("users.info", "<html>", status=500)
    with pytest.raises(SlackApiError):
        await watched.api_call("users.info")
    assert told == [(Family.POST, Ended.DONE), (Family.LOOKUP, Ended.UNKNOWN)]


async def test_429_and_its_wait_are_logged_separately(api: Api, watched: PacedClient, told: list[Word]) -> None:
    api.busy("chat.postMessage", "12")
    with pytest.raises(SlackApiError):
        await watched.chat_postMessage(channel="C1", text="x")
    with pytest.raises(ServiceNow):
        await watched.chat_postMessage(channel="C1", text="x")
    assert told == [(Family.POST, Ended.TOO_MANY), (Family.POST, Ended.NOT_SENT)]


async def test_abandoned_call_is_unknown_and_unsent_call_is_not(
    api: Api, watched: PacedClient, told: list[Word]
) -> None:
    asked = asyncio.Event()

    async def hangs(_: object) -> web.Response:
        asked.set()
        await asyncio.Event().wait()
        return web.Response()

    api.answers["users.info"] = hangs
    call = asyncio.create_task(watched.users_info(user="U1"))
    await asked.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    watched.base_url = "http://127.0.0.1:1/"
    with pytest.raises(aiohttp.ClientConnectorError):
        await watched.users_info(user="U1")
    assert told == [(Family.LOOKUP, Ended.UNKNOWN), (Family.LOOKUP, Ended.UNREACHABLE)]


async def test_a_429_stops_calls_until_the_wait_is_over(api: Api, messenger: Messenger, clock: ManualClock) -> None:
    api.busy("chat.postMessage", "12")
    assert await refused(messenger) == 12.0
    posts(api)
    clock.advance(5)
    assert await refused(messenger) == 7.0
    assert api.asked("chat.postMessage") == 1
    clock.advance(7)
    await post(messenger)
    assert await refused(messenger) == 1.0, "then one a second"
    assert api.asked("chat.postMessage") == 2


async def test_a_direct_message_is_opened_once(api: Api, messenger: Messenger) -> None:
    api.say("conversations.open", {"ok": True, "channel": {"id": "D1"}})
    assert [await messenger.direct_message("U1") for _ in range(3)] == ["D1"] * 3
    assert api.asked("conversations.open") == 1
