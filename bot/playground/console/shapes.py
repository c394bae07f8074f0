"""The workspace as JSON for the page, limited to what one person sees."""

from typing import Any

from bot.playground.console import files
from bot.playground.workspace import Channel, Message, User, View, Workspace

Json = dict[str, Any]

MESSAGES_SHOWN = 300
"""Messages of a channel in a picture, the latest ones."""

SYSTEM_USER = "USLACKBOT"
"""Author of the workspace's own messages, e.g. when the app did not answer."""

_INVITE = {"command": "/invite", "hint": "@name", "description": "Bring somebody, or the app, into this channel"}
"""Slack's own command, which no app registers."""

_COLORS = ("#c2563a", "#2f6db3", "#7a55a8", "#3f7f57", "#a8467a", "#8a6d1f", "#4a6a8a", "#9a4a4a")
_KINDS = ("requester", "approver", "admin")


class Shapes:
    """Reads the workspace for one viewer at a time."""

    def __init__(self, *, workspace: Workspace) -> None:
        self._workspace = workspace

    def actors(self) -> list[User]:
        """People that the page can act as, in the order in which they were added."""
        return [user for user in self._workspace.users.values() if _acts(user)]

    def places(self, viewer: str) -> Json:
        """People, groups and the channels the viewer is in."""
        users = list(self._workspace.users.values())
        return {
            "me": self.person(self._workspace.users[viewer]),
            "people": [self.person(user) for user in users],
            "groups": [{"id": group.id, "handle": group.handle} for group in self._workspace.groups.values()],
            "channels": [self.channel(channel) for channel in self.channels(viewer)],
        }

    def channels(self, viewer: str) -> list[Channel]:
        """The channels a person is in, direct messages last."""
        mine = [c for c in self._workspace.channels.values() if viewer in c.members and not c.archived]
        return sorted(mine, key=lambda channel: channel.kind == "im")

    def person(self, user: User) -> Json:
        """One person with a label for their role in the workspace."""
        kind = self._kind(user)
        name = "Workspace" if user.id == SYSTEM_USER else user.real_name or user.name
        return {
            "id": user.id,
            "name": name,
            "handle": user.name,
            "initials": _initials(name),
            "color": user.avatar_color or _COLORS[sum(user.id.encode()) % len(_COLORS)],
            "role": user.title or _ROLES[kind],
            "kind": kind,
            "actor": _acts(user),
            "bot": user.bot,
            "deleted": user.deleted,
        }

    def channel(self, channel: Channel) -> Json:
        """Return a channel; a direct message has the bot's name."""
        names = self._workspace.users
        return {
            "id": channel.id,
            "name": self._workspace.identity.bot_name if channel.kind == "im" else channel.name,
            "kind": channel.kind,
            "private": channel.private,
            "topic": channel.topic,
            "members": [names[m].real_name or names[m].name for m in channel.members if m in names],
            "bot_member": channel.bot_member,
        }

    def messages(self, viewer: str) -> list[Json]:
        """Return the messages visible to the viewer in their channels."""
        return [
            self.message(message)
            for channel in self.channels(viewer)
            for message in self._workspace.messages(channel.id, viewer=viewer)[-MESSAGES_SHOWN:]
        ]

    def visible(self, viewer: str, message: Message) -> bool:
        """Whether the viewer can see this message."""
        return viewer in self._workspace.channel(message.channel).members and message.ephemeral_to in ("", viewer)

    def message(self, message: Message) -> Json:
        """One message. ``order`` is its time stamp in microseconds."""
        return {
            "key": message.ts,
            "ts": message.ts,
            "order": int(message.ts.replace(".", "")),
            "channel": message.channel,
            "user": message.user,
            "bot": bool(message.bot_id) or message.user == SYSTEM_USER,
            "text": message.text,
            "blocks": message.blocks,
            "attachments": message.attachments,
            "thread_ts": message.thread_ts or None,
            "broadcast": message.broadcast,
            "edited": message.edited or None,
            "ephemeral": bool(message.ephemeral_to),
            "reactions": _reactions(message),
            "files": [self._file(file_id) for file_id in message.files],
        }

    def modal(self, viewer: str) -> Json:
        """The modal on top of the viewer's stack (or None) and the size of the stack."""
        view = self._workspace.modal(viewer)
        return {"view": view and _view(view), "depth": len(self._workspace.modals(viewer))}

    def home(self, viewer: str) -> Json | None:
        """The viewer's App Home, if the app published one."""
        home = self._workspace.home(viewer)
        return _view(home) if home else None

    def commands(self) -> list[Json]:
        """The slash commands for the composer's completion."""
        own = [
            {"command": c.command, "hint": c.hint, "description": c.description}
            for c in self._workspace.commands.values()
        ]
        return [*own, _INVITE] if own else []

    def shortcuts(self) -> list[Json]:
        """The shortcuts on messages for the menu of each."""
        return [{"callback_id": one, "name": name} for one, name in self._workspace.shortcuts.items()]

    def _file(self, file_id: str) -> Json:
        file = self._workspace.file(file_id)
        if file is None:
            return {"id": file_id, "name": "file", "size": "", "url": "", "picture": None}
        return files.shown(file)

    def _kind(self, user: User) -> str:
        if user.id == SYSTEM_USER or user.bot:
            return "app"
        if user.team_id != self._workspace.identity.team_id:
            return "outsider"
        if user.restricted or user.ultra_restricted:
            return "guest"
        return next((kind for kind in _KINDS if kind in user.title.lower()), "member")


_ROLES = {
    "app": "App",
    "outsider": "From another workspace",
    "guest": "Guest",
    "requester": "Requester",
    "approver": "Approver",
    "admin": "Admin",
    "member": "Member",
}


def _acts(user: User) -> bool:
    return not user.bot and not user.deleted and user.id != SYSTEM_USER


def _initials(name: str) -> str:
    words = name.replace(".", " ").split()
    return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)).upper() or "?"


def _reactions(message: Message) -> list[Json]:
    names = [name for name, _ in message.reactions]
    return [{"name": name, "count": names.count(name)} for name in dict.fromkeys(names)]


def _view(view: View) -> Json:
    return {
        "id": view.id,
        "hash": view.hash,
        "callback_id": view.callback_id,
        "title": view.title,
        "submit": view.submit,
        "close": view.close,
        "blocks": view.blocks,
        "values": view.values,
        "errors": view.errors,
    }
