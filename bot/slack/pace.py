"""Rate limits of Slack's methods and of edits, the client that keeps them, and the order of posts.

A 429 holds its method for the stated time; for posts only in that channel, matching Slack's limits. Afterwards the
method gets one call per second until a minute has passed without another 429. Edits are always counted: Slack allows an
app about fifty ``chat.update`` per minute. Some may be sent in a burst, the others at even intervals, so that cards
never freeze.

Posts in a conversation start one at a time, in queue order. One that takes longer than 0.1 s doesn't block the next.
One that Slack asked us to delay is sent later, and those queued behind it follow a second apart.

Each process keeps its own count and order; it notices calls of other processes only by Slack's 429s.
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
"""Minimum wait, because times in rows are rounded to microseconds and the clock's aren't."""
_AT_ONCE = 18
"""Edits allowed in a burst after a pause."""
_PER_SECOND = 30 / 60
"""Rate of edits: 48 in any minute including the burst, slightly below Slack's documented "50+ per minute"."""
_STILL = 4.0
"""Seconds after an edit without one of higher rank, after which a lower-ranked edit may use the reserve."""
_NEARLY = 1e-6
"""Fraction of an edit that is ignored as a rounding error."""
_MOMENT = 0.1
"""Seconds for which a post may block those queued behind it: long enough for Slack to accept them in order."""
_FORGOTTEN = 10.0
"""Seconds after its due time until a delayed post is forgotten: another process sent it, or it was abandoned."""


class EditRank(StrEnum):
    PROGRESS = "progress"
    CHANGE = "change"
    LAST = "last"


_LEAVES: Final[Mapping[EditRank, int]] = {EditRank.PROGRESS: 12, EditRank.CHANGE: 6, EditRank.LAST: 0}
"""Edits of the burst that each rank reserves for higher ones."""


@dataclass(slots=True)
class _Lane:
    held_until: float
    calm_at: float
    last: float = float("-inf")
    """Time of the last call since the 429."""


class Pace:
    """Computes when a method may be called. Not thread-safe."""

    def __init__(self, *, monotonic: Callable[[], float], at_once: int = _AT_ONCE) -> None:
        """``at_once``: edits allowed in a burst after a pause."""
        self._monotonic = monotonic
        self._at_once = at_once
        self._left = float(at_once)
        self._counted_at = monotonic()
        self._last = float("-inf")
        self._lanes: dict[tuple[str, str], _Lane] = {}

    def wait(self, method: str, channel: str = "") -> float:
        """Return seconds to wait before this call; 0 if it may be made now. ``channel`` matters only for posts."""
        lane = self._lane(method, channel)
        if lane is None:
            return 0.0
        left = max(lane.held_until, lane.last + SPACING) - self._monotonic()
        return max(left, _SHORTEST) if left > 0 else 0.0

    def is_slowed(self, method: str) -> bool:
        """Return whether a method had a 429 within its hold time or the minute after. Not for posts."""
        return self._lane(method, "") is not None

    def begin(self, method: str, channel: str = "") -> float:
        """Like :meth:`wait`, but counts the call if the wait is 0."""
        wait = self.wait(method, channel)
        lane = self._lane(method, channel)
        if lane is not None and not wait:
            lane.last = self._monotonic()
        return wait

    def refused(self, method: str, channel: str, *, retry_after: float) -> None:
        """Record a 429 and the seconds to wait."""
        now = self._monotonic()
        until = now + retry_after
        lane = self._lanes.setdefault(_key(method, channel), _Lane(until, until))
        lane.held_until = max(lane.held_until, until)
        lane.calm_at = lane.held_until + _CALM

    @property
    def is_used_up(self) -> bool:
        """True if no edit of any rank may be sent now."""
        return self._missing(leaving=0) > 0 or self.wait(EDIT) > 0

    def take(self, edit: EditRank) -> float:
        """Return seconds to wait before this edit; 0 if it may be sent now, which counts it."""
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
        """Return how many edits must become available before one may be sent that leaves ``leaving`` in reserve."""
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
    """Step of an upload."""
    LOOKUP = "lookup"
    """Any call without a visible effect."""


_FAMILIES: Final[Mapping[str, Family]] = {
    POST: Family.POST, EDIT: Family.EDIT, "chat.postEphemeral": Family.PRIVATE, "views.open": Family.FORM,
    "views.update": Family.FORM, "views.publish": Family.FORM, "files.getUploadURLExternal": Family.FILE,
    "files.completeUploadExternal": Family.FILE,
}  # fmt: skip
SlackWatch = Callable[[Family, Ended], None]
"""Called with the family and outcome of each call."""


class PacedClient(AsyncWebClient):
    """Web API client that makes no call during a known wait and raises ``ServiceNow`` with the remaining seconds."""

    def __init__(self, *, pace: Pace, watch: SlackWatch = lambda *_: None, **library: Any) -> None:
        super().__init__(**library)
        self._pace = pace
        self._watch = watch

    async def api_call(self, api_method: str, **named: Any) -> AsyncSlackResponse:
        """Call a method. ``ServiceNow`` during a wait, without sending anything."""
        body = named.get("json")  # only posts are limited per channel, and they are sent as JSON
        channel = str(body.get("channel") or "") if isinstance(body, Mapping) else ""
        family = _FAMILIES.get(api_method, Family.LOOKUP)
        wait = self._pace.begin(api_method, channel)
        if wait:
            self._watch(family, Ended.NOT_SENT)
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)
        try:
            answer = await super().api_call(api_method, **named)
        except asyncio.CancelledError:  # the caller timed out
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
    """Place of one post in its conversation's queue."""

    def __init__(self, conversation: "_Conversation", name: str, *, pace: Pace) -> None:
        self._conversation = conversation
        self._name = name
        self._pace = pace
        self._paced = False
        self.begun = asyncio.Event()

    def step_back(self) -> None:
        """Leave the queue while the caller looks something up before it posts."""
        self._conversation.leave(self)
        self.begun.clear()

    async def begin(self) -> None:
        self._conversation.join(self)
        await self.begun.wait()

    def keep_pace(self, channel: str, *, first: bool = False) -> None:
        """Raise ``ServiceNow`` if posts must wait, or if a delayed post precedes this one and it isn't ``first``."""
        self._paced = True
        wait = self._conversation.wait(self._name, self._pace.wait(POST, channel), first=first)
        if wait:
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)

    def put_off(self, seconds: float) -> None:
        """Delay this post and those queued behind it after a 429."""
        if self._paced:
            self._conversation.later[self._name] = self._conversation.monotonic() + seconds


@dataclass(slots=True)
class _Conversation:
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]
    queue: deque[Turn] = field(default_factory=deque)
    later: dict[str, float] = field(default_factory=dict)
    """Due time of each delayed post, in seconds of the clock."""
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
        """Return seconds that this post must wait, at least ``asked``, and record it as delayed unless 0."""
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
    """Queues of all conversations with pending posts. ``monotonic``: the clock of ``pace``, in seconds."""

    def __init__(
        self, *, pace: Pace, monotonic: Callable[[], float], sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._pace = pace
        self._monotonic = monotonic
        self._sleep = sleep
        self._conversations: dict[str, _Conversation] = {}

    @contextmanager
    def queued(self, conversation: str, name: str) -> Iterator[Turn]:
        """Queue a post for the duration of the block; ``name`` identifies the post across retries."""
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
