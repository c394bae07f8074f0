"""Whatever JSON an app sends, the answer is a message or a named refusal, never a crash."""

from hypothesis import given
from hypothesis import strategies as st

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods import app, chat, conversations, files, people, views
from bot.playground.workspace.model import Channel, Json
from bot.playground.workspace.state import Identity, WorkspaceState
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


@given(method=st.sampled_from(sorted(METHODS)), arguments=st.dictionaries(KEYS, JSON, max_size=6))
def test_every_method_answers(method: str, arguments: Json) -> None:
    body = run(fresh(), method, {"channel": "C0GENERAL", **arguments})
    assert body["ok"] or body["error"]
