"""The delivery service as one object: a local HTTP server with its book, switches and webhooks."""

import time
from collections.abc import Callable, Mapping

from bot.playground.simulators.callbacks import Callback
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
from bot.playground.simulators.exchange import Answer, Ask, Refusal
from bot.playground.simulators.moving import MovingServer


class DeliverySimulator(MovingServer):
    """A delivery service on loopback.

    Bookings move after ``step_seconds`` by ``clock``; with None they move only by ``advance``, ``step`` or
    ``settle``. Under a real clock a task moves them; under a test's clock they move at ``tick`` and at each request.

    Attributes:
        faults: armed by operation name (see ``endpoints.ROUTES``), or ``callback`` for the service's webhooks.
        switches: the service's switches; ``callbacks.switches`` are those of its webhooks.
        book: stores, bookings and pre-bookings.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        master_key: str = "master-key",
        step_seconds: float | None = None,
    ) -> None:
        super().__init__(clock=clock, answer_to=answer_to)
        self.master_key = master_key
        self.switches = DeliverySwitches()
        self.shapes = Shapes(switches=self.switches, base=_Base(self))
        self.book = Book(
            clock=clock,
            switches=self.switches,
            step_seconds=step_seconds,
            changed=self._changed,
            told=self._tell,
        )
        self._add_routes()

    # looking

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
        """Return the store with this name.

        Raises:
            KeyError: it doesn't exist.
        """
        for store in self.book.stores.values():
            if store.name == name:
                return store
        raise KeyError(name)

    def by_external(self, external_id: str) -> list[Booking]:
        """Return the bookings with an integrator's id, oldest first."""
        return [one for one in self.book.bookings.values() if one.external_id == external_id]

    # acting

    def add_store(self, name: str, *, token: str = "", point: tuple[str, str] = ("-0.1807", "-78.4678")) -> Store:
        """Open a store without a request, as a person in the dashboard would."""
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
        """Do work that is due by the clock; return the bookings moved."""
        moved = self.book.tick()
        self.callbacks.tick()
        return moved

    def advance(self) -> list[Booking]:
        """Move every open booking by one step."""
        return self.book.advance()

    def settle(self, booking: Booking, status: str, *, reason: str = "", force: bool = False) -> None:
        """Set the state of a booking; see ``Book.settle``."""
        self.book.settle(booking, status, reason=reason, force=force)

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
            ("GET", "/detail/{id}", pages.detail),
            ("GET", "/driver/{id}", pages.picture),
            ("GET", "/dashboard", pages.dashboard),
            ("GET", "/support", pages.support),
            ("GET", "/maps", pages.maps),
            ("GET", "/maps/{id}", pages.map),
        ):
            self.app.router.add_route(method, path, self._served("page", page))
        self.app.router.add_route("*", "/{path:.*}", self._served("unknown", _unknown))

    def _guarded(self, handle: Callable[[Ask], Answer]) -> Callable[[Ask], Answer]:
        def guarded(ask: Ask) -> Answer:
            self.tick()
            self._admit(ask)
            return handle(ask)

        return guarded

    def _admit(self, ask: Ask) -> None:
        """Require the right key for the operation, the language and the content type."""
        if self.switches.suspended:
            status = self.switches.suspended_status
            raise Refusal(refused(status, "This workspace is suspended", "WORKSPACE_SUSPENDED"))
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

    def _dues(self) -> tuple[float | None, ...]:
        return (self.book.next_due(),)

    def _tell(self, booking: Booking, kind: str) -> None:
        """Send the webhooks of a change; an assigned driver triggers both kinds."""
        for each in (kind, "status") if kind == "driver" else (kind,):
            wanted = self.switches.word(DRIVER_KIND if each == "driver" else STATUS_KIND)
            url = booking.store.webhooks.get(wanted)
            if url:
                body = self.shapes.event(booking, each)
                self.callbacks.send(Callback(operation_id=booking.id, kind=wanted, url=url, body=body))

    def _forged(self, callback: Callback) -> object:
        """Return a body with wrong values in every relevant field."""
        assert isinstance(callback.body, dict)
        lies = {"statusText": COMPLETED, "bookingID": "0" * 24, "bookingNumericId": 1, "driverName": "Mallory"}
        return {**callback.body, **lies}


class _Base:
    """The simulator's address, which is unknown before it runs."""

    def __init__(self, simulator: DeliverySimulator) -> None:
        self._simulator = simulator

    def __str__(self) -> str:
        return self._simulator.base_url


def _key(ask: Ask) -> str:
    scheme, _, key = ask.headers.get("authorization", "").partition(" ")
    return key if scheme.lower() == "bearer" else ""


def _unknown(_ask: Ask) -> Answer:
    raise Refusal(refused(404, "There is no such endpoint", "NOT_FOUND"))
