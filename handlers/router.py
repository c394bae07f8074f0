"""Dependencies of handlers, the rate limit of commands, and the tables of handlers by name.

The tables make the lookup independent of the number of commands; Bolt tries its listeners one by one, at about 8 µs
each.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bot.slack.messenger import Ephemerals, Messenger
from bot.workflows.admin.home import OpenHomes
from bot.workflows.context import Context
from handlers.incoming import Click, Command, Shortcut, Submission
from handlers.replies import Reply

AT_ONCE = 120
"""Commands that a user may send in a burst: more than anyone types by hand, even from a list."""
A_SECOND = 1.0
"""Commands per second after the burst."""
_PEOPLE = 10_000
"""Maximum of users remembered; a forgotten one starts again with a full bucket."""
_DOUBLE = timedelta(seconds=2)
"""Time within which a second press of a button by the same user counts as a double click."""
_PRESSES = 200
"""Maximum of presses remembered."""


@dataclass(eq=False, kw_only=True)
class Allowance:
    """A token bucket per user, in the memory of each process, because refusing must cost less than the command."""

    monotonic: Callable[[], float]
    at_once: int = AT_ONCE
    a_second: float = A_SECOND
    people: int = _PEOPLE
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, person: str) -> float:
        """Count a command of a user and return 0.0, or return the seconds to wait without counting it."""
        now = self.monotonic()
        left, seen = self._left.pop(person, (float(self.at_once), now))
        left = min(float(self.at_once), left + max(now - seen, 0.0) * self.a_second)
        wait = max(1.0 - left, 0.0) / self.a_second
        self._left[person] = (left if wait else left - 1.0, now)
        if len(self._left) > self.people:
            self._left.popitem(last=False)
        return wait


class Presses:
    """Detects double clicks on buttons whose work isn't deduplicated otherwise."""

    def __init__(self) -> None:
        self._last: OrderedDict[tuple[str, str, str], datetime] = OrderedDict()

    def is_double(self, name: str, click: Click, now: datetime) -> bool:
        """Record a press; True if this user pressed the button (``name`` and value) less than two seconds ago."""
        key = (name, click.value, click.user)
        before = self._last.pop(key, None)
        self._last[key] = now
        if len(self._last) > _PRESSES:
            self._last.popitem(last=False)
        return before is not None and now - before < _DOUBLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """Context of the workflows, and the ways to answer. ``homes``: App Homes that may be open."""

    ctx: Context
    messenger: Messenger
    ephemerals: Ephemerals
    allowance: Allowance
    homes: OpenHomes

    def spelled(self, command: str) -> str:
        """Return a command as users type it here, e.g. ``/sb-pay``."""
        return self.ctx.spelled(command)


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
