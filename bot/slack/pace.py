"""When Slack may be called: rate limits of methods and edits, the client that keeps them, and the order of posts.

A 429 holds its method for the time it states; for posts only the channel, as Slack's limits do. Afterwards the method
gets one call a second until a minute has passed without another 429. Edits are counted from the start: Slack allows an
app about fifty ``chat.update`` a minute. Some may go at once, the others follow evenly, so that they never stand still.

Posts of a conversation start one at a time, as queued. One that takes longer than 0.1 s does not block the next one.
One that Slack asked us to delay is sent later, and those behind it after it, a second apart.

Each process keeps its own count and order; the calls of other processes show only in Slack's 429s.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.domain.errors import ServiceNow
from bot.domain.outcome import Ended
from bot.slack.calls import ASKED_US_TO_WAIT, SERVICE, TROUBLES, asked_to_wait, how_failed

POST = "chat.postMessage"
"""The method that Slack limits per channel."""
EDIT = "chat.update"
SPACING = 1.0
"""Seconds between two calls of a method after a 429."""
_CALM = 60.0
"""Seconds without a 429 after which a method is no longer slowed."""
_SHORTEST = 0.001
"""Shortest wait that is returned: times in rows are rounded to microseconds, the clock's are not."""
_AT_ONCE = 18
"""Edits that may go at once after a rest."""
_PER_SECOND = 30 / 60
"""Edits that follow: 48 in any minute, a little under what Slack documents as "50+ per minute"."""
_STILL = 4.0
"""Seconds after an edit in which none that matters more has come: then any may go, while those left are still few."""
_NEARLY = 1e-6
"""Of an edit: sums of fractions are not exact."""
_MOMENT = 0.1
"""Seconds that a post may block those behind it: long enough for Slack to accept them in order."""
_FORGOTTEN = 10.0
"""Seconds after its due time until a delayed post is dropped: another process sent it, or it was given up."""


class EditRank(StrEnum):
    PROGRESS = "progress"
    CHANGE = "change"
    LAST = "last"


_LEAVES: Final[Mapping[EditRank, int]] = {EditRank.PROGRESS: 12, EditRank.CHANGE: 6, EditRank.LAST: 0}
"""How many of the edits that may go at once are left to those that matter more."""


@dataclass(slots=True)
class _Lane:
    held_until: float
    calm_at: float
    last: float = float("-inf")
    """When it was last called since the 429."""


class Pace:
    """When a method may be called. Not thread-safe."""

    def __init__(self, *, monotonic: Callable[[], float], at_once: int = _AT_ONCE) -> None:
        """``at_once``: edits that may go after a rest."""
        self._monotonic = monotonic
        self._at_once = at_once
        self._left = float(at_once)
        self._counted_at = monotonic()
        self._last = float("-inf")
        self._lanes: dict[tuple[str, str], _Lane] = {}

    def wait(self, method: str, channel: str = "") -> float:
        """Seconds to wait before this call; 0: none. ``channel`` matters only for posts."""
        lane = self._lane(method, channel)
        if lane is None:
            return 0.0
        left = max(lane.held_until, lane.last + SPACING) - self._monotonic()
        return max(left, _SHORTEST) if left > 0 else 0.0

    def is_slowed(self, method: str) -> bool:
        """Whether it is slowed: no minute has passed since the last 429. Not for posts."""
        return self._lane(method, "") is not None

    def begin(self, method: str, channel: str = "") -> float:
        """Like :meth:`wait`; with 0 the call is counted."""
        wait = self.wait(method, channel)
        lane = self._lane(method, channel)
        if lane is not None and not wait:
            lane.last = self._monotonic()
        return wait

    def refused(self, method: str, channel: str, *, retry_after: float) -> None:
        """Record a 429 of Slack with the seconds to wait."""
        now = self._monotonic()
        until = now + retry_after
        lane = self._lanes.setdefault(_key(method, channel), _Lane(until, until))
        lane.held_until = max(lane.held_until, until)
        lane.calm_at = lane.held_until + _CALM

    @property
    def is_used_up(self) -> bool:
        """Whether no edit at all may be sent now."""
        return self._missing(leaving=0) > 0 or self.wait(EDIT) > 0

    def take(self, edit: EditRank) -> float:
        """Seconds to wait before this edit; 0: none, and the edit is counted."""
        in_turn = self._missing(leaving=_LEAVES[edit]) / _PER_SECOND
        now = self._monotonic()
        anyway = max(self._missing(leaving=0) / _PER_SECOND, self._last + _STILL - now)
        wait = max(min(in_turn, anyway), self.wait(EDIT))
        if wait > 0:
            return max(wait, _SHORTEST)
        self._left -= 1
        self._last = now
        return 0.0

    def _missing(self, *, leaving: int) -> float:
        """How many edits must become free before one may go and leave so many."""
        now = self._monotonic()
        self._left = min(self._left + (now - self._counted_at) * _PER_SECOND, float(self._at_once))
        self._counted_at = now
        missing = leaving + 1 - self._left
        return missing if missing > _NEARLY else 0.0

    def _lane(self, method: str, channel: str) -> _Lane | None:
        key = _key(method, channel)
        lane = self._lanes.get(key)
        if lane is not None and self._monotonic() >= lane.calm_at:
            del self._lanes[key]
            return None
        return lane


def _key(method: str, channel: str) -> tuple[str, str]:
    return method, channel if method == POST else ""


class Family(StrEnum):
    POST = "post"
    EDIT = "edit"
    PRIVATE = "private"
    """An ephemeral message, or an answer over a response URL."""
    FORM = "form"
    """A form or an App Home."""
    FILE = "file"
    """A step of an upload."""
    LOOKUP = "lookup"
    """Everything that changes nothing people see."""


_FAMILIES: Final[Mapping[str, Family]] = {
    POST: Family.POST, EDIT: Family.EDIT, "chat.postEphemeral": Family.PRIVATE, "views.open": Family.FORM,
    "views.update": Family.FORM, "views.publish": Family.FORM, "files.getUploadURLExternal": Family.FILE,
    "files.completeUploadExternal": Family.FILE,
}  # fmt: skip
SlackWatch = Callable[[Family, Ended], None]
"""Told of each call how it ended."""


class PacedClient(AsyncWebClient):
    """The Web API. During a known wait no call is made: ``ServiceNow`` gives the rest of the wait."""

    def __init__(self, *, pace: Pace, watch: SlackWatch = lambda *_: None, **library: Any) -> None:
        super().__init__(**library)
        self._pace = pace
        self._watch = watch

    async def api_call(self, api_method: str, **named: Any) -> AsyncSlackResponse:
        """Call a method. ``ServiceNow``: a wait is in force; nothing was sent."""
        body = named.get("json")  # only posts are limited per channel, and they are sent as JSON
        channel = str(body.get("channel") or "") if isinstance(body, Mapping) else ""
        family = _FAMILIES.get(api_method, Family.LOOKUP)
        wait = self._pace.begin(api_method, channel)
        if wait:
            self._watch(family, Ended.NOT_SENT)
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)
        try:
            answer = await super().api_call(api_method, **named)
        except asyncio.CancelledError:  # the caller has waited long enough
            self._watch(family, Ended.UNKNOWN)
            raise
        except TROUBLES as trouble:
            self._watch(family, how_failed(trouble))
            seconds = asked_to_wait(trouble) if isinstance(trouble, SlackApiError) else None
            if seconds is not None:
                self._pace.refused(api_method, channel, retry_after=seconds)
            raise
        self._watch(family, Ended.DONE)
        return answer


class Turn:
    """The place of one post in the queue of its conversation."""

    def __init__(self, conversation: "_Conversation", name: str, *, pace: Pace) -> None:
        self._conversation = conversation
        self._name = name
        self._pace = pace
        self._paced = False
        self.begun = asyncio.Event()

    def step_back(self) -> None:
        """Let those behind go first, while the caller looks something up before it posts."""
        self._conversation.leave(self)
        self.begun.clear()

    async def begin(self) -> None:
        self._conversation.join(self)
        await self.begun.wait()

    def keep_pace(self, channel: str, *, first: bool = False) -> None:
        """``ServiceNow``: none may be posted yet, or a delayed one goes first, unless this is ``first``."""
        self._paced = True
        wait = self._conversation.wait(self._name, self._pace.wait(POST, channel), first=first)
        if wait:
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)

    def put_off(self, seconds: float) -> None:
        """Delay this post after a 429; those behind it go after it."""
        if self._paced:
            self._conversation.later[self._name] = self._conversation.monotonic() + seconds


@dataclass(slots=True)
class _Conversation:
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]
    queue: deque[Turn] = field(default_factory=deque)
    later: dict[str, float] = field(default_factory=dict)
    """When each delayed post is due, in seconds of the clock."""
    overtaking: asyncio.Task[None] | None = None
    first_since: float = 0.0

    def join(self, turn: Turn) -> None:
        if turn.begun.is_set() or turn in self.queue:
            return
        self.queue.append(turn)
        self._go_on(new_first=len(self.queue) == 1)

    def leave(self, turn: Turn) -> None:
        if turn not in self.queue:
            return
        first = turn is self.queue[0]
        self.queue.remove(turn)
        self._go_on(new_first=first)

    def wait(self, name: str, asked: float, *, first: bool) -> float:
        """Seconds that this post has to wait, at least ``asked``; if not 0, the post is delayed."""
        now = self.monotonic()
        self.later = {other: due for other, due in self.later.items() if due >= now - _FORGOTTEN}
        wait = asked
        if self.later and name not in self.later and not first:
            wait = max(wait, max(self.later.values()) + SPACING - now)
        if wait > 0:
            self.later[name] = now + wait
            return wait
        self.later.pop(name, None)
        return 0.0

    def _go_on(self, *, new_first: bool) -> None:
        if new_first:
            if self.overtaking is not None:
                self.overtaking.cancel()
                self.overtaking = None
            if self.queue:
                self.first_since = self.monotonic()
                self.queue[0].begun.set()
        if len(self.queue) > 1 and self.overtaking is None:
            self.overtaking = asyncio.create_task(self._overtake(self.queue[0]), name="the next post")

    async def _overtake(self, first: Turn) -> None:
        await self.sleep(max(self.first_since + _MOMENT - self.monotonic(), 0.0))
        self.overtaking = None
        self.leave(first)


class Turns:
    """The queues of the conversations that have posts. ``monotonic`` is the clock of ``pace``, in seconds."""

    def __init__(
        self, *, pace: Pace, monotonic: Callable[[], float], sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._pace = pace
        self._monotonic = monotonic
        self._sleep = sleep
        self._conversations: dict[str, _Conversation] = {}

    @contextmanager
    def queued(self, conversation: str, name: str) -> Iterator[Turn]:
        """Queue a post in a conversation from now on; ``name`` is the same for a retry."""
        there = self._conversations.get(conversation)
        if there is None:
            there = self._conversations[conversation] = _Conversation(self._monotonic, self._sleep)
        turn = Turn(there, name, pace=self._pace)
        there.join(turn)
        try:
            yield turn
        finally:
            there.leave(turn)
            if not there.queue and not there.later:
                self._conversations.pop(conversation, None)
