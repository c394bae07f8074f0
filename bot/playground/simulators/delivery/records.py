"""Records of the delivery service: stores, bookings with their orders, pre-bookings, and its switches."""

from collections.abc import Mapping
from dataclasses import dataclass, field

ON_HOLD, SEARCHING, ACCEPTED = "ON_HOLD", "READY_FOR_PICKUP", "ACCEPTED"
AT_PICKUP, ON_THE_WAY, AT_DELIVERY = "ARRIVED_AT_PICKUP", "WAY_TO_DELIVER", "ARRIVED_AT_DELIVERY"
COMPLETED, NOT_FOUND = "COMPLETED", "PROVIDER_NOT_FOUND"
BY_BUSINESS, BY_ADMIN, BY_PROVIDER = "CANCELLED_BY_BUSINESS", "CANCELLED_BY_ADMIN", "CANCELLED_BY_DELIVERY_PROVIDER"
NOT_DELIVERED, RETURNING, RETURNED = "NOT_DELIVERED", "RETURNING", "RETURNED"

STATUSES = (
    ON_HOLD,
    SEARCHING,
    ACCEPTED,
    AT_PICKUP,
    ON_THE_WAY,
    AT_DELIVERY,
    COMPLETED,
    NOT_FOUND,
    BY_BUSINESS,
    BY_ADMIN,
    BY_PROVIDER,
    NOT_DELIVERED,
    RETURNING,
    RETURNED,
)
FINAL = frozenset({COMPLETED, BY_BUSINESS, BY_ADMIN, BY_PROVIDER, RETURNED})

STATUS_KIND, DRIVER_KIND = "UPDATE_BOOKING_STATUS", "DRIVER_ASSIGNED"
WEBHOOK_KINDS = (STATUS_KIND, DRIVER_KIND)


@dataclass(frozen=True, kw_only=True)
class Provider:
    """A delivery company that serves stores."""

    name: str
    drivers: tuple[tuple[str, str], ...]
    """Names and mobile numbers."""


PROVIDERS = (
    Provider(name="Rapido", drivers=(("Diego Paz", "+593987000111"), ("Rosa Vera", "+593987000112"))),
    Provider(name="MotoYa", drivers=(("Luz Mora", "+593987000221"), ("Iván Ríos", "+593987000222"))),
    Provider(name="Ciclo", drivers=(("Noa Sanz", "+593987000331"),)),
)


@dataclass(kw_only=True)
class Store:
    """A shop. ``token`` is its key; ``fields`` are the values of its creation, by the service's names."""

    id: str
    token: str
    fields: dict[str, object]
    webhooks: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Display name."""
        return str(self.fields.get("companyName", ""))

    @property
    def point(self) -> tuple[float, float]:
        """Latitude and longitude."""
        return float(str(self.fields.get("latitude", 0))), float(str(self.fields.get("longitude", 0)))


@dataclass(kw_only=True)
class Order:
    """An offer of a booking to one provider."""

    provider: str
    search: int = 1
    """Number of the booking's search to which it belongs."""
    fee_cents: int = 0
    state: str = "searching"
    """``searching``, ``accepted``, ``rejected`` or ``withdrawn``."""
    driver: tuple[str, str] | None = None


@dataclass(kw_only=True)
class Booking:
    """A delivery. Times are seconds since the epoch; ``due`` is the time of its next step."""

    id: str
    number: int
    store: Store
    fields: Mapping[str, object]
    status: str
    created_at: float
    orders: list[Order] = field(default_factory=list)
    fee_cents: int = 0
    due: float | None = None
    driver: tuple[str, str] | None = None
    provider: str = ""
    searches: int = 0
    at: tuple[float, float] | None = None
    """Position of the driver."""
    cancel_reason: str = ""
    proof: str = ""
    validation_code: str = ""
    history: list[str] = field(default_factory=list)

    @property
    def external_id(self) -> str:
        """The integrator's id."""
        return str(self.fields.get("externalBookingId") or "")

    @property
    def customer(self) -> str:
        """Recipient of the delivery."""
        return f"{self.fields.get('customerName', '')} {self.fields.get('customerLastName', '')}".strip()

    @property
    def final(self) -> bool:
        """Whether its status is final."""
        return self.status in FINAL


@dataclass(kw_only=True)
class Prebooking:
    """A booking without a delivery point."""

    id: str
    store: Store
    fields: Mapping[str, object]
    created_at: float
    booking: Booking | None = None
    canceled: bool = False


@dataclass
class DeliverySwitches:
    """The service's switches; each may be changed at any time.

    Attributes:
        suspended: the workspace is suspended; calls are answered ``suspended_status``, 200 with an error in the body.
        other_environment: the keys belong to the other environment; every call is answered 403.
        production: pre-bookings do not exist here.
        reach_km: points farther than this from the store are not covered.
        no_provider: no provider accepts bookings; searches end in PROVIDER_NOT_FOUND.
        drop_driver: number of drivers who give up before they reach the store; the search then starts again.
        undelivered: drivers don't find the customer and return the order.
        unknown_status: bookings pass through this undocumented state.
        forget_external: records don't include the integrator's id.
        late_link: the link of a pre-booking is only returned on reading.
        keep_webhooks: a DELETE of a webhook is answered 2xx without effect, as behind a proxy that drops its body.
        numbers_as_text: ``bookingNumericId`` is text.
        words: other names for states and kinds of events.
        cook_unit: seconds of one unit of ``cookTime``.
    """

    suspended: bool = False
    suspended_status: int = 403
    other_environment: bool = False
    production: bool = False
    reach_km: float = 25.0
    no_provider: bool = False
    drop_driver: int = 0
    undelivered: bool = False
    unknown_status: str = ""
    forget_external: bool = False
    late_link: bool = False
    keep_webhooks: bool = False
    numbers_as_text: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    cook_unit: float = 0.001

    def word(self, ours: str) -> str:
        """Return this service's name of a state or a kind of event."""
        return self.words.get(ours, ours)
