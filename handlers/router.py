"""What every handler is given, and the tables that find a handler by name.

A request costs the same with ten commands or a hundred. (Bolt itself tries its listeners one after the other, at about
8 µs each.)
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.slack.messenger import Ephemerals, Messenger
from bot.workflows.context import Context
from handlers.allowance import Allowance
from handlers.incoming import Click, Command, Shortcut, Submission
from handlers.replies import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The workflows' context and the ways to answer; built once by the composition root.

    Attributes:
        allowance: rate limit of commands per user.
        command_prefix: what every slash command begins with after its slash.
    """

    ctx: Context
    messenger: Messenger
    ephemerals: Ephemerals
    allowance: Allowance
    command_prefix: str = ""

    def spelled(self, command: str) -> str:
        """A command as users type it here, e.g. ``/sb-pay``."""
        return f"/{self.command_prefix}{command}"


CommandHandler = Callable[[Dependencies, Command], Awaitable[Reply]]
ClickHandler = Callable[[Dependencies, Click], Awaitable[Reply]]
SubmissionHandler = Callable[[Dependencies, Submission], Awaitable[Reply]]
ShortcutHandler = Callable[[Dependencies, Shortcut], Awaitable[Reply]]
EventHandler = Callable[[Dependencies, Mapping[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class Router:
    """Handlers by name; filled once, in :mod:`handlers.registry`."""

    commands: dict[str, CommandHandler] = field(default_factory=dict)
    actions: dict[str, ClickHandler] = field(default_factory=dict)
    views: dict[str, SubmissionHandler] = field(default_factory=dict)
    shortcuts: dict[str, ShortcutHandler] = field(default_factory=dict)
    events: dict[str, EventHandler] = field(default_factory=dict)
