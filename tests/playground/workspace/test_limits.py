"""Slack's limits of messages and views, one a row, with the name Slack answers."""

import json
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient as Client

from bot.playground.workspace import Workspace
from bot.playground.workspace.limits.blocks import check_blocks
from tests.playground.blocks import FITTING, actions, button, modal, plain, section, select, text_input
from tests.playground.workspace.conftest import ANA, GENERAL, refusal, refused

WRONG: list[tuple[str, list[dict[str, Any]], str]] = [
    ("51 blocks", [{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
    ("section text", [section("x" * 3001)], "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    ("empty text", [section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    ("neither text nor fields", [{"type": "section"}], "must define either `text` or `fields`"),
    ("fields", [{"type": "section", "fields": [plain("x")] * 11}], "no more than 10 items"),
    ("field", [{"type": "section", "fields": [plain("x" * 2001)]}], "less than 2001"),
    ("header", [{"type": "header", "text": plain("x" * 151)}], "less than 151"),
    ("header kind", [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "unsupported type: mrkdwn"),
    ("context", [{"type": "context", "elements": [plain("x")] * 11}], "no more than 10 items"),
    ("actions", [actions(*(button(f"b{i}") for i in range(26)))], "no more than 25 items"),
    ("no actions", [actions()], "no fewer than 1 items"),
    ("button text", [actions(button("b", text="x" * 76))], "less than 76"),
    ("button value", [actions(button("b", value="x" * 2001))], "less than 2001"),
    ("button style", [actions({**button("b"), "style": "green"})], "must be one of primary, danger"),
    ("options", [actions(select(101))], "no more than 100 items"),
    ("option text", [actions(select(0, options=[{"text": plain("x" * 76), "value": "v"}]))], "less than 76"),
    ("option value", [actions(select(0, options=[{"text": plain("x"), "value": "v" * 151}]))], "less than 151"),
    ("placeholder", [actions(select(1, placeholder=plain("x" * 151)))], "less than 151"),
    ("block id", [{"type": "divider", "block_id": "x" * 256}], "less than 256"),
    ("action id", [actions(button("x" * 256))], "less than 256"),
    ("block id twice", [{"type": "divider", "block_id": "a"}] * 2, "`block_id` already exists: a"),
    ("action id twice", [actions(button("b"), button("b"))], '`action_id` "b" already exists'),
    ("unknown block", [{"type": "sektion"}], "unsupported type: sektion [json-pointer:/blocks/0/type]"),
    ("unknown property", [{"type": "divider", "txt": "x"}], "invalid additional property: txt"),
    ("string for text", [{"type": "section", "text": "x"}], "missing required field: type"),
    ("alert", [{"type": "alert", "text": plain("x")}], "unsupported type: alert"),
    (
        "file input",
        [{"type": "input", "label": plain("x"), "element": {"type": "file_input", "action_id": "f"}}],
        "unsupported type: file_input",
    ),
    ("image", [{"type": "image", "image_url": "https://x.y/z.png"}], "missing required field: alt_text"),
    ("confirm", [actions({**button("b"), "confirm": {"title": plain("x")}})], "missing required field: text"),
]


@pytest.mark.parametrize("blocks", FITTING, ids=lambda blocks: str(blocks[0]["type"]))
def test_content_within_limits_passes(blocks: list[dict[str, Any]]) -> None:
    assert check_blocks(blocks, "message") == []


@pytest.mark.parametrize(("blocks", "complaint"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
async def test_oversized_content_is_refused(client: Client, blocks: list[dict[str, Any]], complaint: str) -> None:
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel=GENERAL, text="x", blocks=blocks)
    assert refusal(caught) == "invalid_blocks"
    assert complaint in caught.value.response["errors"][0]
    with pytest.raises(SlackApiError) as again:
        await client.api_call("blocks.validate", data={"blocks": json.dumps(blocks)})
    assert again.value.response["errors"] == caught.value.response["errors"]


async def test_invalid_blocks_are_refused(client: Client) -> None:
    for blocks in ("{", '"x"', '["x"]', '{"type": "divider"}'):
        answered = await refused(
            client.api_call("chat.postMessage", data={"channel": GENERAL, "text": "x", "blocks": blocks})
        )
        assert answered == "invalid_blocks_format"


async def test_sums_over_a_message(client: Client) -> None:
    cell = {"type": "raw_text", "text": "x" * 600}
    table = {"type": "table", "rows": [[cell]]}
    for blocks, name in (
        ([{"type": "markdown", "text": "x" * 6001}] * 2, "msg_blocks_too_long"),
        ([{"type": "table", "rows": [[cell]] * 17}], "msg_blocks_too_long"),
        ([table, table], "only_one_table_allowed"),
    ):
        assert await refused(client.chat_postMessage(channel=GENERAL, text="x", blocks=blocks)) == name


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ({"event_type": "x"}, "invalid_metadata_format"),
        ({"event_payload": {}}, "invalid_metadata_format"),
        ({"event_type": "x", "event_payload": {"x": "y" * 16_000}}, "metadata_too_large"),
    ],
)
async def test_metadata(client: Client, metadata: dict[str, Any], name: str) -> None:
    assert await refused(client.chat_postMessage(channel=GENERAL, text="x", metadata=metadata)) == name


VIEWS: list[tuple[str, dict[str, Any], str]] = [
    ("title", modal(title=plain("x" * 25)), "/view/title"),
    ("submit", modal(submit=plain("x" * 25)), "/view/submit"),
    ("close", modal(close=plain("x" * 25)), "/view/close"),
    ("private metadata", modal(private_metadata="x" * 3001), "/view/private_metadata"),
    ("callback id", modal(callback_id="x" * 256), "/view/callback_id"),
    ("no submit", modal(text_input("a"), submit=None), "missing required field: submit"),
    ("no title", modal(title=None), "missing required field: title"),
    ("101 blocks", modal(*[{"type": "divider"}] * 101), "no more than 100 items"),
    ("a table", modal({"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}), "unsupported type: table"),
    ("home", {"type": "home", "blocks": []}, "must be modal"),
    ("input twice", modal(text_input("a"), text_input("a")), "`block_id` already exists: a"),
    ("initial value", modal(text_input("a", initial_value="x" * 3001)), "/view/blocks/0/element/initial_value"),
]


@pytest.mark.parametrize(("view", "complaint"), [row[1:] for row in VIEWS], ids=[row[0] for row in VIEWS])
async def test_view_that_does_not_fit_is_reduced(client: Client, view: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SlackApiError) as caught:
        await client.views_open(trigger_id="1.2.3", view=view)
    assert refusal(caught) == "invalid_arguments"
    assert complaint in " ".join(caught.value.response["response_metadata"]["messages"])


async def test_view_over_250_kilobytes_is_reduced(client: Client, workspace: Workspace) -> None:
    for count, name in ((86, "view_too_large"), (80, "invalid_trigger_id")):
        assert await refused(client.views_open(trigger_id="1.2.3", view=modal(*[section("x" * 2900)] * count))) == name
    await client.views_publish(user_id=ANA, view={"type": "home", "blocks": [section("x")] * 100})
    home = workspace.home(ANA)
    assert home is not None
    assert len(home.blocks) == 100
