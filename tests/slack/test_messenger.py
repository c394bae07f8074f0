"""What the bot says, as Slack's Web API is given it."""

from typing import Any

import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.content import Content
from bot.domain.errors import ServiceNever
from bot.slack.messenger import MARKER, Messenger, Posted, Stretch
from tests.slack.conftest import Api

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
MARK = {"event_type": MARKER, "event_payload": {"id": "01"}}


@pytest.fixture
def messenger(web_client: AsyncWebClient) -> Messenger:
    return Messenger(client=web_client)


async def test_post_carries_its_marker_without_link_parsing(api: Api, messenger: Messenger) -> None:
    api.say("chat.postMessage", {"ok": True, "channel": "C1", "ts": "1.1"})
    posted = await messenger.post(
        channel="C1", content=Content(text="x", blocks=[SECTION]), marker="01", thread_ts="0.9"
    )
    assert posted == Posted("C1", "1.1")
    _, sent = api.calls[0]
    assert sent["metadata"] == MARK
    assert (sent["parse"], sent["unfurl_links"], sent["unfurl_media"]) == ("none", False, False)
    assert (sent["thread_ts"], sent["blocks"], sent["text"]) == ("0.9", [SECTION], "x")
    assert "link_names" not in sent


async def test_edit_replaces_old_blocks(api: Api, messenger: Messenger) -> None:
    api.say("chat.update", {"ok": True})
    await messenger.edit(at=Posted("C1", "1.1"), content=Content(text="x"))
    assert api.calls[0][1]["blocks"] == []


@pytest.mark.parametrize(("thread", "method"), [(None, "conversations.history"), ("0.9", "conversations.replies")])
async def test_a_marker_is_found_on_any_page(api: Api, messenger: Messenger, thread: str | None, method: str) -> None:
    others = [
        {"ts": "2.0", "metadata": {**MARK, "event_type": "another_app"}},
        {"ts": "1.9", "metadata": {**MARK, "event_payload": {"id": "02"}}},
    ]
    last = {"ok": True, "messages": [*others, {"ts": "1.8", "metadata": MARK}]}
    first: dict[str, Any] = {"ok": True, "messages": [{"ts": "3.0"}, {"ts": "2.9", "metadata": {}}]}

    def page(arguments: dict[str, Any]) -> web.Response:
        is_last = arguments.get("cursor") == "p2"
        return web.json_response(last if is_last else first | {"response_metadata": {"next_cursor": "p2"}})

    api.answers[method] = page
    found = await messenger.find(Stretch(channel="C1", thread_ts=thread, oldest=1.5), marker="01")
    assert found == Posted("C1", "1.8")
    assert [call[1].get("cursor") for call in api.calls] == [None, "p2"]
    assert api.calls[0][1]["oldest"] == "1.500000"
    assert api.calls[0][1]["include_all_metadata"] in ("1", "true", "True", True)


async def test_not_found_means_that_every_page_was_read(api: Api, messenger: Messenger) -> None:
    api.say("conversations.history", {"ok": True, "messages": [], "response_metadata": {"next_cursor": ""}})
    assert await messenger.find(Stretch(channel="C1", thread_ts=None, oldest=0.0), marker="01") is None


@pytest.mark.parametrize(("answer", "member"), [
    ({"ok": True, "channel": {"id": "C1", "is_member": True}}, True),
    ({"ok": True, "channel": {"id": "C1", "is_member": False}}, False),
    ({"ok": True, "channel": {"id": "C1"}}, False), ({"ok": True, "channel": {"id": "D1", "is_im": True}}, True),
    ({"ok": False, "error": "channel_not_found"}, False),
    ({"ok": False, "error": "method_not_supported_for_channel_type"}, False),
])  # fmt: skip
async def test_hidden_channels_are_not_ours(
    api: Api, messenger: Messenger, answer: dict[str, Any], member: bool
) -> None:
    api.say("conversations.info", answer)
    assert await messenger.is_member("C1") is member
    api.say("conversations.info", {"ok": False, "error": "missing_scope"})
    with pytest.raises(ServiceNever):
        await messenger.is_member("C2")
