"""The order of posts within a conversation: they start one at a time, as queued; conversations are independent.

A post that takes longer than 0.1 s does not block the next one, which then starts. A post that Slack asked us to delay
is sent later, and those behind it after it, a second apart; one that goes first waits for none of them. In memory: each
process orders only its own posts.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.domain.errors import ServiceNow
from bot.slack.calls import ASKED_US_TO_WAIT, SERVICE
from bot.slack.pace import POST, SPACING, Pace

_MOMENT = 0.1
"""Seconds that a post may block those behind it: long enough for Slack to accept them in order."""
_FORGOTTEN = 10.0
"""Seconds after its due time until a delayed post is dropped: another process sent it, or it was given up."""


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
        """Wait until it is this post's turn."""
        self._conversation.join(self)
        await self.begun.wait()

    def keep_pace(self, channel: str, *, first: bool = False) -> None:
        """Check that a message may be posted to this channel now; ``first``: before those that were delayed.

        Raises:
            ServiceNow: Slack has asked us to wait, or a delayed post goes first; with the seconds until the retry.
        """
        self._paced = True
        wait = self._conversation.wait(self._name, self._pace.wait(POST, channel), first=first)
        if wait:
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)

    def put_off(self, seconds: float) -> None:
        """Delay this post after a 429; those behind it go after it."""
        if self._paced:
            self._conversation.put_off(self._name, seconds)


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
        """Append a turn to the queue, unless it is queued or has begun."""
        if turn.begun.is_set() or turn in self.queue:
            return
        self.queue.append(turn)
        self._go_on(new_first=len(self.queue) == 1)

    def leave(self, turn: Turn) -> None:
        """Remove a turn, so that the next may begin."""
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

    def put_off(self, name: str, seconds: float) -> None:
        self.later[name] = self.monotonic() + seconds

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
    """The queues of the conversations that have posts.

    Args:
        pace: gives the wait of a channel.
        monotonic: the clock of ``pace``, in seconds.
        sleep: waits that many seconds of the clock.
    """

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
