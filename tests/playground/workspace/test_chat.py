"""``chat.*`` through the real client."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient as Client

from bot.playground.workspace import Workspace
from tests.playground.blocks import actions, button, section
from tests.playground.workspace.conftest import ANA, BOB, EVE, GENERAL, GONE, GUEST, MONEY, PUBLIC, SECRET, refused


async def test_members_see_posts_with_blocks_and_metadata(client: Client, workspace: Workspace) -> None:
    metadata = {"event_type": "card", "event_payload": {"id": "1"}}
    answer = await client.chat_postMessage(
        channel=GENERAL,
        text="hello <@U0ANA> & co",
        blocks=[section("*hi*"), actions(button("go", "v"))],
        metadata=metadata,
    )
    message = workspace.message(GENERAL, answer["ts"])
    assert message.text == "hello <@U0ANA> & co", "text is kept as sent"
    assert message.metadata == metadata
    assert (message.bot_id, message.user) == ("B0BOT", "U0BOT")
    assert [(b.action_id, b.value, b.text, b.block_id) for b in message.buttons] == [("go", "v", "Go", "choices")]
    assert message.plain == "hello <@U0ANA> & co\n*hi*\nGo"
    assert answer["message"]["app_id"] == "A0SWITCH"
    assert all(block["block_id"] for block in answer["message"]["blocks"])


@pytest.mark.parametrize(
    ("channel", "name"),
    [
        (PUBLIC, "not_in_channel"),
        (SECRET, "channel_not_found"),
        ("C0NOWHERE", "channel_not_found"),
        (GONE, "channel_not_found"),
    ],
)
async def test_bot_posts_only_in_its_channels(client: Client, channel: str, name: str) -> None:
    assert await refused(client.chat_postMessage(channel=channel, text="hi")) == name


async def test_post_to_a_person_opens_a_direct_message(client: Client, workspace: Workspace) -> None:
    answer = await client.chat_postMessage(channel=ANA, text="psst")
    dm = workspace.open_dm(ANA)
    assert answer["channel"] == dm.id
    assert [m.text for m in workspace.messages(dm.id, viewer=ANA)] == ["psst"]
    assert workspace.messages(dm.id, viewer=BOB) == []


async def test_archived_channel_refuses_posts(client: Client, workspace: Workspace) -> None:
    ts = (await client.chat_postMessage(channel=GENERAL, text="before"))["ts"]
    workspace.set_channel(GENERAL, archived=True)
    assert await refused(client.chat_postMessage(channel=GENERAL, text="hi")) == "is_archived"
    assert await refused(client.chat_update(channel=GENERAL, ts=ts, text="hi")) == "is_inactive"


async def test_nothing_to_show_is_refused(client: Client) -> None:
    assert await refused(client.api_call("chat.postMessage", json={"channel": GENERAL, "text": " "})) == "no_text"


async def test_long_post_is_cut_and_long_edit_refused(client: Client, workspace: Workspace) -> None:
    answer = await client.chat_postMessage(channel=GENERAL, text="x" * 40_001)
    assert len(workspace.message(GENERAL, answer["ts"]).text) == 40_000
    assert await refused(client.chat_update(channel=GENERAL, ts=answer["ts"], text="x" * 4_001)) == "msg_too_long"


async def test_replies_to_a_reply_hang_on_the_parent(client: Client, workspace: Workspace) -> None:
    parent = (await client.chat_postMessage(channel=GENERAL, text="parent"))["ts"]
    reply = (await client.chat_postMessage(channel=GENERAL, text="reply", thread_ts=parent))["ts"]
    second = (await client.chat_postMessage(channel=GENERAL, text="second", thread_ts=reply))["ts"]
    assert workspace.message(GENERAL, second).thread_ts == parent
    assert [m.text for m in workspace.messages(GENERAL, thread_ts=parent)] == ["parent", "reply", "second"]
    await client.chat_delete(channel=GENERAL, ts=parent)
    assert (await client.chat_postMessage(channel=GENERAL, text="late", thread_ts=parent))["ok"]
    for ts, name in (("1.000000", "thread_not_found"), ("abc", "invalid_thread_ts")):
        assert await refused(client.chat_postMessage(channel=GENERAL, text="x", thread_ts=ts)) == name


async def test_edit_keeps_unnamed_parts(client: Client, workspace: Workspace) -> None:
    metadata = {"event_type": "card", "event_payload": {"id": "1"}}
    posted = await client.chat_postMessage(channel=GENERAL, text="one", blocks=[section("b")], metadata=metadata)
    ts = posted["ts"]
    await client.api_call("chat.update", json={"channel": GENERAL, "ts": ts, "blocks": [section("c")]})
    assert workspace.message(GENERAL, ts).plain == "one\nc"
    assert not workspace.message(GENERAL, ts).edited, "Slack shows no edit mark when blocks are updated"
    await client.chat_update(channel=GENERAL, ts=ts, text="two")
    message = workspace.message(GENERAL, ts)
    assert message.plain == "two", "text without blocks removes the blocks"
    assert message.edited
    assert message.metadata == metadata
    assert [m.text for m in workspace.versions(GENERAL, ts)] == ["one", "one", "two"]


async def test_only_own_messages_that_all_see_can_be_changed(client: Client, workspace: Workspace) -> None:
    said = await workspace.say(ANA, GENERAL, "mine")
    whispered = await client.chat_postEphemeral(channel=GENERAL, user=ANA, text="psst")
    for ts, update, delete in (
        (said.ts, "cant_update_message", "cant_delete_message"),
        (str(whispered["message_ts"]), "message_not_found", "message_not_found"),
        ("1.000000", "message_not_found", "message_not_found"),
    ):
        assert await refused(client.chat_update(channel=GENERAL, ts=ts, text="x")) == update
        assert await refused(client.chat_delete(channel=GENERAL, ts=ts)) == delete


async def test_ephemeral_is_seen_by_its_reader_only(client: Client, workspace: Workspace) -> None:
    await client.chat_postEphemeral(channel=GENERAL, user=ANA, text="psst")
    assert [m.text for m in workspace.ephemerals(ANA)] == ["psst"]
    assert [m.text for m in workspace.messages(GENERAL, viewer=ANA)] == ["psst"]
    assert workspace.ephemerals(BOB) == workspace.messages(GENERAL, viewer=BOB) == workspace.messages(GENERAL) == []
    assert (await client.conversations_history(channel=GENERAL))["messages"] == []
    assert await refused(client.chat_postEphemeral(channel=MONEY, user=GUEST, text="psst")) == "user_not_in_channel"


async def test_deleted_message_is_gone_for_everyone(client: Client, workspace: Workspace) -> None:
    ts = (await client.chat_postMessage(channel=GENERAL, text="x"))["ts"]
    assert (await client.chat_getPermalink(channel=GENERAL, message_ts=ts))["permalink"].startswith(workspace.url)
    await client.chat_delete(channel=GENERAL, ts=ts)
    assert workspace.messages(GENERAL, viewer=EVE) == []
    assert workspace.message(GENERAL, ts).deleted
    assert await refused(client.chat_getPermalink(channel=GENERAL, message_ts=ts)) == "message_not_found"
    assert await refused(client.chat_update(channel=GENERAL, ts=ts, text="y")) == "message_not_found"


async def test_markdown_text_excludes_text(client: Client, workspace: Workspace) -> None:
    answered = await refused(client.chat_postMessage(channel=GENERAL, text="a", markdown_text="**a**"))
    assert answered == "markdown_text_conflict"
    ts = (await client.chat_postMessage(channel=GENERAL, markdown_text="**a**"))["ts"]
    assert workspace.message(GENERAL, ts).blocks[0]["type"] == "markdown"


async def test_buttons_of_attachments_count(client: Client, workspace: Workspace) -> None:
    attachment = {"color": "#00ff00", "blocks": [section("in colour"), actions(button("go"))]}
    ts = (await client.chat_postMessage(channel=GENERAL, text="card", attachments=[attachment]))["ts"]
    assert workspace.message(GENERAL, ts).button("go").text == "Go"
    assert workspace.message(GENERAL, ts).plain == "card\nin colour\nGo"
    answered = await refused(client.chat_postMessage(channel=GENERAL, text="x", attachments=[{}] * 101))
    assert answered == "too_many_attachments"
