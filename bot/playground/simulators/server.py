"""Base of all simulators: a server on loopback."""

from collections.abc import Callable
from typing import Self, TypeVar

from aiohttp import web

from bot.playground.faults import Faults
from bot.playground.simulators.exchange import Exchange
from bot.playground.simulators.recorder import Call, Recorder, Subscription

_SHUTDOWN_SECONDS = 1.0
BODY_BYTES = 1 << 20
_BACKLOG = 128

T = TypeVar("T")


class Server:
    """Starts, stops, keeps the log of calls and the faults; subclasses add routes to ``app``.

    Args:
        clock: seconds.
        largest_body: bytes of a request.
        backlog: connections that may wait.
    """

    def __init__(self, *, clock: Callable[[], float], largest_body: int = BODY_BYTES, backlog: int = _BACKLOG) -> None:
        self.faults = Faults()
        self.recorder = Recorder()
        self.app = web.Application(client_max_size=largest_body)
        self._clock = clock
        self._backlog = backlog
        self._exchange = Exchange(clock=clock, faults=self.faults, recorder=self.recorder)
        self._runner: web.AppRunner | None = None
        self._address = ("", 0)

    def be_unsteady(self, seconds: float) -> None:
        """Hold reads until so many seconds after a request whose outcome the caller cannot know."""
        self._exchange.unsteady_seconds = seconds

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve on ``host`` and ``port`` (0 for any free one); after a stop, it continues with its previous state."""
        self._exchange.start()
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, backlog=self._backlog).start()
        self._address = self._runner.addresses[0][:2]

    async def stop(self) -> None:
        """Stop serving; requests that hang are given up."""
        self._exchange.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self.recorder.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def port(self) -> int:
        """The port in use, so that a restart can take the same one."""
        return self._address[1]

    @property
    def base_url(self) -> str:
        """Address of the service, without a slash at the end."""
        return f"http://{self._address[0]}:{self._address[1]}"

    @property
    def calls(self) -> list[Call]:
        """The requests that arrived, oldest first."""
        return self.recorder.calls

    def calls_of(self, operation: str) -> list[Call]:
        """The requests for one operation, oldest first."""
        return [call for call in self.calls if call.operation == operation]

    def subscribe(self) -> Subscription:
        """Subscribe to calls, answers and other changes from now on."""
        return self.recorder.subscribe()

    async def until(self, condition: Callable[[], T | None], *, timeout: float = 10.0) -> T:
        """Wait until a condition is true; see ``Recorder.until``."""
        return await self.recorder.until(condition, timeout=timeout)
