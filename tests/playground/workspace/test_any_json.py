"""Whatever JSON an app sends, the answer is a message or a named refusal, never a crash."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods import app, chat, conversations, files, people, views
from bot.playground.workspace.model import Channel, Json
from bot.playground.workspace.state import Identity, WorkspaceState
from tests.playground.blocks import FITTING, actions, button, modal, plain, section, select, text_input
from tests.playground.workspace.conftest import SCOPES

KEYS = st.sampled_from(
    [
        *("type", "text", "elements", "element", "block_id", "action_id", "accessory", "fields", "options", "value"),
        *("label", "rows", "actions", "blocks", "title", "submit", "event_type", "event_payload", "alt_text"),
        *("channel", "user", "ts", "limit", "cursor", "files", "id", "view", "metadata", "attachments", "thread_ts"),
    ]
)
WORDS = st.sampled_from(
    ["plain_text", "button", "static_select", "raw_text", "modal", "home", "", "C0GENERAL", "U0BOT", "1.000001"]
)
LEAVES = st.none() | st.booleans() | st.integers(-5, 5) | WORDS | st.text(max_size=5)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=10
)
METHODS = {**app.METHODS, **chat.METHODS, **conversations.METHODS, **files.METHODS, **people.METHODS, **views.METHODS}
SAMPLES: list[list[Json]] = [
    *(blocks[:1] for blocks in FITTING if len(str(blocks)) < 5_000),
    [section("x"), actions(button("a"), select(2)), text_input("b")],
    [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}],
    [{"type": "card", "title": plain("x"), "actions": [button("a")]}],
    [{"type": "carousel", "elements": [{"type": "card", "title": plain("x"), "actions": [button("a")]}]}],
    [{"type": "context_actions", "elements": [{"type": "icon_button", "action_id": "a", "icon": "trash"}]}],
    [{"type": "data_table", "caption": "c", "rows": [[{"type": "raw_text", "text": "x"}]] * 2}],
    [{"type": "input", "label": plain("l"), "element": {"type": "checkboxes", "options": select(2)["options"]}}],
]


def fresh() -> WorkspaceState:
    identity = Identity(
        team_id="T0HOME",
        team_domain="home",
        app_id="A0",
        bot_user_id="U0BOT",
        bot_id="B0BOT",
        bot_name="Bot",
        bot_token="x",
        app_token="y",
        signing_secret="z",
        scopes=SCOPES,
    )
    state = WorkspaceState(identity=identity, clock=lambda: 1.0)
    state.directory.put_channel(Channel(id="C0GENERAL", name="general"))
    state.post_as_bot("C0GENERAL", text="first")
    return state


def run(state: WorkspaceState, method: str, arguments: Json) -> Json:
    try:
        return METHODS[method].run(state, Arguments(arguments))
    except ApiRefusal as refusal:
        return refusal.body()


def places(node: object) -> Iterator[tuple[Any, Any]]:
    """Every place inside a structure where something else could stand."""
    keys: list[Any] = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    for key in keys:
        yield node, key
        yield from places(node[key])  # type: ignore[index]


@st.composite
def damaged(draw: st.DrawFn, samples: list[Any]) -> Any:
    """A structure that Slack takes, with up to two places replaced by anything."""
    whole = {"it": copy.deepcopy(draw(st.sampled_from(samples)))}
    for _ in range(draw(st.integers(0, 2))):
        inside, key = draw(st.sampled_from(list(places(whole))))
        inside[key] = draw(JSON)
    return whole["it"]


@given(method=st.sampled_from(sorted(METHODS)), arguments=st.dictionaries(KEYS, JSON, max_size=6))
def test_every_method_answers(method: str, arguments: Json) -> None:
    body = run(fresh(), method, {"channel": "C0GENERAL", **arguments})
    assert body["ok"] or body["error"]


@given(blocks=damaged(SAMPLES))
def test_blocks_are_posted_or_refused(blocks: Any) -> None:
    state = fresh()
    body = run(state, "chat.postMessage", {"channel": "C0GENERAL", "text": "x", "blocks": blocks})
    if not body["ok"]:
        assert body["error"].startswith(("invalid_blocks", "msg_blocks_too_long", "only_one_table_allowed"))
        return
    message = state.log.find("C0GENERAL", body["ts"])
    assert message is not None
    assert message.plain.startswith("x")
    assert all(button.action_id for button in message.buttons)


@given(view=damaged([modal(*blocks, external_id="e", close=plain("c")) for blocks in SAMPLES]))
def test_views_are_shown_or_refused(view: Any) -> None:
    state = fresh()
    body = run(state, "views.open", {"trigger_id": state.triggers.issue("U0BOT"), "view": view})
    if not body["ok"]:
        assert body["error"] in ("invalid_arguments", "view_too_large")
        return
    (shown,) = state.views.stack("U0BOT")
    assert shown.plain.startswith(shown.title)
