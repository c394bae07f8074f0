"""``chat.*``: posting, editing and deleting the app's messages."""

from typing import Any

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.limits.surfaces import (
    MARKDOWN_TEXT,
    TEXT_CUT,
    UPDATE_CHARACTERS,
    checked_attachments,
    checked_blocks,
    checked_metadata,
)
from bot.playground.workspace.methods.method import Method, joined_channel, parent_ts, readable_channel
from bot.playground.workspace.model import Channel, Json, Message
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.wire import message_object


def post_message(state: WorkspaceState, arguments: Arguments) -> Json:
    """``chat.postMessage``: into a channel, a direct message, or to a person by their id."""
    channel = _target(state, arguments.text("channel"))
    content = new_content(arguments)
    thread_ts = parent_ts(state, channel, arguments.text("thread_ts", ""))
    message = state.post_as_bot(
        channel.id,
        thread_ts=thread_ts,
        broadcast=arguments.flag("reply_broadcast"),
        metadata=checked_metadata(arguments.structure("metadata", error="invalid_metadata_format")),
        **content,
    )
    return {"ok": True, "channel": channel.id, "ts": message.ts, "message": message_object(state, message)}


def post_ephemeral(state: WorkspaceState, arguments: Arguments) -> Json:
    """``chat.postEphemeral``: seen by one member of the channel, not found by ``chat.update``."""
    channel = _target(state, arguments.text("channel"))
    content = new_content(arguments)
    user = state.directory.users.get(arguments.text("user"))
    if user is None or user.deleted or user.id not in channel.members:
        raise ApiRefusal("user_not_in_channel")
    thread_ts = parent_ts(state, channel, arguments.text("thread_ts", ""))
    message = state.post_as_bot(channel.id, thread_ts=thread_ts, ephemeral_to=user.id, **content)
    return {"ok": True, "message_ts": message.ts}


def update(state: WorkspaceState, arguments: Arguments) -> Json:
    """``chat.update``: only the app's own messages; blocks stay only when no text is sent."""
    channel, message = _own_message(state, arguments, "cant_update_message")
    if channel.archived:
        raise ApiRefusal("is_inactive")
    changes = _changes(arguments)
    if not changes:
        raise ApiRefusal("no_text")
    if "metadata" in arguments:
        changes["metadata"] = checked_metadata(arguments.structure("metadata", error="invalid_metadata_format"))
    if not changes.get("blocks"):
        changes["edited"] = state.stamps.next()
    message = state.log.change(message, **changes)
    return {
        "ok": True,
        "channel": channel.id,
        "ts": message.ts,
        "text": message.text,
        "message": message_object(state, message),
    }


def delete(state: WorkspaceState, arguments: Arguments) -> Json:
    """``chat.delete``: only the app's own messages."""
    channel, message = _own_message(state, arguments, "cant_delete_message")
    state.log.change(message, deleted=True)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def get_permalink(state: WorkspaceState, arguments: Arguments) -> Json:
    """``chat.getPermalink``."""
    channel = readable_channel(state, arguments.text("channel"))
    message = state.log.find(channel.id, arguments.text("message_ts"))
    if message is None or message.deleted or message.ephemeral_to:
        raise ApiRefusal("message_not_found")
    return {"ok": True, "channel": channel.id, "permalink": state.permalink(message)}


def new_content(arguments: Arguments) -> dict[str, Any]:
    """Text, blocks and attachments of a new message.

    Raises:
        ApiRefusal: Nothing to show, or a limit is passed.
    """
    text = arguments.text("text", "")
    if markdown := arguments.text("markdown_text", ""):
        if text or "blocks" in arguments:
            raise ApiRefusal("markdown_text_conflict")
        if len(markdown) > MARKDOWN_TEXT:
            raise ApiRefusal("msg_too_long")
        return {"text": markdown, "blocks": checked_blocks([{"type": "markdown", "text": markdown}])}
    blocks = checked_blocks(arguments.structure("blocks", error="invalid_blocks_format"))
    attachments = checked_attachments(arguments.structure("attachments", error="invalid_attachments"))
    if not text.strip() and not blocks and not attachments:
        raise ApiRefusal("no_text")
    names = {key: arguments.raw[key] for key in ("username", "icon_emoji", "icon_url") if key in arguments}
    return {"text": text[:TEXT_CUT], "blocks": blocks, "attachments": attachments, "extra": names}


def _changes(arguments: Arguments) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    if "text" in arguments:
        changes = {"text": arguments.text("text", ""), "blocks": []}
        if len(changes["text"]) > UPDATE_CHARACTERS:
            raise ApiRefusal("msg_too_long")
    if "blocks" in arguments:
        changes["blocks"] = checked_blocks(arguments.structure("blocks", error="invalid_blocks_format"))
    if "attachments" in arguments:
        changes["attachments"] = checked_attachments(arguments.structure("attachments", error="invalid_attachments"))
    shown = (changes.get("text", "").strip(), changes.get("blocks"), changes.get("attachments"))
    return changes if any(shown) else {}


def _target(state: WorkspaceState, name: str) -> Channel:
    """Where a message goes: a channel the bot is in, or the direct message with a person."""
    if user := state.directory.users.get(name):
        if user.bot:
            raise ApiRefusal("cannot_dm_bot")
        if user.deleted:
            raise ApiRefusal("channel_not_found")
        return state.directory.direct(user.id, state.clock())
    channel = joined_channel(state, name)
    if channel.archived:
        raise ApiRefusal("is_archived")
    return channel


def _own_message(state: WorkspaceState, arguments: Arguments, refusal: str) -> tuple[Channel, Message]:
    channel = readable_channel(state, arguments.text("channel"))
    message = state.log.find(channel.id, arguments.text("ts"))
    if message is None or message.deleted or message.ephemeral_to:
        raise ApiRefusal("message_not_found")
    if message.bot_id != state.identity.bot_id:
        raise ApiRefusal(refusal)
    return channel, message


METHODS = {
    "chat.postMessage": Method(run=post_message, scope="chat:write", per_minute=60),
    "chat.postEphemeral": Method(run=post_ephemeral, scope="chat:write", per_minute=100),
    "chat.update": Method(run=update, scope="chat:write"),
    "chat.delete": Method(run=delete, scope="chat:write"),
    "chat.getPermalink": Method(run=get_permalink, per_minute=300),
}
