"""People act: what is sent, and what no client would let them do."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import ImpossibleAct, Workspace
from tests.playground.blocks import actions, button, option, section
from tests.playground.workspace.conftest import ANA, BOB, EVE, GENERAL, GONE, GUEST, MONEY, SECRET, Bolt


@pytest.fixture
async def card(client: AsyncWebClient, bolt: Bolt) -> str:
    """A card with a button and a menu in #general."""
    menu = {"type": "overflow", "action_id": "more", "options": [option("Show", "show")]}
    blocks = [section("card"), actions(button("go", "v1"), menu), actions(button("go", "v2"), block_id="other")]
    return str((await client.chat_postMessage(channel=GENERAL, text="card", blocks=blocks))["ts"])


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("a & b <c>", "a &amp; b &lt;c&gt;"),
        ("@bob 5", "<@U0BOB> 5"),
        ("ask @bob.", "ask <@U0BOB>."),
        ("@nobody", "@nobody"),
        ("<@U0BOB>", "&lt;@U0BOB&gt;"),
        ("ana@example.com", "ana@example.com"),
        ("see https://x.y/z?a=1&b=2 now", "see <https://x.y/z?a=1&amp;b=2> now"),
        ("in #general and #money", "in <#C0GENERAL|general> and <#C0MONEY|>"),
        ('"quoted"', '"quoted"'),
    ],
)
async def test_command_payload_matches_slack(workspace: Workspace, bolt: Bolt, typed: str, sent: str) -> None:
    ack = await workspace.slash(ANA, GENERAL, "/pay", typed)
    assert ack.request is not None
    assert ack.request.payload["text"] == sent


async def test_command_keeps_unescaped_text_and_smart_quotes(workspace: Workspace, bolt: Bolt) -> None:
    workspace.add_command("/raw", should_escape=False)
    ack = await workspace.slash(ANA, GENERAL, "/raw", "@bob & <x>")
    assert ack.request is not None
    assert ack.request.payload["text"] == "@bob & <x>"
    ack = await workspace.slash(ANA, GENERAL, "/raw", "\"March 'x'\" -- it's", smart=True)
    assert ack.request is not None
    assert ack.request.payload["text"] == "“March ‘x’” — it’s"


async def test_impossible_commands_are_refused(workspace: Workspace, bolt: Bolt) -> None:
    workspace.add_command("/pay", hint="send …", description="Pays")
    with pytest.raises(ImpossibleAct, match="no command '/other'"):
        await workspace.slash(ANA, GENERAL, "/other")
    with pytest.raises(ImpossibleAct, match="U0BOB is not in C0SECRET"):
        await workspace.slash(BOB, SECRET, "/pay")
    with pytest.raises(ImpossibleAct, match="deactivated"):
        await workspace.slash(GONE, GENERAL, "/pay")
    with pytest.raises(ImpossibleAct, match="another workspace"):
        await workspace.slash(EVE, GENERAL, "/pay")
    with pytest.raises(ImpossibleAct, match="there is no user"):
        await workspace.slash("U0NOBODY", GENERAL, "/pay")
    assert bolt.seen == []
    await workspace.slash(GUEST, GENERAL, "/pay")
    ack = await workspace.slash(EVE, GENERAL, "/pay", force=True)
    assert ack.request is not None
    assert ack.request.payload["team_id"] == "T0OTHER"


async def test_click_payload_matches_slack(workspace: Workspace, bolt: Bolt, card: str) -> None:
    await workspace.click(BOB, GENERAL, card, "go")
    body = bolt.seen[-1]
    assert body["type"] == "block_actions"
    assert body["user"] == {"id": BOB, "username": "bob", "name": "bob", "team_id": "T0HOME"}
    assert body["team"] == {"id": "T0HOME", "domain": "switchboard"}
    assert body["channel"] == {"id": GENERAL, "name": "general"}
    assert body["container"] == {"type": "message", "message_ts": card, "channel_id": GENERAL, "is_ephemeral": False}
    assert body["message"]["ts"] == card
    assert (body["message"]["bot_id"], body["is_enterprise_install"]) == ("B0BOT", False)
    (action,) = body["actions"]
    assert action.pop("action_ts")
    assert action == {**button("go", "v1"), "block_id": "choices"}


async def test_click_of_an_outsider_is_marked(workspace: Workspace, bolt: Bolt, card: str) -> None:
    await workspace.click(EVE, GENERAL, card, "go")
    assert bolt.seen[-1]["user"]["team_id"] == "T0OTHER"
    assert bolt.seen[-1]["team"]["id"] == "T0HOME"


async def test_menus_blocks_and_tampering(workspace: Workspace, bolt: Bolt, card: str) -> None:
    await workspace.click(ANA, GENERAL, card, "more", value="show")
    assert bolt.seen[-1]["actions"][0]["selected_option"]["value"] == "show"
    with pytest.raises(ImpossibleAct, match="not offered"):
        await workspace.click(ANA, GENERAL, card, "more", value="delete")
    await workspace.click(ANA, GENERAL, card, "go", block_id="other")
    assert bolt.seen[-1]["actions"][0]["value"] == "v2"
    await workspace.click(ANA, GENERAL, card, "go", value="forged")
    assert bolt.seen[-1]["actions"][0]["value"] == "forged"
    await workspace.click(ANA, GENERAL, card, "go", action={"block_id": "x"})
    assert bolt.seen[-1]["actions"][0]["block_id"] == "x"


async def test_impossible_clicks_are_refused(
    workspace: Workspace, bolt: Bolt, client: AsyncWebClient, card: str
) -> None:
    with pytest.raises(ImpossibleAct, match=r"no element 'stop' is shown; there are \['go', 'more', 'go'\]"):
        await workspace.click(ANA, GENERAL, card, "stop")
    with pytest.raises(ImpossibleAct, match="no message"):
        await workspace.click(ANA, GENERAL, "1.000000", "go")
    await client.chat_postEphemeral(channel=GENERAL, user=ANA, text="x", blocks=[actions(button("go"))])
    (whispered,) = workspace.ephemerals(ANA)
    with pytest.raises(ImpossibleAct, match="does not see"):
        await workspace.click(BOB, GENERAL, whispered.ts, "go")
    hidden = await client.chat_postMessage(channel=MONEY, text="x", blocks=[actions(button("go"))])
    with pytest.raises(ImpossibleAct, match="cannot open"):
        await workspace.click(GUEST, MONEY, str(hidden["ts"]), "go")
    await client.chat_update(channel=GENERAL, ts=card, text="closed", blocks=[section("closed")])
    with pytest.raises(ImpossibleAct, match="no element 'go'"):
        await workspace.click(ANA, GENERAL, card, "go")
    assert bolt.seen == []
    await workspace.click(ANA, GENERAL, card, "go", value="v1", force=True)
    assert (bolt.seen[-1]["actions"][0]["value"], bolt.seen[-1]["message"]["text"]) == ("v1", "closed")
    await client.chat_delete(channel=GENERAL, ts=card)
    with pytest.raises(ImpossibleAct, match="does not see"):
        await workspace.click(ANA, GENERAL, card, "go")


async def test_failed_click_is_reported(workspace: Workspace, bolt: Bolt, card: str) -> None:
    assert (await workspace.click(ANA, GENERAL, card, "go")).status == 404
    assert [m.text for m in workspace.ephemerals(ANA)] == ['This action failed with the error "dispatch_failed"']


async def test_shortcuts(workspace: Workspace, bolt: Bolt, card: str) -> None:
    heard: list[dict[str, Any]] = []

    @bolt.app.shortcut("use")
    async def use(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        heard.append(body)

    assert (await workspace.shortcut(ANA, "use")).ok
    assert (await workspace.shortcut(ANA, "use", channel=GENERAL, ts=card)).ok
    everywhere, on_message = heard
    assert (everywhere["type"], "response_url" in everywhere) == ("shortcut", False)
    assert (on_message["type"], on_message["message"]["text"]) == ("message_action", "card")
    assert on_message["message_ts"] == card
    with pytest.raises(ImpossibleAct, match="another workspace"):
        await workspace.shortcut(EVE, "use")


async def test_typed_names_become_references(workspace: Workspace, bolt: Bolt) -> None:
    message = await workspace.say(ANA, GENERAL, "@bob mail x@y.org & see https://x.y")
    assert message.text == "<@U0BOB> mail <mailto:x@y.org|x@y.org> &amp; see <https://x.y>"
    with pytest.raises(ImpossibleAct):
        await workspace.say(BOB, SECRET, "hi")
    reply = await workspace.say(BOB, GENERAL, "reply", thread_ts=message.ts)
    assert [m.text for m in workspace.messages(GENERAL, thread_ts=message.ts)] == [message.text, reply.text]
