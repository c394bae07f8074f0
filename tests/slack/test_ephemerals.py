"""Private answers: where they go, what happens when they are refused, and that none is left behind."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.domain.content import Content
from bot.domain.outcome import Ended
from bot.slack.messenger import Ephemerals, Listener, Messenger
from bot.slack.pace import Family
from tests.slack.conftest import client_of, serving

TABLE = {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}]]}
LINES = {"type": "section", "text": {"type": "plain_text", "text": "a"}}
OK = {"ok": True}

Body = dict[str, Any]


@dataclass
class Slack:
    """Takes what is posted; ``judge`` says what it has against it, with which status."""

    judge: Callable[[str, Body], tuple[int, Body | str]] = lambda _where, _body: (200, OK)
    posted: list[tuple[str, Body]] = field(default_factory=list)
    url: str = ""

    async def take(self, request: web.Request) -> web.Response:
        where = request.path.rsplit("/", 1)[-1]
        body = await request.json()
        self.posted.append((where, body))
        status, answer = self.judge(where, body)
        if isinstance(answer, str):
            return web.Response(text=answer, status=status)
        return web.json_response(answer, status=status)


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    fake = Slack()
    async with serving(fake.take) as fake.url:
        yield fake


Made = Callable[..., Ephemerals]


@pytest.fixture
def made(slack: Slack, session: aiohttp.ClientSession) -> Made:
    url = f"{slack.url}/api/"
    client = client_of(url, session)
    return partial(Ephemerals, session=session, messenger=Messenger(client=client), api_url=url)


@pytest.fixture
def ephemerals(made: Made) -> Ephemerals:
    return made()


def listener(slack: Slack, response_url: str | None = None) -> Listener:
    return Listener(response_url=response_url or f"{slack.url}/commands/T/1/respond", channel="C1", user="U1")


def no_tables(where: str, body: Body) -> tuple[int, Body | str]:
    """A workspace that does not know tables."""
    if any(block["type"] == "table" for block in body.get("blocks") or []):
        return (400 if where == "respond" else 200), {"ok": False, "error": "invalid_blocks"}
    return 200, OK


def shapes(slack: Slack) -> list[tuple[str, list[str]]]:
    return [(where, [block["type"] for block in body.get("blocks") or []]) for where, body in slack.posted]


async def test_answer_is_sent_to_the_response_url(slack: Slack, ephemerals: Ephemerals) -> None:
    await ephemerals.say(Content(text="hi", blocks=[LINES]), to=listener(slack))
    body = {"response_type": "ephemeral", "replace_original": False, "text": "hi", "blocks": [LINES]}
    assert slack.posted == [("respond", body)]


@pytest.mark.parametrize("body", ["ok", "", OK, "<html>"])
async def test_any_200_but_ok_false_is_taken(slack: Slack, ephemerals: Ephemerals, body: Body | str) -> None:
    slack.judge = lambda _where, _body: (200, body)
    await ephemerals.say(Content(text="hi"), to=listener(slack), replace=True)
    assert [posted["replace_original"] for _, posted in slack.posted] == [True]


@pytest.mark.parametrize(
    "refusal", [(404, {"ok": False, "error": "used_url"}), (200, {"ok": False, "error": "expired_url"}), (500, "no")]
)
async def test_used_up_response_url_falls_back_to_a_post(
    slack: Slack, ephemerals: Ephemerals, refusal: tuple[int, Body | str]
) -> None:
    slack.judge = lambda where, _: refusal if where == "respond" else (200, OK)
    await ephemerals.say(Content(text="hi", blocks=[TABLE], plainer=[LINES]), to=listener(slack))
    assert shapes(slack) == [("respond", ["table"]), ("chat.postEphemeral", ["table"])]


async def test_response_url_outside_slack_is_never_called(slack: Slack, ephemerals: Ephemerals) -> None:
    for address in ("http://127.0.0.1:9/commands/1", "https://hooks.slack.com.evil.example/x", "http://u:p@x", ""):
        await ephemerals.say(Content(text="hi"), to=listener(slack, address or "nowhere"))
    assert {where for where, _ in slack.posted} == {"chat.postEphemeral"}


@pytest.mark.parametrize(
    ("url", "method"), [(None, "respond"), ("http://elsewhere", "chat.postEphemeral")], ids=["response", "none"]
)
async def test_refused_blocks_come_plainer(slack: Slack, ephemerals: Ephemerals, url: str | None, method: str) -> None:
    slack.judge = no_tables
    content = Content(text="hi", blocks=[TABLE], plainer=[LINES])
    await ephemerals.say(content, to=listener(slack, url), replace=True)
    assert shapes(slack) == [(method, ["table"]), (method, ["section"])]
    assert all(body.get("replace_original", True) for _, body in slack.posted)


async def test_message_falls_back_to_text_only(slack: Slack, ephemerals: Ephemerals) -> None:
    slack.judge = lambda _where, body: (
        (400, {"ok": False, "error": "invalid_blocks"}) if body.get("blocks") else (200, OK)
    )
    await ephemerals.say(Content(text="hi", blocks=[TABLE], plainer=[LINES]), to=listener(slack))
    assert shapes(slack)[-1] == ("respond", [])
    assert len(slack.posted) == 3


async def test_stop_waits_a_limited_time_for_answers(slack: Slack, ephemerals: Ephemerals) -> None:
    ephemerals.tell(Content(text="hi"), to=listener(slack))
    await ephemerals.drain()
    assert len(slack.posted) == 1

    never = asyncio.Event()
    task = ephemerals.begin(never.wait())
    await ephemerals.drain(timeout=0)
    assert task.cancelled()
    await ephemerals.drain()


@pytest.mark.parametrize(
    ("status", "body", "ended"),
    [(200, OK, Ended.DONE), (404, {"ok": False, "error": "used_url"}, Ended.REFUSED), (429, "", Ended.TOO_MANY)],
)
async def test_answers_are_counted(slack: Slack, made: Made, status: int, body: Body | str, ended: Ended) -> None:
    told: list[tuple[Family, Ended]] = []
    slack.judge = lambda where, _: (status, body) if where == "respond" else (200, OK)
    await made(watch=lambda *word: told.append(word)).say(Content(text="hi"), to=listener(slack))
    assert told == [(Family.PRIVATE, ended)]
