"""The delivery service's operations, one method each."""

from collections.abc import Callable, Mapping

from bot.playground.simulators.delivery.book import Book, NotAllowedError
from bot.playground.simulators.delivery.records import WEBHOOK_KINDS, Booking, DeliverySwitches, Prebooking, Store
from bot.playground.simulators.delivery.requests import VEHICLES, read_booking, read_object, read_quote, read_store
from bot.playground.simulators.delivery.shapes import Shapes, refused
from bot.playground.simulators.exchange import Answer, Ask, Refusal

ROUTES: Mapping[str, tuple[str, str]] = {
    "create_store": ("POST", "/api/createStore"),
    "list_stores": ("GET", "/api/getStores"),
    "get_store": ("GET", "/api/getStore"),
    "update_store": ("PUT", "/api/updateStore"),
    "quote": ("POST", "/api/preCheckout"),
    "create_booking": ("POST", "/api/createBooking"),
    "get_booking": ("GET", "/api/getBookingDetails"),
    "cancel_booking": ("POST", "/api/cancelBooking"),
    "start_search": ("POST", "/api/startSearch"),
    "list_webhooks": ("GET", "/api/webhooks"),
    "register_webhook": ("POST", "/api/webhooks"),
    "delete_webhook": ("DELETE", "/api/webhooks"),
    "create_prebooking": ("POST", "/api/pre-booking"),
    "get_prebooking": ("GET", "/api/pre-booking/{id}"),
    "cancel_prebooking": ("POST", "/api/pre-booking/{id}/cancel"),
}
"""Method and path of each operation; the names are also those that faults are armed for."""

MASTER = frozenset({"create_store", "list_stores"})
"""Operations of the company; all others take the key of a store."""

_MINUTES_A_KM = 4


class Endpoints:
    """The operations behind the gate. Each method answers, or raises Refusal when it did nothing."""

    def __init__(self, *, book: Book, shapes: Shapes, switches: DeliverySwitches, key_of: Callable[[Ask], str]) -> None:
        self._book = book
        self._shapes = shapes
        self._switches = switches
        self._key_of = key_of

    def create_store(self, ask: Ask) -> Answer:
        """Open a store and hand out its key."""
        store = self._book.add_store(read_store(ask, whole=True))
        return Answer(body={"data": self._shapes.store(store)}, effect=True)

    def list_stores(self, _ask: Ask) -> Answer:
        """Every store, with its key."""
        return Answer(body={"data": [self._shapes.store(store) for store in self._book.stores.values()]})

    def get_store(self, ask: Ask) -> Answer:
        """The store of the key."""
        return Answer(body={"data": self._shapes.store(self._store(ask), with_key=False)})

    def update_store(self, ask: Ask) -> Answer:
        """Change the store of the key."""
        store = self._book.change_store(self._store(ask), read_store(ask, whole=False))
        return Answer(body={"data": self._shapes.store(store, with_key=False)}, effect=True)

    def quote(self, ask: Ask) -> Answer:
        """A price; 404 where the service does not deliver."""
        body, store = read_quote(ask), self._store(ask)
        point = float(str(body["latitude"])), float(str(body["longitude"]))
        if not self._book.covers(store, point):
            raise Refusal(refused(404, "This address is not covered from this store", "OUT_OF_COVERAGE"))
        cents, distance = self._book.quote(store, point)
        cents = round(cents * VEHICLES.get(str(body.get("carName")), 1.0))
        tax = round(cents * 0.15)
        return Answer(
            body={
                "deliveryFee": cents / 100,
                "deliveryFeeWithTax": (cents + tax) / 100,
                "tax": tax / 100,
                "currency": "USD",
                "eta": 10 + round(distance * _MINUTES_A_KM),
                "distance": round(distance, 2),
            }
        )

    def create_booking(self, ask: Ask) -> Answer:
        """Create a booking. Not idempotent: the same request twice makes two."""
        store, fields = self._store(ask), read_booking(ask, with_place=True)
        point = float(str(fields["latitude"])), float(str(fields["longitude"]))
        if not self._book.covers(store, point):
            raise Refusal(refused(404, "This address is not covered from this store", "OUT_OF_COVERAGE"))
        return Answer(body={"data": self._shapes.booking(self._book.create(store, fields))}, effect=True)

    def get_booking(self, ask: Ask) -> Answer:
        """One booking of the store, by any of its ids."""
        external = ask.query.get("externalID", "")
        reference = external or ask.query.get("bookingID") or ask.query.get("id") or ""
        booking = self._book.find(self._store(ask), reference, external=bool(external))
        return Answer(body={"data": self._shapes.booking(_found(booking))})

    def cancel_booking(self, ask: Ask) -> Answer:
        """End a booking."""
        body = read_object(ask)
        booking = self._booking(ask, body)
        return self._acted(lambda: self._book.cancel(booking, str(body.get("cancelReason") or "")), booking)

    def start_search(self, ask: Ask) -> Answer:
        """Search before the cook time is over; 409 unless it is on hold."""
        booking = self._booking(ask, read_object(ask))
        return self._acted(lambda: self._book.start_search(booking), booking)

    def list_webhooks(self, ask: Ask) -> Answer:
        """What is registered for the store."""
        hooks = self._store(ask).webhooks
        return Answer(body={"data": [{"type": kind, "url": url} for kind, url in hooks.items()]})

    def register_webhook(self, ask: Ask) -> Answer:
        """Register an address for one kind; it replaces the old one."""
        body, store = read_object(ask), self._store(ask)
        kind, url = str(body.get("type")), str(body.get("url") or "")
        if kind not in (kinds := [self._switches.word(one) for one in WEBHOOK_KINDS]):
            raise Refusal(refused(400, f"type must be one of {', '.join(kinds)}", "INVALID_FIELD"))
        if not url.startswith(("http://", "https://")):
            raise Refusal(refused(400, "url must be an address", "INVALID_FIELD"))
        store.webhooks[kind] = url
        return Answer(body={"message": "Webhook registered"}, effect=True)

    def delete_webhook(self, ask: Ask) -> Answer:
        """Delete a registration."""
        store, kind = self._store(ask), str(read_object(ask).get("type"))
        if not self._switches.keep_webhooks:
            store.webhooks.pop(kind, None)
        return Answer(body={"message": "Webhook deleted"}, effect=True)

    def create_prebooking(self, ask: Ask) -> Answer:
        """A booking that lacks its delivery point, and the link to enter it."""
        self._sandbox_only()
        prebooking = self._book.prebook(self._store(ask), read_booking(ask, with_place=False))
        body = self._shapes.prebooking(prebooking)
        if self._switches.late_link:
            del body["url"]
        return Answer(body={"data": body}, effect=True)

    def get_prebooking(self, ask: Ask) -> Answer:
        """One pre-booking of the store."""
        self._sandbox_only()
        return Answer(body={"data": self._shapes.prebooking(self._prebooking(ask))})

    def cancel_prebooking(self, ask: Ask) -> Answer:
        """Cancel a pre-booking."""
        self._sandbox_only()
        prebooking = self._prebooking(ask)
        try:
            self._book.cancel_prebooking(prebooking)
        except NotAllowedError as problem:
            raise Refusal(refused(409, str(problem), "INVALID_STATE")) from problem
        return Answer(body={"data": self._shapes.prebooking(prebooking)}, effect=True)

    # inside

    def _store(self, ask: Ask) -> Store:
        return self._book.stores[self._key_of(ask)]

    def _booking(self, ask: Ask, body: Mapping[str, object]) -> Booking:
        return _found(self._book.find(self._store(ask), str(body.get("bookingID") or "")))

    def _prebooking(self, ask: Ask) -> Prebooking:
        found = self._book.prebookings.get(ask.params["id"])
        if found is None or found.store is not self._store(ask):
            raise Refusal(refused(404, "There is no such pre-booking", "PREBOOKING_NOT_FOUND"))
        return found

    def _acted(self, act: Callable[[], None], booking: Booking) -> Answer:
        try:
            act()
        except NotAllowedError as problem:
            raise Refusal(refused(409, str(problem), "INVALID_STATE")) from problem
        return Answer(body={"message": "Done", "data": self._shapes.booking(booking)}, effect=True)

    def _sandbox_only(self) -> None:
        if self._switches.production:
            raise Refusal(refused(404, "Pre-bookings are not available", "NOT_AVAILABLE"))


def _found(booking: Booking | None) -> Booking:
    if booking is None:
        raise Refusal(refused(404, "There is no such booking", "BOOKING_NOT_FOUND"))
    return booking
