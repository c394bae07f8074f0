"""Users, channels, messages, files and views as Slack writes them in answers and payloads."""

import copy
from typing import Any
from urllib.parse import quote

from bot.playground.workspace.files import StoredFile
from bot.playground.workspace.model import Channel, Group, Json, Message, User, View
from bot.playground.workspace.state import WorkspaceState


def user_object(state: WorkspaceState, user: User) -> Json:
    """As in ``users.info``; the e-mail address needs its own scope, and people of other workspaces keep theirs."""
    profile: Json = {
        "title": user.title,
        "real_name": user.real_name or user.name,
        "real_name_normalized": user.real_name or user.name,
        "display_name": user.name,
        "display_name_normalized": user.name,
        "status_text": "",
        "status_emoji": "",
        "avatar_hash": "",
        "team": user.team_id,
    }
    if user.email and "users:read.email" in state.identity.scopes:
        profile["email"] = user.email
    if user.bot:
        profile |= {"api_app_id": state.identity.app_id, "bot_id": state.identity.bot_id}
    result: Json = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "profile": profile,
        "is_bot": user.bot,
        "is_app_user": False,
        "updated": 0,
    }
    if user.teams:
        result |= {"enterprise_user": _enterprise_user(state, user)}
        del result["team_id"]
    if user.deleted:
        return result
    if user.stranger or state.directory.foreign(user.id):
        result["is_stranger"] = user.stranger
    return result | {
        "color": user.avatar_color.removeprefix("#"),
        "real_name": user.real_name or user.name,
        "tz": "Europe/Lisbon",
        "tz_label": "Western European Time",
        "tz_offset": 0,
        "is_admin": False,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": user.restricted,
        "is_ultra_restricted": user.ultra_restricted,
    }


def _enterprise_user(state: WorkspaceState, user: User) -> Json:
    return {
        "id": user.id,
        "enterprise_id": state.identity.enterprise_id,
        "enterprise_name": state.identity.team_domain,
        "is_admin": False,
        "is_owner": False,
        "is_primary_owner": False,
        "teams": list(user.teams),
    }


def channel_object(state: WorkspaceState, channel: Channel) -> Json:
    """As in ``conversations.info``."""
    shared = any(state.directory.foreign(member) for member in channel.members if member in state.directory.users)
    common: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.archived,
        "is_im": channel.kind == "im",
        "is_org_shared": False,
        "context_team_id": state.identity.team_id,
        "updated": channel.created * 1000,
    }
    if channel.kind == "im":
        return common | {"user": channel.user, "is_user_deleted": False, "priority": 0, "is_open": True}
    return common | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not channel.private,
        "is_group": channel.private,
        "is_mpim": False,
        "is_private": channel.private,
        "is_general": False,
        "is_shared": shared,
        "is_ext_shared": shared,
        "is_pending_ext_shared": False,
        "is_member": channel.bot_member,
        "unlinked": 0,
        "creator": channel.members[0] if channel.members else "",
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "num_members": len(channel.members) + channel.bot_member,
    }


def group_object(state: WorkspaceState, group: Group, *, with_users: bool) -> Json:
    """As in ``usergroups.list``."""
    result: Json = {
        "id": group.id,
        "team_id": state.identity.team_id,
        "is_usergroup": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_create": 0,
        "date_update": 0,
        "date_delete": 0,
        "user_count": len(group.users),
    }
    return result | {"users": list(group.users)} if with_users else result


def message_object(state: WorkspaceState, message: Message, *, with_metadata: bool = True) -> Json:
    """As in ``conversations.history`` and in payloads."""
    result: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": message.text}
    if message.subtype:
        result["subtype"] = message.subtype
    if message.bot_id:
        result |= {
            "bot_id": message.bot_id,
            "app_id": state.identity.app_id,
            "team": state.identity.team_id,
            "bot_profile": bot_object(state),
        }
    else:
        result["team"] = state.directory.team_of(message.user)
    if message.blocks:
        result["blocks"] = copy.deepcopy(message.blocks)
    if message.attachments:
        result["attachments"] = copy.deepcopy(message.attachments)
    if message.edited:
        result["edited"] = {"user": message.user, "ts": message.edited}
    if message.metadata and with_metadata:
        result["metadata"] = copy.deepcopy(message.metadata)
    if message.files:
        result["files"] = [listed_file(state, file) for one in message.files if (file := state.files.get(one))]
        result["upload"] = False
    if message.reactions:
        result["reactions"] = _reactions(message)
    return result | _thread_fields(state, message) | dict(message.extra)


def _reactions(message: Message) -> list[Json]:
    names = dict.fromkeys(name for name, _ in message.reactions)
    by_name = {name: [user for one, user in message.reactions if one == name] for name in names}
    return [{"name": name, "users": users, "count": len(users)} for name, users in by_name.items()]


def _thread_fields(state: WorkspaceState, message: Message) -> Json:
    if message.thread_ts:
        parent = state.log.find(message.channel, message.thread_ts)
        return {"thread_ts": message.thread_ts, "parent_user_id": parent.user if parent else ""}
    replies = state.log.thread(message.channel, message.ts)[1:]
    if not replies:
        return {}
    authors = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users_count": len(authors),
        "reply_users": authors[:5],
        "latest_reply": replies[-1].ts,
        "is_locked": False,
        "subscribed": True,
    }


def bot_object(state: WorkspaceState) -> Json:
    """As in ``bots.info`` and as ``bot_profile`` of messages."""
    who = state.identity
    return {
        "id": who.bot_id,
        "deleted": False,
        "name": who.bot_name,
        "updated": 0,
        "app_id": who.app_id,
        "user_id": who.bot_user_id,
        "icons": {"image_36": "", "image_48": "", "image_72": ""},
        "team_id": who.team_id,
    }


def file_object(state: WorkspaceState, file: StoredFile) -> Json:
    """As in ``files.info``."""
    if file.odd == "deleted":
        return {
            "id": file.id,
            "mode": "tombstone",
            "created": file.created,
            "timestamp": file.created,
            "user": file.user,
        }
    if file.odd == "hidden":
        return {"id": file.id, "mode": "hidden_by_limit", "date_delete": 0}
    return _ordinary(state, file) | _oddity(file)


def listed_file(state: WorkspaceState, file: StoredFile) -> Json:
    """As in the ``files`` of a message: of a file from another company, no more than its id."""
    if file.odd == "elsewhere":
        access = {"mode": "file_access", "file_access": "check_file_info"}
        return {"id": file.id, **access, "created": 0, "timestamp": 0, "user": ""}
    return file_object(state, file)


def _oddity(file: StoredFile) -> Json:
    if file.odd == "processing":
        nothing_yet = {"mimetype": "", "filetype": "", "pretty_type": "", "size": 0}
        return {**nothing_yet, "url_private": None, "url_private_download": None, "duration_ms": None}
    if file.odd == "external":
        there = {"is_external": True, "external_type": "gdrive", "mode": "external", "url_private": file.external_url}
        return there | {"url_private_download": None}
    if file.odd == "denied":
        return {"file_access": "access_denied", "url_private": None, "url_private_download": None}
    if file.odd == "placeless":
        return {"shares": {}, "channels": [], "groups": [], "ims": []}
    return {}


def _ordinary(state: WorkspaceState, file: StoredFile) -> Json:
    address = f"{state.url}/files-pri/{state.identity.team_id}-{file.id}"
    shares: dict[str, dict[str, list[Json]]] = {}
    for channel_id, ts, thread_ts in file.shares:
        channel = state.directory.channels[channel_id]
        share: Json = {"ts": ts, "channel_name": channel.name, "team_id": state.identity.team_id}
        share |= {"reply_users": [], "reply_users_count": 0, "reply_count": 0, "share_user_id": file.user}
        if thread_ts:
            share["thread_ts"] = thread_ts
        shares.setdefault("private" if channel.private else "public", {}).setdefault(channel_id, []).append(share)
    places = [state.directory.channels[channel_id] for channel_id, _, _ in file.shares]
    media = {} if file.duration_ms is None else {"duration_ms": file.duration_ms}
    return media | {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": file.mimetype,
        "filetype": file.filetype,
        "pretty_type": file.filetype.upper(),
        "user": file.user,
        "user_team": state.directory.team_of(file.user),
        "editable": False,
        "size": file.size,
        "mode": "hosted",
        "is_external": False,
        "external_type": "",
        "is_public": "public" in shares,
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "url_private": f"{address}/{quote(file.name, safe='')}",
        "url_private_download": f"{address}/download/{quote(file.name, safe='')}",
        "permalink": f"{state.url}/files/{file.user}/{file.id}/{quote(file.name, safe='')}",
        "comments_count": 0,
        "is_starred": False,
        "shares": shares,
        "channels": [place.id for place in places if not place.private],
        "groups": [place.id for place in places if place.private and place.kind == "channel"],
        "ims": [place.id for place in places if place.kind == "im"],
        "has_more_shares": False,
        "has_rich_preview": False,
        "file_access": "visible",
    }


def view_object(state: WorkspaceState, view: View) -> Json:
    """Return a view as in answers of ``views.*`` and in payloads, with the person's values."""
    source = view.source
    shown: dict[str, Any] = {key: copy.deepcopy(source.get(key)) for key in ("title", "submit", "close")}
    return {
        "id": view.id,
        "team_id": state.identity.team_id,
        "type": view.type,
        "blocks": copy.deepcopy(view.blocks),
        "private_metadata": view.private_metadata,
        "callback_id": view.callback_id,
        "state": {"values": copy.deepcopy(view.values)},
        "hash": view.hash,
        **shown,
        "clear_on_close": view.clear_on_close,
        "notify_on_close": view.notify_on_close,
        "previous_view_id": view.previous_view_id or None,
        "root_view_id": view.root_view_id,
        "app_id": state.identity.app_id,
        "external_id": view.external_id,
        "app_installed_team_id": state.identity.team_id,
        "bot_id": state.identity.bot_id,
    }
