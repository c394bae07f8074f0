"""People, user groups, channels and commands of one workspace, without messages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.playground.workspace.ids import new_id
from bot.playground.workspace.model import Channel, Command, Group, User

SLACKBOT = "USLACKBOT"


class Directory:
    """Records by id. The caller chooses ids; names of channels and handles are unique by convention only."""

    def __init__(self, *, team_id: str, app_id: str, bot_user_id: str, bot_id: str, bot_name: str) -> None:
        self.team_id = team_id
        self.app_id = app_id
        self.bot_user_id = bot_user_id
        self.bot_id = bot_id
        self.users: dict[str, User] = {}
        self.groups: dict[str, Group] = {}
        self.channels: dict[str, Channel] = {}
        self.commands: dict[str, Command] = {}
        self.shortcuts: dict[str, str] = {}
        self.put_user(User(id=SLACKBOT, name="slackbot", real_name="Slackbot", team_id=team_id))
        self.put_user(User(id=bot_user_id, name=bot_name.lower(), real_name=bot_name, team_id=team_id, bot=True))

    def put_user(self, user: User) -> User:
        """Add a person, or replace the one with this id."""
        self.users[user.id] = user
        return user

    def change_user(self, user_id: str, changes: dict[str, Any]) -> User:
        """Replace fields of a person.

        Raises:
            KeyError: The id is unknown.
            TypeError: A field does not exist.
        """
        return self.put_user(replace(self.users[user_id], **changes))

    def put_group(self, group: Group) -> Group:
        """Add a user group, or replace the one with this id."""
        self.groups[group.id] = group
        return group

    def put_channel(self, channel: Channel) -> Channel:
        """Add a channel, or replace the one with this id."""
        self.channels[channel.id] = channel
        return channel

    def direct(self, user_id: str, created: float) -> Channel:
        """The direct message between this person and the bot, opened when it does not exist yet."""
        for channel in self.channels.values():
            if channel.kind == "im" and channel.user == user_id:
                return channel
        members = (user_id, self.bot_user_id)
        return self.put_channel(
            Channel(
                id=new_id("D"),
                name="directmessage",
                members=members,
                private=True,
                kind="im",
                user=user_id,
                created=int(created),
            )
        )

    def channel(self, name_or_id: str) -> Channel | None:
        """The channel with this id or name, with or without ``#``."""
        if name_or_id in self.channels:
            return self.channels[name_or_id]
        wanted = name_or_id.removeprefix("#")
        return next((c for c in self.channels.values() if c.kind == "channel" and c.name == wanted), None)

    def join(self, channel_id: str, user_ids: Sequence[str]) -> Channel:
        """Make people members of a channel."""
        channel = self.channels[channel_id]
        members = tuple(dict.fromkeys((*channel.members, *user_ids)))
        bot_member = channel.bot_member or self.bot_user_id in user_ids
        return self.put_channel(replace(channel, members=members, bot_member=bot_member))

    def leave(self, channel_id: str, user_id: str) -> Channel:
        """Take a person, or the bot, out of a channel."""
        channel = self.channels[channel_id]
        members = tuple(member for member in channel.members if member != user_id)
        bot_member = channel.bot_member and user_id != self.bot_user_id
        return self.put_channel(replace(channel, members=members, bot_member=bot_member))

    def foreign(self, user_id: str) -> bool:
        """Whether this person belongs to another workspace."""
        user = self.users[user_id]
        return self.team_id not in {user.team_id, *user.teams}

    def team_of(self, user_id: str) -> str:
        """The workspace this person belongs to."""
        user = self.users.get(user_id)
        return (user.team_id if user else self.team_id) or next(iter(user.teams if user else ()), "")
