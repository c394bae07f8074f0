"""Users, groups and conversations as the bot sees them."""

from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import Workspace
from tests.playground.workspace.conftest import ANA, BOB, EVE, GENERAL, GONE, GUEST, MONEY, PUBLIC, SECRET, refused


async def test_people_are_distinguished(client: AsyncWebClient) -> None:
    ana = (await client.users_info(user=ANA))["user"]
    assert (ana["name"], ana["profile"]["email"], ana["team_id"]) == ("ana", "ana@example.com", "T0HOME")
    assert {ana["is_restricted"], ana["is_bot"], ana["deleted"]} == {False}
    assert (await client.users_info(user=EVE))["user"]["team_id"] == "T0OTHER"
    assert (await client.users_info(user=GUEST))["user"]["is_restricted"]
    assert (await client.users_info(user=GONE))["user"]["deleted"]
    assert (await client.users_info(user="U0BOT"))["user"]["is_bot"]
    assert await refused(client.users_info(user="U0NOBODY")) == "user_not_found"


async def test_people_come_in_pages_without_outsiders(client: AsyncWebClient) -> None:
    found, cursor = [], None
    while cursor != "":
        page = await client.users_list(limit=2, cursor=cursor)
        assert len(page["members"]) <= 2
        found += [member["id"] for member in page["members"]]
        cursor = page["response_metadata"]["next_cursor"]
    assert found == ["USLACKBOT", "U0BOT", ANA, BOB, GUEST, GONE]
    for cursor in ("!", "bm9uc2Vuc2U="):
        assert await refused(client.users_list(cursor=cursor)) == "invalid_cursor"


async def test_people_by_address(client: AsyncWebClient, workspace: Workspace) -> None:
    assert (await client.users_lookupByEmail(email="ANA@example.com"))["user"]["id"] == ANA
    workspace.set_user(ANA, deleted=True)
    assert await refused(client.users_lookupByEmail(email="ana@example.com")) == "users_not_found"


async def test_groups_follow_their_members(client: AsyncWebClient, workspace: Workspace) -> None:
    assert (await client.usergroups_users_list(usergroup="S0FINANCE"))["users"] == [ANA]
    workspace.set_group("S0FINANCE", [BOB])
    assert (await client.usergroups_users_list(usergroup="S0FINANCE"))["users"] == [BOB]
    groups = (await client.usergroups_list(include_users=True))["usergroups"]
    assert [(group["handle"], group["users"]) for group in groups] == [("finance", [BOB])]
    assert await refused(client.usergroups_users_list(usergroup="S0NONE")) == "no_such_subteam"


async def test_channels_the_bot_may_see(client: AsyncWebClient) -> None:
    public = (await client.conversations_info(channel=PUBLIC))["channel"]
    assert (public["is_member"], public["is_ext_shared"], public["is_private"]) == (False, True, False)
    assert (await client.conversations_info(channel=MONEY))["channel"]["is_private"]
    assert await refused(client.conversations_info(channel=SECRET)) == "channel_not_found"
    listed = await client.conversations_list(types="public_channel,private_channel")
    assert [channel["name"] for channel in listed["channels"]] == ["general", "money", "public"]
    assert [channel["name"] for channel in (await client.conversations_list())["channels"]] == ["general", "public"]


async def test_members_and_joining(client: AsyncWebClient, workspace: Workspace) -> None:
    assert "U0BOT" not in (await client.conversations_members(channel=PUBLIC))["members"]
    assert (await client.conversations_join(channel=PUBLIC))["channel"]["is_member"]
    assert (await client.conversations_members(channel=PUBLIC))["members"] == [ANA, EVE, "U0BOT"]
    workspace.kick(PUBLIC, "U0BOT")
    assert await refused(client.chat_postMessage(channel=PUBLIC, text="x")) == "not_in_channel"
    workspace.invite(SECRET, "U0BOT")
    assert (await client.chat_postMessage(channel=SECRET, text="x"))["ok"]


async def test_opening_a_direct_message(client: AsyncWebClient, workspace: Workspace) -> None:
    opened = (await client.conversations_open(users=ANA))["channel"]["id"]
    assert opened == workspace.open_dm(ANA).id
    assert (await client.conversations_info(channel=opened))["channel"]["user"] == ANA
    for user, name in (("U0NOBODY", "user_not_found"), (GONE, "user_disabled"), ("U0BOT", "cannot_dm_bot")):
        assert await refused(client.conversations_open(users=user)) == name


async def test_history_is_newest_first_without_replies_and_pages(client: AsyncWebClient) -> None:
    stamps = [str((await client.chat_postMessage(channel=GENERAL, text=str(i)))["ts"]) for i in range(5)]
    await client.chat_postMessage(channel=GENERAL, text="hidden", thread_ts=stamps[0])
    await client.chat_postMessage(channel=GENERAL, text="loud", thread_ts=stamps[0], reply_broadcast=True)
    first = await client.conversations_history(channel=GENERAL, limit=4)
    assert [m["text"] for m in first["messages"]] == ["loud", "4", "3", "2"]
    assert first["has_more"]
    cursor = first["response_metadata"]["next_cursor"]
    rest = await client.conversations_history(channel=GENERAL, limit=4, cursor=cursor)
    assert [m["text"] for m in rest["messages"]] == ["1", "0"]
    assert not rest["has_more"]
    assert rest["messages"][1]["reply_count"] == 2
    between = await client.conversations_history(channel=GENERAL, oldest=stamps[1], latest=stamps[3])
    assert [m["text"] for m in between["messages"]] == ["2"]
    inclusive = await client.conversations_history(channel=GENERAL, oldest=stamps[1], latest=stamps[3], inclusive=True)
    assert [m["text"] for m in inclusive["messages"]] == ["3", "2", "1"]


async def test_replies_carry_metadata_when_asked(client: AsyncWebClient) -> None:
    parent = (await client.chat_postMessage(channel=GENERAL, text="parent"))["ts"]
    metadata = {"event_type": "post", "event_payload": {"id": "7"}}
    reply = (await client.chat_postMessage(channel=GENERAL, text="r", thread_ts=parent, metadata=metadata))["ts"]
    plain = await client.conversations_replies(channel=GENERAL, ts=parent)
    assert [m["text"] for m in plain["messages"]] == ["parent", "r"]
    assert "metadata" not in plain["messages"][1]
    full = await client.conversations_replies(channel=GENERAL, ts=parent, include_all_metadata=True)
    assert full["messages"][1]["metadata"] == metadata
    assert full["messages"][1]["thread_ts"] == parent
    assert await refused(client.conversations_replies(channel=GENERAL, ts="1.000000")) == "thread_not_found"
    assert (await client.conversations_replies(channel=GENERAL, ts=reply))["messages"][0]["ts"] == parent


async def test_history_needs_membership(client: AsyncWebClient) -> None:
    assert await refused(client.conversations_history(channel=PUBLIC)) == "not_in_channel"


async def test_reaction_counts_once(client: AsyncWebClient, workspace: Workspace) -> None:
    message = await workspace.say(ANA, GENERAL, "done?")
    await client.reactions_add(channel=GENERAL, timestamp=message.ts, name="eyes")
    assert workspace.message(GENERAL, message.ts).reactions == (("eyes", "U0BOT"),)
    history = await client.conversations_history(channel=GENERAL)
    assert history["messages"][0]["reactions"] == [{"name": "eyes", "users": ["U0BOT"], "count": 1}]
    assert await refused(client.reactions_add(channel=GENERAL, timestamp=message.ts, name="eyes")) == "already_reacted"
