"""All data of the workspace, and the few acts that touch several parts of it."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.faults import Faults
from bot.playground.workspace.changes import Changes
from bot.playground.workspace.directory import SLACKBOT, Directory
from bot.playground.workspace.files import Files
from bot.playground.workspace.ids import Stamps
from bot.playground.workspace.log import Log
from bot.playground.workspace.model import ApiCall, Channel, Message, User
from bot.playground.workspace.views import TRIGGER_SECONDS, Triggers, Views

CALLS_KEPT = 2000

MOST_SOCKETS = 10
"""Maximum number of simultaneous WebSockets of an app."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Identity and credentials of the workspace and the installed app."""

    team_id: str
    team_domain: str
    app_id: str
    bot_user_id: str
    bot_id: str
    bot_name: str
    bot_token: str
    app_token: str
    signing_secret: str
    scopes: tuple[str, ...]
    enterprise_id: str = ""
    """The organization of an Enterprise Grid that the workspace belongs to."""
    org_wide: bool = False
    """Whether the app was installed in the organization instead of a workspace."""


@dataclass
class WorkspaceState:
    """The workspace without its server: data, clock and subscribers."""

    identity: Identity
    clock: Callable[[], float] = time.time
    trigger_seconds: float = TRIGGER_SECONDS
    url: str = ""
    faults: Faults = field(default_factory=Faults)
    changes: Changes = field(default_factory=Changes)
    calls: deque[ApiCall] = field(default_factory=lambda: deque(maxlen=CALLS_KEPT))
    tickets: set[str] = field(default_factory=set)
    sockets: int = 0
    directory: Directory = field(init=False)
    log: Log = field(init=False)
    views: Views = field(init=False)
    triggers: Triggers = field(init=False)
    files: Files = field(init=False)
    stamps: Stamps = field(init=False)

    def __post_init__(self) -> None:
        who = self.identity
        self.directory = Directory(
            team_id=who.team_id,
            app_id=who.app_id,
            bot_user_id=who.bot_user_id,
            bot_id=who.bot_id,
            bot_name=who.bot_name,
        )
        self.log = Log(tell=self.changes.tell)
        self.views = Views(tell=self.changes.tell)
        self.triggers = Triggers(clock=self.clock, seconds=self.trigger_seconds)
        self.files = Files(clock=self.clock, tell=self.changes.tell)
        self.stamps = Stamps(clock=self.clock)

    def post_as_bot(self, channel: str, **content: Any) -> Message:
        """A message of the app in a channel."""
        who = self.identity
        return self.log.add(
            Message(channel=channel, ts=self.stamps.next(), user=who.bot_user_id, bot_id=who.bot_id, **content)
        )

    def post_as(self, user: str, channel: str, **content: Any) -> Message:
        """A message of a person in a channel."""
        return self.log.add(Message(channel=channel, ts=self.stamps.next(), user=user, **content))

    def whisper_as_slackbot(self, user: str, channel: str, text: str) -> Message:
        """Post Slack's own message to one person, e.g. that the app did not answer."""
        return self.post_as(SLACKBOT, channel, text=text, ephemeral_to=user)

    def sees(self, user: User, channel: Channel) -> bool:
        """Whether this person can open this channel."""
        if user.id in channel.members:
            return True
        guest = user.restricted or user.ultra_restricted or self.directory.foreign(user.id)
        return not channel.private and channel.kind == "channel" and not guest and not user.deleted

    def permalink(self, message: Message) -> str:
        """Address of a message on the page."""
        return f"{self.url}/archives/{message.channel}/p{message.ts.replace('.', '')}"
