"""Callbacks to the partner, sent in tracked tasks; they can be lost, doubled, delayed, swapped or forged."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import aiohttp

from bot.playground.faults import NOT_DONE, FaultKind, Faults
from bot.playground.simulators.recorder import Recorder

OPERATION = "callback"
"""Operation for which faults of callbacks are armed."""

_TIMEOUT_SECONDS = 10.0
_SENT_AGAIN = frozenset({FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS, FaultKind.DONE_500})


@dataclass(frozen=True, kw_only=True)
class Callback:
    """A message to the partner; ``kind`` is the field that contained the URL, e.g. ``confirmation_uri``."""

    operation_id: str
    kind: str
    url: str
    body: object
    attempt: int = 1


@dataclass(frozen=True, kw_only=True)
class CallbackAttempt:
    """An attempt to deliver a callback; without an HTTP answer, ``status`` is None and ``error`` the reason."""

    at: float
    callback: Callback
    status: int | None
    error: str | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return self.callback.url

    @property
    def operation_id(self) -> str:
        """Id of its operation."""
        return self.callback.operation_id

    @property
    def delivered(self) -> bool:
        """Whether the partner accepted it (2xx)."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004


@dataclass
class CallbackSwitches:
    """Misbehaviour of callbacks until it is switched off. Seconds are those of the simulator's clock."""

    drop: bool = False
    double: bool = False
    late_seconds: float = 0.0
    out_of_order: bool = False
    """Each callback is held until the next one is sent (or for ``retry_seconds``)."""
    forged: bool = False
    """The body contains a wrong amount, status and operation."""
    retries: int = 0
    """Maximum number of retries of a callback that wasn't accepted."""
    retry_seconds: float = 5.0


@dataclass(frozen=True, kw_only=True)
class _Held:
    due: float
    callback: Callback


class Callbacks:
    """The sender of callbacks, one per simulator."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        faults: Faults,
        recorder: Recorder,
        forge: Callable[[Callback], object],
        scheduled: Callable[[], None],
    ) -> None:
        self.switches = CallbackSwitches()
        self.deliveries: list[CallbackAttempt] = []
        self._clock = clock
        self._faults = faults
        self._recorder = recorder
        self._forge = forge
        self._scheduled = scheduled
        self._held: list[_Held] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        """Open the HTTP session."""
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_TIMEOUT_SECONDS))

    async def stop(self) -> None:
        """Cancel callbacks in flight or held, and close the session."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._held.clear()
        if self._session is not None:
            await self._session.close()
            self._session = None

    def send(self, callback: Callback) -> None:
        """Send a callback as the switches and faults say; returns at once."""
        fault = self._faults.take(OPERATION)
        kind = fault.kind if fault else None
        if self.switches.drop or kind in NOT_DONE:
            self._note(callback, error="never sent")
            return
        if self.switches.forged:
            callback = replace(callback, body=self._forge(callback))
        if kind is FaultKind.GARBAGE:
            callback = replace(callback, body="<html><body>Bad gateway</body></html>")
        late = self.switches.late_seconds + (fault.seconds if fault and kind is FaultKind.SLOW else 0.0)
        for _ in range(2 if self.switches.double or kind in _SENT_AGAIN else 1):
            self._dispatch(callback, late=late)

    def send_now(self, callback: Callback) -> None:
        """Send this callback regardless of the switches, e.g. one forged by a test."""
        if self._session is None:
            self._note(callback, error="the simulator is not running")
            return
        task = asyncio.create_task(self._post(self._session, callback))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def tick(self) -> None:
        """Send held callbacks that are due by the clock."""
        now = self._clock()
        due = [held for held in self._held if held.due <= now]
        self._held = [held for held in self._held if held.due > now]
        for held in due:
            self.send_now(held.callback)

    def release(self) -> None:
        """Send all held callbacks, even if they aren't due."""
        held, self._held = self._held, []
        for each in held:
            self.send_now(each.callback)

    def next_due(self) -> float | None:
        """Return when the next held callback is due, by the clock; None if none is held."""
        return min((held.due for held in self._held), default=None)

    async def delivered(self) -> None:
        """Wait until no callback is in flight, ignoring held ones (late, swapped, to be retried)."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def _dispatch(self, callback: Callback, *, late: float) -> None:
        if late > 0:
            self._hold(callback, late)
        elif self.switches.out_of_order and not self._held:
            self._hold(callback, self.switches.retry_seconds)
        else:
            self.send_now(callback)
            if self.switches.out_of_order:
                self.release()

    def _hold(self, callback: Callback, seconds: float) -> None:
        self._held.append(_Held(due=self._clock() + seconds, callback=callback))
        self._scheduled()

    async def _post(self, session: aiohttp.ClientSession, callback: Callback) -> None:
        status: int | None = None
        error: str | None = None
        data, headers = _encoded(callback.body)
        try:
            async with session.post(callback.url, data=data, headers=headers, allow_redirects=False) as response:
                await response.read()
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as problem:
            error = f"{type(problem).__name__}: {problem}"
        delivery = self._note(callback, status=status, error=error)
        if not delivery.delivered and callback.attempt <= self.switches.retries:
            self._hold(replace(callback, attempt=callback.attempt + 1), self.switches.retry_seconds)

    def _note(self, callback: Callback, *, status: int | None = None, error: str | None = None) -> CallbackAttempt:
        delivery = CallbackAttempt(at=self._clock(), callback=callback, status=status, error=error)
        self.deliveries.append(delivery)
        self._recorder.publish("delivery", delivery)
        return delivery


def _encoded(body: object) -> tuple[str, dict[str, str]]:
    """Return the encoded body and its header: text as HTML, like a proxy's page, anything else as JSON."""
    if isinstance(body, str):
        return body, {"Content-Type": "text/html"}
    return json.dumps(body), {"Content-Type": "application/json"}
