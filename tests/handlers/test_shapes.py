"""Whatever shape a signed request has, it is answered, tells no story of a defect in the log, and changes nothing."""

import copy
import json
import logging
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.posting import post
from tests.support.rig import Rig
from tests.workflows.looking import requests, votes

ODD: list[Any] = [
    *(None, "", "x", 7, -1.5, True, [], ["x"], [None], {}),
    *({"id": None}, {"id": ["x"]}, [{}], {"x": {"y": []}}),
]
WHOLE: list[dict[str, Any]] = json.loads(r"""[
{"type": "block_actions", "team": {"id": "T0HOME", "domain": "switchboard"},
 "user": {"id": "U0ADA", "team_id": "T0HOME"},
 "container": {"type": "message", "message_ts": "1.1", "channel_id": "C0FINANCE"}, "channel": {"id": "C0FINANCE"},
 "message": {"ts": "1.1", "thread_ts": "1.0"}, "enterprise": null, "trigger_id": "1.2.3",
 "response_url": "https://hooks.slack.com/x",
 "actions": [{"action_id": "payout.approve", "block_id": "b", "type": "button", "value": "{}"}]},
{"type": "block_actions", "team": {"id": "T0HOME", "domain": "switchboard"}, "user": {"id": "U0ADA"},
 "view": {"id": "V1", "type": "home", "app_installed_team_id": "T0HOME", "state": {"values": {}}},
 "actions": [{"action_id": "home.refresh", "type": "static_select", "selected_option": {"value": "x"}}]},
{"type": "view_submission", "team": {"id": "T0HOME", "domain": "switchboard"}, "user": {"id": "U0ADA"},
 "view": {"id": "V1", "type": "modal", "callback_id": "nobody", "private_metadata": "{\"id\":\"x\",\"round\":1}",
  "state": {"values": {"reason": {"reason": {"type": "plain_text_input", "value": "y"}},
   "one": {"a": {"type": "static_select", "selected_option": {"value": "z"}}},
   "many": {"a": {"type": "checkboxes", "selected_options": [{"value": "z"}]}},
   "files": {"a": {"type": "file_input", "files": [{"id": "F1"}]}}}}}},
{"type": "message_action", "callback_id": "use_file", "team": {"id": "T0HOME", "domain": "switchboard"},
 "user": {"id": "U0ADA"}, "channel": {"id": "C0FINANCE"}, "message_ts": "1.1",
 "message": {"ts": "1.1", "files": [{"id": "F1", "mode": "hosted"}]}, "trigger_id": "1", "response_url": ""},
{"type": "interactive_message", "team": {"id": "T0HOME", "domain": "switchboard"},
 "user": {"id": "U0ADA", "name": "ada"}, "channel": {"id": "C0FINANCE", "name": "finance"}, "callback_id": "x",
 "actions": [{"name": "x", "type": "button", "value": "y"}], "action_ts": "1.1", "message_ts": "1.1",
 "attachment_id": "1", "response_url": "https://hooks.slack.com/x",
 "original_message": {"attachments": [{"actions": [{}]}]}},
{"type": "dialog_submission", "team": {"id": "T0HOME", "domain": "switchboard"}, "user": {"id": "U0ADA"},
 "callback_id": "x", "submission": {}, "state": ""},
{"type": "event_callback", "team_id": "T0HOME", "event_id": "Ev1",
 "authorizations": [{"team_id": "T0HOME", "enterprise_id": null, "user_id": "U0BOT", "is_bot": true}],
 "event": {"type": "message", "channel": "C0FINANCE", "user": "U0MARIA", "ts": "1.1", "thread_ts": "1.0",
  "files": [{"id": "F1", "mode": "hosted"}]}},
{"type": "event_callback", "team_id": "T0HOME", "event_id": "Ev2",
 "event": {"type": "file_shared", "channel_id": "C0FINANCE", "user_id": "U0MARIA", "file": {"id": "F1"}}},
{"type": "event_callback", "team_id": "T0HOME", "event_id": "Ev3",
 "event": {"type": "app_home_opened", "user": "U0MARIA", "tab": "home"}},
{"command": "/nothing", "text": "help", "team_id": "T0HOME", "user_id": "U0MARIA", "channel_id": "C0FINANCE",
 "trigger_id": "1", "response_url": ""}
]""")
"""One of each kind, whole."""


def paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(node, dict):
        for key, value in node.items():
            yield from paths(value, (*path, key))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from paths(value, (*path, at))


def spoiled(whole: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """The payload with something odd, or nothing at all, in one place; the workspace stays ours."""
    if not path:
        return copy.deepcopy(odd)
    made = copy.deepcopy(whole)
    node = made
    for step in path[:-1]:
        node = node[step]
    if odd is MISSING:
        del node[path[-1]]
    else:
        node[path[-1]] = copy.deepcopy(odd)
    return made


MISSING = object()


def odd_ones() -> list[Any]:
    """Each place of each payload once missing, and with three odd values drawn for it."""
    draw = random.Random(7)  # noqa: S311 - not a secret
    made = []
    for whole in WHOLE:
        for path in paths(whole):
            choices = [*draw.sample(ODD, 3), *([MISSING] if path else [])]
            made += [spoiled(whole, path, odd) for odd in choices]
    return made


@pytest.fixture(params=["http", "socket"])
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"socket_mode": request.param == "socket"}


def kind_of(payload: Any) -> str:
    if not isinstance(payload, dict) or "command" in payload:
        return "slash_commands"
    return "events_api" if "event" in payload else "interactive"


async def test_impossible_shapes_are_acked_without_a_traceback(
    rig: Rig, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await rig.pay()
    for payload in odd_ones():
        if rig.settings.socket_mode:
            ack = await rig.workspace._delivery.send(kind_of(payload), payload)
            assert ack.status == 200, payload
        else:
            assert await post(rig, json.dumps(payload).encode(), "application/json") in (200, 400), payload
        logged = capsys.readouterr()
        assert "Traceback" not in logged.out + logged.err + caplog.text, payload
    assert len(await requests(rig)) == 1
    assert not await votes(rig)
