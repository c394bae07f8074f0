"""The service's book: stores, bookings and their transitions. Methods act at once."""

import math
import secrets
from collections.abc import Callable, Mapping

from bot.playground.simulators.delivery.records import (
    ACCEPTED,
    AT_DELIVERY,
    AT_PICKUP,
    BY_BUSINESS,
    COMPLETED,
    FINAL,
    NOT_DELIVERED,
    NOT_FOUND,
    ON_HOLD,
    ON_THE_WAY,
    PROVIDERS,
    RETURNED,
    RETURNING,
    SEARCHING,
    STATUSES,
    Booking,
    DeliverySwitches,
    Order,
    Prebooking,
    Provider,
    Store,
)

_FIRST_NUMBER = 10_001
_KM_A_DEGREE = 111.0
_BASE_CENTS, _CENTS_A_KM = 150, 40
_BEFORE_THE_STORE = frozenset({ACCEPTED, AT_PICKUP})
_STEPS_TO_DOOR = 0.6


class NotAllowedError(Exception):
    """The booking's state doesn't allow this; nothing was done."""


class Book:
    """Stores, bookings and pre-bookings; reports changes to ``changed`` and due webhooks to ``told``."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        switches: DeliverySwitches,
        step_seconds: float | None,
        changed: Callable[[str, object], None],
        told: Callable[[Booking, str], None],
    ) -> None:
        self.stores: dict[str, Store] = {}
        """Stores by key."""
        self.bookings: dict[str, Booking] = {}
        self.prebookings: dict[str, Prebooking] = {}
        self.step_seconds = step_seconds
        self._clock = clock
        self._switches = switches
        self._changed = changed
        self._told = told
        self._turn = 0

    # stores

    def add_store(self, fields: Mapping[str, object], *, token: str = "") -> Store:
        """Open a store, with a new key unless one is given."""
        store = Store(id=_id(), token=token or f"store-{secrets.token_urlsafe(18)}", fields=dict(fields))
        self.stores[store.token] = store
        self._changed("store", store)
        return store

    def change_store(self, store: Store, fields: Mapping[str, object]) -> Store:
        """Change the given fields of a store."""
        store.fields.update(fields)
        self._changed("store", store)
        return store

    # bookings

    def quote(self, store: Store, point: tuple[float, float]) -> tuple[int, float]:
        """Return the price in cents and the distance in kilometres to a point."""
        distance = kilometres(store.point, point)
        return _BASE_CENTS + round(distance * _CENTS_A_KM), distance

    def covers(self, store: Store, point: tuple[float, float]) -> bool:
        """Return whether the store delivers to this point."""
        return kilometres(store.point, point) <= self._switches.reach_km

    def create(self, store: Store, fields: Mapping[str, object]) -> Booking:
        """Create a booking: on hold with a cook time, otherwise searching at once. Repetitions are accepted."""
        now = self._clock()
        cook = float(str(fields.get("cookTime") or 0)) * self._switches.cook_unit
        booking = Booking(
            id=_id(),
            number=_FIRST_NUMBER + len(self.bookings),
            store=store,
            fields=fields,
            status=ON_HOLD if cook else "",
            created_at=now,
            fee_cents=self.quote(store, _point(fields))[0],
            validation_code=f"{secrets.randbelow(10_000):04d}",
        )
        self.bookings[booking.id] = booking
        if cook:
            booking.history.append(ON_HOLD)
            booking.due = now + cook
            self._changed("booking", booking)
            self._told(booking, "status")
        else:
            self._search(booking)
        return booking

    def find(self, store: Store, reference: str, *, external: bool = False) -> Booking | None:
        """Return the store's booking with this internal or public id, or its newest with this integrator's id."""
        mine = [one for one in self.bookings.values() if one.store is store]
        if external:
            return next((one for one in reversed(mine) if reference and one.external_id == reference), None)
        return next((one for one in mine if reference in (one.id, str(one.number))), None)

    def start_search(self, booking: Booking) -> None:
        """Start the search for a booking on hold.

        Raises:
            NotAllowedError: it is not on hold.
        """
        if booking.status != ON_HOLD:
            raise NotAllowedError(f"The booking is {booking.status}, not {ON_HOLD}")
        self._search(booking)

    def cancel(self, booking: Booking, reason: str, *, status: str = BY_BUSINESS) -> None:
        """Cancel a booking.

        Raises:
            NotAllowedError: it has ended, or the order is being returned.
        """
        if booking.final or booking.status in (RETURNING, NOT_DELIVERED):
            raise NotAllowedError(f"The booking is {booking.status}")
        booking.cancel_reason = reason
        self._move(booking, status)

    def settle(self, booking: Booking, status: str, *, reason: str = "", force: bool = False) -> None:
        """Set the state of a booking, as support or a provider would.

        Raises:
            NotAllowedError: it has ended, and ``force`` is off.
        """
        if booking.final and not force:
            raise NotAllowedError(f"The booking is {booking.status}")
        if status not in STATUSES and not force:
            raise NotAllowedError(f"A booking is never {status}")
        booking.cancel_reason = reason or booking.cancel_reason
        if status == SEARCHING:
            self._search(booking)
            return
        if status in (ACCEPTED, AT_PICKUP, ON_THE_WAY, AT_DELIVERY) and booking.driver is None:
            self._assign(booking)
        self._move(booking, status)

    def restart(self, booking: Booking) -> None:
        """Remove the driver before the store, as if they gave up: every provider is called again.

        Raises:
            NotAllowedError: it has no driver, or the order is already on its way.
        """
        if booking.status not in _BEFORE_THE_STORE:
            raise NotAllowedError(f"The booking is {booking.status}")
        for order in booking.orders:
            if order.state == "accepted":
                order.state = "withdrawn"
        self._search(booking)

    def retry(self, booking: Booking) -> None:
        """Search again after no driver was found."""
        self._search(booking)

    # pre-bookings

    def prebook(self, store: Store, fields: Mapping[str, object]) -> Prebooking:
        """Create a pre-booking that waits for the customer's address."""
        prebooking = Prebooking(id=_id(), store=store, fields=dict(fields), created_at=self._clock())
        self.prebookings[prebooking.id] = prebooking
        self._changed("prebooking", prebooking)
        return prebooking

    def enter_address(self, prebooking: Prebooking, fields: Mapping[str, object]) -> Booking:
        """Turn the pre-booking into a booking with the entered address, and start the search.

        Raises:
            NotAllowedError: it was canceled, or the address was already entered.
        """
        if prebooking.canceled or prebooking.booking is not None:
            raise NotAllowedError("This link is used up")
        prebooking.booking = self.create(prebooking.store, {**prebooking.fields, **fields})
        self._changed("prebooking", prebooking)
        return prebooking.booking

    def cancel_prebooking(self, prebooking: Prebooking) -> None:
        """Cancel the pre-booking.

        Raises:
            NotAllowedError: it is already a booking.
        """
        if prebooking.booking is not None:
            raise NotAllowedError("The address was entered already")
        prebooking.canceled = True
        self._changed("prebooking", prebooking)

    # time

    def tick(self) -> list[Booking]:
        """Move every booking that is due; return those moved."""
        now = self._clock()
        due = [one for one in self.bookings.values() if one.due is not None and one.due <= now]
        for booking in due:
            self.step(booking)
        return due

    def advance(self) -> list[Booking]:
        """Move every open booking by one step, whatever the time; those on hold start searching."""
        moving = [one for one in self.bookings.values() if not one.final]
        for booking in moving:
            self.step(booking)
        return moving

    def next_due(self) -> float | None:
        """Return when the next booking is due; None if none is."""
        return min((one.due for one in self.bookings.values() if one.due is not None), default=None)

    def step(self, booking: Booking) -> None:  # noqa: C901, PLR0912 - one arm per state
        """Move a booking to its next state."""
        booking.due = None
        odd = self._switches.unknown_status
        match booking.status:
            case "ON_HOLD":
                self._search(booking)
            case "READY_FOR_PICKUP" if self._switches.no_provider:
                for order in booking.orders:
                    order.state = "rejected"
                self._move(booking, NOT_FOUND)
            case "READY_FOR_PICKUP":
                self._assign(booking)
                self._move(booking, ACCEPTED)
            case "ACCEPTED" if self._switches.drop_driver > 0:
                self._switches.drop_driver -= 1
                self.restart(booking)
            case "ACCEPTED":
                self._move(booking, AT_PICKUP)
            case "ARRIVED_AT_PICKUP" if odd and odd not in booking.history:
                self._move(booking, odd)
            case "ARRIVED_AT_PICKUP":
                self._move(booking, ON_THE_WAY)
            case "WAY_TO_DELIVER":
                self._move(booking, AT_DELIVERY)
            case "ARRIVED_AT_DELIVERY":
                self._move(booking, NOT_DELIVERED if self._switches.undelivered else COMPLETED)
            case "NOT_DELIVERED":
                self._move(booking, RETURNING)
            case "RETURNING":
                self._move(booking, RETURNED)
            case "PROVIDER_NOT_FOUND":
                self._changed("booking", booking)  # it waits to be canceled or searched again
            case status if status not in FINAL:
                self._move(booking, ON_THE_WAY)

    # inside

    def _search(self, booking: Booking) -> None:
        booking.driver, booking.provider, booking.at = None, "", None
        booking.searches += 1
        fee, search = booking.fee_cents, booking.searches
        booking.orders += [
            Order(provider=provider.name, search=search, fee_cents=fee + 10 * number)
            for number, provider in enumerate(PROVIDERS)
        ]
        self._move(booking, SEARCHING)

    def _assign(self, booking: Booking) -> None:
        provider: Provider = PROVIDERS[self._turn % len(PROVIDERS)]
        booking.driver = provider.drivers[self._turn // len(PROVIDERS) % len(provider.drivers)]
        self._turn += 1
        booking.provider = provider.name
        for order in booking.orders:
            if order.state == "searching":
                order.state = "accepted" if order.provider == provider.name else "withdrawn"
                order.driver = booking.driver if order.state == "accepted" else None

    def _move(self, booking: Booking, status: str) -> None:
        booking.status = status
        booking.history.append(status)
        booking.at = self._whereabouts(booking)
        booking.due = None
        if status == COMPLETED:
            booking.proof = f"/proof/{booking.id}.png"
        if status == NOT_DELIVERED:
            booking.cancel_reason = booking.cancel_reason or "Nobody opened the door"
        if status not in FINAL and status != NOT_FOUND and self.step_seconds is not None:
            booking.due = self._clock() + self.step_seconds
        self._changed("booking", booking)
        self._told(booking, "driver" if status == ACCEPTED else "status")

    def _whereabouts(self, booking: Booking) -> tuple[float, float] | None:
        """Return the driver's position in this state, between the store and the door."""
        if booking.driver is None:
            return None
        store, door = booking.store.point, _point(booking.fields)
        share = {
            ACCEPTED: -_STEPS_TO_DOOR / 2,
            AT_PICKUP: 0.0,
            ON_THE_WAY: _STEPS_TO_DOOR,
            AT_DELIVERY: 1.0,
            COMPLETED: 1.0,
            NOT_DELIVERED: 1.0,
            RETURNING: _STEPS_TO_DOOR / 2,
        }.get(booking.status, 0.0)
        return store[0] + (door[0] - store[0]) * share, store[1] + (door[1] - store[1]) * share


def kilometres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the straight-line distance, accurate enough within a town."""
    north = (a[0] - b[0]) * _KM_A_DEGREE
    east = (a[1] - b[1]) * _KM_A_DEGREE * math.cos(math.radians((a[0] + b[0]) / 2))
    return math.hypot(north, east)


def _point(fields: Mapping[str, object]) -> tuple[float, float]:
    return float(str(fields.get("latitude", 0))), float(str(fields.get("longitude", 0)))


def _id() -> str:
    return secrets.token_hex(12)
