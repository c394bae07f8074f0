"""``conversations.*`` and ``reactions.add``: channels, their members and messages."""

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods.method import (
    Method,
    allowed,
    check_scope,
    joined_channel,
    page,
    readable_channel,
)
from bot.playground.workspace.model import Json, Message
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.wire import channel_object, message_object

MOST = 999
_SCOPES = {
    "public_channel": "channels:read",
    "private_channel": "groups:read",
    "im": "im:read",
    "mpim": "mpim:read",
}


def info(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.info``."""
    channel = allowed(state, readable_channel(state, arguments.text("channel")), "read")
    result = channel_object(state, channel)
    if not arguments.flag("include_num_members"):
        result.pop("num_members", None)
    return {"ok": True, "channel": result}


def list_channels(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.list``: what the bot can see, public channels unless ``types`` says otherwise."""
    types = arguments.words("types") or ["public_channel"]
    for kind in types:
        check_scope(state.identity.scopes, _SCOPES.get(kind, "channels:read"))
    wanted = []
    for channel in state.directory.channels.values():
        kind = "im" if channel.kind == "im" else "private_channel" if channel.private else "public_channel"
        hidden = channel.private and not channel.bot_member
        archived = channel.archived and arguments.flag("exclude_archived")
        if kind in types and not hidden and not archived:
            wanted.append(channel)
    some, cursor = page(wanted, arguments, default=100, most=MOST)
    channels = [channel_object(state, channel) for channel in some]
    return {"ok": True, "channels": channels, "response_metadata": {"next_cursor": cursor}}


def members(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.members``: the bot is among them where it is in."""
    channel = allowed(state, readable_channel(state, arguments.text("channel")), "read")
    bot = (state.identity.bot_user_id,) if channel.bot_member else ()
    everybody = list(dict.fromkeys((*channel.members, *bot)))
    some, cursor = page(everybody, arguments, default=100, most=MOST)
    return {"ok": True, "members": some, "response_metadata": {"next_cursor": cursor}}


def open_conversation(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.open``: the direct message with one person."""
    if name := arguments.text("channel", ""):
        channel = readable_channel(state, name)
    else:
        users = arguments.words("users")
        if not users:
            raise ApiRefusal("users_list_not_supplied")
        if len(users) > 1:
            raise ApiRefusal("method_not_supported_for_channel_type")
        user = state.directory.users.get(users[0])
        if user is None:
            raise ApiRefusal("user_not_found")
        if user.deleted:
            raise ApiRefusal("user_disabled")
        if user.bot:
            raise ApiRefusal("cannot_dm_bot")
        channel = state.directory.direct(user.id, state.clock())
    full = arguments.flag("return_im")
    return {"ok": True, "channel": channel_object(state, channel) if full else {"id": channel.id}}


def join(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.join``: the bot joins a public channel."""
    channel = readable_channel(state, arguments.text("channel"))
    if channel.private:
        raise ApiRefusal("method_not_supported_for_channel_type")
    if channel.archived:
        raise ApiRefusal("is_archived")
    joined = state.directory.join(channel.id, [state.identity.bot_user_id])
    return {"ok": True, "channel": channel_object(state, joined)}


def history(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.history``: newest first, without replies and ephemerals."""
    channel = allowed(state, joined_channel(state, arguments.text("channel")), "history")
    public = [m for m in state.log.in_channel(channel.id) if not m.ephemeral_to and (not m.thread_ts or m.broadcast)]
    return _messages(state, arguments, list(reversed(_between(public, arguments))))


def replies(state: WorkspaceState, arguments: Arguments) -> Json:
    """``conversations.replies``: the parent first, then its replies, oldest first."""
    channel = allowed(state, joined_channel(state, arguments.text("channel")), "history")
    ts = arguments.text("ts")
    message = state.log.find(channel.id, ts)
    root = (message.thread_ts or ts) if message else ts
    thread = state.log.thread(channel.id, root)
    if not thread:
        raise ApiRefusal("thread_not_found")
    return _messages(state, arguments, [thread[0], *_between(thread[1:], arguments)])


def add_reaction(state: WorkspaceState, arguments: Arguments) -> Json:
    """``reactions.add``: by the bot."""
    channel = joined_channel(state, arguments.text("channel"))
    message = state.log.find(channel.id, arguments.text("timestamp"))
    if message is None or message.deleted or message.ephemeral_to:
        raise ApiRefusal("message_not_found")
    reaction = (arguments.text("name").strip(":"), state.identity.bot_user_id)
    if reaction in message.reactions:
        raise ApiRefusal("already_reacted")
    state.log.change(message, reactions=(*message.reactions, reaction))
    return {"ok": True}


def _between(messages: list[Message], arguments: Arguments) -> list[Message]:
    oldest, latest = arguments.text("oldest", ""), arguments.text("latest", "")
    inclusive = arguments.flag("inclusive")
    return [m for m in messages if _after(m.ts, oldest, inclusive) and _before(m.ts, latest, inclusive)]


def _after(ts: str, bound: str, inclusive: bool) -> bool:
    return not bound or float(ts) > float(bound) or (inclusive and float(ts) == float(bound))


def _before(ts: str, bound: str, inclusive: bool) -> bool:
    return not bound or float(ts) < float(bound) or (inclusive and float(ts) == float(bound))


def _messages(state: WorkspaceState, arguments: Arguments, messages: list[Message]) -> Json:
    some, cursor = page(messages, arguments, default=100, most=MOST)
    with_metadata = arguments.flag("include_all_metadata")
    found = [message_object(state, message, with_metadata=with_metadata) for message in some]
    result: Json = {"ok": True, "messages": found, "has_more": bool(cursor)}
    if cursor:
        result["response_metadata"] = {"next_cursor": cursor}
    return result


METHODS = {
    "conversations.info": Method(run=info, scope="channels:read", by_kind=True),
    "conversations.list": Method(run=list_channels, scope="channels:read", per_minute=20, by_kind=True),
    "conversations.members": Method(run=members, scope="channels:read", per_minute=100, by_kind=True),
    "conversations.open": Method(run=open_conversation, scope="im:write"),
    "conversations.join": Method(run=join, scope="channels:join"),
    "conversations.history": Method(run=history, scope="channels:history", by_kind=True),
    "conversations.replies": Method(run=replies, scope="channels:history", by_kind=True),
    "reactions.add": Method(run=add_reaction, scope="reactions:write"),
}
