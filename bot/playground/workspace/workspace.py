"""The local workspace as one object: set it up, start it, act in it as a person, look at it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from aiohttp import web

from bot.playground.faults import Faults
from bot.playground.workspace.delivery import EventSender
from bot.playground.workspace.forms import Forms
from bot.playground.workspace.looking import Looking
from bot.playground.workspace.model import ApiCall, Change, Channel, Command, Group, User
from bot.playground.workspace.rates import Rates
from bot.playground.workspace.responses import Responses
from bot.playground.workspace.server import Surface
from bot.playground.workspace.socket_mode import Sockets
from bot.playground.workspace.state import Identity, WorkspaceState
from bot.playground.workspace.views import TRIGGER_SECONDS
from bot.playground.workspace.web_api import WebApi

_BODY_BYTES = 4 * 1024 * 1024


class Workspace(Forms, Looking):
    """A Slack workspace with one app installed.

    ``faults`` are armed for Web API methods, ``response_url`` and ``upload``; ``calls`` are the last 2,000 Web API
    calls; routes can be added to ``app`` until ``start``. ``scopes`` are the bot's, as in the manifest.
    """

    def __init__(
        self,
        *,
        scopes: Collection[str],
        clock: Callable[[], float] = time.time,
        team_id: str = "T0HOME",
        team_domain: str = "switchboard",
        app_id: str = "A0SWITCH",
        bot_user_id: str = "U0BOT",
        bot_id: str = "B0BOT",
        bot_name: str = "Switchboard",
        bot_token: str = "xoxb-playground",
        app_token: str = "xapp-playground",
        signing_secret: str = "playground-signing-secret",
        enforce_rates: bool = True,
        ack_seconds: float = 3.0,
        trigger_seconds: float = TRIGGER_SECONDS,
        enterprise_id: str = "",
        org_wide: bool = False,
    ) -> None:
        self.identity = Identity(
            team_id=team_id,
            team_domain=team_domain,
            app_id=app_id,
            bot_user_id=bot_user_id,
            bot_id=bot_id,
            bot_name=bot_name,
            bot_token=bot_token,
            app_token=app_token,
            signing_secret=signing_secret,
            scopes=tuple(scopes),
            enterprise_id=enterprise_id,
            org_wide=org_wide,
        )
        self._state = WorkspaceState(identity=self.identity, clock=clock, trigger_seconds=trigger_seconds)
        self._stopping = asyncio.Event()
        self._sockets = Sockets(state=self._state)
        self._delivery = EventSender(signing_secret=signing_secret, sockets=self._sockets, ack_seconds=ack_seconds)
        self._responses = Responses(state=self._state)
        self._rates = Rates(clock=clock, enforced=enforce_rates)
        self._runner: web.AppRunner | None = None
        self.app = web.Application(client_max_size=_BODY_BYTES)
        api = WebApi(state=self._state, rates=self._rates, stopping=self._stopping)
        Surface(
            state=self._state, api=api, responses=self._responses, sockets=self._sockets, stopping=self._stopping
        ).mount(self.app)

    @property
    def faults(self) -> Faults:
        """Faults of the Web API."""
        return self._state.faults

    @property
    def calls(self) -> deque[ApiCall]:
        """The app's last Web API calls, oldest first."""
        return self._state.calls

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``, once started."""
        return self._state.url

    @property
    def api_url(self) -> str:
        """The base URL for the app's Web API client."""
        return f"{self._state.url}/api/"

    @property
    def sockets(self) -> int:
        """How many Socket Mode connections the app holds."""
        return self._sockets.connected

    async def start(self, *, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve; with port 0 the system chooses one."""
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        chosen = self._runner.addresses[0][1]
        self._state.url = f"http://{host}:{chosen}"

    async def stop(self) -> None:
        """Close connections and subscriptions, and stop serving."""
        self._stopping.set()
        await self._sockets.close()
        await self._delivery.close()
        self._state.changes.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self._state.files.close()

    def deliver_to(self, request_url: str | None) -> None:
        """Send signed commands, interactions and events to this URL, or through Socket Mode if None."""
        self._delivery.request_url = request_url

    async def refresh_sockets(self, reason: str = "refresh_requested") -> None:
        """Make the app's Socket Mode connections reconnect, as Slack does every few hours."""
        await self._sockets.refresh(reason)

    @property
    def users(self) -> dict[str, User]:
        """All people by id, including the bot and Slackbot."""
        return dict(self._state.directory.users)

    @property
    def groups(self) -> dict[str, Group]:
        """The user groups by id."""
        return dict(self._state.directory.groups)

    @property
    def channels(self) -> dict[str, Channel]:
        """All channels and direct messages by id."""
        return dict(self._state.directory.channels)

    @property
    def shortcuts(self) -> dict[str, str]:
        """Names of the shortcuts on messages, by callback id."""
        return dict(self._state.directory.shortcuts)

    @property
    def commands(self) -> dict[str, Command]:
        """The registered slash commands."""
        return dict(self._state.directory.commands)

    def add_user(
        self,
        user_id: str,
        name: str,
        *,
        real_name: str = "",
        email: str = "",
        team_id: str | None = None,
        restricted: bool = False,
        ultra_restricted: bool = False,
        deleted: bool = False,
        bot: bool = False,
        title: str = "",
        avatar_color: str = "",
    ) -> User:
        """Add a person; ``team_id`` of another workspace makes an outsider, ``restricted`` a guest."""
        user = User(
            id=user_id,
            name=name,
            real_name=real_name,
            email=email,
            team_id=team_id or self.identity.team_id,
            restricted=restricted,
            ultra_restricted=ultra_restricted,
            deleted=deleted,
            bot=bot,
            title=title,
            avatar_color=avatar_color,
        )
        self._state.changes.tell(Change(kind="people", user=user_id))
        return self._state.directory.put_user(user)

    def set_user(self, user_id: str, **changes: Any) -> User:
        """Change fields of a person, e.g. ``deleted=True``."""
        user = self._state.directory.change_user(user_id, changes)
        self._state.changes.tell(Change(kind="people", user=user_id))
        return user

    def add_group(self, group_id: str, handle: str, *, name: str = "", users: Sequence[str] = ()) -> None:
        """Add a user group."""
        self._state.directory.put_group(Group(id=group_id, handle=handle, name=name or handle, users=tuple(users)))
        self._state.changes.tell(Change(kind="people"))

    def set_group(self, group_id: str, users: Sequence[str]) -> None:
        """Replace the members of a user group."""
        group = self._state.directory.groups[group_id]
        self.add_group(group_id, group.handle, name=group.name, users=users)

    def add_channel(
        self,
        channel_id: str,
        name: str,
        *,
        members: Sequence[str],
        private: bool = False,
        bot_member: bool = True,
        topic: str = "",
        archived: bool = False,
    ) -> Channel:
        """Add a channel, or replace the one with this id."""
        channel = Channel(
            id=channel_id,
            name=name,
            members=tuple(members),
            private=private,
            bot_member=bot_member,
            topic=topic,
            archived=archived,
            created=int(self._state.clock()),
        )
        self._state.changes.tell(Change(kind="people", channel=channel_id))
        return self._state.directory.put_channel(channel)

    def set_channel(self, channel_id: str, **changes: Any) -> Channel:
        """Change fields of a channel, e.g. ``archived=True``."""
        changed = self._state.directory.put_channel(replace(self._state.directory.channels[channel_id], **changes))
        self._state.changes.tell(Change(kind="people", channel=channel_id))
        return changed

    def invite(self, channel: str, *users: str) -> Channel:
        """Make people, or the bot, members of a channel."""
        joined = self._state.directory.join(self.channel(channel).id, users)
        self._state.changes.tell(Change(kind="people", channel=joined.id))
        return joined

    def kick(self, channel: str, user: str) -> Channel:
        """Take a person, or the bot, out of a channel."""
        left = self._state.directory.leave(self.channel(channel).id, user)
        self._state.changes.tell(Change(kind="people", channel=left.id))
        return left

    def open_dm(self, user_id: str) -> Channel:
        """The direct message between this person and the bot."""
        return self._state.directory.direct(user_id, self._state.clock())

    def add_shortcut(self, callback_id: str, name: str) -> None:
        """Register a shortcut on messages; once there is one, unregistered shortcuts cannot be used."""
        self._state.directory.shortcuts[callback_id] = name

    def add_command(self, command: str, *, hint: str = "", description: str = "", should_escape: bool = True) -> None:
        """Register a slash command; once there is one, unregistered commands cannot be typed."""
        self._state.directory.commands[command] = Command(
            command=command, hint=hint, description=description, should_escape=should_escape
        )
