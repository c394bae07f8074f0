"""Waiting, subscribing, seeing."""

import asyncio

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import Change, Workspace
from bot.playground.workspace.changes import BACKLOG, Changes
from tests.playground.blocks import actions, button
from tests.playground.workspace.conftest import ANA, BOB, EVE, GENERAL, GUEST, MONEY, PUBLIC


async def test_until_waits_for_a_new_item(workspace: Workspace) -> None:
    waiting = asyncio.create_task(
        workspace.until(lambda: next(said for said in workspace.messages(GENERAL) if said.text == "second"))
    )
    for text in ("first", "second"):
        await workspace.say(ANA, GENERAL, text)
        await asyncio.sleep(0)
    assert (await waiting).text == "second"


async def test_until_sees_external_changes(workspace: Workspace) -> None:
    elsewhere: list[int] = []
    waiting = asyncio.create_task(workspace.until(lambda: elsewhere))
    await asyncio.sleep(0)
    elsewhere.append(1)
    assert await waiting == [1]


async def test_until_gives_up_with_a_picture(workspace: Workspace, client: AsyncWebClient) -> None:
    await client.chat_postMessage(channel=GENERAL, text="card", blocks=[actions(button("go", text="Approve"))])
    await client.chat_postEphemeral(channel=GENERAL, user=ANA, text="psst")
    with pytest.raises(TimeoutError) as caught:
        await workspace.until(lambda: False, timeout=0.01)
    picture = str(caught.value)
    for part in ("card", "[Approve]", "(only U0ANA): psst", "call chat.postMessage ok"):
        assert part in picture


async def test_until_ends_with_the_workspace() -> None:
    changes = Changes()
    waiting = asyncio.create_task(changes.until(lambda: False, timeout=60))
    await asyncio.sleep(0)
    changes.close()
    with pytest.raises(TimeoutError, match="closed"):
        await waiting


async def test_subscriber_receives_all_events_in_order(workspace: Workspace, client: AsyncWebClient) -> None:
    with workspace.subscribe() as news:
        ts = (await client.chat_postMessage(channel=GENERAL, text="a"))["ts"]
        await client.chat_update(channel=GENERAL, ts=ts, text="b")
        await client.chat_delete(channel=GENERAL, ts=ts)
        await client.chat_postEphemeral(channel=GENERAL, user=ANA, text="c")
        await client.views_publish(user_id=ANA, view={"type": "home", "blocks": []})
        kinds = [(await anext(news)).kind for _ in range(10)]
    expected = ["message", "message_changed", "message_deleted", "ephemeral", "home"]
    assert [kind for kind in kinds if kind != "call"] == expected
    assert kinds.count("call") == 5
    with pytest.raises(StopAsyncIteration):
        await anext(news)


async def test_slow_subscriber_is_told_to_start_over() -> None:
    changes = Changes()
    news = changes.subscribe()
    for number in range(BACKLOG + 1):
        changes.tell(Change(kind="message", ts=str(number)))
    changes.close()
    assert [(change.kind, change.ts) async for change in news] == [("reset", ""), ("message", str(BACKLOG))]


async def test_channels_are_visible_to_members(workspace: Workspace) -> None:
    await workspace.say(ANA, MONEY, "private")
    await workspace.say(ANA, PUBLIC, "public")
    assert [len(workspace.messages(MONEY, viewer=user)) for user in (ANA, BOB, GUEST, EVE)] == [1, 1, 0, 0]
    assert [len(workspace.messages(PUBLIC, viewer=user)) for user in (ANA, BOB, GUEST, EVE)] == [1, 1, 0, 1]
    assert [channel.name for channel in workspace.channels_of(BOB)] == ["general", "money"]


async def test_timestamps_increase_on_a_frozen_clock(workspace: Workspace) -> None:
    stamps = [(await workspace.say(ANA, PUBLIC, "x")).ts for _ in range(3)]
    assert stamps == sorted(set(stamps))
    assert all(len(ts.split(".")[1]) == 6 for ts in stamps)
