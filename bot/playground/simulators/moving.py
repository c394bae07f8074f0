"""A service whose records change by the clock and that sends callbacks."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Sequence

from aiohttp import web

from bot.playground.faults import Fault
from bot.playground.simulators.callbacks import Callback, CallbackAttempt, Callbacks
from bot.playground.simulators.exchange import Answer, Ask
from bot.playground.simulators.server import BODY_BYTES, Server

_SHORTEST_WAIT_SECONDS = 0.02


class MovingServer(Server, ABC):
    """Does due work at ``tick``, called by a task with a real clock, by the test and each request with a test's clock.

    Attributes:
        callbacks: the sender of callbacks to the partner, with its switches.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        answer_to: Callable[[Fault], Answer],
        largest_body: int = BODY_BYTES,
    ) -> None:
        super().__init__(clock=clock, largest_body=largest_body)
        self._answer_to = answer_to
        self._scheduled = asyncio.Event()
        self._ticker: asyncio.Task[None] | None = None
        self.callbacks = Callbacks(
            clock=clock, faults=self.faults, recorder=self.recorder, forge=self._forged, scheduled=self._scheduled.set
        )

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve, send callbacks, and move what is due."""
        await super().start(host, port)
        await self.callbacks.start()
        self._ticker = asyncio.create_task(self._keep_ticking())

    async def stop(self) -> None:
        """Stop serving; hanging requests and callbacks in flight are given up."""
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
            self._ticker = None
        await self.callbacks.stop()
        await super().stop()

    @property
    def deliveries(self) -> Sequence[CallbackAttempt]:
        """The attempts to deliver callbacks, oldest first."""
        return self.callbacks.deliveries

    async def delivered(self) -> None:
        """Wait until no callback is in flight."""
        await self.callbacks.delivered()

    @abstractmethod
    def tick(self) -> Sequence[object]:
        """Do work that is due by the clock; return what moved."""

    @abstractmethod
    def _dues(self) -> Iterable[float | None]:
        """When the next thing of each kind is due, callbacks left out; None for never."""

    @abstractmethod
    def _forged(self, callback: Callback) -> object:
        """Body of a forged callback, with wrong values in every relevant field."""

    def _served(
        self, operation: str, handle: Callable[[Ask], Answer]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._exchange.serve(request, operation=operation, handle=handle, answer_to=self._answer_to)

        return serve

    def _changed(self, kind: str, subject: object) -> None:
        self.recorder.publish(kind, subject)
        self._scheduled.set()

    async def _keep_ticking(self) -> None:
        while True:
            dues = (*self._dues(), self.callbacks.next_due())
            due = min((each for each in dues if each is not None), default=None)
            wait = None if due is None else max(due - self._clock(), _SHORTEST_WAIT_SECONDS)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._scheduled.wait()
            self._scheduled.clear()
            self.tick()
