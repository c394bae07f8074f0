"""What a handler is given: Slack's payloads as typed values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command. ``text`` is as Slack sent it, escapes included."""

    name: str
    text: str
    user: str
    channel: str
    trigger_id: str
    response_url: str

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Command":
        """From the form fields of a command."""
        return cls(
            name=str(body.get("command", "")),
            text=str(body.get("text", "")),
            user=str(body["user_id"]),
            channel=str(body["channel_id"]),
            trigger_id=str(body.get("trigger_id", "")),
            response_url=str(body.get("response_url", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """A pressed button. ``channel`` and ``ts`` are the message it stands on; empty in a modal."""

    action_id: str
    value: str
    user: str
    channel: str
    ts: str
    trigger_id: str
    response_url: str

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Click":
        """From a ``block_actions`` payload; the first action is the pressed one."""
        action = body["actions"][0]
        container = body.get("container") or {}
        channel = (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        return cls(
            action_id=str(action["action_id"]),
            value=str(action.get("value", "")),
            user=str(body["user"]["id"]),
            channel=str(channel),
            ts=str(container.get("message_ts") or (body.get("message") or {}).get("ts") or ""),
            trigger_id=str(body.get("trigger_id", "")),
            response_url=str(body.get("response_url", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A submitted form. ``values`` maps block id to the text of its one element."""

    callback_id: str
    view_id: str
    metadata: str
    values: Mapping[str, str]
    user: str

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Submission":
        """From a ``view_submission`` payload."""
        view = body["view"]
        state = (view.get("state") or {}).get("values") or {}
        return cls(
            callback_id=str(view.get("callback_id", "")),
            view_id=str(view["id"]),
            metadata=str(view.get("private_metadata", "")),
            values={block: _text(elements) for block, elements in state.items()},
            user=str(body["user"]["id"]),
        )


def _text(elements: Mapping[str, Any]) -> str:
    for element in elements.values():
        chosen = element.get("selected_option") or {}
        return str(element.get("value") or chosen.get("value") or "")
    return ""
