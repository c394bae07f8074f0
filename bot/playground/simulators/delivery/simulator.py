"""The delivery service as one object: a local HTTP server with its book, switches and webhooks."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from aiohttp import web

from bot.playground.faults import Faults
from bot.playground.simulators.callbacks import Callback, Callbacks, Delivery
from bot.playground.simulators.delivery.book import Book
from bot.playground.simulators.delivery.endpoints import MASTER, ROUTES, Endpoints
from bot.playground.simulators.delivery.pages import Pages
from bot.playground.simulators.delivery.records import (
    COMPLETED,
    DRIVER_KIND,
    STATUS_KIND,
    Booking,
    DeliverySwitches,
    Prebooking,
    Store,
)
from bot.playground.simulators.delivery.shapes import Shapes, answer_to, refused
from bot.playground.simulators.exchange import Answer, Ask, Exchange, Refusal
from bot.playground.simulators.recorder import Call, Recorder, Subscription

_SHORTEST_WAIT_SECONDS = 0.02
_SHUTDOWN_SECONDS = 1.0

T = TypeVar("T")


class DeliverySimulator:
    """A delivery service on loopback.

    Bookings move on after ``step_seconds`` by ``clock``; with None they move only by ``advance``, ``step`` or
    ``settle``. Under a real clock a task moves them; under a test's clock they move at ``tick`` and at each request.

    Attributes:
        faults: armed by operation name (see ``endpoints.ROUTES``), or ``callback`` for what the service sends.
        switches: the service's manners; ``callbacks.switches`` those of its webhooks.
        book: stores, bookings and pre-bookings.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        master_key: str = "master-key",
        step_seconds: float | None = None,
    ) -> None:
        self.master_key = master_key
        self.faults = Faults()
        self.switches = DeliverySwitches()
        self.recorder = Recorder()
        self._clock = clock
        self._scheduled = asyncio.Event()
        self.callbacks = Callbacks(
            clock=clock, faults=self.faults, recorder=self.recorder, forge=_forged, scheduled=self._scheduled.set
        )
        self.shapes = Shapes(switches=self.switches, base=_Base(self))
        self.book = Book(
            clock=clock,
            switches=self.switches,
            step_seconds=step_seconds,
            changed=self._changed,
            told=self._tell,
        )
        self._exchange = Exchange(clock=clock, faults=self.faults, recorder=self.recorder, answer_to=answer_to)
        self.app = web.Application()
        self._add_routes()
        self._runner: web.AppRunner | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._address = ("", 0)

    # running

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve on ``host`` and ``port`` (0: any free one); after a stop again, with the same book."""
        self._exchange.start()
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self._address = self._runner.addresses[0][:2]
        await self.callbacks.start()
        self._ticker = asyncio.create_task(self._keep_ticking())

    async def stop(self) -> None:
        """Stop serving; hanging requests and webhooks in flight are given up."""
        self._exchange.stop()
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
            self._ticker = None
        await self.callbacks.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self.recorder.close()

    async def __aenter__(self) -> "DeliverySimulator":
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
        """Where the service answers, without a slash at the end."""
        return f"http://{self._address[0]}:{self._address[1]}"

    # looking

    @property
    def calls(self) -> Sequence[Call]:
        """The requests that arrived, oldest first."""
        return self.recorder.calls

    @property
    def deliveries(self) -> Sequence[Delivery]:
        """The attempts to reach webhooks, oldest first."""
        return self.callbacks.deliveries

    @property
    def bookings(self) -> list[Booking]:
        """Every booking, oldest first."""
        return list(self.book.bookings.values())

    @property
    def prebookings(self) -> list[Prebooking]:
        """Every pre-booking, oldest first."""
        return list(self.book.prebookings.values())

    @property
    def stores(self) -> list[Store]:
        """Every store, oldest first."""
        return list(self.book.stores.values())

    def store(self, name: str) -> Store:
        """The store with this name.

        Raises:
            KeyError: no such store.
        """
        for store in self.book.stores.values():
            if store.name == name:
                return store
        raise KeyError(name)

    def calls_of(self, operation: str) -> list[Call]:
        """The requests for one operation, oldest first."""
        return [call for call in self.calls if call.operation == operation]

    def by_external(self, external_id: str) -> list[Booking]:
        """The bookings that carry an integrator's id, oldest first."""
        return [one for one in self.book.bookings.values() if one.external_id == external_id]

    def subscribe(self) -> Subscription:
        """Follow calls, stores, bookings and deliveries from now on."""
        return self.recorder.subscribe()

    async def until(self, condition: Callable[[], T | None], *, timeout: float = 10.0) -> T:
        """Wait for something to become true; see ``Recorder.until``."""
        return await self.recorder.until(condition, timeout=timeout)

    # acting

    def add_store(self, name: str, *, token: str = "", point: tuple[str, str] = ("-0.1807", "-78.4678")) -> Store:
        """Open a store without a request, as somebody in the dashboard would."""
        fields: Mapping[str, object] = {
            "companyName": name,
            "email": "store@example.com",
            "mobile": "22345678",
            "countryCode": "+593",
            "latitude": point[0],
            "longitude": point[1],
            "fullAddress": "1 Main Square",
            "addressReference": "Beside the church",
        }
        return self.book.add_store(fields, token=token)

    def tick(self) -> list[Booking]:
        """Do what is due by the clock."""
        moved = self.book.tick()
        self.callbacks.tick()
        return moved

    def advance(self) -> list[Booking]:
        """Move every booking that has not ended by one step."""
        return self.book.advance()

    def settle(self, booking: Booking, status: str, *, reason: str = "", force: bool = False) -> None:
        """Bring a booking into a state; see ``Book.settle``."""
        self.book.settle(booking, status, reason=reason, force=force)

    async def delivered(self) -> None:
        """Wait until no webhook is in flight."""
        await self.callbacks.delivered()

    # inside

    def _add_routes(self) -> None:
        endpoints = Endpoints(book=self.book, shapes=self.shapes, switches=self.switches, key_of=_key)
        for operation, (method, path) in ROUTES.items():
            handle = self._guarded(getattr(endpoints, operation))
            self.app.router.add_route(method, path, self._served(operation, handle))
        pages = Pages(book=self.book)
        for method, path, page in (
            ("GET", "/address/{id}", pages.address),
            ("POST", "/address/{id}", pages.enter),
            ("GET", "/track/{id}", pages.track),
            ("GET", "/proof/{id}", pages.proof),
        ):
            self.app.router.add_route(method, path, self._served("page", page))
        self.app.router.add_route("*", "/{path:.*}", self._served("unknown", _unknown))

    def _served(
        self, operation: str, handle: Callable[[Ask], Answer]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._exchange.serve(request, operation=operation, handle=handle)

        return serve

    def _guarded(self, handle: Callable[[Ask], Answer]) -> Callable[[Ask], Answer]:
        def guarded(ask: Ask) -> Answer:
            self.tick()
            self._admit(ask)
            return handle(ask)

        return guarded

    def _admit(self, ask: Ask) -> None:
        """The right key for the operation, the language and the content type."""
        if self.switches.suspended:
            raise Refusal(refused(403, "This workspace is suspended", "WORKSPACE_SUSPENDED"))
        if self.switches.other_environment:
            raise Refusal(refused(403, "This key belongs to another environment", "WRONG_ENVIRONMENT"))
        key = _key(ask)
        known = key == self.master_key if ask.operation in MASTER else key in self.book.stores
        if not known:
            raise Refusal(refused(401, "The key is not valid for this operation", "INVALID_TOKEN"))
        if ask.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Refusal(refused(400, "Content-Type must be application/json", "INVALID_HEADER"))
        if not ask.headers.get("content-language"):
            raise Refusal(refused(400, "content-language is required", "INVALID_HEADER"))

    def _changed(self, kind: str, subject: object) -> None:
        self.recorder.publish(kind, subject)
        self._scheduled.set()

    def _tell(self, booking: Booking, kind: str) -> None:
        """Send the webhooks that a change is due for: an assigned driver is told by both."""
        for each in (kind, "status") if kind == "driver" else (kind,):
            wanted = DRIVER_KIND if each == "driver" else STATUS_KIND
            url = booking.store.webhooks.get(wanted)
            if url:
                body = self.shapes.event(booking, each)
                self.callbacks.send(Callback(operation_id=booking.id, kind=wanted, url=url, body=body))

    async def _keep_ticking(self) -> None:
        while True:
            dues = (self.book.next_due(), self.callbacks.next_due())
            due = min((each for each in dues if each is not None), default=None)
            wait = None if due is None else max(due - self._clock(), _SHORTEST_WAIT_SECONDS)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._scheduled.wait()
            self._scheduled.clear()
            self.tick()


class _Base:
    """The simulator's address, which is not known before it runs."""

    def __init__(self, simulator: DeliverySimulator) -> None:
        self._simulator = simulator

    def __str__(self) -> str:
        return self._simulator.base_url


def _key(ask: Ask) -> str:
    scheme, _, key = ask.headers.get("authorization", "").partition(" ")
    return key if scheme.lower() == "bearer" else ""


def _unknown(_ask: Ask) -> Answer:
    raise Refusal(refused(404, "There is no such endpoint", "NOT_FOUND"))


def _forged(callback: Callback) -> object:
    """A body that lies about everything that could matter."""
    assert isinstance(callback.body, dict)
    lies = {"statusText": COMPLETED, "bookingID": "0" * 24, "bookingNumericId": 1, "driverName": "Mallory"}
    return {**callback.body, **lies}
