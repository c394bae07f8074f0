"""Tables that find a handler by name: a request costs the same with ten commands or a hundred.

(Bolt itself tries its listeners one after the other, at about 8 µs each.)
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from handlers.dependencies import Dependencies
from handlers.incoming import Click, Command, Shortcut, Submission
from handlers.replies import Reply

CommandHandler = Callable[[Dependencies, Command], Awaitable[Reply]]
ClickHandler = Callable[[Dependencies, Click], Awaitable[Reply]]
SubmissionHandler = Callable[[Dependencies, Submission], Awaitable[Reply]]
ShortcutHandler = Callable[[Dependencies, Shortcut], Awaitable[Reply]]
EventHandler = Callable[[Dependencies, Mapping[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class Router:
    """Handlers by name; filled once by the ``register`` functions."""

    commands: dict[str, CommandHandler] = field(default_factory=dict)
    actions: dict[str, ClickHandler] = field(default_factory=dict)
    views: dict[str, SubmissionHandler] = field(default_factory=dict)
    shortcuts: dict[str, ShortcutHandler] = field(default_factory=dict)
    events: dict[str, EventHandler] = field(default_factory=dict)
