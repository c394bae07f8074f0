"""Log of a simulator's calls, and the feed of changes for the page's panel."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeVar

from bot.playground.faults import FaultKind

_CALLS_KEPT = 50_000
_CHANGES_KEPT = 1_000
_CREDENTIAL_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "apikey", "x-api-key"})

T = TypeVar("T")


@dataclass(kw_only=True)
class Call:
    """A received request.

    ``status`` is None until there is an answer, and stays None if a fault closed the connection.
    ``effect`` is whether the service changed stored data, whatever the answer.
    """

    n: int
    at: float
    operation: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: object = None
    status: int | None = None
    response: object = None
    fault: FaultKind | None = None
    effect: bool = False


@dataclass(frozen=True)
class News:
    """A change for subscribers: ``call``, ``answer``, ``operation``, ``ledger``, ``account`` or ``delivery``.

    ``subject`` is the object itself: a Call, a record, an Entry, an account or a Delivery.
    """

    kind: str
    subject: object


class Subscription:
    """Changes since it was opened, as an async iterator; a reader that is too slow loses the oldest."""

    def __init__(self, *, leave: Callable[["Subscription"], None]) -> None:
        self._leave = leave
        self._queue: asyncio.Queue[News | None] = asyncio.Queue(maxsize=_CHANGES_KEPT)

    def put(self, change: News | None) -> None:
        """Queue one change; None ends the iteration."""
        if self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait(change)

    def close(self) -> None:
        """Unsubscribe; a waiting reader ends."""
        self._leave(self)
        self.put(None)

    def __aiter__(self) -> AsyncIterator[News]:
        return self

    async def __anext__(self) -> News:
        change = await self._queue.get()
        if change is None:
            raise StopAsyncIteration
        return change

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass
class Recorder:
    """Keeps the calls and sends each change to every subscriber."""

    calls: list[Call] = field(default_factory=list)
    _count: int = 0
    _subscriptions: list[Subscription] = field(default_factory=list)

    def arrived(
        self,
        *,
        at: float,
        operation: str,
        method: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: object,
        fault: FaultKind | None,
    ) -> Call:
        """Record a request as it arrives. Credentials in headers are left out."""
        self._count += 1
        call = Call(
            n=self._count,
            at=at,
            operation=operation,
            method=method,
            path=path,
            query=dict(query),
            headers={name: value for name, value in headers.items() if name.lower() not in _CREDENTIAL_HEADERS},
            body=body,
            fault=fault,
        )
        self.calls.append(call)
        if len(self.calls) > _CALLS_KEPT:
            del self.calls[: _CALLS_KEPT // 2]
        self.publish("call", call)
        return call

    def answered(self, call: Call, *, status: int | None, response: object, effect: bool) -> None:
        """Complete a call with the answer sent; ``status`` None means that the connection was closed."""
        call.status, call.response, call.effect = status, response, effect
        self.publish("answer", call)

    def publish(self, kind: str, subject: object) -> None:
        """Send a change to every subscriber."""
        change = News(kind, subject)
        for subscription in self._subscriptions:
            subscription.put(change)

    def subscribe(self) -> Subscription:
        """Subscribe to changes from now on; use it as a context manager, or close it."""
        subscription = Subscription(leave=self._forget)
        self._subscriptions.append(subscription)
        return subscription

    def close(self) -> None:
        """End every subscription."""
        for subscription in list(self._subscriptions):
            subscription.close()

    async def until(self, condition: Callable[[], T | None], *, timeout: float = 10.0) -> T:
        """Wait until ``condition`` returns something true, checked after each change; return that.

        Raises:
            TimeoutError: nothing true within ``timeout`` seconds; names the last calls.
        """
        with self.subscribe() as changes:
            try:
                async with asyncio.timeout(timeout):
                    while not (found := condition()):
                        await anext(changes)
            except TimeoutError:
                raise TimeoutError(f"Still waiting after {timeout} s; the last calls: {self.lately()}") from None
        return found

    def lately(self, count: int = 10) -> list[str]:
        """Return the last calls, one short line each, for a message to a person."""
        return [f"{call.operation} -> {call.status} ({call.fault or 'as it should'})" for call in self.calls[-count:]]

    def _forget(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)


def busiest_second(instants: Iterable[float]) -> int:
    """The most of these instants (seconds, any order) that fall into one sliding second, its end left out."""
    ordered = sorted(instants)
    most = first = 0
    for last, instant in enumerate(ordered):
        while instant - ordered[first] >= 1:
            first += 1
        most = max(most, last - first + 1)
    return most
