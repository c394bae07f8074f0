"""Payloads of Slack's requests: slash commands, interactions and events, key by key."""

import secrets
from typing import Any

from bot.playground.workspace.ids import new_id
from bot.playground.workspace.model import Channel, Json, Message, User, View
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.wire import message_object, view_object

VERIFICATION_TOKEN = "playground-verification-token"  # deprecated by Slack, still sent


def slash_command(
    state: WorkspaceState, user: User, channel: Channel, command: str, text: str, response_url: str
) -> Json:
    """Return the form of a slash command; all values are strings."""
    who = state.identity
    at_home = not state.directory.foreign(user.id)
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": who.team_id if at_home else user.team_id,
        "team_domain": who.team_domain if at_home else "elsewhere",
        **({"enterprise_id": who.enterprise_id, "enterprise_name": who.team_domain} if who.enterprise_id else {}),
        "channel_id": channel.id,
        "channel_name": "privategroup" if channel.private and channel.kind == "channel" else channel.name,
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": who.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": state.triggers.issue(user.id),
    }


def message_click(
    state: WorkspaceState, user: User, channel: Channel, message: Message, action: Json, response_url: str
) -> Json:
    """Return ``block_actions`` of a message; an ephemeral message isn't in the payload."""
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": bool(message.ephemeral_to),
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    for number, attachment in enumerate(message.attachments, start=1):
        if action["block_id"] in {block.get("block_id") for block in attachment.get("blocks") or []}:
            container |= {"type": "message_attachment", "attachment_id": number, "is_app_unfurl": False}
    payload = _interaction(state, "block_actions", user) | {
        "container": container,
        "trigger_id": state.triggers.issue(user.id),
        "channel": _place(channel),
        "state": {"values": _values(action)},
        "response_url": response_url,
        "actions": [action | {"action_ts": state.stamps.next()}],
    }
    if not message.ephemeral_to:
        payload["message"] = message_object(state, message)
    return payload


def view_click(state: WorkspaceState, user: User, view: View, action: Json) -> Json:
    """Return ``block_actions`` of a modal or the App Home."""
    return _interaction(state, "block_actions", user) | {
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": state.triggers.issue(user.id, view="" if view.type == "home" else view.id),
        "view": view_object(state, view),
        "actions": [action | {"action_ts": state.stamps.next()}],
    }


def view_submission(state: WorkspaceState, user: User, view: View, response_urls: list[Json]) -> Json:
    """Return ``view_submission`` with all values of the form."""
    return _interaction(state, "view_submission", user) | {
        "trigger_id": state.triggers.issue(user.id, view=view.id),
        "view": view_object(state, view),
        "response_urls": response_urls,
    }


def suggestion(state: WorkspaceState, user: User, view: View, block_id: str, action_id: str, typed: str) -> Json:
    """Return ``block_suggestion`` with the text typed into an external select."""
    return _interaction(state, "block_suggestion", user) | {
        "container": {"type": "view", "view_id": view.id},
        "action_id": action_id,
        "block_id": block_id,
        "value": typed,
        "view": view_object(state, view),
    }


def view_closed(state: WorkspaceState, user: User, view: View, *, cleared: bool) -> Json:
    """Return ``view_closed``."""
    return _interaction(state, "view_closed", user) | {"view": view_object(state, view), "is_cleared": cleared}


def global_shortcut(state: WorkspaceState, user: User, callback_id: str) -> Json:
    """Return ``shortcut`` of a global shortcut, without channel and response URL."""
    return _interaction(state, "shortcut", user) | {
        "action_ts": state.stamps.next(),
        "callback_id": callback_id,
        "trigger_id": state.triggers.issue(user.id),
    }


def message_shortcut(
    state: WorkspaceState, user: User, channel: Channel, message: Message, callback_id: str, response_url: str
) -> Json:
    """Return ``message_action`` with the whole message."""
    return _interaction(state, "message_action", user) | {
        "action_ts": state.stamps.next(),
        "callback_id": callback_id,
        "trigger_id": state.triggers.issue(user.id),
        "response_url": response_url,
        "message_ts": message.ts,
        "channel": _place(channel),
        "message": message_object(state, message),
    }


def event_callback(state: WorkspaceState, event: Json, event_id: str | None, *, happened_in: str = "") -> Json:
    """Wrap an event; ``happened_in`` is the other workspace of a shared channel."""
    who = state.identity
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": happened_in or who.team_id,
        "context_team_id": happened_in or who.team_id,
        "context_enterprise_id": who.enterprise_id or None,
        "api_app_id": who.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id or new_id("Ev"),
        "event_time": int(state.clock()),
        "authorizations": [
            {
                "enterprise_id": who.enterprise_id or None,
                "team_id": who.team_id,
                "user_id": who.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": _shared(state, event),
        "event_context": f"4-{secrets.token_urlsafe(24)}",
    }


def message_event(state: WorkspaceState, channel: Channel, message: Message) -> Json:
    """Return the ``message`` event of a person's message."""
    kind = "im" if channel.kind == "im" else "group" if channel.private else "channel"
    return message_object(state, message) | {
        "channel": channel.id,
        "event_ts": message.ts,
        "channel_type": kind,
        "client_msg_id": secrets.token_hex(16),
    }


def app_mention(state: WorkspaceState, channel: Channel, message: Message) -> Json:
    """Return the ``app_mention`` event that accompanies the ``message`` event."""
    event = message_event(state, channel, message) | {"type": "app_mention"}
    event.pop("channel_type")
    return event


def home_opened(state: WorkspaceState, user: User, channel: Channel, tab: str) -> Json:
    """Return ``app_home_opened``, with the published view if there is one."""
    event: Json = {
        "type": "app_home_opened",
        "user": user.id,
        "channel": channel.id,
        "tab": tab,
        "event_ts": state.stamps.next(),
    }
    view = state.views.home(user.id)
    return event | {"view": view_object(state, view)} if view else event


def file_shared(state: WorkspaceState, channel: Channel, file_id: str, user: str) -> Json:
    """Return ``file_shared``, which contains only ids."""
    return {
        "type": "file_shared",
        "file_id": file_id,
        "user_id": user,
        "file": {"id": file_id},
        "channel_id": channel.id,
        "event_ts": state.stamps.next(),
    }


def file_deleted(state: WorkspaceState, file_id: str) -> Json:
    """Return ``file_deleted``, which contains only the id."""
    return {"type": "file_deleted", "file_id": file_id, "event_ts": state.stamps.next()}


def _shared(state: WorkspaceState, event: Json) -> bool:
    channel = state.directory.channel(str(event.get("channel") or event.get("channel_id") or ""))
    return channel is not None and any(
        m in state.directory.users and state.directory.foreign(m) for m in channel.members
    )


def _interaction(state: WorkspaceState, kind: str, user: User) -> Json:
    who = state.identity
    return {
        "type": kind,
        "token": VERIFICATION_TOKEN,
        "team": {"id": who.team_id, "domain": who.team_domain},
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": state.directory.team_of(user.id)},
        "api_app_id": who.app_id,
        "enterprise": {"id": who.enterprise_id, "name": who.team_domain} if who.enterprise_id else None,
        "is_enterprise_install": False,
    }


def _place(channel: Channel) -> Json:
    private = channel.private and channel.kind == "channel"
    return {"id": channel.id, "name": "privategroup" if private else channel.name}


def _values(action: Json) -> dict[str, Any]:
    """Return the state after a click on a stateful element of a message."""
    kept = {key: value for key, value in action.items() if key.startswith("selected_") or key == "type"}
    return {action["block_id"]: {action["action_id"]: kept}} if len(kept) > 1 else {}
