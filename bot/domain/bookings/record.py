"""Records of the delivery service: bookings, stores, webhooks; and the points of its certification."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Final

from pydantic import SecretStr

from bot.domain.machine import Machine
from bot.domain.reasons import Reason


class Status(StrEnum):
    """Our states; the route table maps the service's words. ``ON_HOLD`` is documented, the others are assumed."""

    ON_HOLD = "ON_HOLD"
    READY_FOR_PICKUP = "READY_FOR_PICKUP"
    ACCEPTED = "ACCEPTED"
    ARRIVED_AT_PICKUP = "ARRIVED_AT_PICKUP"
    WAY_TO_DELIVER = "WAY_TO_DELIVER"
    ARRIVED_AT_DELIVERY = "ARRIVED_AT_DELIVERY"
    COMPLETED = "COMPLETED"
    PROVIDER_NOT_FOUND = "PROVIDER_NOT_FOUND"
    CANCELLED_BY_BUSINESS = "CANCELLED_BY_BUSINESS"
    CANCELLED_BY_ADMIN = "CANCELLED_BY_ADMIN"
    CANCELLED_BY_DELIVERY_PROVIDER = "CANCELLED_BY_DELIVERY_PROVIDER"
    NOT_DELIVERED = "NOT_DELIVERED"
    RETURNING = "RETURNING"
    RETURNED = "RETURNED"


_FINAL: Final = frozenset(
    {
        Status.COMPLETED,
        Status.CANCELLED_BY_BUSINESS,
        Status.CANCELLED_BY_ADMIN,
        Status.CANCELLED_BY_DELIVERY_PROVIDER,
        Status.RETURNED,
    }
)
_WITH_DRIVER: Final = frozenset(
    {Status.ACCEPTED, Status.ARRIVED_AT_PICKUP, Status.WAY_TO_DELIVER, Status.ARRIVED_AT_DELIVERY}
)
_SEARCHING: Final = frozenset({Status.READY_FOR_PICKUP, Status.PROVIDER_NOT_FOUND})
_WITHOUT_DRIVER: Final = _SEARCHING | {Status.ON_HOLD}


def same_word(text: str) -> str:
    """Normalize a state's word for comparison."""
    return text.strip().upper().replace(" ", "_").replace("-", "_").replace("CANCELED", "CANCELLED")


def read_status(text: str) -> Status | None:
    folded = same_word(text)
    return next((known for known in Status if known.value == folded), None)


def is_canceled(text: str) -> bool:
    return text.strip().upper().startswith("CANCEL")


def is_final(text: str) -> bool:
    return read_status(text) in _FINAL or is_canceled(text)


def is_unknown(text: str) -> bool:
    """Whether it is neither a known state nor a word for canceled (assumed: ``CANCEL…``), so it may have ended."""
    return read_status(text) is None and not is_canceled(text)


def has_driver(text: str) -> bool:
    """Whether a driver is assigned in this state."""
    return read_status(text) in _WITH_DRIVER


def is_searching(text: str) -> bool:
    """Whether no driver is assigned in this state."""
    return read_status(text) in _WITHOUT_DRIVER


class StatusChange(StrEnum):
    NONE = "none"
    MOVED = "moved"
    RESTARTED = "restarted"
    """The booking lost its driver and is searching again."""
    CONTRADICTION = "contradiction"
    """The booking had ended in another state, which is kept."""


def change_of(before: str, now: str) -> StatusChange:
    """Compare two states in the service's words. Only final states are sticky: a restarted search moves backwards."""
    known, seen = read_status(before), read_status(now)
    if before.strip().casefold() == now.strip().casefold() or (known is not None and known is seen):
        return StatusChange.NONE
    if before and is_final(before):
        return StatusChange.CONTRADICTION
    if known in _WITH_DRIVER and seen in _SEARCHING:
        return StatusChange.RESTARTED
    return StatusChange.MOVED


class Payment(StrEnum):
    """How the order is paid (documented). CASH: the driver collects it. CARD: it is prepaid."""

    CASH = "CASH"
    CARD = "CARD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A point on the map, in degrees as written: six decimals are about 10 cm."""

    latitude: str
    longitude: str

    def __str__(self) -> str:
        return f"{self.latitude}, {self.longitude}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """A number in the service's format: country code with a plus, and national number without trunk prefix."""

    country_code: str
    national: str

    def __str__(self) -> str:
        return f"{self.country_code} {self.national}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    name: str = ""
    mobile: str = ""
    email: str = ""
    image: str = ""
    provider: str = ""

    @property
    def is_known(self) -> bool:
        return bool(self.name or self.mobile or self.provider)

    def is_other_than(self, before: "Driver") -> bool:
        """Whether it is another person; a phone number or picture added later doesn't count."""
        pairs = ((self.name, before.name), (self.mobile, before.mobile), (self.provider, before.provider))
        return any(now and was and now != was for now, was in pairs)

    def joined(self, before: Mapping[str, Any]) -> dict[str, str]:
        """Return its fields, filling empty ones from ``before`` if that was the same driver."""
        said = asdict(self)
        same = all(said[name] in ("", before.get(name)) for name in ("name", "mobile"))
        return {name: value or (str(before.get(name, "")) if same else "") for name, value in said.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One call to one provider (documented, except for its fields). ``rest`` holds unknown fields unchanged."""

    provider: str = ""
    status: str = ""
    driver: Driver = field(default_factory=Driver)
    rest: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookingRecord:
    """The service's record of a booking. Ids are text, even if the service sends numbers."""

    id: str
    status: str
    """Our state if ``delivery.states`` of the route table maps the service's word, else that word."""
    word: str = ""
    """The service's word, unchanged."""
    numeric_id: str = ""
    external_id: str = ""
    tracking_url: str = ""
    detail_url: str = ""
    fee: str = ""
    currency: str = ""
    driver: Driver = field(default_factory=Driver)
    orders: tuple[Order, ...] = ()
    cancel_reason: str = ""
    validation_code: str = ""
    proof: str = ""
    customer: str = ""
    address: str = ""
    amount: str = ""
    payment_method: str = ""
    cook_minutes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    fee: str
    fee_with_tax: str = ""
    tax: str = ""
    currency: str = ""
    eta: str = ""
    distance: str = ""
    vehicle: str = ""
    """The requested vehicle; empty for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """The price of a delivery for the booker, with tax if known; shown on cards, in answers and audit rows."""

    amount: str
    tax: str = ""
    currency: str = ""
    quoted: bool = False
    """Whether the price comes from the quote only, not from the record."""


def charge(quoted: Mapping[str, Any], *, fee: str = "", currency: str = "") -> Charge | None:
    """Return the charge from the fields of a :class:`Quote` and the record's fee, which may differ from both."""
    said = {name: str(quoted.get(name) or "") for name in ("fee", "fee_with_tax", "tax", "currency")}
    net, gross = said["fee"], said["fee_with_tax"]
    money = currency or said["currency"]
    if fee and fee not in (net, gross):
        return Charge(amount=fee, currency=money)
    if not (gross or net):
        return None
    tax = said["tax"] if gross else ""
    if gross and not tax:
        with suppress(InvalidOperation):
            difference = Decimal(gross) - Decimal(net)
            tax = str(difference) if difference > 0 else ""
    return Charge(amount=gross or net, tax=tax, currency=money, quoted=not fee)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRecord:
    """The service's record of a store. ``key`` gives access to everything in it: never show or log it."""

    name: str
    id: str = ""
    key: SecretStr | None = None
    email: str = ""
    mobile: str = ""
    country_code: str = ""
    latitude: str = ""
    longitude: str = ""
    address: str = ""
    reference: str = ""
    exterior: str = ""
    interior: str = ""
    number: str = ""
    building: str = ""
    city: str = ""
    zip_code: str = ""
    country: str = ""


STORE_EXTRAS: Final = ("exterior", "interior", "number", "building", "city", "zip_code", "country")
"""Optional fields of a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Web addresses of the service's dashboard and its support chat."""

    dashboard: str = ""
    support: str = ""


NO_DESK: Final = Desk()


class StoreState(StrEnum):
    CREATING = "creating"
    """Requested; the service has not confirmed it yet."""
    READY = "ready"


STORE_MOVES: Final = Machine({StoreState.CREATING: (StoreState.READY,)}, final=())


class WebhookKind(StrEnum):
    STATUS = "UPDATE_BOOKING_STATUS"
    DRIVER = "DRIVER_ASSIGNED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A registration as listed by the service. The address holds a token, so it is kept out of every text."""

    kind: str
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrebookingRecord:
    id: str
    url: str = ""
    has_address: bool | None = None
    booking_id: str = ""
    status: str = ""
    external_id: str = ""
    customer: str = ""
    amount: str = ""
    payment_method: str = ""
    rest: Mapping[str, str] = field(default_factory=dict)
    """Unknown fields, unchanged: only the URL is documented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownStore:
    """A store for display, ``usable`` if we have its key."""

    name: str
    record: Mapping[str, Any]
    usable: bool
    given: bool = False
    """Whether its key comes from ``DELIVERY_STORE_KEYS``."""
    creating: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """One kind of webhook of a store. ``host`` is empty if none is registered, None if that couldn't be read."""

    kind: str
    """The service's name for the kind."""
    host: str | None = ""
    ours: bool = False
    trouble: Reason | None = None


class Point(StrEnum):
    """Points that the review covers, in the document's order; those after ``VIEW`` are extras."""

    QUOTE = "quote"
    BOOK = "book"
    CASH = "cash"
    CARD = "card"
    COOK = "cook_held"
    CANCEL = "canceled"
    HOOK = "hook"
    STATUS_EVENT = "status_event"
    STATES = "states"
    STORE = "store"
    STORE_READ = "store_read"
    PREBOOK = "prebook"
    ADDRESS = "address"
    PREBOOK_CANCEL = "prebook_cancel"
    VIEW = "view_to_the_end"
    SEARCH = "search"
    DRIVER_EVENT = "driver_event"
    RESTART = "restart"


OPTIONAL: Final = frozenset(
    {
        Point.COOK,
        Point.CANCEL,
        Point.STORE_READ,
        Point.PREBOOK_CANCEL,
        Point.SEARCH,
        Point.DRIVER_EVENT,
        Point.RESTART,
    }
)
"""Points that the review doesn't require."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenState:
    """A state's word at the service, our state (or the word) for it, and the booking it was first seen on."""

    word: str
    status: str
    what: str


class Told(StrEnum):
    """Evidence from a state (documented): whether a booking is in progress, finished or canceled."""

    PROGRESS = "in progress"
    FINISHED = "finished"
    CANCELED = "canceled"


def told_by(states: Sequence[SeenState]) -> set[Told]:
    """Return the evidence from the states seen so far; unknown states give none."""
    known = [one.status for one in states if not is_unknown(one.status)]
    kinds = {True: Told.FINISHED, False: Told.PROGRESS}
    return {Told.CANCELED if is_canceled(status) else kinds[is_final(status)] for status in known}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    count: int
    last: datetime
    what: str
